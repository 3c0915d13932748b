import { createGroup, groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import { holdRobotRows } from "../../../test/row-locks.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { acceptOrders } from "../commands/public.ts";

let harness: CommandHarness;
let owner: TestClient;
let groupId: number;
/** Its rows are locked. */
let held: TestRobot;
let free: TestRobot;

beforeEach(async () => {
  harness = await CommandHarness.open();
  held = harness.fixtures.ownRobot;
  free = harness.fixtures.ownRobot2;
  for (const robot of [held, free]) await harness.live(robot);
  owner = await harness.server.as("owner");
  const body = { site_id: siteId(), group_name: "East Row", robot_ids: [held.id, free.id] };
  ({ groupId } = await owner.ask(createGroup, { body }));
});
afterEach(() => harness.close());

const siteId = () => harness.fixtures.ownSiteId;
const command = (verb: "START" | "STOP") =>
  owner.ask(groupSendCommand, { body: { siteId: siteId(), groupId, command: verb } });
const untilMotion = (robot: TestRobot, wanted: string) => harness.robot(robot).until(({ motion }) => motion === wanted);
const stopped = (robot: TestRobot) => untilMotion(robot, "STOPPED");
const decidedFor = (robot: TestRobot, wanted: string) =>
  harness.until(async () => (await harness.commands(robot)).some(({ verb }) => verb === wanted));
const notReached = "Robot OWN-1 could not be reached in the database in time; press Stop again.";

describe("protocol rule 3: a robot whose rows are locked by a server that hangs does not delay the Stop of the others", () => {
  test.each([
    ["every robot of the site", () => owner.ask(siteStop, { body: { siteId: siteId() } })],
    ["a group", () => command("STOP")],
  ])("protocol rule 3: Stop for %s stops the others immediately, and says which it did not reach", async (_, stop) => {
    await command("START");
    const letGo = await holdRobotRows(harness.db, held);
    const answer = stop();
    await stopped(free);
    expect(harness.robot(held).truth().motion).toBe("MOVING");
    const [first] = (await answer).results;
    expect(first).toEqual({
      robotId: "OWN-1",
      robotObjectId: held.id,
      outcome: "FAILED",
      message: notReached,
      pending: false,
    });
    expect((await harness.audit(held)).at(-1)).toMatchObject({
      action: "STOP_ROBOT",
      outcome: "FAILED",
      reason: notReached,
      actor: "Omkar Jain",
    });
    await letGo();
    expect((await stop()).results).toMatchObject([{ outcome: "SUCCESS" }, { outcome: "SUCCESS" }]);
    expect(harness.robot(held).truth().motion).toBe("STOPPED");
  });

  test("protocol rule 3: one that is unlocked in time is stopped by the same press", async () => {
    await command("START");
    const letGo = await holdRobotRows(harness.db, held);
    const answer = owner.ask(siteStop, { body: { siteId: siteId() } });
    await decidedFor(free, "STOP");
    await letGo();
    expect(await answer).toMatchObject({ success: true, message: "2 of 2 robots stopped." });
    expect(harness.robot(held).truth().motion).toBe("STOPPED");
  });

  test("protocol rule 8: the others of a group are locked, and the lock of that one is not claimed", async () => {
    const letGo = await holdRobotRows(harness.db, held);
    const lock = () =>
      owner.ask(groupMaintenance, { params: { groupId }, body: { enabled: true, reason: "The row is washed" } });
    const answer = lock();
    await harness.robot(free).until(({ mode }) => mode === "MAINTENANCE");
    expect((await answer).results[0]).toMatchObject({
      robotId: "OWN-1",
      outcome: "FAILED",
      message: expect.stringContaining("could not be reached in the database in time"),
      pending: false,
    });
    await letGo();
    expect((await lock()).results[0]).toMatchObject({ robotId: "OWN-1", outcome: "SUCCESS" });
  });

  test("protocol rule 2: that one is not started, the others are", async () => {
    const letGo = await holdRobotRows(harness.db, held);
    const answer = command("START");
    await untilMotion(free, "MOVING");
    expect((await answer).results[0]).toMatchObject({
      robotId: "OWN-1",
      outcome: "SKIPPED",
      message: "Robot OWN-1 is busy, so it was not started. Please try again.",
    });
    await letGo();
    expect(harness.robot(held).truth().startsTaken).toEqual([]);
    expect((await harness.commands(held)).filter(({ verb }) => verb === "START")).toEqual([]);
  });

  test("protocol rule 3: a start that had to wait for it is cancelled by a Stop that came in between", async () => {
    const by = { userId: null, name: "Anita Rao", actionType: "MANUAL" } as const;
    // Already confirmed when it is unlocked: only its number shows that it came later.
    const letGo = await holdRobotRows(harness.db, held, async (tx) => {
      const order = { verb: "STOP", by, mode: "AUTO", maxDurationS: 0 } as const;
      const [stop] = await acceptOrders(tx, siteId(), [held.id], order, harness.clock.now());
      expect(stop?.accepted.kind).toBe("stored");
      const now = harness.clock.now();
      await tx
        .updateTable("commands")
        .set({ settled_at: now, answered_at: now, outcome: "CONFIRMED" })
        .where("robot_id", "=", held.id)
        .execute();
    });
    const answer = command("START");
    await decidedFor(free, "START");
    await letGo();
    expect((await answer).results[0]).toMatchObject({
      robotId: "OWN-1",
      outcome: "SKIPPED",
      message: "Stop was pressed in the meantime.",
    });
    expect(harness.robot(held).truth().startsTaken).toEqual([]);
  });
});
