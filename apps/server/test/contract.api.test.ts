import { details } from "./details.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { errorResponseSchema } from "@suncrew/contract/http/error-codes.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordActivity } from "../src/features/activity/public.ts";
import { viewerFiles } from "../src/features/api-docs/api-docs.routes.ts";
import { insertOpenAlerts } from "./alert-fixtures.ts";
import { setState } from "./fixtures.ts";
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
let bridge: pg.Client;
let restorePoint: RestorePoint;
const zone = process.env["TZ"];
beforeAll(async () => {
  // West of Greenwich a date would slip to the day before.
  process.env["TZ"] = "America/Los_Angeles";
  server = await createTestApp();
  await addMonthlyReports(server.db, server.fixtures);
  await addReportMail(server.db, server.fixtures);
  await sql`alter table activity alter column log_id restart with 9007199254740993`.execute(server.db);
  await recordActivity(server.db, {
    at: new Date("2026-06-15T00:00:00Z"),
    robotId: server.fixtures.ownRobot.id,
    siteId: server.fixtures.ownSiteId,
    commandId: null,
    action: "STOP",
    actionType: "MANUAL",
    status: "SUCCESS",
    userId: null,
    userName: "Scheduler",
    details: details("Stopped."),
    mode: "MANUAL",
    params: { direction: "REV", "main-speed": 50, "brush-speed": 0 },
  });
  // One server must be the bridge.
  bridge = new pg.Client(server.deps.connection);
  await bridge.connect();
  await bridge.query("select pg_advisory_lock(7305002)");
  restorePoint = await createRestorePoint(server.db);
});
afterAll(async () => {
  await bridge.end();
  await server.close();
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

/** Calls that answer without a robot, and end. */
const answering = (Object.keys(routes) as RouteName[]).filter((name) => {
  const route: RouteSpec = routes[name];
  return route.device !== true && route.stream !== true;
});

/** Strings must say what format they have. */
function mediaTypeOf({ file }: RouteSpec): string {
  const type = file ?? "application/json";
  return file === undefined || file.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

/** Every call in a printed tree of routes, whose branches continue their parent's path. */
function registeredIn(printed: string): string[] {
  const above: string[] = [];
  return [...printed.matchAll(/^([│ ]*)[├└]── (\S+)(?: \((.+)\))?$/gmu)].flatMap(([, indent = "", part, methods]) => {
    const depth = indent.length / 4;
    const path = `${above[depth - 1] ?? ""}${part}`;
    above[depth] = path;
    if (methods === undefined || !path.startsWith("/api")) return [];
    return methods.split(", ").map((method) => `${method} ${path}`);
  });
}

describe("§7 The calls it makes", () => {
  test.each(answering)("%s answers what the contract says, and nothing beside it", async (name) => {
    const route: RouteSpec = routes[name];
    const filled = (part: Part = {}) =>
      Object.fromEntries(Object.entries(part).map(([key, value]) => [key, ownValue(value, server.fixtures)]));
    const { params, query, body, groups, file, firmware, alerts, wallboards, notifications, personal } =
      sampleCalls[name];
    if (groups !== undefined) await seedGroups(server.db, server.fixtures, groups);
    if (firmware === true) await seedFirmware(server.db, server.fixtures);
    if (alerts === true) await insertOpenAlerts(server.db, server.fixtures);
    if (wallboards === true) await seedWallboardLinks(server.db, server.fixtures);
    if (notifications === true) await seedNotifications(server.db, testSettings.secretKey, server.fixtures);
    const caller = await server.signIn(personal === true ? "owner" : "admin");
    const url = urlOf(route.path, filled(params), filled(query));
    const answer = await caller.raw(url, {
      method: route.method,
      ...(body && { body: filled(body) }),
      ...(file && { body: file }),
    });
    await restorePoint.restore();
    expect([name, answer.status]).toEqual([name, sampleCalls[name].status ?? route.status ?? 200]);
    expect(answer.headers["content-type"]).toBe(mediaTypeOf(route));
    const told = route.file === undefined ? answer.body : answer.text;
    const shape = answer.status < 300 ? route.response : errorResponseSchema;
    expect(shape.parse(told)).toEqual(told);
  });

  test("only calls of the contract are registered below /api", () => {
    const printed = server.app.http.printRoutes({ commonPrefix: false, includeMeta: false });
    const registered = registeredIn(printed);
    const known = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
    // Public files: their content is in the repository.
    known.push(...viewerFiles.map(({ path }) => `GET ${path}`));
    // Opened in a browser it leads to a page of the console (RFC 8058 has the call of the same address).
    known.push(`GET ${routes.unsubscribeByMail.path}`);
    expect(registered.toSorted()).toEqual(known.toSorted());
  });
});

describe("values on the wire", () => {
  test("dates stay on their day, numbers are numbers, large ids are text, times are UTC", async () => {
    await setState(server.db, server.fixtures.ownRobot.id, {
      battery: 63.25,
      live_at: new Date("2026-06-15T23:59:59.999Z"),
    });
    const admin = await server.as("admin");
    const [robot] = await admin.ask(robotsList, { params: { siteId: server.fixtures.ownSiteId } });
    expect(robot).toMatchObject({
      installation_date: "2024-02-29",
      battery_level: 63.25,
      main_motor_speed: 75,
      last_updated_at: "2026-06-15T23:59:59.999Z",
    });
    const site = (await admin.ask(siteDetails)).find(({ id }) => id === server.fixtures.ownSiteId);
    expect(site).toMatchObject({
      commissioning_date: "2023-03-31",
      latitude: 27.53,
      pin_code: "342301",
      robot_count: 2,
    });
    const { logs, total } = await admin.ask(activityLogs);
    expect(logs[0]).toMatchObject({
      log_id: "9007199254740993",
      created_at: "2026-06-15T00:00:00.000Z",
      paramsObj: { direction: "REV", "main-speed": 50, "brush-speed": 0 },
    });
    expect(total).toBe(1);
    expect((await admin.ask(activityLogs, { query: { cursor: "9007199254740993" } })).logs).toEqual([]);
  });
});
