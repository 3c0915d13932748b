import { afterEach, beforeEach, describe, expect, test } from "vitest";
import pino from "pino";
import { type Fixtures, setState } from "../../../test/fixtures.ts";
import { seedFirmware, seededFirmware } from "../../../test/firmware-fixtures.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { testSettings } from "../../../test/test-app.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { lockRobots } from "../commands/public.ts";
import { readCandidates } from "./offers.repository.ts";
import { RolloutEngine } from "./rollout-engine.ts";
import { recordReports, settleByFirmware } from "./firmware-updates.repository.ts";

const NOW = new Date("2026-06-15T06:30:00Z");
const later = (ms: number) => new Date(NOW.getTime() + ms);
const GUARD_MS = 120_000;
const DEADLINE_MS = 15 * 60_000;

let database: OpenDatabase;
let fixtures: Fixtures;
let clock: ManualClock;
let rollouts: RolloutEngine;

/** A server that starts after an outage: the robot was installing, and its deadline passed in between. */
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
  await seedFirmware(database.db, fixtures);
  await database.db
    .updateTable("rollout_robots")
    .set({ state: "INSTALLING", percent: 100, report_session: 1, report_seq: 3, deadline_at: later(-300_000) })
    .execute();
  clock = new ManualClock(NOW);
  const log = pino({ level: "silent" });
  rollouts = new RolloutEngine({ db: database.db, clock, broker: new MemoryBroker(), log, settings: testSettings });
});
afterEach(() => database.close());

const entry = () => database.db.selectFrom("rollout_robots").selectAll().executeTakeFirstOrThrow();
/** Another rollout, in which the robot waits. */
const nextRollout = async () => {
  const rollout = await database.db
    .selectFrom("rollouts")
    .select(["firmware_id", "batch_size", "failure_threshold_percent", "deadline_minutes"])
    .select(["created_by", "created_by_user_id", "created_at"])
    .executeTakeFirstOrThrow();
  const { id } = await database.db
    .insertInto("rollouts")
    .values({ ...rollout, state: "RUNNING" })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { robot_id, place, site_id, site_name, robot_name, serial_number, from_version } = await entry();
  const robot = { robot_id, place, site_id, site_name, robot_name, serial_number, from_version };
  await database.db
    .insertInto("rollout_robots")
    .values({ ...robot, rollout_id: id, state: "WAITING" })
    .execute();
  return id;
};
const installing = () => {
  const { id } = fixtures.ownRobot2;
  return database.db.transaction().execute(async (tx) => (await lockRobots(tx, [id])).get(id)?.installing);
};
const report = (phase: "INSTALLING" | "FAILED", session: number) =>
  database.db.transaction().execute((tx) => {
    const about = { offerId: seededFirmware.offerId, version: "9.1.0", percent: 100 };
    const message = { v: 1 as const, session, seq: 1, ts: NOW.toISOString(), phase, ...about };
    const code = phase === "FAILED" ? ("INSTALL_FAILED" as const) : null;
    return recordReports(tx, [{ robotId: fixtures.ownRobot2.id, message: { ...message, code } }], clock.now());
  });
const show = (firmware: string) =>
  database.db
    .transaction()
    .execute((tx) => settleByFirmware(tx, [{ robotId: fixtures.ownRobot2.id, firmware }], clock.now()));

describe("protocol rule 13: robots whose deadline has passed", () => {
  test("fail only once the server could have heard them, and are done if they show the version after all", async () => {
    await rollouts.runOnce();
    expect((await entry()).state).toBe("INSTALLING");
    clock.advance(GUARD_MS - 1);
    await rollouts.runOnce();
    expect((await entry()).state).toBe("INSTALLING");
    clock.advance(1);
    await rollouts.runOnce();
    expect(await entry()).toMatchObject({ state: "FAILED", overdue: true });
    await show("1.0.0");
    expect((await entry()).state).toBe("FAILED");
    await show("9.1.0");
    expect(await entry()).toMatchObject({
      state: "DONE",
      reason: null,
      reason_code: null,
      overdue: false,
      installing_until: null,
    });
    expect(await installing()).toBeNull();
    const audit = await database.db.selectFrom("audit").select(["action", "outcome"]).orderBy("id").execute();
    expect(audit.filter(({ action }) => action === "UPDATE_FIRMWARE").map(({ outcome }) => outcome)).toEqual([
      "FAILED",
      "DONE",
    ]);
  });

  test("one heard since, still with its old version, fails immediately", async () => {
    clock.advance(10_000);
    await setState(database.db, fixtures.ownRobot2.id, { online: true, live_at: later(-1) });
    await rollouts.runOnce();
    expect((await entry()).state).toBe("INSTALLING");
    await setState(database.db, fixtures.ownRobot2.id, { online: true, live_at: later(5_000) });
    await rollouts.runOnce();
    expect((await entry()).state).toBe("FAILED");
  });

  test("one that reported its own failure stays failed, whatever it shows later", async () => {
    await report("FAILED", 2);
    expect(await entry()).toMatchObject({ state: "FAILED", overdue: false });
    await show("9.1.0");
    expect((await entry()).state).toBe("FAILED");
  });

  test("they are not started while they may still be installing: until they report the end, or for another deadline", async () => {
    clock.advance(GUARD_MS);
    await rollouts.runOnce();
    expect((await entry()).state).toBe("FAILED");
    expect(await installing()).toBe("9.1.0");
    const id = await nextRollout();
    expect(await readCandidates(database.db, id)).toMatchObject([{ stillInstalling: true }]);
    await database.db.deleteFrom("rollout_robots").where("rollout_id", "=", id).execute();
    await report("FAILED", 2);
    expect(await installing()).toBeNull();
    // Reports in a later session count, older ones do not.
    await report("INSTALLING", 1);
    expect(await installing()).toBeNull();
    await report("INSTALLING", 3);
    expect(await installing()).toBe("9.1.0");
    clock.advance(DEADLINE_MS - 1);
    await rollouts.runOnce();
    expect(await installing()).toBe("9.1.0");
    clock.advance(1);
    await rollouts.runOnce();
    expect(await installing()).toBeNull();
    await report("INSTALLING", 4);
    expect(await installing()).toBeNull();
    expect((await entry()).state).toBe("FAILED");
  });
});
