import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { login, logout } from "@suncrew/contract/auth/auth.ts";
import { config, ready } from "@suncrew/contract/config/config.ts";
import { robotsList, updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { importSites } from "@suncrew/contract/sites/site-files.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { openDatabase } from "../database/database.ts";

const log: string[] = [];
let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ onLog: (line) => log.push(line) });
});
afterAll(() => server.close());

describe("§8: errors in a request are explained in plain words that name the field", () => {
  test.each([
    [{}, ["username is required", "password is required"]],
    [{ username: " ", password: "x" }, ["Username is required"]],
    [{ username: 7, password: "x" }, ["username must be text"]],
    [{ username: "x".repeat(201), password: "x" }, ["username must have at most 200 characters"]],
    [[], ["body must be an object"]],
    [{ username: "a\0b", password: "x" }, ["username has characters that are not text"]],
    [{ username: "half a pair \ud800", password: "x" }, ["username has characters that are not text"]],
  ])("login with %j", async (body, messages) => {
    const nobody = await server.as(null);
    const answer = await nobody.raw(login.path, { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      message: messages.join("; "),
      errors: messages.map((message) => ({ message })),
    });
  });

  test("settings without any setting", async () => {
    const admin = await server.as("admin");
    const path = updateRobotSettings.path.replace(":robotId", String(server.fixtures.ownRobot.id));
    const message = "At least one of cleaning_direction, main_motor_speed and brush_motor_speed is required.";
    const answer = await admin.raw(path, { method: "PUT", body: {} });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ message, errors: [{ field: "cleaning_direction", message }] });
  });

  test.each([
    ["/api/robots/robotsList/abc", "siteId must be a whole number"],
    ["/api/robots/robotsList/0", "siteId must be at least 1"],
    ["/api/robots/robotsList/9999999999", "siteId must be at most 2147483647"],
    ["/api/robots/robotsList/1%00", "siteId has characters that are not text"],
    ["/api/site/robot/activity_logs?limit=0", "limit must be at least 1"],
    ["/api/site/robot/activity_logs?limit=many", "limit must be a number"],
    ["/api/site/robot/activity_logs?cursor=x", "cursor is not a cursor"],
    ["/api/site/robot/activity_logs?cursor=1&cursor=2", "cursor must be text"],
  ])("%s", async (url, message) => {
    const admin = await server.as("admin");
    const answer = await admin.raw(url);
    expect([answer.status, answer.body]).toEqual([
      400,
      { message, code: "VALIDATION_FAILED", errors: [{ field: message.split(" ")[0], message }] },
    ]);
  });

  test.each([
    ["{", "application/json", 400, "The body is not valid JSON."],
    ['{"__proto__":{}}', "application/json", 400, "The body is not valid JSON."],
    ["username=x", "application/x-www-form-urlencoded", 415, "The body must be JSON (content type application/json)."],
    ["<x/>", "nonsense", 415, "The body must be JSON (content type application/json)."],
    [JSON.stringify({ username: "x".repeat(17_000) }), "application/json", 413, "The request is too large."],
    [`${"[".repeat(8_000)}${"]".repeat(8_000)}`, "application/json", 400, "body is nested too deeply"],
  ])("a body that begins with %.12s as %s", async (body, type, status, message) => {
    const nobody = await server.as(null);
    const answer = await nobody.raw(login.path, { method: "POST", body, headers: { "content-type": type } });
    expect([answer.status, answer.body]).toMatchObject([status, { message }]);
  });

  test("a body that would take long to parse is 400, and only signed-in users may send a large one", async () => {
    const send = async (person: "admin" | null, body: string) => {
      const answer = await (await server.as(person)).raw(importSites.path, { method: "POST", body });
      return [answer.status, answer.body];
    };
    const manyParts = `[${"[],".repeat(340_000)}[]]`;
    expect(await send("admin", manyParts)).toMatchObject([400, { message: "body has too many parts" }]);
    expect(await send("admin", manyParts.slice(1))).toMatchObject([400, { message: "The body is not valid JSON." }]);
    expect(await send(null, manyParts)).toMatchObject([401, {}]);
    // If a name is repeated, only the last value is kept.
    const repeated = `{${'"csv":[{},{},{},{},{},{},{},{}],'.repeat(20_000)}"csv":"name"}`;
    expect(await send("admin", repeated)).toMatchObject([200, {}]);
  });

  test("an invalid URL, a path without a call, a method that the call does not have", async () => {
    const nobody = await server.as(null);
    const bad = await nobody.raw("/api/robots/robotsList/%E0%A4%A");
    expect([bad.status, bad.body]).toEqual([400, { message: "The address is not valid.", code: "INVALID_URL" }]);
    for (const path of ["/api", "/api/", "/api/nothing", "/api/robots/robotsList", "/api/sites/details/1"]) {
      const answer = await nobody.raw(path);
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        { message: "There is no such call.", code: "UNKNOWN_CALL" },
      ]);
    }
    const wrong = await nobody.raw(login.path);
    expect([wrong.status, wrong.body]).toEqual([
      405,
      { message: "This call is made by POST only.", code: "METHOD_NOT_ALLOWED" },
    ]);
    expect((await nobody.raw(siteDetails.path, { method: "HEAD" })).status).toBe(405);
  });

  test("a missing page is 404 where no console is served", async () => {
    const answer = await (await server.as(null)).raw("/dashboard", { headers: { accept: "text/html" } });
    expect([answer.status, answer.body]).toEqual([404, { message: "Not found", code: "PAGE_NOT_FOUND" }]);
  });
});

