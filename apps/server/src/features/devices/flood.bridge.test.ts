import { randomUUID } from "node:crypto";
import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import { QUIET_AFTER_FLOOD_MS, robotLimits } from "@suncrew/domain/devices/robot-budget.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { eventMessage, stateMessage } from "../../../test/robot-messages.ts";

let harness: BridgeHarness;
let floodId: number;
let quietId: number;
let seq = 0;

beforeEach(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
  [floodId, quietId] = [await harness.robot("FLOOD-1"), await harness.robot("QUIET-1")];
});
afterEach(() => harness.close());

const now = () => harness.clock.now();
const shows = (shown: Partial<StateMessage>, serial = "FLOOD-1") =>
  harness.says(serial, "state", stateMessage(now(), 1, (seq += 1), shown));
const moving = (runId: string | null = randomUUID()) => ({ motion: "MOVING", status: "start", runId }) as const;

async function countOf(table: "alerts" | "runs" | "readings" | "robot_events" | "activity", robotId = floodId) {
  const { rows } = await harness.database.db
    .selectFrom(table)
    .where("robot_id", "=", robotId)
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return rows;
}
const floodAlerts = async () =>
  (
    await harness.database.db
      .selectFrom("alerts")
      .select(["severity", "source", "text", "cleared_at"])
      .where("robot_id", "=", floodId)
      .where("code", "=", "TOO_MANY_MESSAGES")
      .execute()
  ).map(({ cleared_at, ...alert }) => ({ ...alert, isOpen: cleared_at === null }));

/**
 * Calls `send` `times` times per tenth of a second for six seconds, while another robot's states are stored promptly.
 */
async function flood(times: number, send: (index: number) => void): Promise<void> {
  const batteries: (number | null)[] = [];
  for (let tenth = 0; tenth < 60; tenth += 1) {
    for (let each = 0; each < times; each += 1) send(tenth * times + each);
    shows({ battery: tenth }, "QUIET-1");
    await harness.pass(100);
    batteries.push((await harness.stateOf(quietId)).battery);
  }
  // Other robots do not wait for one that floods.
  expect(batteries).toEqual(batteries.map((_, tenth) => tenth));
}

