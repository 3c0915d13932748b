import { randomUUID } from "node:crypto";
import { createGroup, groupSendCommand, siteStop, updateGroup } from "@suncrew/contract/groups/groups.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";

let harness: CommandHarness;

beforeAll(async () => {
  // Half as fast as real time: 100 calls at once keep a busy machine from sending the one accepted START in time.
  harness = await CommandHarness.open({ clock: new FastClock(0.5), servers: 2 });
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

describe("wire, Commands: Idempotency-Key of many robots", () => {
  let groupId: number;
  beforeAll(async () => {
    const { ownSiteId: site_id, ownRobot, ownRobot2 } = harness.fixtures;
    const body = { site_id, group_name: "Both", robot_ids: [ownRobot.id, ownRobot2.id] };
    ({ groupId } = await (await harness.server.as("owner")).ask(createGroup, { body }));
  });
  const pressAll = async (
    of: "group" | "site",
    command: "START" | "STOP",
    headers: Record<string, string>,
    on = harness.server,
    robotObjectIds?: number[],
  ) => {
    const client = await on.as("owner");
    const siteId = harness.fixtures.ownSiteId;
    if (of === "site") return client.call(siteStop, { body: { siteId }, headers });
    const only = robotObjectIds === undefined ? {} : { robotObjectIds };
    return client.call(groupSendCommand, { body: { siteId, groupId, command, ...only }, headers });
  };
  const robots = () => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2];
  const counts = async (verb: "START" | "STOP") => {
    const rows = await Promise.all(robots().map((robot) => harness.commands(robot)));
    return rows.map((of) => of.filter((row) => row.verb === verb).length);
  };
  const plusOne = (before: readonly number[]) => before.map((count) => count + 1);
  const succeeded = (message: string) =>
    robots().map(({ serial }) => ({
      robotId: serial,
      outcome: "SUCCESS",
      message: `${message} command sent to Robot ${serial}`,
    }));

  test.each(["group", "site"] as const)(
    "wire, Commands: a Stop of a %s that is repeated, at once or later, has one command for each robot and gets its outcome",
    async (of) => {
      await pressAll("group", "START", keyed());
      const before = await counts("STOP");
      const headers = keyed();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => pressAll(of, "STOP", headers, index % 2 ? other() : harness.server)),
      );
      for (const on of harness.servers) answers.push(await pressAll(of, "STOP", headers, on));
      for (const { status, body } of answers) {
        expect({ status, body }).toMatchObject({ status: 200, body: { results: succeeded("STOP") } });
      }
      expect(await counts("STOP")).toEqual(plusOne(before));
    },
  );

  test("wire, Commands: a Start of a group that is repeated after a Stop starts nothing again", async () => {
    const before = await counts("START");
    const headers = keyed();
    await pressAll("group", "START", headers);
    await pressAll("group", "STOP", keyed());
    const again = await pressAll("group", "START", headers, other());
    expect(again).toMatchObject({ status: 200, body: { results: succeeded("START") } });
    expect(await counts("START")).toEqual(plusOne(before));
    expect(robots().map((robot) => harness.robot(robot).truth().motion)).toEqual(["STOPPED", "STOPPED"]);
  });

  test("wire, Commands: a robot that a group's Start skipped is skipped again under its key", async () => {
    await harness.press("START", { as: "owner" });
    const headers = keyed();
    const first = await pressAll("group", "START", headers);
    expect(first.body).toMatchObject({ results: [{ outcome: "SKIPPED" }, { outcome: "SUCCESS" }] });
    await pressAll("group", "STOP", keyed());
    const before = await counts("START");
    expect((await pressAll("group", "START", headers)).body).toEqual(first.body);
    expect(await counts("START")).toEqual(before);
  });

  test("wire, Commands: a robot that has joined the group since is not started by a repetition, but stopped by one", async () => {
    const { ownSiteId: site_id, ownRobot, ownRobot2 } = harness.fixtures;
    const owner = await harness.server.as("owner");
    const give = (robot_ids: number[]) =>
      owner.ask(updateGroup, { params: { groupId }, body: { site_id, group_name: "Both", robot_ids } });
    const [toStart, toStop] = [keyed(), keyed()];
    await give([ownRobot.id]);
    await pressAll("group", "START", toStart);
    await pressAll("group", "STOP", toStop);
    await give([ownRobot.id, ownRobot2.id]);
    const before = { START: await counts("START"), STOP: await counts("STOP") };
    expect((await pressAll("group", "START", toStart)).body).toMatchObject({
      results: [
        { outcome: "SUCCESS" },
        {
          outcome: "SKIPPED",
          message: `Robot ${ownRobot2.serial} was not started by this press. Press Start again.`,
        },
      ],
    });
    expect((await pressAll("group", "STOP", toStop)).body).toMatchObject({ results: succeeded("STOP") });
    expect(await counts("START")).toEqual(before.START);
    const [one = 0, two = 0] = before.STOP;
    expect(await counts("STOP")).toEqual([one, two + 1]);
  });

  test("wire, Commands: the key of a group's Stop is refused for a Start and for a single robot, but not for another Stop of many", async () => {
    const { ownRobot, ownRobot2 } = harness.fixtures;
    const headers = keyed();
    expect((await pressAll("group", "STOP", headers, harness.server, [ownRobot.id])).status).toBe(200);
    const before = await counts("STOP");
    const refused = [await pressAll("group", "START", headers), await harness.press("STOP", { as: "owner", headers })];
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_KEY_REUSED" } });
    expect(await counts("STOP")).toEqual(before);
    expect((await pressAll("group", "STOP", headers, other(), [ownRobot2.id])).status).toBe(200);
    expect((await pressAll("site", "STOP", headers)).status).toBe(200);
    const [one = 0, two = 0] = before;
    expect(await counts("STOP")).toEqual([one + 1, two + 2]);
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
