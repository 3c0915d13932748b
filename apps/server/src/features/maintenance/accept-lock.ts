import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import {
  answerAllPending,
  auditCommands,
  type Audited,
  type Command,
  insertCommands,
  type LockedRobot,
  pendingSentences,
  type Requester,
  settleAllOvertaken,
} from "../commands/public.ts";
import { readOpenLocks, storeLocks } from "./locks.repository.ts";
import { alreadyLocked, deviceRetired } from "./maintenance-sentences.ts";

/** What became of a lock or release in its transaction; a refusal is on record and told after the commit. */
export type MaintenanceAccepted =
  | { readonly kind: "stored"; readonly commandId: string; readonly robotAway: boolean }
  | { readonly kind: "refused"; readonly error: HttpError };

/** A person of this name; the lock and the release are always somebody's. */
export type Locker = Requester & { readonly userId: number };

/** A robot that this transaction has locked, with its commands that are not settled, read under the lock. */
export interface AskedRobot {
  readonly robot: LockedRobot;
  readonly open: readonly Command[];
}

/**
 * Protocol rule 8: locks robots that this transaction has locked, wherever they are and whatever they do. STARTs under
 * way are overtaken, and so are releases. Refused only where a lock stands already, and where nothing reaches the device any more. Answers by robot.
 */
export async function acceptLocks(
  tx: Tx,
  asked: readonly AskedRobot[],
  by: Locker,
  reason: string,
  now: Date,
): Promise<Map<number, MaintenanceAccepted>> {
  const accepted = new Map<number, MaintenanceAccepted>();
  const who = { verb: "MAINTENANCE_ON", user_id: by.userId, requested_by: by.name } as const;
  const audited: Audited[] = [];
  const standing = await readOpenLocks(tx, asked);
  const taken: AskedRobot[] = [];
  for (const one of asked) {
    const { robot, open } = one;
    const lock = standing.get(robot.id);
    const isLocked = lock !== undefined && !open.some(({ verb }) => verb === "MAINTENANCE_OFF");
    if (isLocked || robot.device_retired) {
      const why = isLocked ? alreadyLocked(robot.serial_number, lock) : deviceRetired(robot.serial_number);
      const error = new HttpError(409, why, { success: false });
      audited.push({ robot, command: who, outcome: "REFUSED", reason: error.message, after: { reason } });
      accepted.set(robot.id, { kind: "refused", error });
      continue;
    }
    const before = { operating_mode: robot.operating_mode, reason: lock?.reason ?? null };
    audited.push({ robot, command: who, outcome: "DONE", before, after: { operating_mode: "maintenance", reason } });
    taken.push(one);
  }
  const overtaken = taken.flatMap(({ robot, open }) => {
    return open
      .filter(({ verb }) => verb === "START" || verb === "MAINTENANCE_OFF")
      .map((command) => ({ robot, command }));
  });
  await settleAllOvertaken(tx, overtaken, now);
  const order = {
    params: {},
    mode: "AUTO",
    actionType: by.actionType,
    userId: by.userId,
    requestedBy: by.name,
    press: by.press ?? null,
  } as const;
  const wanted = taken.map(({ robot }) => ({ robot, command: { verb: "MAINTENANCE_ON" as const, ...order } }));
  const commands = new Map((await insertCommands(tx, wanted, now)).map((command) => [command.robot_id, command]));
  const stored = taken.flatMap(({ robot }) => {
    const command = commands.get(robot.id);
    return command ? [{ robot, command }] : [];
  });
  await storeLocks(tx, stored, { reason, userId: by.userId, name: by.name }, now);
  await auditCommands(tx, audited, now);
  for (const { robot, command } of stored) {
    accepted.set(robot.id, { kind: "stored", commandId: command.id, robotAway: !robot.state.online });
  }
  const away = stored.filter(({ robot }) => !robot.state.online);
  await answerAllPending(tx, away, (robot) => pendingSentences.MAINTENANCE_ON.away(robot.serial_number), now);
  return accepted;
}

/** The same for one robot. */
export async function acceptLock(
  tx: Tx,
  robot: LockedRobot,
  open: readonly Command[],
  by: Locker,
  reason: string,
  now: Date,
): Promise<MaintenanceAccepted | null> {
  return (await acceptLocks(tx, [{ robot, open }], by, reason, now)).get(robot.id) ?? null;
}
