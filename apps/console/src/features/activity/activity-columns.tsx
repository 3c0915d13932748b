import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import { actionTypeWord, actionWord, directionWord } from "@suncrew/domain/activity/activity-words.ts";
import type { ReactNode } from "react";
import { browserZone, exactTimeText } from "../../ui/exact-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { outcomeLook } from "./activity-meaning.ts";
import classes from "./activity-table.module.css";

export interface ActivityColumn {
  readonly name: string;
  readonly widthPx: number;
  readonly isNumber?: true;
  readonly cell: (entry: ActivityEntry) => ReactNode;
}

/** §2 Activity Log page: the columns in their order; §9: 2000 px wide together. */
export const ACTIVITY_COLUMNS: readonly ActivityColumn[] = [
  {
    name: "Timestamp",
    widthPx: 180,
    cell: ({ created_at }) => (
      <time dateTime={created_at} title={`${exactTimeText(new Date(created_at))} (${browserZone()})`}>
        {exactTimeText(new Date(created_at))}
      </time>
    ),
  },
  { name: "Action", widthPx: 80, cell: ({ action }) => actionWord[action] },
  { name: "Action Type", widthPx: 110, cell: ({ action_type }) => actionTypeWord[action_type] },
  { name: "UserName", widthPx: 160, cell: ({ user_name }) => <Cut text={user_name} /> },
  { name: "Status", widthPx: 110, cell: ({ status }) => <StateBadge look={outcomeLook[status]} /> },
  { name: "Site", widthPx: 210, cell: ({ site_name }) => <Cut text={site_name} /> },
  { name: "Serial Number", widthPx: 130, cell: ({ serial_number }) => <Cut text={serial_number} /> },
  { name: "Mode", widthPx: 90, cell: ({ paramsObj }) => paramsObj.mode },
  {
    name: "Details",
    widthPx: 560,
    cell: ({ details, sample }) => (
      <>
        <Cut text={details} />
        {sample && <span className={classes["sample"]}>Sample data</span>}
      </>
    ),
  },
  { name: "Direction", widthPx: 110, cell: ({ paramsObj }) => directionWord[paramsObj.direction] },
  { name: "Main Speed", widthPx: 130, isNumber: true, cell: ({ paramsObj }) => `${paramsObj["main-speed"]} %` },
  { name: "Brush Speed", widthPx: 130, isNumber: true, cell: ({ paramsObj }) => `${paramsObj["brush-speed"]} %` },
];

/** Text that may be longer than its column; all of it on hover and for a screen reader. */
function Cut({ text }: { readonly text: string }) {
  return (
    <span className={classes["cut"]} title={text}>
      {text}
    </span>
  );
}
