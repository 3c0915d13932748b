import type { ReleaseRefusal } from "@suncrew/domain/maintenance/release-refusal.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";

/** Why a robot cannot be released now, for people. */
export const releaseRefusalSentences: Record<ReleaseRefusal, (serial: string) => string> = {
  "not-locked": (serial) => `Robot ${serial} is not in maintenance.`,
  retired: (serial) =>
    `The device ${serial} was retired: nothing reaches the robot, so it cannot be released. Give the robot another serial number.`,
  away: (serial) =>
    `Robot ${serial} is away, so it cannot confirm the release. It stays in maintenance until it is back and released.`,
  stale: (serial) => `Robot ${serial} has not reported for 45 seconds. Refresh its status, then release it again.`,
  "lock-unconfirmed": (serial) =>
    `Robot ${serial} has not confirmed its lock yet. It can be released once it has confirmed it.`,
  "release-open": (serial) => `Robot ${serial} is being released already.`,
};

export interface StandingLock {
  readonly locked_by: string;
  readonly locked_at: Date;
  readonly reason: string;
  readonly timezone: string;
}

/** Who locked it and since when, by the clocks of the site. */
export function alreadyLocked(serial: string, { locked_by, locked_at, reason, timezone }: StandingLock): string {
  const { date, time } = localTimeOf(locked_at, timezone);
  return `Robot ${serial} is in maintenance already: locked by ${locked_by} since ${date} ${time.slice(0, 5)} (${reason}).`;
}

/** Protocol rule 9: a device that was cut off for good hears of no lock. */
export const deviceRetired = (serial: string) =>
  `The device ${serial} was retired: nothing reaches the robot, so it cannot be put in maintenance.`;

export const maintenanceSentences = {
  locked: (serial: string) => `Robot ${serial} switched to maintenance mode, confirmed by the robot.`,
  startUnknown: (serial: string) =>
    `The start was sent to Robot ${serial}, which has not confirmed it yet. Watch its status.`,
  gone: (serial: string) => `Robot ${serial} is no longer at this site.`,
  startNotKnown: (serial: string) => `It is not known whether Robot ${serial} was started. Watch its status.`,
  releasedNotStarted: (reason: string) => `Released, but not started: ${reason}`,
  releasedStartUnknown: (reason: string) => `Released. ${reason}`,
  held: (serial: string) =>
    `Robot ${serial} could not be reached in the database in time; its maintenance is unchanged. Please try again.`,
  lockNotKnown: (serial: string) =>
    `It is not known whether Robot ${serial} has confirmed its lock. The lock stands and is repeated until it has.`,
  lockNotStored: (serial: string) => `It is not known whether Robot ${serial} was locked. Please lock it again.`,
  releaseNotKnown: (serial: string) => `It is not known whether Robot ${serial} was released. Watch its status.`,
  releasedAndStarted: (serial: string) => `Robot ${serial} was released from maintenance and started.`,
} as const;
