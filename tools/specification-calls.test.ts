import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { routes } from "@suncrew/contract/routes.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import { expect, test } from "vitest";

/** The calls of the specification's section 7, in order and to the letter. */
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

/** Calls of the product that section 7 does not name: other programs rely on them as well. */
const addedCalls = [
  "PUT api/report-settings/logo",
  "DELETE api/report-settings/logo",
  "GET api/notifications/contact-points",
  "POST api/notifications/contact-points",
  "PUT api/notifications/contact-points/{contactPointId}",
  "DELETE api/notifications/contact-points/{contactPointId}",
  "POST api/notifications/contact-points/{contactPointId}/signing-secret",
  "POST api/notifications/contact-points/{contactPointId}/test",
  "GET api/notifications/options",
  "GET api/notifications/rules",
  "POST api/notifications/rules",
  "PUT api/notifications/rules/{ruleId}",
  "DELETE api/notifications/rules/{ruleId}",
  "GET api/notifications/subscriptions",
  "POST api/notifications/subscriptions",
  "PUT api/notifications/subscriptions/{subscriptionId}",
  "DELETE api/notifications/subscriptions/{subscriptionId}",
  "GET api/notifications/teams",
  "POST api/notifications/teams",
  "PUT api/notifications/teams/{teamId}",
  "DELETE api/notifications/teams/{teamId}",
  "GET api/notifications/rotas",
  "POST api/notifications/rotas",
  "PUT api/notifications/rotas/{rotaId}",
  "DELETE api/notifications/rotas/{rotaId}",
  "GET api/notifications/mutes",
  "POST api/notifications/mutes",
  "DELETE api/notifications/mutes/{muteId}",
  "GET api/notifications/deliveries",
  "GET api/notifications/deliveries/{deliveryId}",
  "POST api/notifications/deliveries/{deliveryId}/resend",
  "POST api/notifications/links/read",
  "POST api/notifications/links/acknowledge",
  "POST api/notifications/links/unsubscribe",
  "POST api/notifications/links/one-click",
  "GET api/demo/messages",
  "GET api/webhooks",
  "POST api/webhooks",
  "PUT api/webhooks/{webhookId}",
  "DELETE api/webhooks/{webhookId}",
  "POST api/webhooks/{webhookId}/signing-secret",
  "POST api/webhooks/{webhookId}/test",
  "POST api/webhooks/{webhookId}/replay",
  "GET api/webhooks/deliveries",
  "POST api/webhooks/deliveries/{deliveryId}/replay",
  "GET api/reports/{reportId}/mail",
  "GET api/reports/{reportId}/mail/preview",
  "POST api/reports/{reportId}/mail",
  "POST api/reports",
  "GET api/mail-server",
  "PUT api/mail-server",
  "DELETE api/mail-server",
  "POST api/mail-server/test",
  "GET api/live",
  "GET api/site/robot/activity_logs/export",
  "POST api/site/robot/reportcsv",
  "GET api/site/robot/activity_logs/users",
  "POST api/mqtt/group/send_command",
  "POST api/mqtt/site/stop",
  "POST api/mqtt/robots/send_command",
  "POST api/mqtt/fleet/stop",
  "PUT api/robots/maintenance/{robotId}",
  "PUT api/robots/group/maintenance/{groupId}",
  "GET api/runs",
  "GET api/runs/today",
  "GET api/runs/today/list",
  "GET api/runs/calendar/{siteId}",
  "GET api/runs/calendar/{siteId}/night",
  "GET api/runs/fleet-calendar",
  "GET api/weather/{siteId}",
  "GET api/soiling/{siteId}",
  "GET api/soiling/at-risk",
  "GET api/measurements/{siteId}",
  "GET api/measurements/{siteId}/comparison",
  "POST api/measurements/{siteId}",
  "POST api/measurements/{siteId}/import",
  "GET api/measurements/{siteId}/export",
  "DELETE api/measurements/{siteId}",
  "POST api/auth/change-password",
  "GET api/robots/serialNumbers",
  "GET api/robots/types",
  "POST api/robots/create-many",
  "GET api/robots/bySerial/{robotSerial}",
  "GET api/robots/history/{robotId}",
  "GET api/robots/nights/{robotId}",
  "GET api/robots/nights/site/{siteId}",
  "GET api/robots/orders/{robotId}",
  "GET api/robots/changes/{robotId}",
  "GET api/sites/export",
  "POST api/sites/import",
  "GET api/robots/export",
  "GET api/robots/directory",
  "PUT api/robots/maintenance",
  "POST api/robots/import",
  "POST api/robots/forget-state/{id}",
  "GET api/admins",
  "GET api/storage",
  "POST api/admins",
  "POST api/admins/{id}/reset-password",
  "POST api/admins/{id}/remove",
  "GET api/devices",
  "POST api/devices",
  "PUT api/devices/secret/{serial}",
  "PUT api/devices/partner",
  "DELETE api/devices/{serial}",
  "GET api/audit",
  "GET api/audit/export",
  "GET api/report-templates",
  "POST api/report-templates",
  "PUT api/report-templates/{templateId}",
  "DELETE api/report-templates/{templateId}",
  "GET api/report-settings",
  "PUT api/report-settings",
  "GET api/reports",
  "GET api/reports/{reportId}/file",
  "GET api/firmware",
  "POST api/firmware",
  "DELETE api/firmware/{firmwareId}",
  "GET api/firmware/file/{offerId}",
  "GET api/firmware/rollouts",
  "POST api/firmware/rollouts",
  "GET api/firmware/rollouts/{rolloutId}",
  "PUT api/firmware/rollouts/{rolloutId}",
  "GET api/alerts",
  "PUT api/alerts/acknowledge/{alertId}",
  "GET api/attention",
  "PUT api/attention/acknowledge/{itemId}",
  "DELETE api/attention/acknowledge/{itemId}",
  "GET api/wallboard-links",
  "POST api/wallboard-links",
  "DELETE api/wallboard-links/{linkId}",
  "POST api/wallboard/open",
  "GET api/config",
  "GET api/health",
  "GET api/ready",
];

/** A route as section 7 writes it: `PUT api/sites/update/{id}`. */
function asWritten({ method, path }: RouteSpec): string {
  return `${method} ${path.slice(1).replaceAll(/:([A-Za-z]+)/g, "{$1}")}`;
}

const registered = Object.values<RouteSpec>(routes).map(asWritten);

test.each([...specificationCalls, ...addedCalls])("§7 %s is registered to the letter", (call) => {
  expect(registered).toContain(call.replace(/\?.*$/, ""));
});

test("§7 every route of the contract has its line in the lists of calls", () => {
  const listed = [...specificationCalls, ...addedCalls].map((call) => call.replace(/\?.*$/, ""));
  expect(registered.toSorted()).toEqual(listed.toSorted());
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
