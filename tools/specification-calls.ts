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
  ["GET api/robots/group/robotSiteGroupList/{siteId}", "groupList"],
  ["POST api/robots/group/create", "createGroup"],
  ["PUT api/robots/group/update/{groupId}", "updateGroup"],
  ["DELETE api/robots/group/delete/{groupId}", "deleteGroup"],
  ["GET api/robots/group/getRobotSchedule/{siteId}", "getRobotSchedule"],
  ["POST api/robots/group/schedule", "createSchedule"],
  ["PUT api/robots/group/updateSchedule/{scheduleId}", "updateSchedule"],
  ["DELETE api/robots/group/deleteSchedule/{scheduleId}", "deleteSchedule"],
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
  ["POST api/mqtt/group/send_command", "groupSendCommand"],
  ["POST api/mqtt/site/stop", "siteStop"],
  ["PUT api/robots/maintenance/{robotId}", "robotMaintenance"],
  ["PUT api/robots/group/maintenance/{groupId}", "groupMaintenance"],
  ["GET api/runs", "runsList"],
  ["GET api/runs/today", "runsToday"],
  ["GET api/runs/calendar/{siteId}", "runsCalendar"],
  ["GET api/weather/{siteId}", "siteWeather"],
  ["GET api/config", "config"],
  ["GET api/health", "health"],
  ["GET api/ready", "ready"],
];
