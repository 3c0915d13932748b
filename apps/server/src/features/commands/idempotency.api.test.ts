import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CommandBench } from "../../../test/command-bench.ts";

let bench: CommandBench;

beforeAll(async () => {
  bench = await CommandBench.open({ servers: 2 });
  await bench.live();
  await bench.live(bench.fixtures.ownRobot2);
});
afterAll(() => bench.close());

afterEach(async () => {
  bench.robot().clear();
  await bench.press("STOP");
});

const other = () => {
  const [, second] = bench.servers;
  if (second === undefined) throw new Error("The second server is missing.");
  return second;
};
const starts = async () => (await bench.commands()).filter(({ verb }) => verb === "START").length;
const keyed = () => ({ "idempotency-key": randomUUID() });

describe("wire, Commands: Idempotency-Key", () => {
  test("wire, Commands: a repetition gets the first result and has no second effect, even on another server", async () => {
    const headers = keyed();
    const taken = bench.robot().truth().startsTaken.length;
    const first = await bench.press("START", { headers });
    expect(first.status).toBe(200);
    await bench.press("STOP");
    for (const on of bench.servers) {
      const again = await bench.press("START", { headers, on });
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    }
    expect(bench.robot().truth()).toMatchObject({ motion: "STOPPED" });
    expect(bench.robot().truth().startsTaken).toHaveLength(taken + 1);
  });

  test("wire, Commands: concurrent repetitions wait for the one result", async () => {
    const headers = keyed();
    const before = await starts();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        bench.press("START", { headers, on: index % 2 ? other() : bench.server }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await starts()).toBe(before + 1);
  });

  test("wire, Commands: a refused press stays refused under its key", async () => {
    await bench.press("START");
    const headers = keyed();
    const refused = await bench.press("START", { headers });
    expect(refused.status).toBe(409);
    await bench.press("STOP");
    const again = await bench.press("START", { headers });
    expect({ status: again.status, body: again.body }).toEqual({ status: 409, body: refused.body });
    expect(bench.robot().truth().motion).toBe("STOPPED");
    expect((await bench.activity()).filter(({ status }) => status === "REFUSED")).toHaveLength(1);
  });

  test("wire, Commands: the same key with another command, robot or parameter is 409; another person's is another key", async () => {
    const headers = keyed();
    const { ownRobot2 } = bench.fixtures;
    expect((await bench.press("START", { headers })).status).toBe(200);
    const others = [
      bench.press("STOP", { headers }),
      bench.press("START", { headers, robot: ownRobot2 }),
      bench.press("START", { headers, params: { "main-speed": 5 } }),
    ];
    for (const answer of await Promise.all(others)) {
      expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining("Idempotency-Key") } });
    }
    expect(bench.robot(ownRobot2).truth().startsTaken).toEqual([]);
    expect((await bench.press("STOP", { headers, as: "owner" })).status).toBe(200);
  });

  test("wire, Commands: one key for two robots at the same time starts one of them", async () => {
    const headers = keyed();
    const { ownRobot, ownRobot2 } = bench.fixtures;
    const answers = await Promise.all(
      [ownRobot, ownRobot2].map((robot, index) =>
        bench.press("START", { headers, robot, on: index ? other() : bench.server }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    await bench.press("STOP", { robot: ownRobot2 });
  });
});

describe("protocol rule 5: once", () => {
  test("protocol rule 5: of 100 STARTs by two people on two servers exactly one acts, and each is recorded", async () => {
    const taken = bench.robot().truth().startsTaken.length;
    const logged = (await bench.activity()).length;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        bench.press("START", { as: index % 3 ? "owner" : "admin", on: index % 2 ? other() : bench.server }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(99);
    expect(bench.robot().truth().startsTaken).toHaveLength(taken + 1);
    const activity = (await bench.activity()).slice(logged);
    expect(activity.filter(({ status }) => status === "SUCCESS")).toHaveLength(1);
    expect(activity.filter(({ status }) => status === "REFUSED")).toHaveLength(99);
  });

  test("protocol rule 3: concurrent STARTs and STOPs: every STOP is accepted, and after them the robot has stopped", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        bench.press(index % 2 ? "STOP" : "START", { on: index % 4 < 2 ? other() : bench.server }),
      ),
    );
    const stops = answers.filter((_, index) => index % 2);
    expect(stops.every(({ status }) => status === 200)).toBe(true);
    await bench.press("STOP");
    expect(bench.robot().truth().motion).toBe("STOPPED");
    const confirmed = (await bench.commands()).filter(
      ({ verb, outcome }) => verb === "START" && outcome === "CONFIRMED",
    );
    const { startsTaken } = bench.robot().truth();
    for (const { id } of confirmed) expect(startsTaken).toContain(id);
    expect(new Set(startsTaken).size).toBe(startsTaken.length);
  });
});
