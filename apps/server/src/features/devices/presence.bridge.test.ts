import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { connectionMessage, eventMessage, stateMessage } from "../../../test/robot-messages.ts";
import { testSettings } from "../../../test/test-app.ts";
import { readRobots } from "../robots/robots.queries.ts";
import { seenAt } from "../sites/public.ts";

let harness: BridgeHarness;
let robotId: number;
let serial: string;
let count = 0;

beforeAll(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterAll(() => harness.close());

beforeEach(async () => {
  count += 1;
  serial = `PRES-${count}`;
  robotId = await harness.robot(serial);
});

const connects = (session: number, retained = false) =>
  harness.says(serial, "connection", connectionMessage(harness.clock.now(), session), retained);
const dies = (session: number) =>
  harness.says(serial, "connection", connectionMessage(harness.clock.now(), session, "CONNECTION_BROKEN"));
const shows = (session: number, seq: number, battery = 90, retained = false) =>
  harness.says(serial, "state", stateMessage(harness.clock.now(), session, seq, { battery }), retained);

describe("protocol rule 7: one truth about presence", () => {
  test("protocol rule 7: a live state proves ONLINE and is stored with its reading", async () => {
    shows(1, 1, 64);
    await harness.pass(100);
    const row = await harness.stateOf(robotId);
    expect(row).toMatchObject({ online: true, session: 1, state_seq: 1, battery: 64, robot_status: "idle" });
    expect(row.live_at).toEqual(row.received_at);
    const readings = await harness.database.db
      .selectFrom("readings")
      .selectAll()
      .where("robot_id", "=", robotId)
      .execute();
    expect(readings).toMatchObject([{ session: 1, seq: 1, battery: 64, robot_status: "idle" }]);
  });

  test("protocol rule 7: a state and then a will of one session in one flush leave the robot offline", async () => {
    shows(5, 1);
    dies(5);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false, robot_status: "offline", battery: 90 });
  });

  test("protocol rule 7: a will of an older session changes nothing", async () => {
    connects(6);
    shows(6, 1);
    dies(5);
    await harness.pass(100);
    dies(5);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, session: 6, connection: "ONLINE" });
  });

  test("protocol rule 7: an older state changes nothing and adds no reading", async () => {
    shows(2, 7, 50);
    await harness.pass(100);
    shows(2, 6, 51);
    shows(2, 7, 52);
    shows(1, 99, 53);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ state_seq: 7, session: 2, battery: 50 });
    const readings = await harness.database.db
      .selectFrom("readings")
      .select("seq")
      .where("robot_id", "=", robotId)
      .execute();
    expect(readings).toEqual([{ seq: 7 }]);
  });

  test("protocol rule 7: a new session starts counting again", async () => {
    shows(2, 700, 50);
    await harness.pass(100);
    connects(3);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ session: 3, state_seq: null, live_at: null, battery: 50 });
    shows(3, 1, 49);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, session: 3, state_seq: 1, battery: 49 });
  });

  test("protocol rule 2: a retained state gives last-known values, neither presence nor freshness", async () => {
    shows(4, 9, 33, true);
    await harness.pass(100);
    const row = await harness.stateOf(robotId);
    expect(row).toMatchObject({ online: false, live_at: null, battery: 33, robot_status: "offline" });
  });

  test("protocol rule 7: 90 s without a live state is offline; the next state proves ONLINE again", async () => {
    await harness.pass(15_000);
    shows(1, 1);
    await harness.pass(100);
    await harness.pass(85_000);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true });
    await harness.pass(10_000);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false, robot_status: "offline" });
    connects(1, true);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false });
    shows(1, 2);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, robot_status: "idle" });
  });

  test("protocol rule 7: silence is noticed although the connection to the broker is lost again and again", async () => {
    const serials = Array.from({ length: 10 }, (_, index) => `${serial}-${index}`);
    for (const each of serials) {
      await harness.robot(each);
      harness.says(each, "state", stateMessage(harness.clock.now(), 1, 1));
    }
    shows(1, 1);
    await harness.pass(100);
    // Each time the bridge asks its robots anew, over ten seconds.
    for (let second = 0; second < 140; second += 7) {
      harness.broker.setConnected(false);
      harness.broker.setConnected(true);
      await harness.pass(2_000);
      await harness.pass(5_000);
    }
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false, robot_status: "offline" });
  });

  test("protocol rule 12: messages dated in the future, by a clock that has since been set back, are no presence", async () => {
    await harness.pass(15_000);
    shows(1, 1);
    await harness.pass(100);
    const live_at = new Date(harness.clock.now().getTime() + 600_000);
    await harness.database.db
      .updateTable("robot_state")
      .set({ live_at, connection_at: live_at })
      .where("robot_id", "=", robotId)
      .execute();
    await harness.pass(5_000);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false, robot_status: "offline" });
    // Nor does it hide one that is heard now, although its connection is still dated ahead.
    shows(1, 2);
    await harness.pass(100);
    await harness.pass(5_000);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, robot_status: "idle" });
  });
});

