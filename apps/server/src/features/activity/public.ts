export { type ActivityChoice, readActivity } from "./activity.queries.ts";
export { type ActivityRecord, recordActivity } from "./activity.writes.ts";
