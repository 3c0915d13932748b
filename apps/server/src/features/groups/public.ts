export { findGroup, type FoundGroup, readMembers } from "./groups.queries.ts";
export { type DoneWords, manyRobotsAnswer } from "./many-robots-answer.ts";
