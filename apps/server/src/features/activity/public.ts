export { type ActivityQuery, readActivity } from "./activity.queries.ts";
export {
  type ActivityRecord,
  amendActivities,
  amendRunEnds,
  recordActivities,
  recordActivity,
  removeRunEnds,
} from "./activity.repository.ts";
