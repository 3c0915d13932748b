import { randomUUID } from "node:crypto";
import type { RunEndReason, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { connectionMessage, eventMessage, stateMessage } from "../../../test/robot-messages.ts";
import { stoppedBy } from "./run-reasons.ts";

let harness: BridgeHarness;
let robotId: number;
let serial: string;
let seq: number;
let count = 0;

beforeAll(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterAll(() => harness.close());

beforeEach(async () => {
  count += 1;
  serial = `RUNS-${count}`;
  robotId = await harness.robot(serial);
  seq = 0;
});

const now = () => harness.clock.now();
const shows = (shown: Partial<StateMessage>, session = 1) =>
  harness.says(serial, "state", stateMessage(now(), session, (seq += 1), shown));
const moves = (runId: string | null, session = 1) => shows({ motion: "MOVING", status: "start", runId }, session);
const stops = (shown: Partial<StateMessage> = {}, session = 1) => shows({ motion: "STOPPED", ...shown }, session);
const tellsBegan = (eventSeq: number, runId: string, battery = 88) =>
  harness.says(serial, "event", eventMessage(now(), 1, eventSeq, { kind: "RUN_BEGAN", runId, battery }));
const tellsEnded = (eventSeq: number, runId: string, reason: RunEndReason, battery = 60) =>
  harness.says(serial, "event", eventMessage(now(), 1, eventSeq, { kind: "RUN_ENDED", runId, battery, reason }));
const runs = () =>
  harness.database.db.selectFrom("runs").selectAll().where("robot_id", "=", robotId).orderBy("began_at").execute();

describe("decisions, cleaning runs: every motion has a row", () => {
  test("protocol rule 6: a run of a START begins with the live MOVING state and names who started it", async () => {
    const runId = randomUUID();
    const commandId = await harness.command(robotId, "START", 5, runId);
    moves(runId);
    await harness.pass(100);
    const [run] = await runs();
    expect(run).toMatchObject({ id: runId, command_id: commandId, started_by: "Anita Rao", battery_began: 90 });
    expect(run?.planned_end_at?.getTime()).toBe((run?.began_at?.getTime() ?? 0) + 600_000);
    expect(run?.ended_at).toBeNull();
  });

  test("protocol rule 6: a motion started at the robot has a row by 'Robot', with or without a name", async () => {
    const runId = randomUUID();
    moves(runId);
    await harness.pass(100);
    stops();
    await harness.pass(100);
    moves(null);
    await harness.pass(100);
    moves(null);
    await harness.pass(100);
    const found = await runs();
    expect(found).toMatchObject([
      { id: runId, started_by: "Robot", command_id: null, outcome: "COMPLETED", reason: "FINISHED" },
      { started_by: "Robot", command_id: null, ended_at: null },
    ]);
  });

  test("protocol rule 6: a run seen to begin and end in one flush is complete, in the order of its states", async () => {
    const runId = randomUUID();
    moves(runId);
    stops({ battery: 71 });
    await harness.pass(100);
    expect(await runs()).toMatchObject([{ id: runId, battery_began: 90, battery_ended: 71, reason: "FINISHED" }]);
  });

  test.each([
    { movedMs: 61_000, outcome: "COMPLETED" },
    { movedMs: 4_000, outcome: "STOPPED" },
  ])("protocol rule 3: a person's STOP after $movedMs ms is the reason of the end: $outcome", async (each) => {
    const runId = randomUUID();
    await harness.command(robotId, "START", 5, runId);
    moves(runId);
    await harness.pass(each.movedMs);
    await harness.command(robotId, "STOP", 6);
    stops({ lastSeq: 6 });
    await harness.pass(100);
    expect(await runs()).toMatchObject([{ reason: "STOP", outcome: each.outcome }]);
  });

  test("protocol rule 3: a STOP given before any state showed the robot moving is the reason of the end, and no entry of its own", async () => {
    const runId = randomUUID();
    await harness.command(robotId, "START", 5, runId);
    await harness.command(robotId, "STOP", 6);
    await harness.pass(1_000);
    moves(runId);
    await harness.pass(100);
    stops({ lastSeq: 6 });
    await harness.pass(100);
    const { db } = harness.database;
    const ended = db
      .selectFrom("runs")
      .where("id", "=", runId)
      .select(["reason", stoppedBy.as("stopped_by")]);
    expect(await ended.execute()).toEqual([{ reason: "STOP", stopped_by: "Anita Rao" }]);
    expect(await db.selectFrom("activity").where("ended_run_id", "=", runId).select("details").execute()).toEqual([]);
  });

  test("§3 Activity log: the end of a run that no STOP ended is an entry with its reason, which the robot's report corrects", async () => {
    const runId = randomUUID();
    moves(runId);
    await harness.pass(1_000);
    stops();
    await harness.pass(100);
    const entries = () =>
      harness.database.db
        .selectFrom("activity")
        .where("ended_run_id", "=", runId)
        .select(["action", "status", "user_name", "details"])
        .execute();
    const finished = {
      action: "STOP",
      status: "SUCCESS",
      user_name: "Robot",
      details: "The robot finished by itself.",
    };
    expect(await entries()).toEqual([finished]);
    tellsEnded(1, runId, "BATTERY");
    await harness.pass(100);
    expect(await entries()).toEqual([{ ...finished, status: "FAILED", details: "The robot's battery was too low." }]);
  });

  test.each([
    { shown: { status: "fault" }, reason: "FAULT", outcome: "CUT_SHORT" },
    { shown: {}, reason: "FINISHED", outcome: "COMPLETED" },
  ])("protocol rule 6: an end with $shown is attributed to $reason", async ({ shown, reason, outcome }) => {
    moves(randomUUID());
    await harness.pass(100);
    stops(shown);
    await harness.pass(100);
    expect(await runs()).toMatchObject([{ reason, outcome }]);
  });

  test("protocol rule 4: an end at the longest duration, and one found after being offline", async () => {
    const timed = randomUUID();
    await harness.command(robotId, "START", 5, timed);
    moves(timed);
    await harness.pass(100);
    for (let part = 0; part < 10; part += 1) {
      await harness.pass(60_000);
      moves(timed);
      await harness.pass(100);
    }
    stops();
    await harness.pass(100);
    moves(randomUUID());
    await harness.pass(100);
    stops({}, 2);
    await harness.pass(100);
    expect(await runs()).toMatchObject([
      { reason: "MAX_DURATION", outcome: "COMPLETED" },
      { reason: "LINK_LOST", outcome: "CUT_SHORT" },
    ]);
  });

  test("protocol rule 6: another run's id ends the previous one", async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    moves(one);
    await harness.pass(100);
    moves(two);
    await harness.pass(100);
    expect(await runs()).toMatchObject([
      { id: one, outcome: "COMPLETED" },
      { id: two, ended_at: null },
    ]);
  });

  test("protocol rule 6: the robot's own reason wins, whether reported before or after the stopped state", async () => {
    const [before, after] = [randomUUID(), randomUUID()];
    moves(before);
    await harness.pass(100);
    tellsEnded(1, before, "BATTERY");
    await harness.pass(100);
    stops();
    await harness.pass(100);
    moves(after);
    await harness.pass(100);
    stops();
    await harness.pass(100);
    tellsEnded(2, after, "FAULT", 42);
    await harness.pass(100);
    expect(await runs()).toMatchObject([
      { id: before, reason: "BATTERY", outcome: "CUT_SHORT" },
      { id: after, reason: "FAULT", outcome: "CUT_SHORT", battery_ended: 42 },
    ]);
  });

  test("protocol rule 6: a late MOVING state does not reopen a run that the robot reported as ended", async () => {
    const runId = randomUUID();
    moves(runId);
    await harness.pass(100);
    tellsEnded(1, runId, "FINISHED");
    await harness.pass(100);
    moves(runId);
    await harness.pass(100);
    expect(await runs()).toMatchObject([{ id: runId, outcome: "COMPLETED" }]);
  });

  test("decisions: a run that no state showed is recorded from the robot's own times", async () => {
    const runId = randomUUID();
    const began = now();
    tellsBegan(1, runId, 88);
    await harness.pass(120_000);
    tellsEnded(2, runId, "FINISHED", 60);
    await harness.pass(100);
    const [run, ...others] = await runs();
    expect(others).toEqual([]);
    expect(run).toMatchObject({ id: runId, began_at: began, battery_began: 88, battery_ended: 60, reason: "FINISHED" });
    expect(run?.ended_at?.getTime()).toBe(began.getTime() + 120_000);
  });

  test("decisions: an earlier run reported only while the next one moves is recorded beside it", async () => {
    const [missed, current] = [randomUUID(), randomUUID()];
    const began = eventMessage(now(), 1, 1, { kind: "RUN_BEGAN", runId: missed, battery: 88 });
    await harness.pass(60_000);
    const ended = eventMessage(now(), 1, 2, { kind: "RUN_ENDED", runId: missed, battery: 70, reason: "LINK_LOST" });
    await harness.pass(60_000);
    moves(current);
    await harness.pass(100);
    harness.says(serial, "event", began);
    harness.says(serial, "event", ended);
    await harness.pass(100);
    const [first, second] = await runs();
    expect(first).toMatchObject({ id: missed, outcome: "CUT_SHORT", battery_began: 88, battery_ended: 70 });
    expect((first?.ended_at?.getTime() ?? 0) - (first?.began_at?.getTime() ?? 0)).toBe(60_000);
    expect(second).toMatchObject({ id: current, ended_at: null });
  });

  test("device protocol: an event is stored once and answered by RECEIVED each time, after it is stored", async () => {
    const runId = randomUUID();
    tellsBegan(7, runId);
    expect(harness.broker.published.filter(({ topic }) => topic.includes(serial))).toEqual([]);
    await harness.pass(100);
    tellsBegan(7, runId);
    await harness.pass(100);
    const stored = await harness.database.db
      .selectFrom("robot_events")
      .selectAll()
      .where("robot_id", "=", robotId)
      .execute();
    expect(stored).toMatchObject([{ event_seq: 7, kind: "RUN_BEGAN" }]);
    const answers = harness.broker.published.filter(({ topic }) => topic === `scr/v1/${serial}/command`);
    const received = answers.map(({ payload }): unknown => JSON.parse(payload));
    expect(received).toMatchObject([
      { verb: "RECEIVED", eventSeq: 7 },
      { verb: "RECEIVED", eventSeq: 7 },
    ]);
  });

  test("protocol rule 2: a retained MOVING state begins no run", async () => {
    harness.says(serial, "connection", connectionMessage(now(), 1), true);
    harness.says(serial, "state", stateMessage(now(), 1, 1, { motion: "MOVING", runId: randomUUID() }), true);
    await harness.pass(100);
    expect(await runs()).toEqual([]);
  });
});

describe("decisions, cleaning runs: a planned run has its row before it moves", () => {
  const DURATION_MS = 1_800_000;

  /** A run that is due now, as the scheduler writes it. */
  async function dueRun(): Promise<string> {
    const runId = randomUUID();
    const commandId = await harness.command(robotId, "START", 5, runId);
    const { db } = harness.database;
    const group = await db
      .insertInto("robot_groups")
      .values({ site_id: harness.siteId, group_name: serial, name_key: serial })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db
      .insertInto("runs")
      .values({
        id: runId,
        robot_id: robotId,
        site_id: harness.siteId,
        command_id: commandId,
        planned: true,
        action_type: "SCHEDULED",
        started_by: "Scheduler",
        schedule_id: count,
        group_id: group.id,
        group_name: serial,
        due_at: now(),
        stop_due_at: new Date(now().getTime() + DURATION_MS),
      })
      .execute();
    return runId;
  }

  test("it begins with the motion, and counts by whether its planned end was reached", async () => {
    const runId = await dueRun();
    moves(runId);
    await harness.pass(100);
    expect(await runs()).toMatchObject([{ id: runId, planned: true, began_at: expect.any(Date), ended_at: null }]);
    await harness.command(robotId, "STOP", 6);
    stops({ lastSeq: 6 });
    await harness.pass(100);
    expect(await runs()).toMatchObject([{ outcome: "STOPPED", reason: "STOP" }]);
  });

  test("one that no state showed moving is completed from the robot's reports, even after it was given up", async () => {
    const runId = await dueRun();
    await harness.database.db
      .updateTable("runs")
      .set({ ended_at: now(), outcome: "FAILED", reason: "It was not confirmed." })
      .where("id", "=", runId)
      .execute();
    const began = eventMessage(now(), 1, 1, { kind: "RUN_BEGAN", runId, battery: 88 });
    await harness.pass(60_000);
    harness.says(
      serial,
      "event",
      eventMessage(now(), 1, 2, { kind: "RUN_ENDED", runId, battery: 60, reason: "FAULT" }),
    );
    harness.says(serial, "event", began);
    await harness.pass(100);
    const [run] = await runs();
    expect(run).toMatchObject({ id: runId, planned: true, outcome: "CUT_SHORT", reason: "FAULT", battery_ended: 60 });
    expect(run?.began_at).not.toBeNull();
  });

  const alerts = async () => {
    const rows = await harness.database.db
      .selectFrom("alerts")
      .select(["code", "text", "severity", "cleared_at"])
      .where("robot_id", "=", robotId)
      .where("source", "=", "SERVER")
      .orderBy("id")
      .execute();
    return rows.map(({ code, text, severity, cleared_at }) => [code, severity, text, cleared_at === null]);
  };
  const cutShort = (isOpen: boolean, why = "The robot had a fault.") => [
    "RUN_CUT_SHORT",
    "WARNING",
    `A planned run was cut short. ${why}`,
    isOpen,
  ];

  test("one that a fault ends is an alert, raised once, until the next one is served", async () => {
    const runId = await dueRun();
    moves(runId);
    await harness.pass(60_000);
    stops({ status: "fault" });
    await harness.pass(100);
    expect(await alerts()).toEqual([cutShort(true)]);
    // Acknowledged, it does not come back with the robot's own report of the same.
    await harness.database.db
      .updateTable("alerts")
      .set({ cleared_at: now() })
      .where("robot_id", "=", robotId)
      .where("source", "=", "SERVER")
      .execute();
    tellsEnded(1, runId, "FAULT");
    await harness.pass(100);
    expect(await alerts()).toEqual([cutShort(false)]);
  });

  test("one that the robot itself reports as done, or that goes on, is an alert no longer", async () => {
    const runId = await dueRun();
    moves(runId);
    await harness.pass(1_000);
    stops({ status: "fault" });
    await harness.pass(100);
    moves(runId);
    await harness.pass(100);
    expect(await alerts()).toEqual([cutShort(false)]);
    stops({ status: "fault" });
    await harness.pass(100);
    tellsEnded(1, runId, "FINISHED");
    await harness.pass(100);
    expect(await alerts()).toEqual([cutShort(false), cutShort(false)]);
  });

  test("one that a person ends, and any that no schedule began, is none", async () => {
    const runId = await dueRun();
    moves(runId);
    await harness.pass(100);
    await harness.command(robotId, "STOP", 6);
    stops({ lastSeq: 6 });
    await harness.pass(100);
    const byHand = randomUUID();
    moves(byHand);
    await harness.pass(100);
    stops({ status: "fault" });
    await harness.pass(100);
    expect((await runs()).map(({ outcome }) => outcome)).toEqual(["STOPPED", "CUT_SHORT"]);
    expect(await alerts()).toEqual([]);
  });
});
