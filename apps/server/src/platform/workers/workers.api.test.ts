import { readdirSync, readFileSync } from "node:fs";
import { importSites } from "@suncrew/contract/sites/sites.ts";
import { ROBOT_COLUMNS, exportRobots, importRobots } from "@suncrew/contract/robots/robot-forms.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;

beforeAll(async () => {
  server = await createTestApp();
  // Two at once, so that both workers are there.
  await Promise.all((["admin", "owner"] as const).map(async (who) => (await server.as(who)).call(exportRobots)));
});
afterAll(() => server.close());

/** A file of as many robots as may be in one, all of them at a site that is not there. */
const LARGE = `${ROBOT_COLUMNS.join(",")}\n${"Nowhere,SN-1,Robot,,,2026-01-31\n".repeat(5_000)}`;
const SMALL = `${ROBOT_COLUMNS.join(",")}\nNowhere,SN-1,Robot,,,2026-01-31\n`;

/** Ends the workers of this process as soon as there are any, until it is called off. */
function killWorkers(): () => void {
  let isOver = false;
  const look = () => {
    if (isOver) return;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1];
        const isWorker = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/src/worker.ts");
        if (parent === String(process.pid) && isWorker) process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
    setImmediate(look);
  };
  setImmediate(look);
  return () => void (isOver = true);
}

describe("§6 heavy work of a person holds up nobody else", () => {
  test("while a large file is looked at, the server does other things", async () => {
    const owner = await server.as("owner");
    // What a worker needs once is there.
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
    // Looked at here, 5,000 rows would leave a few turns to others, those of its queries.
    expect(turns).toBeGreaterThan(1_000);
  });

  test("a person has one piece of work at a time and ten waiting, and others do not wait behind them", async () => {
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
    const told = (await Promise.all(mine)).filter((body) => body !== null);
    await Promise.all(others);
    const sentence = "You have 10 files and reports waiting already. Try again when one of them is done.";
    const refusal = { message: sentence, code: "OWN_TASKS_PENDING" };
    expect([refused, told]).toEqual([refusal, [refusal]]);
    expect(order.filter((who) => who === "owner 200")).toHaveLength(11);
    expect(order.slice(0, 5)).toEqual(expect.arrayContaining(["owner 429", "admin 200", "stranger 200"]));
  });

  test("a worker that ends is lost with its work alone, which is told so, and the next one is as good", async () => {
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
    // The other worker may be dying still.
    await expect.poll(async () => (await preview()).status, { timeout: 60_000 }).toBe(200);
  });

  test("what a worker refuses is told as if it had been refused here", async () => {
    const admin = await server.as("admin");
    const { status, body } = await admin.call(importSites, { body: { csv: "name\nx", apply: true } });
    expect([status, body]).toMatchObject([400, { errors: expect.any(Array) }]);
  });
});
