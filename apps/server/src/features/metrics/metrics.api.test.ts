import { login } from "@suncrew/contract/auth/auth.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { health } from "@suncrew/contract/config/config.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { privateWords } from "../../../test/fixtures.ts";
import { parseMetrics, type Sample, valueOf } from "../../../test/metrics-text.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { urlOf } from "../../../test/test-client.ts";
import { afterCommit, inTransaction } from "../../platform/database/transactions.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { StorageReport } from "../storage/public.ts";
import { Metrics } from "./metrics.service.ts";

const TOKEN = "a token that only tests have".replaceAll(" ", "-");
const authorized = { headers: { authorization: `Bearer ${TOKEN}` } };

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ settings: { metricsToken: TOKEN } });
});
afterAll(() => server.close());

async function read(): Promise<Sample[]> {
  const answer = await (await server.as(null)).raw("/metrics", authorized);
  expect(answer.status).toBe(200);
  return parseMetrics(answer.text);
}

const calls = (samples: readonly Sample[], method: string, route: string, status: number) =>
  valueOf(samples, "suncrew_http_request_duration_seconds_count", { method, route, status: String(status) });

describe("open to other programs: GET /metrics", () => {
  test("it is the text format of Prometheus, with the process's own figures", async () => {
    const answer = await (await server.as(null)).raw("/metrics", authorized);
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-store",
    });
    const samples = parseMetrics(answer.text);
    for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_seconds", "process_cpu_seconds_total"]) {
      expect([name, valueOf(samples, name)]).toEqual([name, expect.any(Number)]);
    }
    expect(samples.filter(({ name }) => !/^(suncrew|process|nodejs)_/.test(name))).toEqual([]);
    expect(valueOf(samples, "suncrew_info")).toBe(1);
  });

  test("calls are counted by route template and status; what callers write into a URL never becomes a label", async () => {
    const admin = await server.as("admin");
    const before = await read();
    await admin.call(robotsList, { params: { siteId: server.fixtures.ownSiteId } });
    await admin.call(robotsList, { params: { siteId: server.fixtures.foreignSiteId } });
    await admin.raw(urlOf(robotsList.path, { siteId: "Osprey" }));
    await (await server.as(null)).call(robotsList, { params: { siteId: 1 } });
    await admin.raw("/api/somebody/was/here");
    await admin.raw("/somebody", { method: "DELETE" });
    await admin.raw("/api/%E0%A4%A");
    const after = await read();
    const more = (method: string, route: string, status: number) =>
      (calls(after, method, route, status) ?? 0) - (calls(before, method, route, status) ?? 0);
    expect(more("GET", robotsList.path, 200)).toBe(2);
    expect(more("GET", robotsList.path, 400)).toBe(1);
    expect(more("GET", robotsList.path, 401)).toBe(1);
    expect(more("any", "none", 404)).toBe(2);
    const written = after.flatMap(({ labels }) => Object.values(labels)).join("\n");
    for (const word of ["somebody", TOKEN, String(admin.token), ...privateWords.owner, ...privateWords.stranger]) {
      expect(written).not.toContain(word);
    }
  });

  test("buckets are cumulative and end with the count", async () => {
    await (await server.as(null)).call(health);
    const samples = await read();
    const own = samples.filter(({ labels }) => labels["route"] === health.path);
    const buckets = own.filter(({ name }) => name.endsWith("_bucket")).map(({ value }) => value);
    expect(buckets).toEqual(buckets.toSorted((one, other) => one - other));
    expect(buckets.at(-1)).toBe(calls(samples, "GET", health.path, 200));
  });

  test("the fleet, the connections and the broker are reported as they are now", async () => {
    server.broker.setConnected(false);
    const unreachable = await read();
    server.broker.setConnected(true);
    expect(valueOf(unreachable, "suncrew_broker_connected")).toBe(0);
    const samples = await read();
    const value = (name: string, labels = {}) => valueOf(samples, `suncrew_${name}`, labels);
    expect(value("broker_connected")).toBe(1);
    expect(value("bridge")).toBe(0);
    expect(value("database_reached")).toBe(1);
    expect([value("robots"), value("robots_online"), value("robots_moving")]).toEqual([3, 0, 0]);
    expect([value("stops_pending"), value("schedules_due"), value("schedule_oldest_due_seconds")]).toEqual([0, 0, 0]);
    expect(value("database_connections", { pool: "general", state: "idle" })).toBeGreaterThan(0);
    expect([value("database_waiting_callers", { pool: "general" }), value("live_streams")]).toEqual([0, 0]);
  });

  test("a STOP for an offline robot is reported as pending", async () => {
    const { id: robotObjectId, serial: robotId, siteId } = server.fixtures.ownRobot;
    const owner = await server.as("owner");
    const answer = await owner.call(sendCommand, { body: { robotId, robotObjectId, siteId, command: "STOP" } });
    expect(answer).toMatchObject({ status: 504, body: { pending: true } });
    const samples = await read();
    expect(valueOf(samples, "suncrew_stops_pending")).toBe(1);
    expect(calls(samples, "POST", sendCommand.path, 504)).toBe(1);
  });

  test("a failed sign-in is a 401 of its route, without a name", async () => {
    await (await server.as(null)).call(login, { body: { username: "Osprey", password: "wrong" } });
    expect(calls(await read(), "POST", login.path, 401)).toBe(1);
  });

  test("an unreachable database costs only its own figures", async () => {
    const { buildApp } = await import("../../app.ts");
    const unreachable = openDatabase({ host: "127.0.0.1", port: 1, user: "nobody", database: "none" });
    const app = await buildApp({ ...server.deps, db: unreachable.db });
    const answer = await app.http.inject({ url: "/metrics", ...authorized });
    await app.stop();
    await unreachable.close();
    const samples = parseMetrics(answer.body);
    expect(valueOf(samples, "suncrew_database_reached")).toBe(0);
    expect(valueOf(samples, "suncrew_robots")).toBeNull();
    expect(valueOf(samples, "suncrew_broker_connected")).toBe(1);
  });

  test("periodic work is counted and timed by task, and so are the rounds that fail", async () => {
    let isBroken = false;
    const work = async () => {
      if (isBroken) throw new Error("a fault of this test");
    };
    const tasks = new PeriodicTasks(server.deps, [
      { name: "test", everyMs: 1_000, work },
      { name: "test without faults", everyMs: 1_000, work: () => Promise.resolve() },
    ]);
    const figures = async () => {
      const samples = await read();
      return ["duration_seconds_count", "failures_total"].map((name) =>
        valueOf(samples, `suncrew_task_${name}`, { task: "test" }),
      );
    };
    expect(await figures()).toEqual([null, 0]);
    await tasks.runOnce();
    isBroken = true;
    await tasks.runOnce();
    expect(await figures()).toEqual([2, 1]);
    expect(valueOf(await read(), "suncrew_task_failures_total", { task: "test without faults" })).toBe(0);
  });

  test("the components' counts: messages by leaf, dropped ones by reason, streams, how late schedules were", async () => {
    const metrics = new Metrics({ ...server.deps, storage: new StorageReport(server.deps) });
    metrics.measure({
      bridge: { shares: new Set([3, 5]), messages: new Map([["state", 7]]), badMessages: { json: 2, oversized: 1 } },
      live: {
        feed: { streams: { count: 3, cutCount: 2, heldBytes: 4_096 } },
        places: { refused: new Map([["session", 5]]) },
      },
    });
    metrics.scheduleLateness.observe(0.7);
    metrics.scheduleLateness.observe(4);
    await metrics.page();
    const samples = parseMetrics((await metrics.page()).text);
    const value = (name: string, labels = {}) => valueOf(samples, `suncrew_${name}`, labels);
    expect(value("device_messages_total", { leaf: "state" })).toBe(7);
    expect(value("device_messages_dropped_total", { reason: "json" })).toBe(2);
    expect(value("device_messages_dropped_total", { reason: "oversized" })).toBe(1);
    expect([value("bridge"), value("live_streams")]).toEqual([2, 3]);
    expect([value("live_waiting_bytes"), value("live_streams_cut_total")]).toEqual([4_096, 2]);
    expect(value("live_streams_refused_total", { limit: "session" })).toBe(5);
    expect(value("schedule_lateness_seconds_bucket", { le: "1" })).toBe(1);
    expect([value("schedule_lateness_seconds_count"), value("schedule_lateness_seconds_sum")]).toEqual([2, 4.7]);
  });

  test("a live stream is counted while it is open, and not as a long call", async () => {
    const { token } = await server.as("admin");
    const headers = { authorization: `Bearer ${token}` };
    const stream = await server.app.http.inject({ url: live.path, headers, payloadAsStream: true });
    expect(valueOf(await read(), "suncrew_live_streams")).toBe(1);
    const ended = new Promise((resolve) => void stream.stream().once("close", resolve));
    stream.stream().destroy();
    await ended;
    expect(calls(await read(), "GET", live.path, 200)).toBeNull();
  });
});

