import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import { heading, paragraph } from "../../platform/pdf/blocks.ts";
import { look } from "../../platform/pdf/look.ts";
import { type Cell, type Column, titledTable } from "../../platform/pdf/table.ts";
import type { ReportAlert } from "./report-data.ts";
import { severityWords } from "./report-health.ts";
import { beginSection, type ReportPart, restNotes, robotWords } from "./report-part.ts";
import { duration, moment } from "./report-words.ts";

interface AlertColumn extends Column {
  readonly of: (alert: ReportAlert) => Cell;
}

const columns: readonly AlertColumn[] = [
  { title: "Raised", share: 20, of: ({ raisedAt }) => moment(raisedAt, "") },
  { title: "Severity", share: 11, of: ({ severity }) => severityCell(severity) },
  { title: "Robot", share: 20, most: 2, of: ({ robotName, serialNumber }) => robotWords(robotName, serialNumber) },
  { title: "Alert", share: 36, of: ({ text }) => text },
];
const clearedColumn: AlertColumn = {
  title: "Cleared",
  share: 20,
  of: ({ clearedAt }) => moment(clearedAt, "Still holds"),
};
const tookColumn: AlertColumn = {
  title: "Took",
  share: 14,
  align: "RIGHT",
  of: ({ minutes }) => (minutes === null ? "" : duration(minutes)),
};

export const alertsPart: ReportPart = function* (document, data, fields) {
  beginSection(document, data, "alerts", fields);
  const title = "Alerts raised or cleared in the range";
  if (data.alerts.rows.length === 0) {
    heading(document, "H3", title);
    paragraph(document, "No alert was raised or cleared in this range.");
    return;
  }
  const shown = [
    ...columns,
    ...(fields.has("resolved_alerts") ? [clearedColumn] : []),
    ...(fields.has("average_resolution_time") ? [tookColumn] : []),
  ];
  yield* titledTable(document, title, restNotes(data.alerts, "alerts", "The figures above count all of them."), {
    columns: shown,
    rows: data.alerts.rows.map((alert) => shown.map(({ of }) => of(alert))),
  });
};

function severityCell(severity: Severity): Cell {
  const text = severityWords[severity];
  if (severity === "INFO") return text;
  return { text, isStrong: true, color: severity === "CRITICAL" ? look.poor : look.fair };
}
