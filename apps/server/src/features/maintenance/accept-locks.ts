import { pendingText } from "@suncrew/domain/texts/outcome-texts.ts";
import { type ReleaseRefusal, releaseRefusal } from "@suncrew/domain/maintenance/release-refusal.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import type { Tx } from "../../platform/database/database.ts";
import {
  type Accepted,
  answerAllPending,
  auditCommands,
  candidateOf,
  type Audited,
  type Command,
  type CommandOf,
  type CommandTarget,
  failure,
  givenBy,
  insertCommands,
  refusedBy,
  type Requester,
  settleAllSuperseded,
  withRobots,
} from "../commands/public.ts";
import { type OpenLock, readOpenLocks, storeLocks } from "./maintenance.repository.ts";

/** A named person: the lock and the release always have one. */
export type Locker = Requester & { readonly userId: number };

/**
 * Protocol rule 8: locks robots that this transaction has locked, wherever they are and whatever they do. STARTs and
 * releases in progress are superseded. Refused only if a lock already exists, or if the device is retired. Returns the
 * outcomes by robot.
 */
export async function acceptLocks(
  tx: Tx,
  targets: readonly CommandTarget[],
  by: Locker,
  reason: string,
  now: Date,
): Promise<Map<number, Accepted>> {
  const accepted = new Map<number, Accepted>();
  const { press = null } = by;
  const command = { verb: "MAINTENANCE_ON", params: {}, mode: "AUTO", ...givenBy(by), press } as const;
  const audited: Audited[] = [];
  const locks = await readOpenLocks(tx, targets);
  const taken: CommandTarget[] = [];
  for (const one of targets) {
    const { robot, open } = one;
    const lock = locks.get(robot.id);
    const isLocked = lock !== undefined && !open.some(({ verb }) => verb === "MAINTENANCE_OFF");
    if (isLocked || robot.device_retired) {
      const error = isLocked
        ? failure(409, "ROBOT_IN_MAINTENANCE", alreadyLocked(robot.serial_number, lock))
        : failure(409, "ROBOT_DEVICE_RETIRED", deviceRetired(robot.serial_number));
      audited.push({ robot, command, outcome: "REFUSED", reason: error.message, after: { reason } });
      accepted.set(robot.id, { kind: "refused", error });
      continue;
    }
    const before = { operating_mode: robot.operating_mode, reason: lock?.reason ?? null };
    audited.push({ robot, command, outcome: "DONE", before, after: { operating_mode: "maintenance", reason } });
    taken.push(one);
  }
  const isSuperseded = ({ verb }: Command) => verb === "START" || verb === "MAINTENANCE_OFF";
  const superseded = taken.flatMap(({ robot, open }) => {
    return open.filter(isSuperseded).map((each) => ({ robot, command: each }));
  });
  await settleAllSuperseded(tx, superseded, now);
  const orders = taken.map(({ robot }) => ({ robot, command }));
  const robots = new Map(taken.map(({ robot }) => [robot.id, robot]));
  const stored = withRobots(robots, await insertCommands(tx, orders, now));
  await storeLocks(tx, stored, reason, now);
  await auditCommands(tx, audited, now);
  for (const { robot, command: lock } of stored) {
    accepted.set(robot.id, { kind: "stored", commandId: lock.id, robotAway: !robot.online });
  }
  const offline = stored.filter(({ robot }) => !robot.online);
  await answerAllPending(tx, offline, (robot) => pendingText("MAINTENANCE_ON", "AWAY", robot.serial_number), now);
  return accepted;
}

/**
 * Protocol rule 8: asks robots that this transaction has locked to leave maintenance. Their locks remain until they
 * show that they have. Also for those that were locked locally. Returns the outcomes by robot.
 */
export async function acceptReleases(
  tx: Tx,
  targets: readonly CommandTarget[],
  by: Locker,
  now: Date,
): Promise<Map<number, Accepted>> {
  const accepted = new Map<number, Accepted>();
  const command = { verb: "MAINTENANCE_OFF", params: {}, mode: "AUTO", ...givenBy(by) } as const;
  const refused: Audited[] = [];
  const wanted: CommandOf[] = [];
  for (const { robot, open } of targets) {
    const refusal = releaseRefusal(candidateOf({ robot, open }), now);
    if (refusal === null) {
      wanted.push({ robot, command });
      continue;
    }
    const error = refusedBy(refusal, releaseRefusalMessages[refusal](robot.serial_number));
    refused.push({ robot, command, outcome: "REFUSED", reason: error.message });
    accepted.set(robot.id, { kind: "refused", error });
  }
  await auditCommands(tx, refused, now);
  for (const { id: commandId, robot_id } of await insertCommands(tx, wanted, now)) {
    accepted.set(robot_id, { kind: "stored", commandId, robotAway: false });
  }
  return accepted;
}

/** Why a robot cannot be released now. */
const releaseRefusalMessages: Record<ReleaseRefusal, (serial: string) => string> = {
  "not-locked": (serial) => `Robot ${serial} is not in maintenance.`,
  retired: (serial) =>
    `The device ${serial} was retired: nothing reaches the robot, so it cannot be released. Give the robot another serial number.`,
  away: (serial) =>
    `Robot ${serial} is offline, so it cannot confirm the release. It stays in maintenance until it is back and released.`,
  stale: (serial) => `Robot ${serial} has not reported for 45 seconds. Refresh its status, then release it again.`,
  "lock-unconfirmed": (serial) =>
    `Robot ${serial} has not confirmed its lock yet. It can be released once it has confirmed it.`,
  "release-open": (serial) => `Robot ${serial} is already being released.`,
};

/** Who locked it and since when, in the site's time. */
function alreadyLocked(serial: string, { locked_by, locked_at, reason, timezone }: OpenLock): string {
  const { date, time } = localTimeOf(locked_at, timezone);
  return `Robot ${serial} is already in maintenance: locked by ${locked_by} since ${date} ${time.slice(0, 5)} (${reason}).`;
}

/** Protocol rule 9: a retired device receives no lock. */
const deviceRetired = (serial: string) =>
  `The device ${serial} was retired: nothing reaches the robot, so it cannot be put in maintenance.`;

export const maintenanceMessages = {
  locked: (serial: string) => `Robot ${serial} switched to maintenance mode, confirmed by the robot.`,
  startUnknown: (serial: string) =>
    `The start was sent to Robot ${serial}, which has not confirmed it yet. Check its status.`,
  gone: (serial: string) => `Robot ${serial} is no longer at this site.`,
  startNotKnown: (serial: string) => `It is not known whether Robot ${serial} was started. Check its status.`,
  releasedNotStarted: (reason: string) => `Released, but not started: ${reason}`,
  releasedStartUnknown: (reason: string) => `Released. ${reason}`,
  held: (serial: string) =>
    `Robot ${serial} could not be reached in the database in time; its maintenance is unchanged. Please try again.`,
  lockNotKnown: (serial: string) =>
    `It is not known whether Robot ${serial} has confirmed its lock. The lock remains and is repeated until it has.`,
  lockNotStored: (serial: string) => `It is not known whether Robot ${serial} was locked. Please lock it again.`,
  releaseNotKnown: (serial: string) => `It is not known whether Robot ${serial} was released. Check its status.`,
  releasedAndStarted: (serial: string) => `Robot ${serial} was released from maintenance and started.`,
} as const;