describe("who may read the metrics", () => {
  test("with METRICS_TOKEN anyone who sends it, from anywhere, and no one else", async () => {
    const anonymous = await server.as(null);
    expect((await anonymous.raw("/metrics", authorized)).status).toBe(200);
    const { token } = await server.as("admin");
    for (const authorization of ["", "Bearer", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${token}`]) {
      const answer = await anonymous.raw("/metrics", { headers: { authorization } });
      expect([answer.status, answer.text.includes("suncrew_")]).toEqual([401, false]);
    }
    expect((await anonymous.raw(`/metrics?token=${TOKEN}`)).status).toBe(401);
    expect((await anonymous.raw("/metrics", { ...authorized, method: "POST" })).status).toBe(404);
  });

  test.each([
    { mode: "production", from: "127.0.0.1", headers: {}, status: 403 },
    { mode: "production", from: "10.0.0.9", headers: {}, status: 403 },
    { mode: "demo", from: "127.0.0.1", headers: {}, status: 200 },
    { mode: "demo", from: "::1", headers: {}, status: 200 },
    { mode: "demo", from: "::ffff:127.0.0.1", headers: {}, status: 200 },
    { mode: "demo", from: "10.0.0.9", headers: {}, status: 403 },
    { mode: "demo", from: "127.0.0.1", headers: { "x-forwarded-for": "127.0.0.1" }, status: 403 },
    { mode: "demo", from: "10.0.0.9", headers: { "x-forwarded-for": "127.0.0.1" }, status: 403 },
  ] as const)("without it, in $mode from $from with $headers: $status", async ({ mode, from, headers, status }) => {
    const { buildApp } = await import("../../app.ts");
    const app = await buildApp({ ...server.deps, settings: { ...server.deps.settings, mode, metricsToken: null } });
    const answer = await app.http.inject({ url: "/metrics", remoteAddress: from, headers });
    await app.http.close();
    expect(answer.statusCode).toBe(status);
  });
});

test("what a transaction schedules for after its commit is done then, and never after a rollback", async () => {
  const done: string[] = [];
  await inTransaction(server.db, async (tx) => {
    afterCommit(tx, (db) => done.push(db === server.db ? "committed" : "elsewhere"));
    expect(done).toEqual([]);
  });
  const failing = inTransaction(server.db, async (tx) => {
    afterCommit(tx, () => done.push("rolled back"));
    throw new Error("refused");
  });
  await expect(failing).rejects.toThrow("refused");
  expect(done).toEqual(["committed"]);
});
