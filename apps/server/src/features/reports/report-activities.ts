import type { ActivityStatus, ActionType } from "@suncrew/contract/activity/activity.ts";
import { heading, paragraph } from "../../platform/pdf/blocks.ts";
import { look } from "../../platform/pdf/look.ts";
import { type Cell, titledTable } from "../../platform/pdf/table.ts";
import type { ReportActivity } from "./report-data.ts";
import { beginSection, type ReportPart, restNotes, robotWords } from "./report-part.ts";
import { count, counted, second } from "./report-words.ts";

const statusCells: Record<ActivityStatus, Cell> = {
  SUCCESS: "Success",
  FAILED: { text: "Failed", color: look.poor, isStrong: true },
  REFUSED: { text: "Refused", color: look.fair, isStrong: true },
};

const typeWords: Record<ActionType, string> = {
  MANUAL: "by hand",
  GROUP: "group",
  SCHEDULED: "scheduled",
  SYSTEM: "system",
};

const actionWords: Record<ReportActivity["action"], string> = { START: "Start", STOP: "Stop" };

export const activitiesPart: ReportPart = function* (document, data, fields) {
  beginSection(document, data, "activities", fields);
  if (!fields.has("timeline")) return;
  const { rows, rest } = data.activity;
  if (rows.length === 0) {
    heading(document, "H3", "Timeline");
    paragraph(document, "No robot was started or stopped in this range.");
    return;
  }
  const others = counted(rest, "older entry is", "older entries are");
  const inCsv = `The other ${others} in the CSV of this report, which has all ${count(rows.length + rest)}.`;
  yield* titledTable(document, "Timeline", restNotes(data.activity, "entries", inCsv), {
    isDense: true,
    columns: [
      { title: "Time", share: 82 },
      { title: "Action", share: 58 },
      { title: "Robot", share: 92, most: 2 },
      { title: "Result", share: 32 },
      { title: "By", share: 50, most: 2 },
      { title: "Details", share: 133 },
    ],
    rows: rows.map(rowOf),
  });
};

function rowOf({ at, action, actionType, robotName, serialNumber, status, userName, details }: ReportActivity): Cell[] {
  const words = `${actionWords[action]}, ${typeWords[actionType]}`;
  return [second(at), words, robotWords(robotName, serialNumber), statusCells[status], userName, details];
}
