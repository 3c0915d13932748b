import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { z } from "zod";
import type { Broker, ReceivedMessage } from "../broker.ts";
import type { Clock } from "../clock.ts";
import type { Dependencies } from "../dependencies.ts";
import {
  AccountNameTakenError,
  type BrokerAccounts,
  BrokerUpdateError,
  type DeviceAccount,
} from "./broker-accounts.ts";

/**
 * Mosquitto writes all its accounts to disk after each change, and forwards no message during that: a STOP must not
 * wait long.
 */
const BATCH_SIZE = 10;
/** Marks a device's account; the plugin shows it beside the name. */
const DEVICE = "Suncrew device";

const EXISTS = "Client already exists";
const MISSING = "Client not found";

const clientSchema = z.object({ client: z.object({ textname: z.string().optional() }) });
const accessSchema = z.object({ acls: z.array(z.object({ acltype: z.string(), allow: z.boolean() })) });

/**
 * Accounts in Mosquitto's dynamic-security plugin, managed over MQTT. The plugin of Mosquitto 2.0 has no patterns such
 * as %u, so what devices may access is in the broker's `acl_file`, the same lines for all; their accounts need no role.
 * Changing, disabling or deleting an account closes its connections at once.
 */
export class DynamicSecurity implements BrokerAccounts {
  readonly form = "dynamic-security";
  readonly #control: ControlTopic;

  /** `broker` is a connection of the account that manages accounts. */
  constructor(broker: Broker, clock: Clock, log: Logger) {
    this.#control = new ControlTopic({ broker, clock, log });
  }

  async put(devices: readonly DeviceAccount[]): Promise<void> {
    await this.#refuseOpenDefaults();
    for (let from = 0; from < devices.length; from += BATCH_SIZE) {
      await this.#putSome(devices.slice(from, from + BATCH_SIZE));
    }
  }

  /** Changing the secret has closed the connection. */
  async disconnect(): Promise<void> {}

  async retire(serial: string): Promise<void> {
    const [found] = await this.#control.request([{ command: "getClient", username: serial }]);
    if (found?.error === MISSING) return;
    if (!isDevice(found?.data))
      throw refusedByBroker(`the account ${serial} was not made by Suncrew; disable it at the broker`);
    const [deleted] = await this.#control.request([{ command: "deleteClient", username: serial }]);
    if (deleted?.error !== undefined && deleted.error !== MISSING) throw refusedByBroker(deleted.error);
  }

  async #putSome(devices: readonly DeviceAccount[]): Promise<void> {
    const made = await this.#control.request(devices.map(newClient));
    const known = devices.filter((_device, index) => made[index]?.error === EXISTS);
    const wrong = made.find(({ error }) => error !== undefined && error !== EXISTS);
    if (wrong?.error !== undefined) throw refusedByBroker(wrong.error);
    if (known.length === 0) return;
    const found = await this.#control.request(known.map(({ serial }) => ({ command: "getClient", username: serial })));
    for (const [index, { serial }] of known.entries()) {
      if (!isDevice(found[index]?.data)) throw new AccountNameTakenError(serial);
    }
    // Both in one message, so that the account is never missing.
    const renewed = await this.#control.request(
      known.flatMap((device) => [{ command: "deleteClient", username: device.serial }, newClient(device)]),
    );
    const failed = renewed.find(({ error }) => error !== undefined && error !== MISSING);
    if (failed?.error !== undefined) throw refusedByBroker(failed.error, true);
  }

  /** With the plugin's initial defaults a device could subscribe to everything. */
  async #refuseOpenDefaults(): Promise<void> {
    const [answer] = await this.#control.request([{ command: "getDefaultACLAccess" }]);
    const access = accessSchema.safeParse(answer?.data).data?.acls ?? [];
    const isOpen = (type: string) => access.find(({ acltype }) => acltype === type)?.allow !== false;
    if (["publishClientSend", "publishClientReceive", "subscribe"].some(isOpen)) {
      throw new BrokerUpdateError(
        "The broker's dynamic-security plugin allows by default what it does not name. Set publishClientSend, publishClientReceive and subscribe to deny first.",
        "refused",
        false,
      );
    }
  }
}

