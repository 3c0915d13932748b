import { ready } from "@suncrew/contract/config/config.ts";
import { createGroup, groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import { parseMetrics, valueOf } from "../../../test/metrics-text.ts";

const TOKEN = "a-token-of-tests";
const NO_START =
  "The clocks of this server and of the database do not agree, so no robot is started. Robots can still be stopped.";

let harness: CommandHarness;
let clocks: StubClockCheck;

beforeEach(async () => {
  clocks = new StubClockCheck();
  harness = await CommandHarness.open({ clocks, settings: { metricsToken: TOKEN } });
  for (const robot of [harness.fixtures.ownRobot, harness.fixtures.ownRobot2]) await harness.live(robot);
});
afterEach(() => harness.close());

test("protocol rule 12: a server that cannot rely on its clock starts no robot, stops any robot, and says so", async () => {
  const { ownRobot, ownRobot2, ownSiteId } = harness.fixtures;
  const admin = await harness.server.as("admin");
  const body = { site_id: ownSiteId, group_name: "East Row", robot_ids: [ownRobot.id, ownRobot2.id] };
  const { groupId } = await admin.ask(createGroup, { body });
  expect((await harness.press("START")).status).toBe(200);

  clocks.trouble = TROUBLE;
  expect(await harness.press("START", { robot: ownRobot2 })).toMatchObject({
    status: 503,
    body: { success: false, message: NO_START },
  });
  const group = { siteId: ownSiteId, groupId, command: "START" as const, robotObjectIds: [ownRobot2.id] };
  const { results } = await admin.ask(groupSendCommand, { body: group });
  expect(results).toMatchObject([{ outcome: "SKIPPED", message: NO_START }]);
  expect((await harness.activity(ownRobot2)).map(({ action, status }) => [action, status])).toEqual([
    ["START", "REFUSED"],
    ["START", "REFUSED"],
  ]);
  expect(await harness.commands(ownRobot2)).toEqual([]);

  const stopped = harness.press("STOP");
  await expect.poll(() => harness.robot().truth().motion).toBe("STOPPED");
  // This server may no longer be the bridge, and no other is there to see the robot stop.
  expect([200, 504]).toContain((await stopped).status);

  expect(await admin.raw(ready.path)).toMatchObject({
    status: 503,
    body: { message: `This server cannot rely on its clock. ${TROUBLE}` },
  });
  const metrics = await admin.raw("/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
  const samples = parseMetrics(metrics.text);
  expect(valueOf(samples, "suncrew_clock_trusted")).toBe(0);
  expect(valueOf(samples, "suncrew_clock_ahead_seconds", { clock: "own" })).toBe(3_600);
  expect(valueOf(samples, "suncrew_clock_ahead_seconds", { clock: "counted" })).toBe(0.25);

  clocks.trouble = null;
  await harness.until(
    async () =>
      (await harness.state(ownRobot2)).online &&
      (await harness.commands()).every(({ settled_at }) => settled_at !== null),
  );
  expect((await harness.press("START", { robot: ownRobot2 })).status).toBe(200);
});
