import type { CalendarEntry, RunCounts } from "@suncrew/contract/runs/runs.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
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
import type { EntryState } from "./entry-state.ts";

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

/** Today's figures in their order; those marked are told only where there are any. */
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

/** How a run stands in a list; without an outcome it is under way. */
export const runLook = (outcome: RunOutcome | null): Look =>
  entryLook[outcome === null ? "running" : COUNT_OF_OUTCOME[outcome]];

export const startedByWords: Record<CalendarEntry["action_type"], string> = {
  MANUAL: "Started by hand",
  GROUP: "Started by hand, as a group",
  SCHEDULED: "By its schedule",
  SYSTEM: "Started by the server",
};
