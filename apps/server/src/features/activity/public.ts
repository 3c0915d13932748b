export { type ActivityChoice, readActivity } from "./activity.queries.ts";
export { type ActivityRecord, amendActivity, recordActivity } from "./activity.writes.ts";
