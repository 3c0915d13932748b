import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/database/tables.ts";

/** What is known about a robot's day, or a part of it. */
export type DayFigures = Omit<Selectable<Tables["robot_days"]>, "site_id" | "date" | "robot_id">;

/** The rows that a part of the figures is computed from. */
export type DaySource = Tables["stale_days"]["source"];

/** An outcome, and the columns that count it among planned and manual runs. */
export const RUN_COLUMNS = [
  ["COMPLETED", "planned_completed", "manual_completed"],
  ["STOPPED", "planned_stopped", "manual_stopped"],
  ["CUT_SHORT", "planned_cut_short", "manual_cut_short"],
  ["FAILED", "planned_failed", "manual_failed"],
  ["SKIPPED", "planned_skipped", "manual_skipped"],
  ["MISSED", "planned_missed", "manual_missed"],
  ["RUNNING", "planned_running", "manual_running"],
] as const satisfies readonly (readonly [RunOutcome | "RUNNING", keyof DayFigures, keyof DayFigures])[];

/** The columns of each source: they are written together. */
export const COLUMNS_OF_SOURCE: Readonly<Record<DaySource, readonly (keyof DayFigures)[]>> = {
  READINGS: [
    "read_ms",
    "moving_ms",
    "manual_mode_ms",
    "maintenance_mode_ms",
    "battery_held",
    "battery_least",
    "battery_last",
  ],
  PRESENCE: ["counted_ms", "reachable_ms"],
  RUNS: [
    "planned_ms",
    "as_planned_ms",
    "outside_plan_ms",
    "by_hand_ms",
    "starts",
    "by_hand",
    ...RUN_COLUMNS.flatMap(([, planned, manual]) => [planned, manual]),
    "robot_name",
    "serial_number",
  ],
  ALERTS: ["faults", "critical_ms"],
};

export type MutableFigures = { -readonly [Column in keyof DayFigures]: DayFigures[Column] };

export function noFigures(): MutableFigures {
  return {
    read_ms: 0,
    moving_ms: 0,
    manual_mode_ms: 0,
    maintenance_mode_ms: 0,
    battery_held: 0,
    battery_least: null,
    battery_last: null,
    counted_ms: null,
    reachable_ms: 0,
    planned_ms: 0,
    as_planned_ms: 0,
    outside_plan_ms: 0,
    by_hand_ms: 0,
    starts: 0,
    by_hand: 0,
    planned_completed: 0,
    planned_stopped: 0,
    planned_cut_short: 0,
    planned_failed: 0,
    planned_skipped: 0,
    planned_missed: 0,
    planned_running: 0,
    manual_completed: 0,
    manual_stopped: 0,
    manual_cut_short: 0,
    manual_failed: 0,
    manual_skipped: 0,
    manual_missed: 0,
    manual_running: 0,
    faults: 0,
    critical_ms: 0,
    sample: false,
    robot_name: null,
    serial_number: null,
  };
}
