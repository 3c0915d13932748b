import { createGroup, groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandBench } from "../../../test/command-bench.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { TestRobot } from "../../../test/fixtures.ts";

/** Far more robots than a server has database connections. */
const ROBOTS = 100;

let bench: CommandBench;
let robots: readonly TestRobot[];
let groupId: number;

beforeEach(async () => {
  bench = await CommandBench.open({ clock: new FastClock(2), more: ROBOTS });
  robots = bench.moreRobots;
  for (const robot of robots) await bench.live(robot);
  const owner = await bench.server.as("owner");
  const robot_ids = robots.map(({ id }) => id);
  const body = { site_id: bench.fixtures.ownSiteId, group_name: "All", robot_ids };
  ({ groupId } = await owner.ask(createGroup, { body }));
});
afterEach(() => bench.close());

const command = async (verb: "START" | "STOP") => {
  const owner = await bench.server.as("owner");
  return owner.ask(groupSendCommand, { body: { siteId: bench.fixtures.ownSiteId, groupId, command: verb } });
};

describe(`wire, Commands: a group of ${ROBOTS} robots`, () => {
  test("protocol rule 6: if none responds, each is reported as not confirmed, and none as unknown", async () => {
    for (const robot of robots) bench.robot(robot).inject({ kind: "deaf" });
    const started = await command("START");
    const messages = started.results.map(({ message, robotId }) => message.replace(robotId, "R"));
    expect([...new Set(messages)]).toEqual([
      "Robot R did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.",
    ]);
    for (const robot of robots) bench.robot(robot).clear("deaf");
    const settled = async () => {
      const open = await bench.db.selectFrom("commands").select("id").where("settled_at", "is", null).execute();
      return open.length === 0;
    };
    await bench.until(settled);
    expect(robots.flatMap((robot) => bench.robot(robot).truth().startsTaken)).toEqual([]);
    expect(await command("START")).toMatchObject({ success: true, message: `${ROBOTS} of ${ROBOTS} robots started.` });
    expect(await command("STOP")).toMatchObject({ success: true, message: `${ROBOTS} of ${ROBOTS} robots stopped.` });
  });
});