describe("a component that fails", () => {
  test("an unexpected error is 500 with one sentence; the log has the cause but no secret", async () => {
    const admin = await server.as("admin");
    await server.db.schema.alterTable("activity").renameTo("activity_renamed").execute();
    log.length = 0;
    const answer = await admin.call(activityLogs);
    await server.db.schema.alterTable("activity_renamed").renameTo("activity").execute();
    expect([answer.status, answer.body]).toEqual([
      500,
      { message: "Something went wrong on the server.", code: "INTERNAL_ERROR" },
    ]);
    expect(log.join()).toContain("activity");
    expect(log.join()).not.toContain(admin.token);
  });

  test("an unreachable database is 503, also for readiness; health still answers", async () => {
    const admin = await server.as("admin");
    const nobody = await server.as(null);
    await using isolated = await withoutDatabase();
    const answer = await isolated.request(admin.token, robotsList.path.replace(":siteId", "1"));
    expect([answer.status, answer.body]).toEqual([
      503,
      { message: "The database cannot be reached at the moment. Please try again.", code: "DATABASE_UNREACHABLE" },
    ]);
    const notReady = await isolated.request(null, ready.path);
    expect([notReady.status, notReady.body]).toEqual([
      503,
      { message: "The database cannot be reached.", code: "NOT_READY" },
    ]);
    expect((await isolated.request(null, "/api/health")).status).toBe(200);
    // The server that reaches the database lacks only a bridge, which this test does not start.
    expect((await nobody.call(ready)).body).toEqual({
      message: "No server is the bridge to the robots.",
      code: "NOT_READY",
    });
  });

  test("readiness names the broker if it is unreachable", async () => {
    const nobody = await server.as(null);
    server.clock.advance(1_000);
    server.broker.setConnected(false);
    const answer = await nobody.call(ready);
    server.broker.setConnected(true);
    expect([answer.status, answer.body]).toEqual([
      503,
      { message: "The MQTT broker cannot be reached.", code: "NOT_READY" },
    ]);
  });
});

test("a JSON content type with an empty body is accepted, also by calls without a body", async () => {
  const owner = await server.signIn("owner");
  for (const body of ["", "  \n"]) {
    expect((await owner.raw(siteDetails.path, { headers: { "content-type": "application/json" } })).status).toBe(200);
    expect((await (await server.signIn("owner")).raw(logout.path, { method: "POST", body })).status).toBe(200);
  }
});

test("the strict headers are on every answer of the API", async () => {
  const { headers } = await (await server.as(null)).call(config);
  expect(headers).toMatchObject({
    "content-security-policy":
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "referrer-policy": "strict-origin-when-cross-origin",
  });
});

/** A second server with the same settings whose database is unreachable. */
async function withoutDatabase() {
  const { buildApp } = await import("../../app.ts");
  const unreachable = openDatabase({ host: "127.0.0.1", port: 1, user: "nobody", database: "none" });
  const app = await buildApp({ ...server.deps, db: unreachable.db });
  return {
    async request(token: string | null, url: string) {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      const response = await app.http.inject({ url, headers });
      return { status: response.statusCode, body: response.json<unknown>() };
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
      await unreachable.close();
    },
  };
}