describe("protocol rule 13: what the broker retains reveals that a robot was lost while it moved", () => {
  const lost = async () => {
    const viewer = { userId: 1, name: "", email: "", role: "SUPER_ADMIN", partnerId: null, sessionId: "" } as const;
    const at = seenAt({ ...harness, settings: testSettings });
    const [robot] = await readRobots(viewer, harness.database.db, at, { robotIds: [robotId] });
    return robot?.lost_while_moving ?? null;
  };
  const retains = (motion: "MOVING" | "STOPPED", seq: number) =>
    harness.says(serial, "state", stateMessage(harness.clock.now(), 8, seq, { motion, runId: randomUUID() }), true);

  test("protocol rule 13: its will and its last state, which no server has received", async () => {
    dies(8);
    retains("MOVING", 4);
    await harness.pass(100);
    const heard = harness.clock.now().getTime();
    expect(await lost()).toEqual({
      state: "MAY_BE_MOVING",
      lost_at: new Date(heard - 100).toISOString(),
      stops_by: new Date(heard - 100 + 300_000).toISOString(),
    });
    // The broker has lost the robot, but a server without the broker would not hear of its return.
    harness.broker.setConnected(false);
    expect((await lost())?.stops_by).toBe(new Date(heard - 100 + 480 * 60_000).toISOString());
    harness.broker.setConnected(true);
    await harness.pass(360_000);
    expect((await lost())?.state).toBe("MUST_HAVE_STOPPED");
    retains("STOPPED", 5);
    await harness.pass(100);
    expect(await lost()).toBeNull();
  });

  test("protocol rule 13: one that is still connected is online, and lost once it is silent for 90 s", async () => {
    await harness.pass(15_000);
    connects(8, true);
    retains("MOVING", 4);
    await harness.pass(100);
    expect(await lost()).toBeNull();
    await harness.pass(95_000);
    expect((await lost())?.state).toBe("MAY_BE_MOVING");
  });
});

test("protocol rule 11: a bridge can stop even if the broker no longer accepts its messages", async () => {
  const stuck = await createBridge();
  await stuck.bridge.start();
  await stuck.bridge.idle();
  const robot = await stuck.robot("STUCK-1");
  const called = new Promise<void>((taken) => {
    stuck.broker.publish = () => {
      taken();
      return new Promise(() => {});
    };
  });
  const began = { kind: "RUN_BEGAN", runId: randomUUID(), battery: 88 } as const;
  stuck.says("STUCK-1", "event", eventMessage(stuck.clock.now(), 1, 1, began));
  stuck.clock.advance(100);
  await called;
  await stuck.bridge.stop();
  const kept = await stuck.database.db.selectFrom("robot_events").select("robot_id").execute();
  expect(kept).toEqual([{ robot_id: robot }]);
  await stuck.close();
});
