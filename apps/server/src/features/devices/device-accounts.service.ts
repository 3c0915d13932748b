import type { allocateDevices, provisionDevices } from "@suncrew/contract/devices/devices.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import {
  type BrokerAccounts,
  BrokerNotTold,
  manualAccounts,
  type NotToldWhy,
} from "../../platform/broker-accounts/broker-accounts.ts";
import type { Cancel } from "../../platform/clock.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Commands, sendLastStop } from "../commands/public.ts";
import { AdvisoryLocks } from "../../platform/database/advisory-locks.ts";
import { seenAt } from "../sites/public.ts";
import { allocate } from "./allocate-devices.ts";
import { clearPending, countRefusal, type PendingDevice, takePending } from "./devices.repository.ts";
import { deviceSentences, withManualStep } from "./device-sentences.ts";
import { provision } from "./provision-devices.ts";
import { retire } from "./retire-device.ts";
import { rotate } from "./rotate-device.ts";
import { stopBefore } from "./stop-before.ts";

/** What the broker was not told is told again this often, by whichever server looks first. */
const AGAIN_MS = 5_000;
/** What it refuses again and again is told it less and less often, but never less often than this. */
const AGAIN_AT_MOST_MS = 5 * 60_000;
/** Any numbers all servers agree on. */
const ROTATION_LOCKS = 7_305_010;
const PROVISION_LOCKS = 7_305_011;

/** Devices and their accounts at the broker (protocol rule 9), for Super Admins. */
export class DeviceAccounts implements Service {
  readonly #deps: Dependencies;
  readonly #commands: Commands;
  readonly #accounts: BrokerAccounts;
  readonly #rotations: AdvisoryLocks;
  readonly #provisions: AdvisoryLocks;
  #cancel: Cancel = () => {};
  #telling: Promise<void> | null = null;

  constructor(deps: Dependencies, commands: Commands) {
    this.#deps = deps;
    this.#commands = commands;
    this.#accounts = deps.brokerAccounts ?? manualAccounts;
    this.#rotations = new AdvisoryLocks(deps.connection, ROTATION_LOCKS);
    this.#provisions = new AdvisoryLocks(deps.connection, PROVISION_LOCKS);
  }

  async start(): Promise<void> {
    this.#cancel = this.#deps.clock.every(AGAIN_MS, () => this.#tellAgain());
    this.#tellAgain();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#telling;
  }

  /**
   * Throws 400 (no range), 404 (no such partner), 409 (taken) or 503 (the broker cannot be told); then nothing was
   * provisioned.
   */
  async provision(
    viewer: Viewer,
    { first_serial: first, last_serial: last = first, partner_id }: BodyOf<typeof provisionDevices>,
  ): Promise<ResponseOf<typeof provisionDevices>> {
    const { db, clock } = this.#deps;
    const deps = { db, accounts: this.#accounts, locks: this.#provisions };
    const partnerId = partner_id ?? IN_HOUSE_PARTNER_ID;
    const { devices, partner } = await provision(deps, { first, last, partnerId, by: viewer, at: clock.now() });
    const done = deviceSentences.provisioned(
      devices.map(({ serial }) => serial),
      partnerId === IN_HOUSE_PARTNER_ID ? null : partner,
    );
    const step = `Suncrew does not keep your broker's accounts: enter ${devices.length === 1 ? "the secret" : "the secrets"} there.`;
    return { message: withManualStep(this.#accounts.form, done, step), devices: [...devices] };
  }

  /** Throws 404 (no such partner or device) and 409 (retired, or a robot has it); then nothing was allocated. */
  async allocate(viewer: Viewer, body: BodyOf<typeof allocateDevices>): Promise<ResponseOf<typeof allocateDevices>> {
    const { db, clock } = this.#deps;
    const { serials, partner_id: partnerId } = body;
    const by = { userId: viewer.userId, name: viewer.name };
    const allocated = await transactionWithRetry(db, (tx) => allocate(tx, { serials, partnerId, by, at: clock.now() }));
    if (allocated.kind === "refused") throw allocated.error;
    return { message: allocated.message };
  }

  /** Throws 404, 409 (retired, or its robot may move) or 503 (the broker cannot be told). */
  async rotate(viewer: Viewer, serial: string): Promise<{ message: string; serial: string; secret: string }> {
    const deps = { ...this.#deps, accounts: this.#accounts, locks: this.#rotations };
    const secret = await rotate(deps, { serial, by: viewer, at: this.#deps.clock.now() });
    await this.#tell({ serial, pending: "SECRET" });
    const step = "Suncrew does not keep your broker's accounts: enter it there, the old one ends only then.";
    return { message: withManualStep(this.#accounts.form, deviceSentences.rotated(serial), step), serial, secret };
  }

  /**
   * Stops the robot that has the device, as far as that goes at once, and cuts the device off. Throws 404, or 409 where it
   * was retired before, or where its robot may move and cannot be stopped.
   */
  async retire(viewer: Viewer, serial: string): Promise<{ message: string }> {
    const { db, serverId } = this.#deps;
    const by = { userId: viewer.userId, name: viewer.name, actionType: "SYSTEM" } as const;
    await stopBefore(this.#deps, this.#commands, by, serial);
    const retired = await transactionWithRetry(db, (tx) => {
      const cutsOff = this.#accounts.keepsConnections !== true;
      return retire(tx, { serial, by, serverId, seen: seenAt(this.#deps), cutsOff });
    });
    if (retired.kind === "refused") throw retired.error;
    if (retired.lastStop !== null) await sendLastStop(this.#deps, retired.lastStop);
    const untold = await this.#tell({ serial, pending: "RETIRE" });
    if (untold !== null) return { message: deviceSentences.retiredUntold(serial) };
    const step = "Suncrew ignores it from now on; delete its account at your broker too.";
    return { message: withManualStep(this.#accounts.form, deviceSentences.retired(serial), step) };
  }

  #tellAgain(): void {
    this.#telling ??= this.#tellPending()
      .catch((error: unknown) => this.#deps.log.error({ error }, "the broker could not be told of devices"))
      .finally(() => {
        this.#telling = null;
      });
  }

  /** Goes on after a refusal, which is that device's alone; all others wait where the broker is away or says nothing. */
  async #tellPending(): Promise<void> {
    const { db, clock } = this.#deps;
    const due = { now: clock.now(), againMs: AGAIN_MS, againAtMostMs: AGAIN_AT_MOST_MS };
    for (;;) {
      const pending = await takePending(db, due);
      if (pending === null) return;
      const told = await this.#tell(pending);
      if (told === "away" || told === "silent") return;
    }
  }

  /** Why the broker was not told; the row says so, and it is told again. Null where it was. */
  async #tell({ serial, pending }: PendingDevice): Promise<NotToldWhy | null> {
    const { db, log } = this.#deps;
    try {
      await (pending === "RETIRE" ? this.#accounts.retire(serial) : this.#accounts.disconnect(serial));
    } catch (error) {
      if (!(error instanceof BrokerNotTold)) throw error;
      // One that is away tells so itself.
      if (error.why !== "away") log.warn({ serial, error }, "the broker was not told of a device; trying again");
      if (error.why !== "away") await countRefusal(db, { serial, pending });
      return error.why;
    }
    await clearPending(db, serial, pending);
    return null;
  }
}
