import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { routes } from "@suncrew/contract/routes.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import { expect, test } from "vitest";

/** The calls of the specification's section 7, in its order and to the letter. */
const specificationCalls = [
  "POST api/auth/login",
  "POST api/auth/logout",
  "GET api/sites/details",
  "POST api/sites/create",
  "PUT api/sites/update/{id}",
  "DELETE api/sites/delete/{id}",
  "GET api/robots/getRobotDetailsWithSettings/{siteId}",
  "GET api/robots/robotsList/{siteId}",
  "POST api/robots/create",
  "PUT api/robots/update/{id}",
  "DELETE api/robots/delete/{id}",
  "PUT api/robots/updateRobotSettings/{robotId}",
  "POST api/mqtt/robot/send_command",
  "GET api/mqtt/robot/getRobotStatus?robotId={serial}",
  "GET api/robots/group/robotSiteGroupList/{siteId}",
  "POST api/robots/group/create",
  "PUT api/robots/group/update/{groupId}",
  "DELETE api/robots/group/delete/{groupId}",
  "GET api/robots/group/getRobotSchedule/{siteId}",
  "POST api/robots/group/schedule",
  "PUT api/robots/group/updateSchedule/{scheduleId}",
  "DELETE api/robots/group/deleteSchedule/{scheduleId}",
  "GET api/partner/details",
  "POST api/partner/create",
  "PUT api/partner/update/{id}",
  "DELETE api/partner/deletePartner/{id}",
  "PUT api/partner/resetPassword/{id}",
  "GET api/site/robot/activity_logs",
  "POST api/site/robot/reportpdf",
];

/** A route as section 7 writes it: `PUT api/sites/update/{id}`. */
function asWritten({ method, path }: RouteSpec): string {
  return `${method} ${path.slice(1).replaceAll(/:([A-Za-z]+)/g, "{$1}")}`;
}

const registered = Object.values<RouteSpec>(routes).map(asWritten);

test.each(specificationCalls)("§7 %s is registered to the letter", (call) => {
  expect(registered).toContain(call.replace(/\?.*$/, ""));
});

test("§7 no two routes answer the same call", () => {
  expect([...new Set(registered)]).toEqual(registered);
});

test("§7 getRobotStatus takes robotId from its query", () => {
  expect(Object.keys(routes.robotStatus.query.shape)).toEqual(["robotId"]);
});

test("§6 the permission table has one line for every route and none left over", () => {
  expect(Object.keys(permissions).toSorted()).toEqual(Object.keys(routes).toSorted());
});
