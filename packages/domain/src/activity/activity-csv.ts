import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import type { CsvColumn } from "../csv/csv.ts";
import { localTextOf } from "../reports/report-range.ts";
import {
  actionTypeWord,
  actionWord,
  activityColumnName as name,
  activityStatusWord,
  directionWord,
} from "./activity-words.ts";

/** A row of the activity log with the time zone of its site. */
export interface ActivityCsvRow extends Omit<ActivityEntry, "site_id" | "sample"> {
  readonly timezone: string;
}

type Column = CsvColumn<ActivityCsvRow>;

/** The columns of every activity file: the log's and a report's. */
export const activityCsvColumns: readonly Column[] = [
  { name: name.localTime, cell: ({ created_at, timezone }) => localTextOf(new Date(created_at), timezone) },
  { name: name.timezone, cell: ({ timezone }) => timezone },
  { name: name.utcTime, cell: ({ created_at }) => created_at },
  { name: name.action, cell: ({ action }) => actionWord[action] },
  { name: name.actionType, cell: ({ action_type }) => actionTypeWord[action_type] },
  { name: name.user, cell: ({ user_name }) => user_name },
  { name: name.status, cell: ({ status }) => activityStatusWord[status] },
  { name: name.site, cell: ({ site_name }) => site_name },
  { name: name.robot, cell: ({ robot_name }) => robot_name },
  { name: name.serialNumber, cell: ({ serial_number }) => serial_number },
  { name: name.mode, cell: ({ paramsObj }) => paramsObj.mode },
  { name: name.details, cell: ({ details }) => details },
  { name: name.direction, cell: ({ paramsObj }) => directionWord[paramsObj.direction] },
  { name: name.mainSpeed, cell: ({ paramsObj }) => paramsObj["main-speed"] },
  { name: name.brushSpeed, cell: ({ paramsObj }) => paramsObj["brush-speed"] },
];

/** §6: only a Super Admin's export has the partner name. */
export const activityCsvColumnsWithPartner: readonly Column[] = activityCsvColumns.flatMap((column) =>
  column.name === name.site
    ? [column, { name: name.partner, cell: ({ partner_name }: ActivityCsvRow) => partner_name ?? "" }]
    : [column],
);
