import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";

/** In real time: what is held in transit is given up after 8 s, long after these tests are over. */
let harness: CommandHarness;
let broker: InterruptibleBroker;

beforeEach(async () => {
  harness = await CommandHarness.open({ wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)) });
  await harness.live();
});
afterEach(() => harness.close());

const robot = () => harness.robot();
const set = async (body: object, as: "owner" | "admin" = "owner") => {
  const client = await harness.server.as(as);
  return client.call(robotMaintenance, {
    params: { robotId: harness.fixtures.ownRobot.id },
    body: { enabled: true, ...body },
  });
};
const outcomes = async () => (await harness.commands()).map(({ verb, outcome }) => `${verb} ${outcome ?? "open"}`);

/**
 * Holds messages of that verb back: `sent` settles with the first of them, `deliver` hands them to the robot after all.
 */
function hold(verb: string): { readonly sent: Promise<void>; readonly deliver: () => Promise<void> } {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  const isHeld = (payload: string) => payload.includes(`"${verb}"`);
  broker.deliveryOf = (_topic, payload) => {
    if (!isHeld(payload)) return "pass";
    resolve();
    return "lose";
  };
  const deliver = async () => {
    const held = broker.published.filter(({ payload }) => isHeld(payload));
    expect(held.length).toBeGreaterThan(0);
    for (const { topic, payload } of held) await harness.observer.publish(topic, payload);
    // The robot handles its messages in order: once it has answered, it has handled those before.
    const admin = await harness.server.as("admin");
    await admin.ask(robotStatus, { query: { robotId: harness.fixtures.ownRobot.serial } });
  };
  return { sent, deliver };
}

describe("protocol rule 8: a lock set while something is in transit wins", () => {
  test("protocol rule 8: over a START, which is answered as superseded and has no effect when it arrives", async () => {
    const { sent, deliver } = hold("START");
    const start = harness.press("START");
    await sent;
    const locked = await set({ reason: "Brush worn" });
    expect(await start).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("maintenance lock came before") },
    });
    expect(locked).toMatchObject({ status: 200, body: { confirmed: true } });
    await deliver();
    expect(robot().truth()).toMatchObject({ motion: "STOPPED", mode: "MAINTENANCE", startsTaken: [] });
    expect(await outcomes()).toEqual(["START UNCONFIRMED", "MAINTENANCE_ON CONFIRMED"]);
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "FAILED" }]);
  });

  test("protocol rule 1: nor does that START act once the robot is released", async () => {
    const { sent, deliver } = hold("START");
    const start = harness.press("START");
    await sent;
    await set({ reason: "Brush worn" });
    await start;
    expect(await set({ enabled: false })).toMatchObject({ status: 200, body: { confirmed: true } });
    await deliver();
    expect(robot().truth()).toMatchObject({ motion: "STOPPED", mode: "AUTO", startsTaken: [] });
  });

  test("protocol rule 8: over a release, which changes nothing when it arrives, and its reason remains", async () => {
    await set({ reason: "Brush worn" });
    const { sent, deliver } = hold("MAINTENANCE_OFF");
    const released = set({ enabled: false, start_after: true });
    await sent;
    const again = await set({ reason: "Motor hot" }, "admin");
    expect(await released).toMatchObject({ status: 409, body: { message: expect.stringContaining("locked again") } });
    expect(again).toMatchObject({ status: 200, body: { confirmed: true } });
    await deliver();
    expect(robot().truth()).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
    const locks = await harness.db.selectFrom("maintenance_locks").selectAll().execute();
    expect(locks).toMatchObject([{ reason: "Motor hot", locked_by: "Anita Rao", released_at: null }]);
    expect(locks[0]?.confirmed_at).not.toBeNull();
    expect(await outcomes()).toEqual([
      "MAINTENANCE_ON CONFIRMED",
      "MAINTENANCE_OFF UNCONFIRMED",
      "MAINTENANCE_ON CONFIRMED",
    ]);
  });

  test("protocol rule 8: over the start that was to follow a release", async () => {
    await set({ reason: "Brush worn" });
    const { sent, deliver } = hold("START");
    const released = set({ enabled: false, start_after: true });
    await sent;
    expect(await set({ reason: "Motor hot" })).toMatchObject({ status: 200, body: { confirmed: true } });
    expect(await released).toMatchObject({ status: 200, body: { confirmed: true, start: { success: false } } });
    await deliver();
    expect(robot().truth()).toMatchObject({ mode: "MAINTENANCE", motion: "STOPPED", startsTaken: [] });
  });

  test("protocol rule 8: for a whole group, over the start of one of its robots", async () => {
    await seedGroups(harness.db, harness.fixtures, "unplanned");
    const { sent, deliver } = hold("START");
    const start = harness.press("START");
    await sent;
    const owner = await harness.server.as("owner");
    const params = { groupId: harness.fixtures.ownGroup.groupId };
    const locked = await owner.ask(groupMaintenance, { params, body: { enabled: true, reason: "Cleaning the row" } });
    expect(locked).toMatchObject({
      success: true,
      results: [{ robotId: "OWN-1", outcome: "SUCCESS", pending: false }],
    });
    expect((await start).status).toBe(409);
    await deliver();
    expect(robot().truth()).toMatchObject({ motion: "STOPPED", mode: "MAINTENANCE", startsTaken: [] });
  });
});
