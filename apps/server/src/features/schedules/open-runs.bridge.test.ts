import { afterEach, describe, expect, test } from "vitest";
import { addRobot } from "../../../test/fixtures.ts";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";
import { ScheduleBench } from "../../../test/schedule-bench.ts";
import { ingest } from "../devices/ingest.repository.ts";

const MINUTE_MS = 60_000;
let bench: ScheduleBench;
afterEach(() => bench.close());

/** 05:59 at the bench's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const at = (minutes: number) => new Date(DUE.getTime() + minutes * MINUTE_MS);
const SIX = "2026-06-15 06:00:00";

const outcomes = async (id?: number) => (await bench.runs(id)).map(({ outcome, reason }) => [outcome, reason]);

describe("decisions, Cleaning runs: a run in progress", () => {
  test("is stopped in time although its schedule and group were deleted", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    await bench.schedule(group, { startTime: SIX, frequency: "DAILY" });
    await bench.until(DUE);
    await bench.db.deleteFrom("schedules").execute();
    await bench.db.deleteFrom("robot_group_members").execute();
    await bench.db.updateTable("robot_groups").set({ deleted_at: DUE }).execute();
    await bench.until(at(30));
    expect(await outcomes()).toMatchObject([["COMPLETED", expect.any(String)]]);
    await bench.until(at(24 * 60));
    expect(await bench.runs()).toHaveLength(1);
  });

  test("keeps its end although the schedule was given another duration and time", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const id = await bench.schedule(group, { startTime: SIX, frequency: "DAILY" });
    await bench.until(DUE);
    await bench.db
      .updateTable("schedules")
      .set({ duration_minutes: 480, next_run_at: at(600) })
      .execute();
    await bench.until(at(30));
    expect(await bench.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
  });

  test("that a person stops is STOPPED, and the robot started by hand since is left alone at the planned end", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.until(DUE);
    await bench.until(at(10));
    await bench.press("STOP", robotId, group.siteId);
    expect(await outcomes(id)).toEqual([["STOPPED", "STOP"]]);
    await bench.until(at(20));
    await bench.press("START", robotId, group.siteId);
    await bench.until(at(30));
    await bench.until(at(31));
    expect(bench.robots.motions(robotId)).toMatchObject([
      { beganAt: DUE, endedAt: at(10) },
      { beganAt: at(20), endedAt: null },
    ]);
    expect((await bench.commands(robotId)).map(({ verb }) => verb)).toEqual(["START", "STOP", "START"]);
  });

  test("protocol rule 3: of an offline robot has a pending STOP from its planned end on, delivered when the robot returns", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.until(DUE);
    await bench.until(at(29));
    await bench.robots.leave(robotId);
    await bench.until(at(30));
    const stop = (await bench.commands(robotId)).at(-1);
    expect(stop).toMatchObject({ verb: "STOP", requested_by: "Scheduler", action_type: "SCHEDULED", settled_at: null });
    expect(await bench.runs(id)).toMatchObject([{ stop_command_id: stop?.id, ended_at: null }]);
    await bench.until(at(31));
    await bench.robots.back(robotId);
    await bench.servers[0]?.commands.resendPending([robotId]);
    await bench.deliver();
    expect(await bench.commands(robotId)).toMatchObject([{ verb: "START" }, { verb: "STOP", outcome: "CONFIRMED" }]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: "COMPLETED", reason: "MAX_DURATION" }]);
    expect(bench.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 4: of a robot that never returns is cut short, and corrected when it returns after all", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.until(DUE);
    await bench.until(at(20));
    await bench.robots.leave(robotId);
    await bench.until(at(35));
    expect(await bench.runs(id)).toMatchObject([{ ended_at: null }]);
    await bench.until(at(36.5));
    expect(await bench.runs(id)).toMatchObject([{ outcome: "CUT_SHORT", reason: "LINK_LOST", ended_at: at(25) }]);
    await bench.robots.back(robotId);
    const [run] = await bench.runs(id);
    expect(run).toMatchObject({ outcome: "CUT_SHORT", reason: "LINK_LOST", ended_at: at(25) });
  });

  test("protocol rule 4: one started at the robot is closed once it must have stopped without its broker, or after the longest run", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const { siteId } = await bench.group(1);
    const lost = await addRobot(bench.db, siteId, "AT-ROBOT-1");
    const silent = await addRobot(bench.db, siteId, "AT-ROBOT-2");
    const hear = async (serial: string, seq: number, isGoodbye = false) => {
      const receivedAt = bench.clock.now();
      const moves = stateMessage(receivedAt, 1, seq, { motion: "MOVING", status: "start", runId: null });
      const message = isGoodbye
        ? ({ leaf: "connection", message: connectionMessage(receivedAt, 1, "CONNECTION_BROKEN") } as const)
        : ({ leaf: "state", message: moves } as const);
      await ingest(bench.db, [{ serial, messages: [{ ...message, receivedAt, retained: false }] }], bench.clock);
    };
    const runOf = (robotId: number) =>
      bench.db.selectFrom("runs").selectAll().where("robot_id", "=", robotId).execute();
    await bench.until(at(0));
    for (const { serial } of [lost, silent]) await hear(serial, 1);
    await bench.until(at(10));
    for (const { serial } of [lost, silent]) await hear(serial, 2);
    await hear(lost.serial, 3, true);
    // Without any report from the broker it counts as offline after 90 s, and may be connected all the same.
    await bench.db.updateTable("robot_state").set({ online: false }).where("robot_id", "=", silent.id).execute();
    await bench.until(at(15.9));
    expect(await runOf(lost.id)).toMatchObject([{ started_by: "Robot", ended_at: null }]);
    await bench.until(at(16.1));
    const cutShort = { outcome: "CUT_SHORT", reason: "LINK_LOST", ended_at: at(15) };
    expect(await runOf(lost.id)).toMatchObject([cutShort]);
    await bench.until(at(485.9));
    expect(await runOf(silent.id)).toMatchObject([{ started_by: "Robot", ended_at: null }]);
    await bench.until(at(486.1));
    expect(await runOf(silent.id)).toMatchObject([cutShort]);
  });
});
