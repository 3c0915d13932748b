import { outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { allocateDevices, provisionDevices } from "@suncrew/contract/devices/devices.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import {
  type BrokerAccounts,
  BrokerUpdateError,
  manualAccounts,
  type BrokerFailure,
} from "../../platform/broker-accounts/broker-accounts.ts";
import { announceChange } from "../../platform/change-signal.ts";
import { withTimeout } from "../../platform/clock.ts";
import { AdvisoryLocks } from "../../platform/database/advisory-locks.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { conflict, notFound } from "../../platform/http/http-error.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { endAlertsOf } from "../alerts/public.ts";
import { type AuditActor, auditedChange, type ChangeDetails } from "../audit/public.ts";
import {
  type Commands,
  insertLastStop,
  type LastStop,
  lockRobots,
  readStillMoving,
  type Requester,
  sendLastStop,
  settleRemoved,
} from "../commands/public.ts";
import { closeRunsOfDeletedRobots } from "../runs/public.ts";
import { seenAt, type SeenAt } from "../sites/public.ts";
import { deviceMessages, withManualStep } from "./device-messages.ts";
import { provision, rotate } from "./device-secrets.ts";
import {
  clearPending,
  countRefusal,
  endLockOfRetired,
  lockDevice,
  lockDevices,
  lockPartner,
  type PendingDevice,
  readMovingRobot,
  readRobotIdOf,
  showCutOff,
  storeAllocated,
  storeRetired,
  takePending,
} from "./devices.repository.ts";

/** How often changes that the broker has not accepted are sent again, by whichever server claims them. */
const RETRY_MS = 5_000;
/** Repeated refusals lengthen the interval between attempts up to this. */
const MAX_RETRY_MS = 5 * 60_000;
/** How long a robot has to stop before its device is retired; then it is cut off regardless. */
const STOP_LIMIT_MS = 3_000;
/** Arbitrary numbers that all servers share. */
const ROTATION_LOCKS = 7_305_010;
const PROVISION_LOCKS = 7_305_011;

/** Devices and their accounts at the broker (protocol rule 9), for Super Admins. */
export class DeviceAccounts {
  readonly #deps: Dependencies;
  readonly #commands: Commands;
  readonly #accounts: BrokerAccounts;
  readonly #rotations: AdvisoryLocks;
  readonly #provisions: AdvisoryLocks;
  /** Sends what the broker has not accepted again. */
  readonly retries: Service;

