import { announceChange } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ChangedMeanwhile } from "../../platform/database/decide.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import { recordAudit } from "../audit/public.ts";
import {
  insertLastStop,
  type LastStop,
  lockRobots,
  readStillMoving,
  type Requester,
  settleRemoved,
} from "../commands/public.ts";
import { closeRunsOfRemoved } from "../runs/public.ts";
import { endLockOfRetired, lockDevice, readRobotIdOf, showCutOff, storeRetired } from "./device-rows.writes.ts";

export type Retired =
  /** `lastStop` where its robot may move: it goes out before the connection ends. */
  | { readonly kind: "retired"; readonly lastStop: LastStop | null }
  | { readonly kind: "refused"; readonly error: HttpError };

export interface Retirement {
  readonly serial: string;
  readonly by: Requester;
  readonly serverId: string;
  readonly at: Date;
}

/**
 * Retires a device for good, under the locks on its robot: every START that is decided after this sees it and is refused,
 * every one before it is settled and not sent any more. Throws 404.
 */
export async function retire(tx: Tx, { serial, by, serverId, at }: Retirement): Promise<Retired> {
  const robotId = await readRobotIdOf(tx, serial);
  const robot = robotId === null ? undefined : (await lockRobots(tx, [robotId])).get(robotId);
  const device = await lockDevice(tx, serial);
  if (device === null) throw notFound("Device");
  // Given to another robot, or taken from this one, before the locks were held.
  if ((await readRobotIdOf(tx, serial)) !== robotId) throw new ChangedMeanwhile();
  const isRetired = device.retired_at !== null;
  const reason = `The device ${serial} was retired.`;
  await recordAudit(tx, {
    actor: by,
    action: "RETIRE_DEVICE",
    entity: "device",
    entityId: serial,
    siteId: robot?.site_id ?? null,
    outcome: isRetired ? "REFUSED" : "DONE",
    reason: isRetired ? reason : null,
    after: robot === undefined ? null : { robot_id: robot.id, robot_name: robot.robot_name },
    at,
  });
  if (isRetired) return { kind: "refused", error: conflict(reason) };
  if (robot === undefined) {
    await storeRetired(tx, serial, at);
    return { kind: "retired", lastStop: null };
  }
  // Also one that was stored as it began to move a moment ago, or that has not shown that it stands yet.
  const mayMove = (await readStillMoving(tx, [robot.id], at)).length > 0;
  const lastStop = mayMove && robot.state.online ? await insertLastStop(tx, robot, by, serverId, at) : null;
  await storeRetired(tx, serial, at);
  await closeRunsOfRemoved(tx, [robot.id], reason, at);
  await settleRemoved(tx, [robot], reason, at);
  await endLockOfRetired(tx, robot.id, by, at);
  await showCutOff(tx, robot.id, at);
  await announceChange(tx);
  return { kind: "retired", lastStop };
}
