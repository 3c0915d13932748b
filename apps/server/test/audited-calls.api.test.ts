import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertOpenAlerts } from "./alert-fixtures.ts";
import { seedFirmware } from "./firmware-fixtures.ts";
import { seedGroups } from "./group-fixtures.ts";
import { addMonthlyReports, addReportMail } from "./monthly-report-fixtures.ts";
import { ownValue, type Part, sampleCalls } from "./sample-calls.ts";
import { createRestorePoint, type RestorePoint } from "./restore-point.ts";
import { seedNotifications } from "./notification-fixtures.ts";
import { seedWallboardLinks } from "./wallboard-fixtures.ts";
import { createTestApp, type TestApp, testSettings } from "./test-app.ts";
import { urlOf } from "./test-client.ts";

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  await addMonthlyReports(server.db, server.fixtures);
  await addReportMail(server.db, server.fixtures);
  restorePoint = await createRestorePoint(server.db);
});
afterAll(() => server.close());

/** These change nothing, although they are POSTs. */
const onlyRead: readonly string[] = ["reportPdf", "reportCsv", "messageLink"];
const changing = (Object.keys(routes) as RouteName[]).filter((name) => {
  const route: RouteSpec = routes[name];
  return route.method !== "GET" && !onlyRead.includes(name);
});

/** Recorded rows: STARTs and STOPs in the activity log, everything else in the audit. */
async function onRecord(): Promise<number> {
  const count = async (table: "audit" | "activity") =>
    (
      await server.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as("rows"))
        .executeTakeFirstOrThrow()
    ).rows;
  return (await count("audit")) + (await count("activity"));
}

async function callAs(name: RouteName, person: "admin" | "owner"): Promise<number> {
  const route: RouteSpec = routes[name];
  const { params, query, body, groups, file, alerts, firmware, wallboards, notifications } = sampleCalls[name];
  const own = (part: Part | undefined): Part | undefined =>
    part && Object.fromEntries(Object.entries(part).map(([key, value]) => [key, ownValue(value, server.fixtures)]));
  // First, because the previous call may have changed the password.
  await restorePoint.restore();
  const client = await server.signIn(person);
  if (groups !== undefined) await seedGroups(server.db, server.fixtures, groups);
  if (alerts === true) await insertOpenAlerts(server.db, server.fixtures);
  if (firmware === true) await seedFirmware(server.db, server.fixtures);
  if (wallboards === true) await seedWallboardLinks(server.db, server.fixtures);
  if (notifications === true) await seedNotifications(server.db, testSettings.secretKey, server.fixtures);
  const before = await onRecord();
  const sent = own(body);
  // Without it an import only checks the file.
  if (sent !== undefined && "csv" in sent) Object.assign(sent, { apply: true });
  const whole = file ?? sent;
  await client.raw(urlOf(route.path, own(params), own(query)), { method: route.method, ...(whole && { body: whole }) });
  return (await onRecord()) - before;
}

test.each(changing)("every change is on record, done or refused: %s", async (name) => {
  expect(await callAs(name, sampleCalls[name].personal === true ? "owner" : "admin")).toBeGreaterThan(0);
});

const notForPartners = changing.filter((name) => permissions[name].access === "super-admin");
test.each(notForPartners)("what a partner may never change is on record as tried: %s", async (name) => {
  expect(await callAs(name, "owner")).toBe(1);
});
