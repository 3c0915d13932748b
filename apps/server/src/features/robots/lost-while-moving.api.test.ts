import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { deleteRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";

let harness: CommandHarness;
beforeEach(async () => {
  harness = await CommandHarness.open({ clock: new FastClock(10) });
  await harness.live();
});
afterEach(() => harness.close());

/** What a person sees of the robot, its site and its alerts. */
async function shown() {
  const { id, siteId } = harness.fixtures.ownRobot;
  const owner = await harness.server.as("owner");
  const { robots } = await owner.ask(robotDetailsWithSettings, { params: { siteId } });
  const sites = await owner.ask(siteDetails);
  const { alerts } = await owner.ask(alertList, { query: { robot_id: id } });
  return {
    robot: robots.find(({ robot_id }) => robot_id === id),
    mayBeMoving: sites.find((site) => site.id === siteId)?.may_be_moving_robots,
    alerts: alerts.map(({ code, severity, text }) => `${severity} ${code}: ${text}`),
  };
}

const isShown = async () =>
  (await harness.db.selectFrom("alerts").select("id").where("code", "=", "LOST_WHILE_MOVING").execute()).length > 0;

test("protocol rule 13: a robot lost while cleaning is shown to everybody as possibly moving, and a Stop for it stays pending", async () => {
  const { id, siteId } = harness.fixtures.ownRobot;
  expect((await harness.press("START")).status).toBe(200);
  expect(await shown()).toMatchObject({
    robot: { motion: "MOVING", lost_while_moving: null },
    mayBeMoving: 0,
    alerts: [],
  });
  harness.robot().inject({ kind: "away" });
  await harness.until(isShown);
  expect(harness.robot().truth().motion).toBe("MOVING");

  const lost = await shown();
  expect(lost).toMatchObject({
    robot: { status: "offline", online: false, motion: "MOVING", lost_while_moving: { state: "MAY_BE_MOVING" } },
    mayBeMoving: 1,
    alerts: [expect.stringMatching(/^CRITICAL LOST_WHILE_MOVING: .* may be moving; stops by itself by \d\d:\d\d\.$/)],
  });
  const { lost_at, stops_by } = lost.robot?.lost_while_moving ?? { lost_at: "", stops_by: "" };
  // 300 s after the broker lost it, long before the end of its run.
  expect(Date.parse(stops_by) - Date.parse(lost_at)).toBe(300_000);

  const stopped = await harness.press("STOP");
  expect([stopped.status, stopped.body]).toMatchObject([504, { success: false, pending: true }]);
  expect((await shown()).robot?.open_command).toMatchObject({ verb: "STOP", pending: true });
  const client = await harness.server.as("owner");
  const all = await client.ask(siteStop, { body: { siteId } });
  expect(all.results.find(({ robotObjectId }) => robotObjectId === id)).toMatchObject({ pending: true });
  expect((await client.call(deleteRobot, { params: { id } })).status).toBe(400);

  // A server that starts now knows no less, from what is stored and what the broker retains.
  await harness.server.stop();
  await harness.startServer();
  expect((await shown()).robot?.lost_while_moving).toEqual({ state: "MAY_BE_MOVING", lost_at, stops_by });

  harness.robot().clear();
  await harness.until(async () => (await harness.state()).motion === "STOPPED");
  await harness.until(async () => (await harness.commands()).every(({ settled_at }) => settled_at !== null));
  expect(await shown()).toMatchObject({
    robot: { online: true, lost_while_moving: null, open_command: null },
    mayBeMoving: 0,
    alerts: [],
  });
});
