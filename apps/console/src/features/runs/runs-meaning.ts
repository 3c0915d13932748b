import type { CalendarEntry, RunCounts } from "@suncrew/contract/runs/runs.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import {
  IconAlertOctagon,
  IconCircleCheck,
  IconCircleHalf2,
  IconCircleMinus,
  IconClock,
  IconClockX,
  IconScissors,
  IconSparkles,
} from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import type { EntryState } from "./entry-state.ts";

export const entryLook: Record<EntryState, Look> = {
  planned: { label: "Planned", tone: "plain", icon: IconClock },
  running: { label: "Running", tone: "good", icon: IconSparkles },
  done: { label: "Done", tone: "calm", icon: IconCircleCheck },
  mixed: { label: "Partly done", tone: "fair", icon: IconCircleHalf2 },
  cut_short: { label: "Cut short", tone: "fair", icon: IconScissors },
  failed: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  skipped: { label: "Skipped", tone: "off", icon: IconCircleMinus },
  missed: { label: "Missed", tone: "poor", icon: IconClockX },
};

/** How a run ended, inside a sentence. */
export const outcomeWords: Record<RunOutcome, string> = {
  COMPLETED: "completed",
  STOPPED: "stopped early",
  CUT_SHORT: "cut short",
  FAILED: "failed",
  SKIPPED: "skipped",
  MISSED: "missed",
};

/** Today's figures in their order; those marked are told only where there are any. */
export const COUNT_WORDS: readonly { readonly count: keyof RunCounts; readonly word: string; readonly ifAny?: true }[] =
  [
    { count: "done", word: "done" },
    { count: "running", word: "running" },
    { count: "planned", word: "planned" },
    { count: "skipped", word: "skipped" },
    { count: "missed", word: "missed" },
    { count: "cut_short", word: "cut short", ifAny: true },
    { count: "failed", word: "failed", ifAny: true },
  ];

export const startedByWords: Record<CalendarEntry["action_type"], string> = {
  MANUAL: "Started by hand",
  GROUP: "Started by hand, as a group",
  SCHEDULED: "By its schedule",
  SYSTEM: "Started by the server",
};
