export { auditNobody } from "./audit-nobody.ts";
export { findGroup, type FoundGroup, readMembers, requireRobotsAt } from "./groups.queries.ts";
export { type DoneWords, manyRobotsAnswer } from "./many-robots-answer.ts";
export { type GroupBody, saveGroup, type SavedGroup } from "./save-group.ts";
/** For who deletes a site. */
export { lockSchedulesOfSite, removeGroupsOfSite } from "./remove-groups.repository.ts";
