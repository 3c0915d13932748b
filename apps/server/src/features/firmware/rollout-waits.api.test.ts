import { createRollout, rolloutDetails, controlRollout } from "@suncrew/contract/firmware/firmware.ts";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addRobot, type Fixtures, setState } from "../../../test/fixtures.ts";
import { seedFirmware, seededFirmware } from "../../../test/firmware-fixtures.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { createTestApp, TEST_NOW, type TestApp, testSettings } from "../../../test/test-app.ts";
import { storedReasonCodes } from "../../../test/stored-reasons.ts";
import { ManualClock } from "../../platform/clock.ts";
import { RolloutEngine } from "./rollout-engine.ts";
import { recordReports } from "./firmware-updates.repository.ts";

const HOUR_MS = 3_600_000;
const GUARD_MS = 120_000;

let server: TestApp;
let fixtures: Fixtures;
let clock: ManualClock;
let broker: MemoryBroker;
let rollouts: RolloutEngine;

beforeEach(async () => {
  server = await createTestApp({ settings: { publicUrl: () => "http://127.0.0.1:1" } });
  fixtures = server.fixtures;
  await seedFirmware(server.db, fixtures);
  await server.db.deleteFrom("rollout_robots").execute();
  await server.db.deleteFrom("rollouts").execute();
  clock = new ManualClock(TEST_NOW);
  broker = new MemoryBroker();
  const settings = { ...testSettings, publicUrl: () => "http://127.0.0.1:1" };
  rollouts = new RolloutEngine({ db: server.db, clock, broker, log: pino({ level: "silent" }), settings });
  await rollouts.start();
  // The round of the start is over before time moves on, which begins another by itself.
  await rollouts.runOnce();
});
afterEach(async () => {
  await rollouts.stop();
  await server.close();
});

const own = () => [fixtures.ownRobot, fixtures.ownRobot2];
const begin = async (more: object = {}) => {
  const body = { firmware_id: seededFirmware.firmwareId, robot_ids: own().map(({ id }) => id), ...more };
  return (await (await server.as("admin")).ask(createRollout, { body })).rolloutId;
};
const details = async (rolloutId: number) => (await server.as("admin")).ask(rolloutDetails, { params: { rolloutId } });
/** Advances time and checks twice: what one check ends, the next one sees. */
const pass = async (ms: number) => {
  clock.advance(ms);
  await rollouts.runOnce();
  await rollouts.runOnce();
};
const ready = (robotId: number, liveAt = clock.now()) =>
  setState(server.db, robotId, {
    online: true,
    session: 1,
    live_at: liveAt,
    motion: "STOPPED",
    mode: "AUTO",
    robot_status: "idle",
    battery: 80,
  });
const progress = async (rolloutId: number) => {
  const { state, robots } = await details(rolloutId);
  return [state, ...robots.map((robot) => [robot.state, robot.gave_up, robot.reason])];
};

describe("protocol rule 13: a rollout waits for robots no longer than chosen", () => {
  test("then they are left out, not failed, the rollout ends, and they can join another one", async () => {
    const id = await begin();
    await pass(24 * HOUR_MS - 1);
    const waits = ["WAITING", false, "Waits until it is online"];
    expect(await progress(id)).toEqual(["RUNNING", waits, waits]);
    await pass(1);
    const gaveUp = ["SKIPPED", true, "Gave up waiting after 24 h: it was not online"];
    expect(await progress(id)).toEqual(["DONE", gaveUp, gaveUp]);
    expect(await storedReasonCodes(server.db)).toEqual(["GAVE_UP"]);
    expect((await details(await begin({ wait_limit_hours: 2 }))).counts).toMatchObject({ WAITING: 2, FAILED: 0 });
  });

  test("the limit is the chosen one, and is validated", async () => {
    const id = await begin({ wait_limit_hours: 2 });
    expect(await details(id)).toMatchObject({ wait_limit_hours: 2 });
    await pass(2 * HOUR_MS);
    expect((await details(id)).state).toBe("DONE");
    const admin = await server.as("admin");
    const body = { firmware_id: seededFirmware.firmwareId, robot_ids: [fixtures.ownRobot.id], wait_limit_hours: 0 };
    const answer = await admin.call(createRollout, { body });
    expect([answer.status, answer.text]).toMatchObject([400, expect.stringContaining("wait_limit_hours")]);
  });

  test("none is given up while others can take the firmware, nor before this server has heard which robots are online", async () => {
    const id = await begin({ batch_size: 1 });
    await ready(fixtures.ownRobot.id, new Date(clock.now().getTime() + 24 * HOUR_MS));
    clock.advance(24 * HOUR_MS);
    await rollouts.runOnce();
    const states = async () => (await details(id)).robots.map(({ state }) => state);
    expect(await states()).toEqual(["OFFERED", "WAITING"]);
    await server.db
      .updateTable("rollout_robots")
      .set({ state: "DONE", ended_at: clock.now() })
      .where("robot_id", "=", fixtures.ownRobot.id)
      .execute();
    broker.setConnected(false);
    await pass(1_000);
    broker.setConnected(true);
    await pass(GUARD_MS - 1);
    expect(await states()).toEqual(["DONE", "WAITING"]);
    await pass(1);
    expect(await states()).toEqual(["DONE", "SKIPPED"]);
  });

  test("resuming a rollout restarts the wait for its robots; while paused, none is given up", async () => {
    const id = await begin();
    const steer = async (action: "PAUSE" | "RESUME") =>
      (await server.as("admin")).ask(controlRollout, { params: { rolloutId: id }, body: { action } });
    await steer("PAUSE");
    await pass(48 * HOUR_MS);
    expect((await details(id)).state).toBe("PAUSED");
    await steer("RESUME");
    await server.db.updateTable("rollouts").set({ resumed_at: clock.now() }).execute();
    await pass(24 * HOUR_MS - 1);
    expect((await details(id)).state).toBe("RUNNING");
    await pass(1);
    expect((await details(id)).state).toBe("DONE");
  });
});