/** Only devices' accounts are changed: never the server's own or anyone else's. */
function isDevice(data: unknown): boolean {
  return clientSchema.safeParse(data).data?.client.textname === DEVICE;
}

function newClient({ serial, secret }: DeviceAccount) {
  return { command: "createClient", username: serial, clientid: serial, password: secret, textname: DEVICE };
}

function refusedByBroker(reason: string, mayHaveChanged = false): BrokerUpdateError {
  const message = `The broker refused to change the device's account: ${reason.slice(0, 200)}.`;
  return new BrokerUpdateError(message, "refused", mayHaveChanged);
}

const TOPIC = "$CONTROL/dynamic-security/v1";
/** Mosquitto answers each message with one; with thousands of accounts on a busy machine a command is slow. */
const ANSWER_MS = 5_000;

const responsesSchema = z.object({
  responses: z.array(
    z.object({
      command: z.string(),
      correlationData: z.string().optional(),
      error: z.string().optional(),
      data: z.unknown().optional(),
    }),
  ),
});
type ControlResponse = z.output<typeof responsesSchema>["responses"][number];
type ControlCommand = { readonly command: string } & Readonly<Record<string, unknown>>;

/** Requests to and responses from the dynamic-security plugin. Neither is ever logged: they contain secrets. */
class ControlTopic {
  readonly #deps: Pick<Dependencies, "broker" | "clock" | "log">;
  readonly #waiting = new Map<string, (responses: ControlResponse[]) => void>();
  #subscribed: Promise<void> | null = null;

  constructor(deps: Pick<Dependencies, "broker" | "clock" | "log">) {
    this.#deps = deps;
  }

  /** The responses in the order of the commands, which are sent in one message. Rejects with BrokerUpdateError. */
  async request(commands: readonly ControlCommand[]): Promise<ControlResponse[]> {
    const { broker, clock, log } = this.#deps;
    if (!broker.connected) throw new BrokerUpdateError("The robots' broker cannot be reached.", "away", false);
    const { promise, resolve } = Promise.withResolvers<ControlResponse[] | null>();
    const id = randomUUID();
    const cancel = clock.after(ANSWER_MS, () => resolve(null));
    // The request is lost with its connection, and nobody resends it.
    const stopListening = broker.onConnectionChange((connected) => !connected && resolve(null));
    this.#waiting.set(id, resolve);
    try {
      const sent = this.#send(commands, id);
      sent.catch(() => resolve(null));
      const responses = await promise;
      if (responses === null) {
        log.warn({ commands: commands.length }, "the broker did not respond to account commands");
        const mayHaveChanged = commands.some(({ command }) => !command.startsWith("get"));
        const why = broker.connected ? "silent" : "away";
        throw new BrokerUpdateError("The robots' broker did not answer in time.", why, mayHaveChanged);
      }
      return responses;
    } finally {
      cancel();
      stopListening();
      this.#waiting.delete(id);
    }
  }

  async #send(commands: readonly ControlCommand[], id: string): Promise<void> {
    this.#subscribed ??= this.#subscribe();
    await this.#subscribed;
    const marked = commands.map((command) => ({ ...command, correlationData: id }));
    await this.#deps.broker.publish(TOPIC, JSON.stringify({ commands: marked }));
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#deps.broker.subscribe([`${TOPIC}/response`], (message) => this.#onMessage(message));
    } catch (error) {
      this.#subscribed = null;
      throw error;
    }
  }

  #onMessage({ payload }: ReceivedMessage): void {
    const responses = parseResponses(payload);
    this.#waiting.get(responses[0]?.correlationData ?? "")?.(responses);
  }
}

function parseResponses(payload: Buffer): ControlResponse[] {
  try {
    return responsesSchema.parse(JSON.parse(payload.toString("utf8"))).responses;
  } catch {
    return [];
  }
}
