export { auditNoRobots, type ActionWording, manyRobotsAnswer, saveGroup } from "./groups.service.ts";
export { findGroup, findRobots, readMembers, requireRobotsAt } from "./groups.queries.ts";
/** For deleting a site. */
export { lockSchedulesOfSite, removeGroupsOfSite } from "./groups.repository.ts";
