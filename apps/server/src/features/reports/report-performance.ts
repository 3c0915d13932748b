import type { FieldName } from "@suncrew/domain/report-templates/section-catalogue.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { type Cell, type Column, drawTable } from "../../platform/pdf/table.ts";
import { chartsPart, outcomeWords } from "./report-charts.ts";
import type { ReportData, ReportRobot } from "./report-data.ts";
import { beginSection, type ReportPart, robotWords, sayRest } from "./report-part.ts";
import { count, moment, percent } from "./report-words.ts";

export const performancePart: ReportPart = function* (document, data, fields) {
  beginSection(document, data, "performance", fields);
  if (fields.has("performance_chart")) yield* chartsPart(document, data, fields);
  yield* plannedAgainstDone(document, data);
  yield* timeByRobot(document, data, fields);
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
  heading(document, "H3", "Planned against done");
  if (robots.length === 0) {
    paragraph(document, "The site has no robots, and none had runs there in this range.");
    return;
  }
  paragraph(
    document,
    "Planned runs that were due in the range and what became of each; the seven columns after \u201cPlanned\u201d add up to it. Runs by hand come on top.",
    noteStyle,
  );
  const total = (of: (robot: ReportRobot) => number) => count(robots.reduce((sum, robot) => sum + of(robot), 0));
  yield* drawTable(document, {
    namesRows: true,
    columns: [
      { title: "Robot", share: 30, most: 2 },
      ...runColumns.map(({ title }): Column => ({ title, share: 9, align: "RIGHT" })),
    ],
    rows: [
      ...robots.map((robot) => [nameOf(robot), ...runColumns.map(({ of }) => count(of(robot)))]),
      totalRow("All robots", ...runColumns.map(({ of }) => total(of))),
    ],
  });
}

function* timeByRobot(
  document: PdfDocument,
  { robots, figures }: ReportData,
  fields: ReadonlySet<FieldName>,
): Generator<void> {
  if (robots.length === 0) return;
  const sum = (of: (robot: ReportRobot) => number) => count(robots.reduce((all, robot) => all + of(robot), 0));
  const columns = [
    {
      title: "Minutes planned",
      of: (robot: ReportRobot) => count(robot.minutesPlanned),
      all: sum((one) => one.minutesPlanned),
      isOn: true,
    },
    {
      title: "Minutes cleaned",
      of: (robot: ReportRobot) => count(robot.minutesCleaned),
      all: sum((one) => one.minutesCleaned),
      isOn: true,
    },
    {
      title: "Efficiency",
      of: (robot: ReportRobot) => percent(robot.efficiencyPercent),
      all: percent(figures.efficiency),
      isOn: fields.has("efficiency"),
    },
    {
      title: "Uptime",
      of: (robot: ReportRobot) => percent(robot.uptimePercent),
      all: percent(figures.uptime),
      isOn: fields.has("uptime"),
    },
    {
      title: "Average battery",
      of: (robot: ReportRobot) => percent(robot.averageBattery),
      all: percent(figures.average_battery),
      isOn: fields.has("average_battery"),
    },
  ].filter(({ isOn }) => isOn);
  heading(document, "H3", "Time by robot");
  yield* drawTable(document, {
    namesRows: true,
    columns: [
      { title: "Robot", share: 30, most: 2 },
      ...columns.map(({ title }): Column => ({ title, share: 14, align: "RIGHT" })),
    ],
    rows: [
      ...robots.map((robot) => [nameOf(robot), ...columns.map(({ of }) => of(robot))]),
      totalRow("All robots", ...columns.map(({ all }) => all)),
    ],
  });
}

function* notDone(document: PdfDocument, data: ReportData): Generator<void> {
  heading(document, "H3", "What was not done, and why");
  if (data.notDone.rows.length === 0) {
    const runs = Object.values(data.outcomes).reduce((sum, one) => sum + one, 0);
    const all = "Every run of this range was done.";
    paragraph(document, runs === 0 ? "There were no runs in this range." : all);
    return;
  }
  sayRest(
    document,
    data.notDone,
    "runs that were stopped early, were cut short or never came about",
    "The tables above count all of them.",
  );
  yield* drawTable(document, {
    columns: [
      { title: "When", share: 20 },
      { title: "Robot", share: 27, most: 2 },
      { title: "Kind", share: 11 },
      { title: "Outcome", share: 14 },
      { title: "Reason", share: 38 },
    ],
    rows: data.notDone.rows.map((run) => [
      moment(run.at, ""),
      robotWords(run.robotName, run.serialNumber),
      run.planned ? "Planned" : "By hand",
      outcomeWords[run.outcome],
      run.reason === "" ? "Not told" : run.reason,
    ]),
  });
}

function nameOf(robot: ReportRobot): string {
  return robotWords(robot.name, robot.serialNumber);
}

function totalRow(...texts: readonly string[]): Cell[] {
  return texts.map((text) => ({ text, isStrong: true }));
}
