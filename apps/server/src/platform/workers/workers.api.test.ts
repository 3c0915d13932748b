import { readdirSync, readFileSync } from "node:fs";
import { importSites } from "@suncrew/contract/sites/site-files.ts";
import { ROBOT_COLUMNS, exportRobots, importRobots } from "@suncrew/contract/robots/robot-files.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;

beforeAll(async () => {
  server = await createTestApp();
  // Two at once, so that both workers are running.
  await Promise.all((["admin", "owner"] as const).map(async (who) => (await server.as(who)).call(exportRobots)));
});
afterAll(() => server.close());

/** A file with as many robots as allowed, all at a site that does not exist. */
const LARGE = `${ROBOT_COLUMNS.join(",")}\n${"Nowhere,SN-1,Robot,,,2026-01-31\n".repeat(5_000)}`;
const SMALL = `${ROBOT_COLUMNS.join(",")}\nNowhere,SN-1,Robot,,,2026-01-31\n`;

/** Kills this process's workers as soon as there are any, until cancelled. */
function killWorkers(): () => void {
  let isCancelled = false;
  const poll = () => {
    if (isCancelled) return;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1];
        const isWorker = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/src/worker.ts");
        if (parent === String(process.pid) && isWorker) process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has just ended by itself.
      }
    }
    setImmediate(poll);
  };
  setImmediate(poll);
  return () => void (isCancelled = true);
}

describe("§6 one person's heavy work delays nobody else", () => {
  test("while a large file is checked, the server does other things", async () => {
    const owner = await server.as("owner");
    // Warms up the worker.
    await owner.call(importRobots, { body: { csv: SMALL } });
    let turns = 0;
    let isAnswered = false;
    const answered = owner.call(importRobots, { body: { csv: LARGE } }).finally(() => (isAnswered = true));
    const count = () => {
      turns += 1;
      if (!isAnswered) setImmediate(count);
    };
    count();
    const { status } = await answered;
    expect(status).toBe(200);
    // In the server's own process, 5,000 rows would leave only the few turns of its queries.
    expect(turns).toBeGreaterThan(1_000);
  });

  test("a person's tasks run one at a time with ten queued, and other people do not wait behind them", async () => {
    const owner = await server.as("owner");
    const order: string[] = [];
    const mine = Array.from({ length: 12 }, async () => {
      const { status, body } = await owner.call(importRobots, { body: { csv: LARGE } });
      order.push(`owner ${status}`);
      return status === 200 ? null : body;
    });
    const refused = await Promise.race(mine);
    const others = (["admin", "stranger"] as const).map(async (person) => {
      const { status } = await (await server.as(person)).call(exportRobots);
      order.push(`${person} ${status}`);
    });
    const bodies = (await Promise.all(mine)).filter((body) => body !== null);
    await Promise.all(others);
    const message = "You have 10 files and reports waiting already. Try again when one of them is done.";
    const refusal = { message, code: "OWN_TASKS_PENDING" };
    expect([refused, bodies]).toEqual([refusal, [refusal]]);
    expect(order.filter((who) => who === "owner 200")).toHaveLength(11);
    expect(order.slice(0, 5)).toEqual(expect.arrayContaining(["owner 429", "admin 200", "stranger 200"]));
  });

  test("a worker that dies loses only its own tasks, which report it, and is replaced", async () => {
    const owner = await server.as("owner");
    const preview = () => owner.call(importRobots, { body: { csv: LARGE } });
    await preview();
    const answered = preview();
    const stopKilling = killWorkers();
    const { status, body } = await answered;
    stopKilling();
    expect([status, body]).toEqual([
      503,
      { message: "This was too much for the server. Try again with less at a time.", code: "TASK_TOO_LARGE" },
    ]);
    // The other worker may still be dying.
    await expect.poll(async () => (await preview()).status, { timeout: 60_000 }).toBe(200);
  });

  test("a refusal by a worker is answered as if the server itself had refused", async () => {
    const admin = await server.as("admin");
    const { status, body } = await admin.call(importSites, { body: { csv: "name\nx", apply: true } });
    expect([status, body]).toMatchObject([400, { errors: expect.any(Array) }]);
  });
});
