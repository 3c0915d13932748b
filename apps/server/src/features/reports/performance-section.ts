import type { FieldName } from "@suncrew/domain/report-templates/template-sections.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import { heading, paragraph } from "../../platform/pdf/blocks.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { type Cell, type Column, titledTable } from "../../platform/pdf/table.ts";
import { writeCharts, outcomeText } from "./performance-charts.ts";
import type { ReportData, ReportRobot } from "./report-data.ts";
import { count, formatDateTime, outOf, percent } from "./report-format.ts";
import { nameOf, beginSection, type SectionWriter, truncationNotes, robotLabel } from "./section-layout.ts";

export const writePerformance: SectionWriter = function* (document, data, fields) {
  beginSection(document, data, "performance", fields);
  if (fields.has("performance_chart")) yield* writeCharts(document, data, fields);
  yield* plannedAgainstDone(document, data);
  yield* cleaningByRobot(document, data, fields);
  yield* uptimeByRobot(document, data, fields);
  yield* notDone(document, data);
};

const runColumns = [
  { title: "Planned", of: (robot) => robot.planned },
  { title: "Done", of: (robot) => robot.done },
  { title: "Stopped early", of: (robot) => robot.stopped },
  { title: "Under way", of: (robot) => robot.running },
  { title: "Cut short", of: (robot) => robot.cutShort },
  { title: "Failed", of: (robot) => robot.failed },
  { title: "Skipped", of: (robot) => robot.skipped },
  { title: "Missed", of: (robot) => robot.missed },
  { title: "By hand", of: (robot) => robot.byHand },
] as const satisfies readonly { title: string; of: (robot: ReportRobot) => number }[];

function* plannedAgainstDone(document: PdfDocument, { robots }: ReportData): Generator<void> {
  if (robots.length === 0) {
    heading(document, "H3", "Planned versus done");
    paragraph(document, "The site has no robots, and there were no runs in this range.");
    return;
  }
  const note =
    "Planned runs that were due in the range, and their outcomes; the seven columns after \u201cPlanned\u201d add up to it. Runs by hand are additional.";
  const total = (of: (robot: ReportRobot) => number) => count(robots.reduce((sum, robot) => sum + of(robot), 0));
  yield* titledTable(document, "Planned versus done", [note], {
    namesRows: true,
    columns: [
      { title: "Robot", share: 20, most: 2 },
      ...runColumns.map(({ title }): Column => ({ title, share: 9, align: "RIGHT" })),
    ],
    rows: [
      ...robots.map((robot) => [nameOf(robot), ...runColumns.map(({ of }) => count(of(robot)))]),
      totalRow("All robots", ...runColumns.map(({ of }) => total(of))),
    ],
  });
}

function* cleaningByRobot(
  document: PdfDocument,
  { robots, figures }: ReportData,
  fields: ReadonlySet<FieldName>,
): Generator<void> {
  const all = (name: ReportFigureName) => count(figures[name] ?? 0);
  const columns: readonly RobotColumn[] = [
    { title: "As planned", of: (robot) => count(robot.minutesAsPlanned), all: all("minutes_as_planned") },
    { title: "Outside the plan", of: (robot) => count(robot.minutesOutsidePlan), all: all("minutes_outside_plan") },
    { title: "By hand", of: (robot) => count(robot.minutesByHand), all: all("minutes_by_hand") },
    { title: "Total cleaned", of: (robot) => count(robot.minutesCleaned), all: all("minutes_cleaned") },
    { title: "Planned", of: (robot) => count(robot.minutesPlanned), all: all("minutes_planned") },
    ...(fields.has("efficiency")
      ? [
          {
            title: "Efficiency",
            of: (robot: ReportRobot) => percent(robot.efficiencyPercent),
            all: percent(figures.efficiency),
          },
        ]
      : []),
  ];
  const efficiency = fields.has("efficiency")
    ? " Efficiency is minutes cleaned as planned divided by minutes planned."
    : "";
  const note = `Whole minutes per robot. Minutes cleaned as planned, outside the plan and by hand add up to the total cleaned.${efficiency}`;
  yield* tableByRobot(document, "Cleaning by robot", note, robots, columns);
}

