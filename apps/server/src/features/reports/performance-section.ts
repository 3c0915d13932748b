import type { FieldName } from "@suncrew/domain/report-templates/template-sections.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { type Column, titledTable } from "../../platform/pdf/table.ts";
import { outcomeText } from "./day-layout.ts";
import { writeCharts } from "./performance-charts.ts";
import type { ReportData, ReportRobot } from "./report-data.ts";
import { count, hours, outOf, percent } from "./report-format.ts";
import { gatheredRows, nameOf, type SectionWriter, truncationNotes } from "./section-layout.ts";

type Fields = ReadonlySet<FieldName>;

export const writePerformance: SectionWriter = function* (document, data, fields) {
  if (fields.has("performance_chart")) yield* writeCharts(document, data, fields);
  yield* runsByRobot(document, data);
  yield* cleaningByRobot(document, data, fields);
  yield* uptimeByRobot(document, data, fields);
  yield* runsNotDone(document, data);
};

type RobotColumn = Column<ReportRobot>;

/** A column of numbers, with what it says of all robots. */
function column(title: string, of: (robot: ReportRobot) => string, total: string, share = 14): RobotColumn {
  return { title, share, align: "RIGHT", of, total };
}

function robotColumn(share: number): RobotColumn {
  return { title: "Robot", share, maxLines: 2, of: nameOf, total: "All robots" };
}

function runsByRobot(document: PdfDocument, { robots }: ReportData): Generator<void> {
  const runs = (title: string, of: (robot: ReportRobot) => number) => {
    const total = robots.reduce((sum, robot) => sum + of(robot), 0);
    return column(title, (robot) => count(of(robot)), count(total), 9);
  };
  const outcomes = ["COMPLETED", "STOPPED", "RUNNING", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED"] as const;
  return titledTable(document, {
    title: "Planned versus done",
    notes: [
      "Planned runs that were due in the range, and their outcomes; the seven columns after \u201cPlanned\u201d add up to it. Manual runs are additional.",
    ],
    namesRows: true,
    hasTotals: true,
    columns: [
      robotColumn(20),
      runs("Planned", ({ planned }) => outcomes.reduce((sum, outcome) => sum + planned[outcome], 0)),
      ...outcomes.map((outcome) => runs(outcomeText[outcome], ({ planned }) => planned[outcome])),
      runs("Manual", (robot) => robot.byHand),
    ],
    rows: robots,
    empty: "The site has no robots, and there were no runs in this range.",
  });
}

function* cleaningByRobot(document: PdfDocument, { robots, figures }: ReportData, fields: Fields): Generator<void> {
  if (robots.length === 0) return;
  const all = (name: ReportFigureName) => hours(figures[name] ?? 0);
  const efficiency = column("Efficiency", (robot) => percent(robot.efficiencyPercent), percent(figures.efficiency));
  const efficiencyRule = " Efficiency is time cleaned as planned divided by time planned.";
  const hasEfficiency = fields.has("efficiency");
  yield* titledTable(document, {
    title: "Cleaning by robot",
    notes: [
      `To the minute per robot. Time cleaned as planned, outside the plan and in manual runs add up to the total cleaned.${hasEfficiency ? efficiencyRule : ""}`,
    ],
    namesRows: true,
    hasTotals: true,
    columns: [
      robotColumn(22),
      column("As planned", (robot) => hours(robot.minutesAsPlanned), all("minutes_as_planned")),
      column("Outside the plan", (robot) => hours(robot.minutesOutsidePlan), all("minutes_outside_plan")),
      column("Manual", (robot) => hours(robot.minutesByHand), all("minutes_by_hand")),
      column("Total cleaned", (robot) => hours(robot.minutesCleaned), all("minutes_cleaned")),
      column("Planned", (robot) => hours(robot.minutesPlanned), all("minutes_planned")),
      ...(hasEfficiency ? [efficiency] : []),
    ],
    rows: robots,
  });
}

function* uptimeByRobot(
  document: PdfDocument,
  { robots, figures, range }: ReportData,
  fields: Fields,
): Generator<void> {
  const hasBattery = fields.has("average_battery");
  if (robots.length === 0 || !(fields.has("uptime") || hasBattery)) return;
  const all = (name: ReportFigureName) => hours(figures[name] ?? 0);
  const days = (value: number | null) => outOf(value ?? 0, range.days);
  const uptime = [
    column("Time reachable", (robot) => hours(robot.minutesReachable), all("minutes_reachable"), 20),
    column("Time known", (robot) => hours(robot.minutesKnown), all("minutes_known"), 16),
    column("Uptime", (robot) => percent(robot.uptimePercent), percent(figures.uptime), 11),
    column("Uptime known", (robot) => days(robot.uptimeDays), days(figures.uptime_days), 12),
    column("Critical time", (robot) => hours(robot.minutesCritical), all("critical_minutes"), 14),
  ];
  const battery = [
    column("Average battery", (robot) => percent(robot.averageBattery), percent(figures.average_battery), 12),
    column("Battery known", (robot) => days(robot.batteryDays), days(figures.battery_days), 12),
  ];
  yield* titledTable(document, {
    title: hasBattery ? "Uptime and battery by robot" : "Uptime by robot",
    notes: [
      "Uptime is time reachable divided by time known. Time is known from a robot\u2019s first connection, except during maintenance; \u201cUptime known\u201d counts the days that have any. Critical time is that with an open critical alert of the robot, whether it was reachable or not.",
    ],
    namesRows: true,
    hasTotals: true,
    columns: [robotColumn(21), ...(fields.has("uptime") ? uptime : []), ...(hasBattery ? battery : [])],
    rows: robots,
  });
}

function runsNotDone(document: PdfDocument, { notDone, outcomes }: ReportData): Generator<void> {
  const runs = Object.values(outcomes).reduce((sum, one) => sum + one, 0);
  const what = "runs that were stopped early, were cut short or never started";
  return titledTable(document, {
    title: "Runs not done, and why",
    notes: truncationNotes(notDone, what, "The tables above include all of them."),
    columns: [
      { title: "When", share: 22, of: ({ when }) => when },
      { title: "Robot", share: 25, maxLines: 2, of: ({ robot }) => robot },
      { title: "Kind", share: 11, of: ({ newest: { planned } }) => (planned ? "Planned" : "Manual") },
      { title: "Outcome", share: 15, of: ({ times, newest: { outcome } }) => `${times}${outcomeText[outcome]}` },
      { title: "Reason", share: 37, maxLines: 6, of: ({ newest: { reason } }) => reason || "Not given" },
    ],
    rows: gatheredRows(notDone.rows, {
      timeOf: ({ at }) => at,
      kindOf: ({ planned, outcome, reason }) => [planned, outcome, reason],
    }),
    empty: runs === 0 ? "There were no runs in this range." : "Every run of this range was done.",
  });
}
