import { afterEach, describe, expect, test } from "vitest";
import { addRobot } from "../../../test/fixtures.ts";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { ingest } from "../devices/ingest.repository.ts";

const MINUTE_MS = 60_000;
let harness: ScheduleHarness;
afterEach(() => harness.close());

/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const at = (minutes: number) => new Date(DUE.getTime() + minutes * MINUTE_MS);
const SIX = "2026-06-15 06:00:00";

const outcomes = async (id?: number) => (await harness.runs(id)).map(({ outcome, reason }) => [outcome, reason]);

describe("decisions, Cleaning runs: a run in progress", () => {
  test("is stopped in time although its schedule and group were deleted", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    await harness.schedule(group, { startTime: SIX, frequency: "DAILY" });
    await harness.until(DUE);
    await harness.db.deleteFrom("schedules").execute();
    await harness.db.deleteFrom("robot_group_members").execute();
    await harness.db.updateTable("robot_groups").set({ deleted_at: DUE }).execute();
    await harness.until(at(30));
    expect(await outcomes()).toMatchObject([["COMPLETED", expect.any(String)]]);
    await harness.until(at(24 * 60));
    expect(await harness.runs()).toHaveLength(1);
  });

  test("keeps its end although the schedule was given another duration and time", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const id = await harness.schedule(group, { startTime: SIX, frequency: "DAILY" });
    await harness.until(DUE);
    await harness.db
      .updateTable("schedules")
      .set({ duration_minutes: 480, next_run_at: at(600) })
      .execute();
    await harness.until(at(30));
    expect(await harness.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
  });

  test("that a person stops is STOPPED, and a robot started by hand since is left alone at the planned end", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(DUE);
    await harness.until(at(10));
    await harness.press("STOP", robotId, group.siteId);
    expect(await outcomes(id)).toEqual([["STOPPED", "STOP"]]);
    await harness.until(at(20));
    await harness.press("START", robotId, group.siteId);
    await harness.until(at(30));
    await harness.until(at(31));
    expect(harness.robots.motions(robotId)).toMatchObject([
      { beganAt: DUE, endedAt: at(10) },
      { beganAt: at(20), endedAt: null },
    ]);
    expect((await harness.commands(robotId)).map(({ verb }) => verb)).toEqual(["START", "STOP", "START"]);
  });

  test("protocol rule 3: of an offline robot has a pending STOP from its planned end on, delivered when the robot returns", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(DUE);
    await harness.until(at(29));
    await harness.robots.leave(robotId);
    await harness.until(at(30));
    const stop = (await harness.commands(robotId)).at(-1);
    expect(stop).toMatchObject({ verb: "STOP", requested_by: "Scheduler", action_type: "SCHEDULED", settled_at: null });
    expect(await harness.runs(id)).toMatchObject([{ stop_command_id: stop?.id, ended_at: null }]);
    await harness.until(at(31));
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await harness.deliver();
    expect(await harness.commands(robotId)).toMatchObject([{ verb: "START" }, { verb: "STOP", outcome: "CONFIRMED" }]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "COMPLETED", reason: "MAX_DURATION" }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 4: of a robot that never returns is cut short, and corrected when it returns after all", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(DUE);
    await harness.until(at(20));
    await harness.robots.leave(robotId);
    await harness.until(at(35));
    expect(await harness.runs(id)).toMatchObject([{ ended_at: null }]);
    await harness.until(at(36.5));
    expect(await harness.runs(id)).toMatchObject([{ outcome: "CUT_SHORT", reason: "LINK_LOST", ended_at: at(25) }]);
    await harness.robots.back(robotId);
    const [run] = await harness.runs(id);
    expect(run).toMatchObject({ outcome: "CUT_SHORT", reason: "LINK_LOST", ended_at: at(25) });
  });

  test("protocol rule 4: one started at the robot is closed once it must have stopped without its broker, or after the longest run", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const { siteId } = await harness.group(1);
    const lost = await addRobot(harness.db, siteId, "AT-ROBOT-1");
    const silent = await addRobot(harness.db, siteId, "AT-ROBOT-2");
    const hear = async (serial: string, seq: number, isGoodbye = false) => {
      const receivedAt = harness.clock.now();
      const moves = stateMessage(receivedAt, 1, seq, { motion: "MOVING", status: "start", runId: null });
      const message = isGoodbye
        ? ({ leaf: "connection", message: connectionMessage(receivedAt, 1, "CONNECTION_BROKEN") } as const)
        : ({ leaf: "state", message: moves } as const);
      await ingest(harness.db, [{ serial, messages: [{ ...message, receivedAt, retained: false }] }], harness.clock);
    };
    const runOf = (robotId: number) =>
      harness.db.selectFrom("runs").selectAll().where("robot_id", "=", robotId).execute();
    await harness.until(at(0));
    for (const { serial } of [lost, silent]) await hear(serial, 1);
    await harness.until(at(10));
    for (const { serial } of [lost, silent]) await hear(serial, 2);
    await hear(lost.serial, 3, true);
    // Without any report from the broker it counts as offline after 90 s, and may be connected all the same.
    await harness.db.updateTable("robot_state").set({ online: false }).where("robot_id", "=", silent.id).execute();
    await harness.until(at(15.9));
    expect(await runOf(lost.id)).toMatchObject([{ started_by: "Robot", ended_at: null }]);
    await harness.until(at(16.1));
    const cutShort = { outcome: "CUT_SHORT", reason: "LINK_LOST", ended_at: at(15) };
    expect(await runOf(lost.id)).toMatchObject([cutShort]);
    await harness.until(at(485.9));
    expect(await runOf(silent.id)).toMatchObject([{ started_by: "Robot", ended_at: null }]);
    await harness.until(at(486.1));
    expect(await runOf(silent.id)).toMatchObject([cutShort]);
  });
});