function* uptimeByRobot(
  document: PdfDocument,
  { robots, figures, range }: ReportData,
  fields: ReadonlySet<FieldName>,
): Generator<void> {
  const all = (name: ReportFigureName) => count(figures[name] ?? 0);
  const days = (value: number | null) => outOf(value ?? 0, range.days);
  const uptime: readonly RobotColumn[] = [
    { title: "Minutes reachable", of: (robot) => count(robot.minutesReachable), all: all("minutes_reachable") },
    { title: "Minutes known", of: (robot) => count(robot.minutesKnown), all: all("minutes_known") },
    { title: "Uptime", of: (robot) => percent(robot.uptimePercent), all: percent(figures.uptime) },
    { title: "Uptime known", of: (robot) => days(robot.uptimeDays), all: days(figures.uptime_days) },
    { title: "Critical minutes", of: (robot) => count(robot.minutesCritical), all: all("critical_minutes") },
  ];
  const battery: readonly RobotColumn[] = [
    { title: "Average battery", of: (robot) => percent(robot.averageBattery), all: percent(figures.average_battery) },
    { title: "Battery known", of: (robot) => days(robot.batteryDays), all: days(figures.battery_days) },
  ];
  const hasBattery = fields.has("average_battery");
  const columns = [...(fields.has("uptime") ? uptime : []), ...(hasBattery ? battery : [])];
  if (columns.length === 0) return;
  const note =
    "Uptime is minutes reachable divided by minutes known. Minutes are known from a robot\u2019s first connection, except during maintenance; \u201cUptime known\u201d counts the days that have any. Critical minutes are those with an open critical alert of the robot, whether it was reachable or not.";
  const title = hasBattery ? "Uptime and battery by robot" : "Uptime by robot";
  yield* tableByRobot(document, title, note, robots, columns);
}

interface RobotColumn {
  readonly title: string;
  readonly of: (robot: ReportRobot) => string;
  readonly all: string;
}

function* tableByRobot(
  document: PdfDocument,
  title: string,
  note: string,
  robots: readonly ReportRobot[],
  columns: readonly RobotColumn[],
): Generator<void> {
  if (robots.length === 0) return;
  yield* titledTable(document, title, [note], {
    namesRows: true,
    columns: [
      { title: "Robot", share: 22, most: 2 },
      ...columns.map((column): Column => ({ title: column.title, share: 14, align: "RIGHT" })),
    ],
    rows: [
      ...robots.map((robot) => [nameOf(robot), ...columns.map(({ of }) => of(robot))]),
      totalRow("All robots", ...columns.map((column) => column.all)),
    ],
  });
}

function* notDone(document: PdfDocument, data: ReportData): Generator<void> {
  const title = "Runs not done, and why";
  if (data.notDone.rows.length === 0) {
    heading(document, "H3", title);
    const runs = Object.values(data.outcomes).reduce((sum, one) => sum + one, 0);
    const all = "Every run of this range was done.";
    paragraph(document, runs === 0 ? "There were no runs in this range." : all);
    return;
  }
  const what = "runs that were stopped early, were cut short or never started";
  yield* titledTable(document, title, truncationNotes(data.notDone, what, "The tables above include all of them."), {
    columns: [
      { title: "When", share: 20 },
      { title: "Robot", share: 27, most: 2 },
      { title: "Kind", share: 11 },
      { title: "Outcome", share: 14 },
      { title: "Reason", share: 38, most: 6 },
    ],
    rows: data.notDone.rows.map((run) => [
      formatDateTime(run.at, ""),
      robotLabel(run.robotName, run.serialNumber),
      run.planned ? "Planned" : "By hand",
      outcomeText[run.outcome],
      run.reason === "" ? "Not given" : run.reason,
    ]),
  });
}

function totalRow(...texts: readonly string[]): Cell[] {
  return texts.map((text) => ({ text, isStrong: true }));
}