  constructor(deps: Dependencies, commands: Commands) {
    this.#deps = deps;
    this.#commands = commands;
    this.#accounts = deps.brokerAccounts ?? manualAccounts;
    this.#rotations = new AdvisoryLocks(deps.connection, ROTATION_LOCKS);
    this.#provisions = new AdvisoryLocks(deps.connection, PROVISION_LOCKS);
    this.retries = new PeriodicTasks(deps, [
      { name: "broker accounts", everyMs: RETRY_MS, work: () => this.#updatePending(), atStart: true },
    ]);
  }

  /** Creates all of the devices or none. Throws 400 (no range), 404 (no such partner), 409 (taken) or 503 (broker). */
  async provision(
    viewer: Viewer,
    {
      first_serial: first,
      last_serial: last = first,
      partner_id: partnerId = IN_HOUSE_PARTNER_ID,
    }: BodyOf<typeof provisionDevices>,
  ): Promise<ResponseOf<typeof provisionDevices>> {
    const { db, clock } = this.#deps;
    const deps = { db, accounts: this.#accounts, locks: this.#provisions };
    const { devices, partner } = await provision(deps, { first, last, partnerId, by: viewer, at: clock.now() });
    const done = deviceMessages.provisioned(
      devices.map(({ serial }) => serial),
      partnerId === IN_HOUSE_PARTNER_ID ? null : partner,
    );
    const message = withManualStep(this.#accounts.form, done, deviceMessages.enterSecrets(devices.length));
    return { message, devices };
  }

  /**
   * Allocates free devices to a partner, all of them or none; the operator's own are those of In-house. A device that a
   * robot has stays with the partner of the robot's site. Throws 404 (no such partner or device) and 409 (retired, or
   * used by a robot).
   */
  async allocate(
    viewer: Viewer,
    { serials, partner_id: partnerId }: BodyOf<typeof allocateDevices>,
  ): Promise<ResponseOf<typeof allocateDevices>> {
    const { db, clock } = this.#deps;
    const change = { actor: viewer, action: "ALLOCATE_DEVICE", entity: "device", at: clock.now() };
    return auditedChange(db, change, async (tx, details) => {
      const partner = await lockPartner(tx, partnerId);
      const wanted = [...new Set(serials)].toSorted();
      const devices = await lockDevices(tx, wanted);
      if (devices.length < wanted.length) throw notFound("Device");
      details.rows = devices.map(({ serial, partner_id, partner_name }) => ({
        ...change,
        entityId: serial,
        before: { partner_id, partner: partner_name },
        after: { partner_id: partnerId, partner },
      }));
      const others = devices.filter((device) => device.partner_id !== partnerId);
      const serialsOf = (some: typeof devices) => some.map(({ serial }) => serial);
      const retired = serialsOf(others.filter((device) => device.retired_at !== null));
      if (retired.length > 0) throw conflict("DEVICE_RETIRED", deviceMessages.notAllocatedRetired(retired));
      const assigned = serialsOf(others.filter((device) => device.is_assigned));
      if (assigned.length > 0) throw conflict("DEVICE_ASSIGNED", deviceMessages.notAllocatedAssigned(assigned));
      await storeAllocated(tx, serialsOf(others), partnerId);
      return { message: deviceMessages.allocated(wanted, partner, partnerId === IN_HOUSE_PARTNER_ID) };
    });
  }

  /** Throws 404, 409 (retired, or its robot may be moving) or 503 (the broker could not be updated). */
  async rotate(viewer: Viewer, serial: string): Promise<{ message: string; serial: string; secret: string }> {
    const deps = { ...this.#deps, accounts: this.#accounts, locks: this.#rotations };
    const secret = await rotate(deps, serial, { actor: viewer, at: this.#deps.clock.now() });
    await this.#updateBroker({ serial, pending: "SECRET" });
    const done = deviceMessages.rotated(serial);
    return { message: withManualStep(this.#accounts.form, done, deviceMessages.enterNewSecret), serial, secret };
  }

  /**
   * Stops the robot that uses the device, if it can, and cuts the device off. Throws 404, or 409 if the device is
   * already retired, or its robot may be moving and cannot be stopped.
   */
  async retire(viewer: Viewer, serial: string): Promise<{ message: string }> {
    const { db, clock } = this.#deps;
    const by = { userId: viewer.userId, name: viewer.name, actionType: "SYSTEM" } as const;
    await this.#stopRobot(serial, by);
    const change = { actor: by, action: "RETIRE_DEVICE", entity: "device", entityId: serial, at: clock.now() };
    const lastStop = await auditedChange(db, change, (tx, details) => this.#retireDevice(tx, serial, by, details));
    if (lastStop !== null) await sendLastStop(this.#deps, lastStop);
    const failure = await this.#updateBroker({ serial, pending: "RETIRE" });
    if (failure !== null) return { message: deviceMessages.retiredButPending(serial) };
    return {
      message: withManualStep(this.#accounts.form, deviceMessages.retired(serial), deviceMessages.deleteAccount),
    };
  }

  /** Sends an ordinary STOP to an online robot that may be moving. Never throws. */
  async #stopRobot(serial: string, by: Requester): Promise<void> {
    const { db, clock, log } = this.#deps;
    const robot = await readMovingRobot(db, serial, seenAt(this.#deps));
    if (robot === null || !robot.online) return;
    const stopped = this.#commands
      .sendMany(async () => ({ siteId: robot.site_id, robotIds: [robot.id] }), { verb: "STOP", mode: "AUTO", by })
      .catch((error: unknown) => {
        log.warn({ reason: error, serial }, "a robot could not be stopped before its device was retired");
      });
    await withTimeout(clock, stopped, STOP_LIMIT_MS);
  }

  /**
   * Retires a device for good, under the locks on its robot: a START decided later sees it and is refused, an earlier
   * one is settled and never sent. Returns the Stop that has to go out before the connection ends, if the robot may be
   * moving or has not confirmed a Stop.
   */
  async #retireDevice(
    tx: Tx,
    serial: string,
    by: AuditActor & Requester,
    details: ChangeDetails,
  ): Promise<LastStop | null> {
    const seen = seenAt(this.#deps);
    const at = seen.now;
    const robotId = await readRobotIdOf(tx, serial);
    const robot = robotId === null ? undefined : (await lockRobots(tx, [robotId])).get(robotId);
    const device = await lockDevice(tx, serial);
    if (device === null) throw notFound("Device");
    // The device was assigned or freed before the locks were held.
    if ((await readRobotIdOf(tx, serial)) !== robotId) throw new ConcurrentChangeError();
    if (robot !== undefined) {
      details.siteId = robot.site_id;
      details.after = { robot_id: robot.id, robot_name: robot.robot_name };
    }
    const reason = outcomeText("DEVICE_RETIRED", { serial });
    if (device.retired_at !== null) throw conflict("DEVICE_RETIRED", reason.text);
    // Includes one stored a moment ago as it began to move, or that has not shown that it has stopped.
    const moving = robot && (await readStillMoving(tx, [robot.id], seen))[0];
    if (moving !== undefined && !this.#isCutOffByRetirement(seen)) {
      throw conflict("ROBOT_MAY_BE_MOVING", deviceMessages.notRetired(serial, moving.message));
    }
    if (robot === undefined) {
      await storeRetired(tx, serial, at);
      return null;
    }
    const lastStop = moving === undefined ? null : await insertLastStop(tx, robot, by, this.#deps.serverId, at);
    await storeRetired(tx, serial, at);
    await closeRunsOfDeletedRobots(tx, [robot.id], reason, at);
    await settleRemoved(tx, [robot], reason, at);
    await endLockOfRetired(tx, robot.id, by, at);
    await endAlertsOf(tx, [robot.id], at);
    await showCutOff(tx, robot.id, at);
    await announceChange(tx);
    return lastStop;
  }

  /**
   * Nobody commands the robot of a retired device, so if it kept its connection it would go on cleaning with no means
   * of stopping it. One that is cut off stops by itself (protocol rule 4).
   */
  #isCutOffByRetirement({ brokerConnected }: SeenAt): boolean {
    return this.#accounts.keepsConnections !== true && brokerConnected;
  }

  /** Continues after a refusal, which concerns one device; stops if the broker is unreachable or does not respond. */
  async #updatePending(): Promise<void> {
    const { db, clock } = this.#deps;
    const due = { now: clock.now(), retryMs: RETRY_MS, maxRetryMs: MAX_RETRY_MS };
    for (;;) {
      const pending = await takePending(db, due);
      if (pending === null) return;
      const failure = await this.#updateBroker(pending);
      if (failure === "away" || failure === "silent") return;
    }
  }

  /** Returns why the broker did not accept the change, which then stays pending and is retried; null if it did. */
  async #updateBroker({ serial, pending }: PendingDevice): Promise<BrokerFailure | null> {
    const { db, log } = this.#deps;
    try {
      await (pending === "RETIRE" ? this.#accounts.retire(serial) : this.#accounts.disconnect(serial));
    } catch (error) {
      if (!(error instanceof BrokerUpdateError)) throw error;
      // Unreachable brokers are logged elsewhere.
      if (error.why !== "away") log.warn({ serial, error }, "the broker did not accept a device change; retrying");
      if (error.why !== "away") await countRefusal(db, { serial, pending });
      return error.why;
    }
    await clearPending(db, serial, pending);
    return null;
  }
}