describe("protocol rule 13: a batch", () => {
  test("after the canary is as large as chosen, where the rows of no robot are locked", async () => {
    const robotIds = own().map(({ id }) => id);
    for (const serial of ["OWN-3", "OWN-4", "OWN-5", "OWN-6"]) {
      robotIds.push((await addRobot(server.db, fixtures.ownSiteId, serial)).id);
    }
    for (const robotId of robotIds) await ready(robotId);
    const id = await begin({ robot_ids: robotIds, batch_size: 3 });
    const endBatch = async () => {
      await rollouts.runOnce();
      const { numUpdatedRows } = await server.db
        .updateTable("rollout_robots")
        .set({ state: "DONE", ended_at: clock.now() })
        .where("rollout_id", "=", id)
        .where("state", "=", "OFFERED")
        .executeTakeFirst();
      return Number(numUpdatedRows);
    };
    expect([await endBatch(), await endBatch(), await endBatch()]).toEqual([1, 3, 2]);
  });
});

describe("protocol rule 13: a deadline counts from the robot's own offer", () => {
  test("however long it waited before", async () => {
    const id = await begin({ robot_ids: [fixtures.ownRobot.id] });
    await pass(23 * HOUR_MS);
    await ready(fixtures.ownRobot.id);
    await pass(1_000);
    const offered = await server.db.selectFrom("rollout_robots").selectAll().executeTakeFirstOrThrow();
    expect(offered.deadline_at).toEqual(new Date(clock.now().getTime() + 15 * 60_000));
    await pass(15 * 60_000 - 1);
    expect((await details(id)).counts).toMatchObject({ OFFERED: 1 });
    await pass(1);
    expect((await details(id)).counts).toMatchObject({ FAILED: 1 });
  });
});

describe("protocol rule 13: what a robot waits for", () => {
  test("is what applies now, not why it refused before", async () => {
    const id = await begin({ robot_ids: [fixtures.ownRobot.id] });
    // The API's clock is stopped; by it, the state is fresh.
    await ready(fixtures.ownRobot.id);
    await pass(0);
    const { offer_id } = await server.db.selectFrom("rollout_robots").select("offer_id").executeTakeFirstOrThrow();
    const message = {
      v: 1,
      offerId: offer_id ?? "",
      session: 1,
      seq: 1,
      phase: "REJECTED",
      code: "BUSY",
      version: "9.0.0",
    } as const;
    await server.db
      .transaction()
      .execute((tx) =>
        recordReports(
          tx,
          [{ robotId: fixtures.ownRobot.id, message: { ...message, percent: 0, ts: TEST_NOW.toISOString() } }],
          clock.now(),
        ),
      );
    const reason = async () => (await details(id)).robots[0]?.reason;
    expect(await reason()).toBe("Waits to be offered it again: it was busy");
    expect(await storedReasonCodes(server.db)).toEqual(["OFFER_REFUSED"]);
    await setState(server.db, fixtures.ownRobot.id, { online: false });
    expect(await reason()).toBe("Waits until it is online");
  });
});
