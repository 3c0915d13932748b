import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { CalendarEntry, RunCounts } from "@suncrew/contract/runs/runs.ts";
import { COUNT_OF_OUTCOME, RUN_OUTCOME_WORDS } from "@suncrew/domain/runs/run-outcome.ts";
import {
  IconAlertOctagon,
  IconCircleCheck,
  IconCircleHalf2,
  IconCircleMinus,
  IconClock,
  IconClockX,
  IconHandStop,
  IconScissors,
  IconSparkles,
} from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import type { EntryState } from "./calendar-entry.ts";

export const entryLook: Record<EntryState, Look> = {
  planned: { label: "Planned", tone: "plain", icon: IconClock },
  running: { label: "Running", tone: "good", icon: IconSparkles },
  done: { label: "Done", tone: "calm", icon: IconCircleCheck },
  mixed: { label: "Partly done", tone: "fair", icon: IconCircleHalf2 },
  stopped: { label: "Stopped early", tone: "fair", icon: IconHandStop },
  cut_short: { label: "Cut short", tone: "fair", icon: IconScissors },
  failed: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  skipped: { label: "Skipped", tone: "off", icon: IconCircleMinus },
  missed: { label: "Missed", tone: "poor", icon: IconClockX },
};

/** Today's figures in their order; those with `ifAny` are shown only if greater than 0. */
export const COUNT_WORDS: readonly { readonly count: keyof RunCounts; readonly word: string; readonly ifAny?: true }[] =
  [
    { count: "done", word: RUN_OUTCOME_WORDS.COMPLETED },
    { count: "running", word: "running" },
    { count: "planned", word: "planned" },
    { count: "skipped", word: RUN_OUTCOME_WORDS.SKIPPED },
    { count: "missed", word: RUN_OUTCOME_WORDS.MISSED },
    { count: "stopped", word: RUN_OUTCOME_WORDS.STOPPED, ifAny: true },
    { count: "cut_short", word: RUN_OUTCOME_WORDS.CUT_SHORT, ifAny: true },
    { count: "failed", word: RUN_OUTCOME_WORDS.FAILED, ifAny: true },
  ];

/** A run in a list; without an outcome it is running. */
export const runLook = (outcome: RunOutcome | null): Look =>
  entryLook[outcome === null ? "running" : COUNT_OF_OUTCOME[outcome]];

export const startedByText: Record<CalendarEntry["action_type"], string> = {
  MANUAL: "Started manually",
  GROUP: "Started manually, as a group",
  SCHEDULED: "Scheduled",
  SYSTEM: "Started by the server",
};

const MINUTE_MS = 60_000;

/** A figure of today as a word: "Done", "Stopped early". */
export function todayWord(count: keyof RunCounts): string {
  return entryLook[count].label;
}

/** Today's figures as text: "5 done", "1 running", ...; stopped, cut short and failed only if there are any. */
export function todayTexts(counts: RunCounts): { readonly count: keyof RunCounts; readonly text: string }[] {
  return COUNT_WORDS.filter(({ count, ifAny }) => ifAny !== true || counts[count] > 0).map(({ count, word }) => {
    return { count, text: `${counts[count].toLocaleString("en-GB")} ${word}` };
  });
}

/** The same for one entry, if its robots fared differently: only counts above zero. */
export function countsText(counts: RunCounts): string {
  return COUNT_WORDS.filter(({ count }) => counts[count] > 0)
    .map(({ count, word }) => `${counts[count].toLocaleString("en-GB")} ${word}`)
    .join(", ");
}

/** "28 min", "1 h 5 min", "40 s": how long something took. */
export function elapsedText(fromIso: string, toIso: string): string {
  const ms = Math.max(0, Date.parse(toIso) - Date.parse(fromIso));
  if (ms < MINUTE_MS) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

const dayMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "16 to 22 Nov 2026", "30 Nov to 6 Dec 2026", "28 Dec 2026 to 3 Jan 2027". */
export function weekText(first: string, last: string): string {
  const [from, to] = [new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`)];
  const lastWords = `${dayMonth.format(to)} ${last.slice(0, 4)}`;
  if (first.slice(0, 4) !== last.slice(0, 4)) return `${dayMonth.format(from)} ${first.slice(0, 4)} to ${lastWords}`;
  if (first.slice(5, 7) !== last.slice(5, 7)) return `${dayMonth.format(from)} to ${lastWords}`;
  return `${from.getUTCDate()} to ${lastWords}`;
}
