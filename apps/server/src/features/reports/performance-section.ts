import type { FieldName } from "@suncrew/domain/report-templates/template-sections.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { type Column, titledTable } from "../../platform/pdf/table.ts";
import { outcomeText, writeCharts } from "./performance-charts.ts";
import type { ReportData, ReportRobot } from "./report-data.ts";
import { count, formatDateTime, outOf, percent } from "./report-format.ts";
import { nameOf, robotLabel, type SectionWriter, truncationNotes } from "./section-layout.ts";

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
  const all = (name: ReportFigureName) => count(figures[name] ?? 0);
  const efficiency = column("Efficiency", (robot) => percent(robot.efficiencyPercent), percent(figures.efficiency));
  const efficiencyRule = " Efficiency is minutes cleaned as planned divided by minutes planned.";
  const hasEfficiency = fields.has("efficiency");
  yield* titledTable(document, {
    title: "Cleaning by robot",
    notes: [
      `Whole minutes per robot. Minutes cleaned as planned, outside the plan and in manual runs add up to the total cleaned.${hasEfficiency ? efficiencyRule : ""}`,
    ],
    namesRows: true,
    hasTotals: true,
    columns: [
      robotColumn(22),
      column("As planned", (robot) => count(robot.minutesAsPlanned), all("minutes_as_planned")),
      column("Outside the plan", (robot) => count(robot.minutesOutsidePlan), all("minutes_outside_plan")),
      column("Manual", (robot) => count(robot.minutesByHand), all("minutes_by_hand")),
      column("Total cleaned", (robot) => count(robot.minutesCleaned), all("minutes_cleaned")),
      column("Planned", (robot) => count(robot.minutesPlanned), all("minutes_planned")),
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
  const all = (name: ReportFigureName) => count(figures[name] ?? 0);
  const days = (value: number | null) => outOf(value ?? 0, range.days);
  const uptime = [
    column("Minutes reachable", (robot) => count(robot.minutesReachable), all("minutes_reachable")),
    column("Minutes known", (robot) => count(robot.minutesKnown), all("minutes_known")),
    column("Uptime", (robot) => percent(robot.uptimePercent), percent(figures.uptime)),
    column("Uptime known", (robot) => days(robot.uptimeDays), days(figures.uptime_days)),
    column("Critical minutes", (robot) => count(robot.minutesCritical), all("critical_minutes")),
  ];
  const battery = [
    column("Average battery", (robot) => percent(robot.averageBattery), percent(figures.average_battery)),
    column("Battery known", (robot) => days(robot.batteryDays), days(figures.battery_days)),
  ];
  yield* titledTable(document, {
    title: hasBattery ? "Uptime and battery by robot" : "Uptime by robot",
    notes: [
      "Uptime is minutes reachable divided by minutes known. Minutes are known from a robot\u2019s first connection, except during maintenance; \u201cUptime known\u201d counts the days that have any. Critical minutes are those with an open critical alert of the robot, whether it was reachable or not.",
    ],
    namesRows: true,
    hasTotals: true,
    columns: [robotColumn(22), ...(fields.has("uptime") ? uptime : []), ...(hasBattery ? battery : [])],
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
      { title: "When", share: 20, of: ({ at }) => formatDateTime(at, "") },
      { title: "Robot", share: 27, maxLines: 2, of: robotLabel },
      { title: "Kind", share: 11, of: ({ planned }) => (planned ? "Planned" : "Manual") },
      { title: "Outcome", share: 14, of: ({ outcome }) => outcomeText[outcome] },
      { title: "Reason", share: 38, maxLines: 6, of: ({ reason }) => reason || "Not given" },
    ],
    rows: notDone.rows,
    empty: runs === 0 ? "There were no runs in this range." : "Every run of this range was done.",
  });
}
