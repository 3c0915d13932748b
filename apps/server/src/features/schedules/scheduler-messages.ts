import type { DueDecision, RunWait } from "@suncrew/domain/schedules/due-decision.ts";

type Missed = Extract<DueDecision, { kind: "missed" }>["reason"];

/** Why a run was missed. */
export const missedReasons: Record<Missed, string> = {
  "too-late": "Suncrew could not start it within 10 minutes of its time.",
  "end-past": "Its planned end had passed before Suncrew could start it.",
};

/** Maximum robots named in a text; the others are counted. */
const NAMED = 3;

function serialList(serials: readonly string[]): string {
  const rest = serials.length - NAMED;
  return rest > 0 ? `${serials.slice(0, NAMED).join(", ")} and ${rest} more` : serials.join(", ");
}

/** What due runs wait for. */
const waitTexts: Record<RunWait, (serials: readonly string[]) => string> = {
  unheard: (serials) =>
    `Waiting for the state of ${serialList(serials)}: not heard from since Suncrew was able to hear robots again.`,
  unrecorded: (serials) => `Waiting for a Stop of ${serialList(serials)} to be recorded.`,
  silent: (serials) => `Waiting for the state of ${serialList(serials)}: not heard from for a while.`,
  "late-state": (serials) => `Waiting for a new state of ${serialList(serials)}: the last one was delayed.`,
  stopping: (serials) => `Waiting for ${serialList(serials)} to confirm a Stop.`,
};

/** What a due run waits for, given what it waits for from each robot by serial number. */
export function waitingText(waits: ReadonlyMap<string, RunWait>): string {
  const byWait = Map.groupBy(waits.keys(), (serial) => waits.get(serial) ?? "unheard");
  return [...byWait].map(([wait, serials]) => waitTexts[wait](serials)).join(" ");
}

export const WAITING_FOR_BROKER = "Waiting for the broker: no robot can be started.";

export const scheduledRunReasons = {
  heldForRain: "Held: the weather recommendation for the day is Not Recommended, and the schedule skips rain.",
  startOpen: (serial: string) => `Robot ${serial} was being started by someone else at that moment.`,
  byPerson: {
    STOP: (name: string) => `Stopped by ${name} after this run was due.`,
    MAINTENANCE_ON: (name: string) => `Locked for maintenance by ${name} after this run was due.`,
    MAINTENANCE_OFF: (name: string) => `Released from maintenance by ${name} after this run was due.`,
  },
  saidGoodbye: (serial: string) => `Robot ${serial} was switched off, replaced or reset after this run was due.`,
  groupChanged: "The group was changed after this run was due.",
  switchedOff: (name: string) => `Switched off by ${name} before it could start.`,
  edited: (name: string) => `The schedule was changed by ${name} before this run could start.`,
  timezoneChanged: (name: string) => `The time zone of the site was changed by ${name} before this run could start.`,
  neverBegan: "The robot never began to move.",
  retried: (attempt: number) => `Started again (attempt ${attempt}): the previous start had no effect.`,
} as const;
