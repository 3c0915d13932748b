import { createGroup, groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { TestRobot } from "../../../test/fixtures.ts";

/** Far more robots than a server has database connections. */
const ROBOTS = 100;

let harness: CommandHarness;
let robots: readonly TestRobot[];
let groupId: number;

beforeEach(async () => {
  // At half speed: a busy machine needs a while to settle all of them, and whoever waits is answered in time.
  harness = await CommandHarness.open({ clock: new FastClock(0.5), more: ROBOTS });
  robots = harness.moreRobots;
  for (const robot of robots) await harness.live(robot);
  const owner = await harness.server.as("owner");
  const robot_ids = robots.map(({ id }) => id);
  const body = { site_id: harness.fixtures.ownSiteId, group_name: "All", robot_ids };
  ({ groupId } = await owner.ask(createGroup, { body }));
});
afterEach(() => harness.close());

const command = async (verb: "START" | "STOP") => {
  const owner = await harness.server.as("owner");
  return owner.ask(groupSendCommand, { body: { siteId: harness.fixtures.ownSiteId, groupId, command: verb } });
};

describe(`wire, Commands: a group of ${ROBOTS} robots`, () => {
  test("protocol rule 6: if none responds, each is reported as not confirmed, and none as unknown", async () => {
    for (const robot of robots) harness.robot(robot).inject({ kind: "deaf" });
    const started = await command("START");
    const messages = started.results.map(({ message, robotId }) => message.replace(robotId, "R"));
    expect([...new Set(messages)]).toEqual([
      "Robot R did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.",
    ]);
    for (const robot of robots) harness.robot(robot).clear("deaf");
    const settled = async () => {
      const open = await harness.db.selectFrom("commands").select("id").where("settled_at", "is", null).execute();
      return open.length === 0;
    };
    await harness.until(settled);
    expect(robots.flatMap((robot) => harness.robot(robot).truth().startsTaken)).toEqual([]);
    expect(await command("START")).toMatchObject({ success: true, message: `${ROBOTS} of ${ROBOTS} robots started.` });
    expect(await command("STOP")).toMatchObject({ success: true, message: `${ROBOTS} of ${ROBOTS} robots stopped.` });
  });
});