describe("protocol rule 10: a robot that floods exhausts nothing, and raises an alert", () => {
  test("protocol rule 10: one that publishes incessantly keeps no silent robot online", async () => {
    shows({ battery: 50 }, "QUIET-1");
    await harness.pass(100);
    expect(await harness.stateOf(quietId)).toMatchObject({ online: true });
    let speaks = true;
    const speak = () => {
      shows({ battery: seq % 100 });
      if (speaks) setImmediate(speak);
    };
    speak();
    try {
      const isOnline = async () => {
        harness.clock.advance(10_000);
        return (await harness.stateOf(quietId)).online;
      };
      await expect.poll(isOnline).toBe(false);
    } finally {
      speaks = false;
    }
  });

  test("protocol rule 10: runs and alerts are bounded, one alert reports it, and its Stop is still confirmed", async () => {
    await flood(40, (index) => {
      const alerts = [{ code: `C${index}`, severity: "CRITICAL", text: "Invented." } as const];
      shows({ ...(index % 2 === 0 ? moving() : {}), battery: index % 100, alerts });
    });
    expect(await countOf("runs")).toBeLessThanOrEqual(robotLimits.runs.burst + 1);
    expect(await countOf("activity")).toBeLessThanOrEqual(robotLimits.runs.burst + 1);
    expect(await countOf("alerts")).toBeLessThanOrEqual(robotLimits.alerts.burst + 3);
    expect(await countOf("readings")).toBeLessThanOrEqual(robotLimits.readings.burst + 31);
    expect(await floodAlerts()).toEqual([
      {
        severity: "WARNING",
        source: "SERVER",
        text: "The robot sends more messages than a working robot would. Its current state is shown, but some of its alerts, runs and history are not stored.",
        isOpen: true,
      },
    ]);
    // The newest state still counts: that it moves, and that it has stopped.
    shows(moving());
    await harness.pass(100);
    expect(await harness.stateOf(floodId)).toMatchObject({ motion: "MOVING", online: true });
    const stop = await harness.command(floodId, "STOP", 5_000_000);
    for (let each = 0; each < 200; each += 1) shows(moving());
    shows({ lastSeq: 5_000_000 });
    await harness.pass(100);
    expect(await harness.stateOf(floodId)).toMatchObject({ motion: "STOPPED", last_seq: 5_000_000 });
    const { outcome } = await harness.database.db
      .selectFrom("commands")
      .select("outcome")
      .where("id", "=", stop)
      .executeTakeFirstOrThrow();
    expect(outcome).toBe("CONFIRMED");
  });

  test("protocol rule 10: a run that a START of Suncrew names is recorded, however much the robot sent before", async () => {
    await flood(20, (index) => shows(index % 2 === 0 ? moving() : {}));
    const runId = randomUUID();
    const id = await harness.command(floodId, "START", 7, runId);
    shows({ ...moving(runId), lastSeq: 7 });
    await harness.pass(100);
    const run = await harness.database.db.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirst();
    expect(run).toMatchObject({ command_id: id, ended_at: null });
    shows({ lastSeq: 7 });
    await harness.pass(100);
    const over = await harness.database.db.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirst();
    expect(over?.ended_at).toEqual(expect.any(Date));
  });

  test("protocol rule 10: events over the budget are neither stored nor acknowledged until the robot repeats them", async () => {
    const sends = (eventSeq: number) =>
      harness.says("FLOOD-1", "event", eventMessage(now(), 1, eventSeq, { kind: "ALERT_CLEARED", code: "BRUSH" }));
    shows({});
    await flood(20, sends);
    const stored = await countOf("robot_events");
    expect(stored).toBeGreaterThanOrEqual(robotLimits.events.burst);
    expect(stored).toBeLessThanOrEqual(robotLimits.events.burst + 4);
    const received = () =>
      new Set(
        harness.broker.published
          .map(({ payload }) => JSON.parse(payload) as { verb: string; eventSeq?: number })
          .flatMap(({ verb, eventSeq }) => (verb === "RECEIVED" && eventSeq !== undefined ? [eventSeq] : [])),
      );
    expect(received().size).toBe(stored);
    expect(await floodAlerts()).toMatchObject([{ isOpen: true }]);
    await harness.pass(60_000);
    expect(received()).not.toContain(10_000);
    sends(10_000);
    await harness.pass(100);
    expect(received()).toContain(10_000);
  });

  test("protocol rule 10: runs that a robot invents in events are bounded too", async () => {
    shows({});
    await flood(20, (index) =>
      harness.says(
        "FLOOD-1",
        "event",
        eventMessage(now(), 1, index + 1, { kind: "RUN_ENDED", runId: randomUUID(), battery: 50, reason: "FAULT" }),
      ),
    );
    expect(await countOf("runs")).toBeLessThanOrEqual(robotLimits.runs.burst + 1);
    expect(await countOf("robot_events")).toBeLessThanOrEqual(robotLimits.runs.burst + 1);
    expect(await countOf("runs")).toBeGreaterThanOrEqual(robotLimits.runs.burst);
  });

  test("protocol rule 10: the alert ends with the first state after ten quiet minutes, and is raised once", async () => {
    await flood(40, (index) => shows({ battery: index % 100, runId: randomUUID() }));
    for (let waitedMs = 0; waitedMs < QUIET_AFTER_FLOOD_MS - 30_000; waitedMs += 30_000) {
      shows({});
      await harness.pass(30_000);
    }
    expect(await floodAlerts()).toMatchObject([{ isOpen: true }]);
    await harness.pass(60_000);
    shows({});
    await harness.pass(100);
    expect(await floodAlerts()).toMatchObject([{ isOpen: false }]);
  });

  test("protocol rule 10: a busy robot, and one that returns with 200 events, raise no alert", async () => {
    for (let half = 0; half < 700; half += 1) {
      const runId = half % 120 < 100 ? "00000000-0000-4000-8000-000000000001" : null;
      shows({ ...(runId !== null && moving(runId)), battery: 100 - (half % 90) });
      await harness.pass(500);
    }
    for (let eventSeq = 1; eventSeq <= 200; eventSeq += 1) {
      harness.says("FLOOD-1", "event", eventMessage(now(), 1, eventSeq, { kind: "ALERT_CLEARED", code: "BRUSH" }));
      if (eventSeq % 20 === 0) await harness.pass(100);
    }
    shows({});
    await harness.pass(100);
    expect(await floodAlerts()).toEqual([]);
    expect(await countOf("robot_events")).toBe(200);
    expect(harness.bridge.badMessages).toEqual({});
  });
});
