export { type ActivityChoice, readActivity } from "./activity.queries.ts";
export {
  type ActivityRecord,
  amendActivities,
  amendRunEnds,
  recordActivity,
  removeRunEnds,
  recordActivities,
} from "./activity.writes.ts";
