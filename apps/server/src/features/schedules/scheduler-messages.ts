import { outcomeText, type OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { DueDecision, RunWait } from "@suncrew/domain/schedules/due-decision.ts";

type Missed = Extract<DueDecision, { kind: "missed" }>["reason"];

/** Why a run was missed. */
export const missedReasons: Record<Missed, OutcomeText> = {
  "too-late": outcomeText("RUN_TOO_LATE", {}),
  "end-past": outcomeText("RUN_END_PAST", {}),
  restored: outcomeText("RUN_BEFORE_RESTORE", {}),
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
  weather: (serials) =>
    `Waiting for the weather at the site of ${serialList(serials)}: its wind and rain guard does not know it.`,
  stopping: (serials) => `Waiting for ${serialList(serials)} to confirm a Stop.`,
};

/** What a due run waits for, given what it waits for from each robot by serial number. */
export function waitingText(waits: ReadonlyMap<string, RunWait>): string {
  const byWait = Map.groupBy(waits.keys(), (serial) => waits.get(serial) ?? "unheard");
  return [...byWait].map(([wait, serials]) => waitTexts[wait](serials)).join(" ");
}

export const WAITING_FOR_BROKER = "Waiting for the broker: no robot can be started.";

/** What a person did to a robot that its due run gives way to. */
export type Override = "STOP" | "MAINTENANCE_ON" | "MAINTENANCE_OFF";

/** Why a planned run does not start. */
export const scheduledRunReasons = {
  heldForRain: outcomeText("RUN_HELD_FOR_RAIN", {}),
  startOpen: (serial: string) => outcomeText("RUN_START_OPEN", { serial }),
  byPerson: (verb: Override, name: string) => outcomeText(`RUN_AFTER_${verb}`, { name }),
  saidGoodbye: (serial: string) => outcomeText("RUN_AFTER_GOODBYE", { serial }),
  groupChanged: outcomeText("RUN_AFTER_GROUP_CHANGE", {}),
  switchedOff: (name: string) => outcomeText("RUN_SWITCHED_OFF", { name }),
  edited: (name: string) => outcomeText("RUN_SCHEDULE_CHANGED", { name }),
  timezoneChanged: (name: string) => outcomeText("RUN_TIMEZONE_CHANGED", { name }),
  neverBegan: outcomeText("RUN_NEVER_BEGAN", {}),
} as const;

/** Why a run was started again, for the audit. */
export const retriedText = (attempt: number): string =>
  `Started again (attempt ${attempt}): the previous start had no effect.`;
