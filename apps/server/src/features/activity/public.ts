export { type ActivityChoice, readActivity } from "./activity.queries.ts";
export { type ActivityRecord, amendActivity, recordActivity, recordActivities } from "./activity.writes.ts";
