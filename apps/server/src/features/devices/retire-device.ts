import { announceChange } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import { endAlertsOf } from "../alerts/public.ts";
import { recordAudit } from "../audit/public.ts";
import {
  insertLastStop,
  type LastStop,
  lockRobots,
  readStillMoving,
  type Requester,
  settleRemoved,
  type StillMovingRobot,
} from "../commands/public.ts";
import { closeRunsOfRemoved } from "../runs/public.ts";
import type { SeenAt } from "../sites/public.ts";
import { endLockOfRetired, lockDevice, readRobotIdOf, showCutOff, storeRetired } from "./devices.repository.ts";
import { deviceSentences } from "./device-sentences.ts";

export type Retired =
  /** `lastStop` where its robot may move, or has not confirmed a Stop: it goes out before the connection ends. */
  | { readonly kind: "retired"; readonly lastStop: LastStop | null }
  | { readonly kind: "refused"; readonly error: HttpError };

export interface Retirement {
  readonly serial: string;
  readonly by: Requester;
  readonly serverId: string;
  readonly seen: SeenAt;
  /** The device loses its broker by the retirement; not so where nobody tells the broker. */
  readonly cutsOff: boolean;
}

/**
 * Retires a device for good, under the locks on its robot: every START that is decided after this sees it and is refused,
 * every one before it is settled and not sent any more. Throws 404.
 */
export async function retire(tx: Tx, retirement: Retirement): Promise<Retired> {
  const { serial, by, serverId, seen } = retirement;
  const at = seen.now;
  const robotId = await readRobotIdOf(tx, serial);
  const robot = robotId === null ? undefined : (await lockRobots(tx, [robotId])).get(robotId);
  const device = await lockDevice(tx, serial);
  if (device === null) throw notFound("Device");
  // Given to another robot, or taken from this one, before the locks were held.
  if ((await readRobotIdOf(tx, serial)) !== robotId) throw new ConcurrentChangeError();
  const reason = `The device ${serial} was retired.`;
  // Also one that was stored as it began to move a moment ago, or that has not shown that it stands yet.
  const moving = robot && (await readStillMoving(tx, [robot.id], seen))[0];
  const refusal = device.retired_at === null ? unstopped(retirement, moving) : reason;
  await recordAudit(tx, {
    actor: by,
    action: "RETIRE_DEVICE",
    entity: "device",
    entityId: serial,
    siteId: robot?.site_id ?? null,
    outcome: refusal === null ? "DONE" : "REFUSED",
    reason: refusal,
    after: robot === undefined ? null : { robot_id: robot.id, robot_name: robot.robot_name },
    at,
  });
  if (refusal !== null) return { kind: "refused", error: conflict(refusal) };
  if (robot === undefined) {
    await storeRetired(tx, serial, at);
    return { kind: "retired", lastStop: null };
  }
  const lastStop = moving === undefined ? null : await insertLastStop(tx, robot, by, serverId, at);
  await storeRetired(tx, serial, at);
  await closeRunsOfRemoved(tx, [robot.id], reason, at);
  await settleRemoved(tx, [robot], reason, at);
  await endLockOfRetired(tx, robot.id, by, at);
  await endAlertsOf(tx, [robot.id], at);
  await showCutOff(tx, robot.id, at);
  await announceChange(tx);
  return { kind: "retired", lastStop };
}

/**
 * Why a device keeps its place although its robot was told to stop: nobody commands the robot of a retired one, so it
 * would clean on with no means to stop it. One that is cut off stops by itself (protocol rule 4), and gets a last Stop.
 */
function unstopped({ serial, cutsOff, seen }: Retirement, moving?: StillMovingRobot): string | null {
  return moving === undefined || (cutsOff && seen.brokerConnected)
    ? null
    : deviceSentences.notRetired(serial, moving.sentence);
}
