import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { login } from "@suncrew/contract/auth/auth.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertOpenAlerts } from "./alert-fixtures.ts";
import { seedFirmware } from "./firmware-fixtures.ts";
import { PASSWORD, usernames } from "./fixtures.ts";
import { prepareFullDisk } from "./full-disk.ts";
import { seedGroups } from "./group-fixtures.ts";
import { addMonthlyReports, addReportMail } from "./monthly-report-fixtures.ts";
import { createRestorePoint, type RestorePoint } from "./restore-point.ts";
import { ownValue, type Part, sampleCalls } from "./sample-calls.ts";
import { seedNotifications } from "./notification-fixtures.ts";
import { seedWallboardLinks } from "./wallboard-fixtures.ts";
import { createTestApp, type TestApp, testSettings } from "./test-app.ts";
import { TestClient, urlOf } from "./test-client.ts";

const FULL =
  "The database's disk is full or cannot be written. Nothing can be stored until this is fixed. Please try again later.";

let server: TestApp;
let restorePoint: RestorePoint;
let setFull: (isFull: boolean) => Promise<void>;
beforeAll(async () => {
  server = await createTestApp();
  await addMonthlyReports(server.db, server.fixtures);
  await addReportMail(server.db, server.fixtures);
  restorePoint = await createRestorePoint(server.db);
  setFull = await prepareFullDisk((statement) => sql.raw(statement).execute(server.db));
});
afterAll(() => server.close());

const writing = (Object.keys(routes) as RouteName[]).filter((name) => {
  const route: RouteSpec = routes[name];
  return route.method !== "GET" && route.stream !== true;
});

describe("§7 The calls it makes, while PostgreSQL's disk is full", () => {
  test.each(writing)("%s is answered with a sentence, never 500", async (name) => {
    const route: RouteSpec = routes[name];
    const filled = (part: Part = {}) =>
      Object.fromEntries(Object.entries(part).map(([key, value]) => [key, ownValue(value, server.fixtures)]));
    const { params, query, body, groups, file, firmware, alerts, wallboards, notifications } = sampleCalls[name];
    if (groups !== undefined) await seedGroups(server.db, server.fixtures, groups);
    if (firmware === true) await seedFirmware(server.db, server.fixtures);
    if (alerts === true) await insertOpenAlerts(server.db, server.fixtures);
    if (wallboards === true) await seedWallboardLinks(server.db, server.fixtures);
    if (notifications === true) await seedNotifications(server.db, testSettings.secretKey, server.fixtures);
    const admin = await server.signIn("admin");
    await setFull(true);
    const answer = await admin.raw(urlOf(route.path, filled(params), filled(query)), {
      method: route.method,
      ...(body && { body: filled(body) }),
      ...(file && { body: file }),
    });
    await setFull(false);
    await restorePoint.restore();
    expect([name, answer.status, answer.text]).not.toEqual([name, 500, expect.anything()]);
    const told = answer.status === 503 ? (answer.body as { message: string }).message : FULL;
    expect(told).toBe(FULL);
  });

  test("§2 signing in, with a right or a wrong password, is answered with 503", async () => {
    await setFull(true);
    const door = new TestClient(server.app.http, null, "10.9.9.9");
    const attempt = async (password: string) => {
      const { status, body } = await door.raw(login.path, {
        method: "POST",
        body: { username: usernames.admin, password },
      });
      return [status, body];
    };
    const answers = [await attempt(PASSWORD), await attempt("wrong password")];
    await setFull(false);
    expect(answers[0]).toEqual([503, { message: FULL, code: "DATABASE_UNWRITABLE" }]);
    expect(answers[1]?.[0]).not.toBe(500);
  });
});
