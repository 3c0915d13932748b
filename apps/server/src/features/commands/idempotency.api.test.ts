import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";

let harness: CommandHarness;

beforeAll(async () => {
  harness = await CommandHarness.open({ servers: 2 });
  await harness.live();
  await harness.live(harness.fixtures.ownRobot2);
});
afterAll(() => harness.close());

afterEach(async () => {
  harness.robot().clear();
  await harness.press("STOP");
});

const other = () => {
  const [, second] = harness.servers;
  if (second === undefined) throw new Error("The second server is missing.");
  return second;
};
const starts = async () => (await harness.commands()).filter(({ verb }) => verb === "START").length;
const keyed = () => ({ "idempotency-key": randomUUID() });

describe("wire, Commands: Idempotency-Key", () => {
  test("wire, Commands: a repetition gets the first result and has no second effect, even on another server", async () => {
    const headers = keyed();
    const taken = harness.robot().truth().startsTaken.length;
    const first = await harness.press("START", { headers });
    expect(first.status).toBe(200);
    await harness.press("STOP");
    for (const on of harness.servers) {
      const again = await harness.press("START", { headers, on });
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    }
    expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED" });
    expect(harness.robot().truth().startsTaken).toHaveLength(taken + 1);
  });

  test("wire, Commands: concurrent repetitions wait for the one result", async () => {
    const headers = keyed();
    const before = await starts();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        harness.press("START", { headers, on: index % 2 ? other() : harness.server }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await starts()).toBe(before + 1);
  });

  test("wire, Commands: a refused press stays refused under its key", async () => {
    await harness.press("START");
    const headers = keyed();
    const refused = await harness.press("START", { headers });
    expect(refused.status).toBe(409);
    await harness.press("STOP");
    const again = await harness.press("START", { headers });
    expect({ status: again.status, body: again.body }).toEqual({ status: 409, body: refused.body });
    expect(harness.robot().truth().motion).toBe("STOPPED");
    expect((await harness.activity()).filter(({ status }) => status === "REFUSED")).toHaveLength(1);
  });

  test("wire, Commands: the same key with another command, robot or parameter is 409; another person's is another key", async () => {
    const headers = keyed();
    const { ownRobot2 } = harness.fixtures;
    expect((await harness.press("START", { headers })).status).toBe(200);
    const others = [
      harness.press("STOP", { headers }),
      harness.press("START", { headers, robot: ownRobot2 }),
      harness.press("START", { headers, params: { "main-speed": 5 } }),
    ];
    for (const answer of await Promise.all(others)) {
      expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining("Idempotency-Key") } });
    }
    expect(harness.robot(ownRobot2).truth().startsTaken).toEqual([]);
    expect((await harness.press("STOP", { headers, as: "owner" })).status).toBe(200);
  });

  test("wire, Commands: one key for two robots at the same time starts one of them", async () => {
    const headers = keyed();
    const { ownRobot, ownRobot2 } = harness.fixtures;
    const answers = await Promise.all(
      [ownRobot, ownRobot2].map((robot, index) =>
        harness.press("START", { headers, robot, on: index ? other() : harness.server }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    await harness.press("STOP", { robot: ownRobot2 });
  });
});

describe("protocol rule 5: once", () => {
  test("protocol rule 5: of 100 STARTs by two people on two servers exactly one acts, and each is recorded", async () => {
    const taken = harness.robot().truth().startsTaken.length;
    const logged = (await harness.activity()).length;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        harness.press("START", { as: index % 3 ? "owner" : "admin", on: index % 2 ? other() : harness.server }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(99);
    expect(harness.robot().truth().startsTaken).toHaveLength(taken + 1);
    const activity = (await harness.activity()).slice(logged);
    expect(activity.filter(({ status }) => status === "SUCCESS")).toHaveLength(1);
    expect(activity.filter(({ status }) => status === "REFUSED")).toHaveLength(99);
  });

  test("protocol rule 3: concurrent STARTs and STOPs: every STOP is accepted, and after them the robot has stopped", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        harness.press(index % 2 ? "STOP" : "START", { on: index % 4 < 2 ? other() : harness.server }),
      ),
    );
    const stops = answers.filter((_, index) => index % 2);
    expect(stops.every(({ status }) => status === 200)).toBe(true);
    await harness.press("STOP");
    expect(harness.robot().truth().motion).toBe("STOPPED");
    const confirmed = (await harness.commands()).filter(
      ({ verb, outcome }) => verb === "START" && outcome === "CONFIRMED",
    );
    const { startsTaken } = harness.robot().truth();
    for (const { id } of confirmed) expect(startsTaken).toContain(id);
    expect(new Set(startsTaken).size).toBe(startsTaken.length);
  });
});
