export { type ActivityChoice, readActivity } from "./activity.queries.ts";
export { type ActivityRecord, amendActivities, recordActivity, recordActivities } from "./activity.writes.ts";
