import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import {
  actionTypeWord,
  actionWord,
  activityColumnName,
  activityStatusWord,
} from "@suncrew/domain/activity/activity-words.ts";
import { heading, paragraph } from "../../platform/pdf/blocks.ts";
import { look } from "../../platform/pdf/look.ts";
import { type Cell, titledTable } from "../../platform/pdf/table.ts";
import type { ReportActivity } from "./report-data.ts";
import { beginSection, type ReportPart, restNotes, robotWords } from "./report-part.ts";
import { offsetWords } from "./report-range.ts";
import { count, counted, second, utcSecond } from "./report-words.ts";

const statusCells: Record<ActivityStatus, Cell> = {
  SUCCESS: activityStatusWord.SUCCESS,
  FAILED: { text: activityStatusWord.FAILED, color: look.poor, isStrong: true },
  REFUSED: { text: activityStatusWord.REFUSED, color: look.fair, isStrong: true },
};

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
  const times = `Timestamps are local at the site (${data.site.timezone}, ${offsetWords(data.range)}), with UTC beside them.`;
  yield* titledTable(document, "Timeline", [times, ...restNotes(data.activity, "entries", inCsv)], {
    isDense: true,
    columns: [
      { title: activityColumnName.localTime, share: 81 },
      { title: activityColumnName.utcTime, share: 64 },
      { title: activityColumnName.action, share: 58 },
      { title: activityColumnName.robot, share: 66, most: 2 },
      { title: activityColumnName.status, share: 34 },
      { title: activityColumnName.user, share: 46, most: 2 },
      { title: activityColumnName.details, share: 90, most: 5 },
    ],
    rows: rows.map(rowOf),
  });
};

function rowOf({ at, action, actionType, robotName, serialNumber, status, userName, details }: ReportActivity): Cell[] {
  const words = `${actionWord[action]}, ${actionTypeWord[actionType].toLowerCase()}`;
  return [
    second(at),
    utcSecond(at),
    words,
    robotWords(robotName, serialNumber),
    statusCells[status],
    userName,
    details,
  ];
}
