import { randomUUID } from "node:crypto";
import type { EventMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { QUIET_AFTER_FLOOD_MS, robotLimits } from "@suncrew/domain/devices/robot-budget.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { connectionMessage, eventMessage, stateMessage } from "../../../test/robot-messages.ts";

const SERIAL = "LOST-1";

let harness: BridgeHarness;
let robotId: number;

beforeEach(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
  robotId = await harness.robot(SERIAL);
});
afterEach(() => harness.close());

const now = () => harness.clock.now();
const seconds = () => Math.floor(now().getTime() / 1_000);
const DAY_S = 86_400;

async function connects(session: number): Promise<void> {
  harness.says(SERIAL, "connection", connectionMessage(now(), session));
  await harness.pass(100);
}

async function shows(session: number, seq: number, shown: Partial<StateMessage> = {}, retained = false): Promise<void> {
  harness.says(SERIAL, "state", stateMessage(now(), session, seq, shown), retained);
  await harness.pass(100);
}

async function alerts() {
  return harness.database.db
    .selectFrom("alerts")
    .select(["code", "severity", "cleared_at"])
    .where("robot_id", "=", robotId)
    .where("source", "=", "SERVER")
    .orderBy("id")
    .execute();
}
const openCodes = async () => (await alerts()).filter((alert) => alert.cleared_at === null).map(({ code }) => code);

describe("protocol rule 14: a robot that lost its memory", () => {
  test("protocol rule 14: one that publishes in a lower session raises an alert, and is accepted once its session is higher", async () => {
    await connects(1_000);
    await shows(1_000, 1, { battery: 70 });
    await harness.pass(60_000);
    await connects(5);
    await shows(5, 1, { battery: 60, motion: "MOVING", status: "start", runId: randomUUID() });
    expect(await harness.stateOf(robotId)).toMatchObject({ session: 1_000, battery: 70, motion: "STOPPED" });
    expect(await alerts()).toEqual([{ code: "MEMORY_LOST", severity: "CRITICAL", cleared_at: null }]);
    await shows(5, 2);
    expect(await alerts()).toHaveLength(1);
    await connects(1_001);
    await shows(1_001, 1, { battery: 50 });
    expect(await harness.stateOf(robotId)).toMatchObject({ session: 1_001, battery: 50 });
    expect(await openCodes()).toEqual([]);
  });

  test("protocol rule 14: wills, retained messages and messages in transit may belong to an older session", async () => {
    await connects(1_000);
    await shows(1_000, 1);
    await shows(999, 7);
    await harness.pass(60_000);
    harness.says(SERIAL, "connection", connectionMessage(now(), 999, "CONNECTION_BROKEN"));
    harness.says(SERIAL, "connection", connectionMessage(now(), 999), true);
    await shows(999, 8, {}, true);
    expect(await alerts()).toEqual([]);
  });

  test.each([
    ["session", () => ({ session: seconds() + DAY_S + 60, lastSeq: 0 })],
    ["lastSeq", () => ({ session: 7, lastSeq: now().getTime() + DAY_S * 1_000 + 60_000 })],
    ["session", () => ({ session: 2 ** 53 - 1, lastSeq: 0 })],
    ["lastSeq", () => ({ session: 7, lastSeq: 2 ** 52 })],
  ])(
    "protocol rule 14: an impossible %s locks no robot out: it is dropped and raises an alert",
    async (name, counters) => {
      await shows(7, 1, { battery: 70 });
      const { session, lastSeq } = counters();
      await shows(session, 2, { lastSeq, battery: 60 });
      expect(await harness.stateOf(robotId)).toMatchObject({ session: 7, battery: 70, last_seq: 0 });
      const [alert] = await harness.database.db.selectFrom("alerts").select(["code", "text"]).execute();
      expect(alert).toMatchObject({
        code: "COUNTER_TOO_HIGH",
        text: expect.stringContaining(`reports a ${name} that`),
      });
      harness.says(SERIAL, "connection", connectionMessage(now(), 2 ** 53 - 1));
      await shows(8, 1, { battery: 50 });
      expect(await harness.stateOf(robotId)).toMatchObject({ session: 8, battery: 50 });
      await shows(8, 2);
      expect(await openCodes()).toEqual([]);
    },
  );

  test("protocol rule 14: counters that started from the time, even from a clock hours off, are accepted", async () => {
    const session = seconds() + DAY_S / 2;
    await connects(session);
    await shows(session, 1, { lastSeq: now().getTime() + 1_000, battery: 40 });
    expect(await harness.stateOf(robotId)).toMatchObject({ session, battery: 40 });
    expect(await openCodes()).toEqual([]);
  });
});

describe("protocol rule 14: event numbers", () => {
  const runId = randomUUID();
  const began = (eventSeq: number, of = runId) =>
    eventMessage(now(), 1, eventSeq, { kind: "RUN_BEGAN", runId: of, battery: 80 });
  const received = () =>
    harness.broker.published
      .map(({ payload }) => JSON.parse(payload) as { verb: string; eventSeq?: number })
      .filter(({ verb }) => verb === "RECEIVED")
      .map(({ eventSeq }) => eventSeq);
  const runs = async () =>
    (await harness.database.db.selectFrom("runs").select("id").where("robot_id", "=", robotId).execute()).map(
      ({ id }) => id,
    );

  test("protocol rule 14: an event under a number that was used before is stored, and then acknowledged", async () => {
    await shows(1, 1);
    const first = began(3);
    harness.says(SERIAL, "event", first);
    await harness.pass(60_000);
    // Repeated in a later session: acknowledged, but nothing new.
    harness.says(SERIAL, "event", { ...(first as EventMessage), session: 2 });
    await harness.pass(100);
    expect([received(), await runs()]).toEqual([[3, 3], [runId]]);
    harness.says(SERIAL, "event", eventMessage(now(), 2, 4, { kind: "RUN_ENDED", runId, battery: 70, reason: "STOP" }));
    await harness.pass(60_000);
    const next = randomUUID();
    harness.says(SERIAL, "event", began(3, next));
    await harness.pass(100);
    expect(received()).toEqual([3, 3, 4, 3]);
    expect(new Set(await runs())).toEqual(new Set([runId, next]));
  });

  test("protocol rule 14: an impossible number is neither stored nor acknowledged", async () => {
    await shows(1, 1);
    harness.says(SERIAL, "event", began(seconds() + 2 * DAY_S));
    await harness.pass(100);
    expect([received(), await runs(), await openCodes()]).toEqual([[], [], ["COUNTER_TOO_HIGH"]]);
  });
});

test("protocol rule 9: two machines with one secret that disconnect each other raise an alert; a bad link does not", async () => {
  let session = seconds();
  // A link that breaks every half minute for an hour.
  for (let each = 0; each < 120; each += 1) {
    await connects((session += 1));
    await shows(session, 1);
    await harness.pass(30_000);
  }
  expect(await alerts()).toEqual([]);
  for (let each = 0; each < 2 * robotLimits.connections.burst; each += 1) {
    await connects((session += 1));
    await shows(session, 1, { battery: 20 + (each % 2) * 40, charging: true });
    await harness.pass(1_000);
  }
  expect(await alerts()).toEqual([{ code: "TOO_MANY_CONNECTIONS", severity: "WARNING", cleared_at: null }]);
  await harness.pass(QUIET_AFTER_FLOOD_MS);
  await shows(session, 2, { battery: 60 });
  expect(await openCodes()).toEqual([]);
});
