/**
 * The calls of the specification's section 7, in its order and to the letter, with the name under which the
 * contract holds each, or null while it waits for the work that brings it. Adding a call fails a test until its
 * line here names it.
 */
export const specificationCalls: readonly (readonly [call: string, routeName: string | null])[] = [
  ["POST api/auth/login", "login"],
  ["POST api/auth/logout", "logout"],
  ["GET api/sites/details", "siteDetails"],
  ["POST api/sites/create", null],
  ["PUT api/sites/update/{id}", null],
  ["DELETE api/sites/delete/{id}", null],
  ["GET api/robots/getRobotDetailsWithSettings/{siteId}", "robotDetailsWithSettings"],
  ["GET api/robots/robotsList/{siteId}", "robotsList"],
  ["POST api/robots/create", null],
  ["PUT api/robots/update/{id}", null],
  ["DELETE api/robots/delete/{id}", null],
  ["PUT api/robots/updateRobotSettings/{robotId}", "updateRobotSettings"],
  ["POST api/mqtt/robot/send_command", "sendCommand"],
  ["GET api/mqtt/robot/getRobotStatus?robotId={serial}", "robotStatus"],
  ["GET api/robots/group/robotSiteGroupList/{siteId}", null],
  ["POST api/robots/group/create", null],
  ["PUT api/robots/group/update/{groupId}", null],
  ["DELETE api/robots/group/delete/{groupId}", null],
  ["GET api/robots/group/getRobotSchedule/{siteId}", null],
  ["POST api/robots/group/schedule", null],
  ["PUT api/robots/group/updateSchedule/{scheduleId}", null],
  ["DELETE api/robots/group/deleteSchedule/{scheduleId}", null],
  ["GET api/partner/details", "partnerDetails"],
  ["POST api/partner/create", null],
  ["PUT api/partner/update/{id}", null],
  ["DELETE api/partner/deletePartner/{id}", null],
  ["PUT api/partner/resetPassword/{id}", null],
  ["GET api/site/robot/activity_logs", "activityLogs"],
  ["POST api/site/robot/reportpdf", null],
];

/** Calls of the product that section 7 does not name. */
export const addedCalls: readonly (readonly [call: string, routeName: string])[] = [
  ["GET api/live", "live"],
  ["GET api/config", "config"],
  ["GET api/health", "health"],
  ["GET api/ready", "ready"],
];
