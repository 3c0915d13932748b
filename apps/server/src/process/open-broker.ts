import { randomUUID } from "node:crypto";
import { deviceAccess } from "../features/devices/public.ts";
import {
  authCallbackAccounts,
  type BrokerAccounts,
  kickByHttp,
  manualAccounts,
  accountsWithoutKick,
} from "../platform/broker-accounts/broker-accounts.ts";
import { DynamicSecurity } from "../platform/broker-accounts/dynamic-security.ts";
import { type Broker, type BrokerOptions, openBroker, withoutSecret } from "../platform/broker.ts";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/database/database.ts";
import { startEmbeddedBroker } from "../platform/embedded/broker.ts";
import type { StartContext } from "./open-database.ts";

/** Twice the largest message of the protocol, and room for its topic. */
const MAX_PACKET_BYTES = 65_536;

export interface OpenedBroker {
  readonly broker: Broker;
  readonly peerBroker: Broker;
  readonly accounts: BrokerAccounts;
  /** The address for devices, without credentials. */
  readonly url: string;
}

/** Connects to the configured broker, or to an embedded one at 127.0.0.1. */
export async function openServerBroker(db: Db, clock: Clock, context: StartContext): Promise<OpenedBroker> {
  const { settings, log, stops } = context;
  const connect = (target: Pick<BrokerOptions, "url" | "username" | "password">) => {
    const broker = openBroker({ ...target, clientId: `suncrew-server-${randomUUID()}`, log, clock });
    const name = "the MQTT broker's connection between servers";
    const clientId = `suncrew-peer-${randomUUID()}`;
    const peerBroker = openBroker({ ...target, clientId, log, clock, name, resubscribe: false });
    stops.add("broker connections", 1000, async () => void (await Promise.all([broker.close(), peerBroker.close()])));
    return { broker, peerBroker };
  };
  if (settings.mqttUrl !== null) {
    const connections = connect({ url: settings.mqttUrl });
    return { ...connections, accounts: openBrokerAccounts(clock, context), url: withoutSecret(settings.mqttUrl) };
  }
  const embeddedBroker = await startEmbeddedBroker({
    port: settings.mqttPort,
    orNext: !settings.mqttPortIsSet,
    access: deviceAccess(db),
    maxPacketBytes: MAX_PACKET_BYTES,
    clock,
    log,
  });
  stops.add("embedded broker", 1500, () => embeddedBroker.stop());
  const connections = connect({ url: embeddedBroker.url, ...embeddedBroker.serverAccount });
  const accounts = authCallbackAccounts("embedded", async (serial) => embeddedBroker.disconnect(serial));
  return { ...connections, accounts, url: embeddedBroker.url };
}

/** The devices' accounts at a configured broker. */
function openBrokerAccounts(clock: Clock, { settings, log, stops }: StartContext): BrokerAccounts {
  const { brokerAccounts } = settings;
  switch (brokerAccounts.form) {
    case "dynamic-security": {
      // A connection of its own: it may use another account, and its slow answers must not delay commands.
      const broker = openBroker({
        url: brokerAccounts.adminUrl,
        clientId: `suncrew-accounts-${randomUUID()}`,
        log,
        clock,
        name: "the MQTT broker's admin account",
      });
      stops.add("broker accounts", 1000, () => broker.close());
      return new DynamicSecurity(broker, clock, log);
    }
    case "http": {
      const { kickUrl } = brokerAccounts;
      return kickUrl === null ? accountsWithoutKick : authCallbackAccounts("http", kickByHttp(kickUrl, fetch, log));
    }
    default:
      return manualAccounts;
  }
}
