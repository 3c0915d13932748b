import type { DueDecision } from "@suncrew/domain/schedules/due-decision.ts";

type Missed = Extract<DueDecision, { kind: "missed" }>["reason"];

/** Why a run was missed, for people. */
export const missedSentences: Record<Missed, string> = {
  "too-late": "Suncrew could not start it within 10 minutes of its time.",
  "end-past": "Its planned end was past before Suncrew could start it.",
};

export const scheduled = {
  heldForRain: "Held: the weather recommendation for the day is Not Recommended, and the schedule skips rain.",
  startOpen: (serial: string) => `Robot ${serial} was being started by someone else at that moment.`,
  byPerson: {
    STOP: (name: string) => `Stopped by ${name} after this run was due.`,
    MAINTENANCE_ON: (name: string) => `Locked for maintenance by ${name} after this run was due.`,
    MAINTENANCE_OFF: (name: string) => `Released from maintenance by ${name} after this run was due.`,
  },
  groupChanged: "The group was changed after this run was due.",
  switchedOff: (name: string) => `Switched off by ${name} before it could start.`,
  edited: (name: string) => `The schedule was changed by ${name} before this run could start.`,
  siteMoved: (name: string) => `The time zone of the site was changed by ${name} before this run could start.`,
  neverBegan: "The robot never began to move.",
  anew: (attempt: number) => `Started anew (attempt ${attempt}): the start before never had an effect.`,
} as const;
