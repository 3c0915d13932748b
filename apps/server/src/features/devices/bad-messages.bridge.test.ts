import { randomUUID } from "node:crypto";
import { robotLeaves, serverLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { RealBroker } from "../../../test/real-broker.ts";
import { eventMessage, stateMessage } from "../../../test/robot-messages.ts";
import { openMessage } from "./devices.mqtt.ts";

let harness: BridgeHarness;

beforeEach(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterEach(() => harness.close());

const now = () => harness.clock.now();

describe("protocol rule 10: bad messages change nothing", () => {
  test("protocol rule 10: each kind is counted, and none reaches the database", async () => {
    const robotId = await harness.robot("BAD-1");
    await harness.robot("BAD-2");
    await harness.database.db.updateTable("devices").set({ retired_at: now() }).where("serial", "=", "BAD-2").execute();
    const good = stateMessage(now(), 1, 1);
    harness.says("BAD-1", "state", { ...good, firmware: "x".repeat(40_000) });
    harness.says("BAD-1", "state", { ...good, battery: 101 });
    harness.says("BAD-1", "state", { ...good, session: -1 });
    harness.says("BAD-1", "state", { ...good, status: "st\u0000p" });
    harness.broker.receive(topicOf("BAD-1", "command"), good);
    harness.broker.receive("scr/v2/BAD-1/state", good);
    harness.broker.receive("scr/v1/BAD+1/state", good);
    harness.says("NOBODY-1", "state", good);
    harness.says("BAD-2", "state", good);
    await harness.pass(100);
    expect(harness.bridge.badMessages).toEqual({ oversized: 1, schema: 2, json: 1, topic: 3, "unknown-serial": 2 });
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false, state_seq: null });
  });

  test("protocol rule 10: what the database cannot represent is refused alone; the robot's other messages are stored", async () => {
    const robotId = await harness.robot("ODD-1");
    const good = stateMessage(now(), 1, 1);
    const cleared = { kind: "ALERT_CLEARED", code: "BRUSH" } as const;
    harness.says("ODD-1", "event", eventMessage(now(), 1, 1, { ...cleared, code: "\ud800" }));
    harness.says("ODD-1", "state", { ...good, status: "\udc00\ud83d" });
    harness.says("ODD-1", "state", { ...good, ts: "0000-01-01T00:00:00Z" });
    harness.says("ODD-1", "event", eventMessage(new Date("0000-12-31T23:59:59Z"), 1, 1, cleared));
    harness.says("ODD-1", "state", { ...good, status: "\ud83d\ude00" });
    await harness.pass(100);
    expect(harness.bridge.badMessages).toEqual({ json: 2, schema: 2 });
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, state_seq: 1 });
  });

  test("protocol rule 10: surrogate pairs may arrive as escapes", () => {
    const text = JSON.stringify({ ...stateMessage(now(), 1, 1), status: "STATUS" }).replace("STATUS", "\\ud83d\\ude00");
    const opened = openMessage(
      { topic: topicOf("BAD-1", "state"), payload: Buffer.from(text), retained: false },
      now(),
    );
    expect(opened).toMatchObject({ incoming: { message: { status: "\u{1f600}" } } });
  });

  test("protocol rule 10: each kind of dropped message is logged once in 10 s, without its content", async () => {
    for (let index = 0; index < 500; index += 1) harness.says("BAD-1", "state", { secret: "hunter2", index });
    expect(harness.log.filter((line) => line.includes("dropped"))).toHaveLength(1);
    expect(harness.log.join("")).not.toContain("hunter2");
    await harness.pass(10_000);
    harness.says("BAD-1", "state", {});
    const dropped = harness.log.filter((line) => line.includes("dropped"));
    expect(dropped).toHaveLength(2);
    expect(dropped[1]).toContain('"count":501');
  });

  test("protocol rule 10: messages that the database refuses are dropped alone; the rest of their batch is stored", async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, (_, index) => harness.robot(`MIX-${index}`)));
    await sql`alter table readings add constraint refusing check (seq <> 77)`.execute(harness.database.db);
    for (let index = 0; index < 9; index += 1) {
      harness.says(`MIX-${index}`, "state", stateMessage(now(), 1, index === 4 ? 77 : 1));
    }
    harness.says("MIX-4", "event", eventMessage(now(), 1, 1, { kind: "ALERT_CLEARED", code: "BRUSH" }));
    await harness.pass(100);
    const online = await Promise.all(ids.map(async (id) => (await harness.stateOf(id)).online));
    expect(online).toEqual(ids.map((_, index) => index !== 4));
    expect(harness.bridge.badMessages).toEqual({ refused: 2 });
  });

  test("protocol rule 10: no bytes on any topic cause an exception", () => {
    const topic = fc.oneof(
      fc.string(),
      fc.constantFrom(...robotLeaves, ...serverLeaves).map((leaf) => `scr/v1/BAD-1/${leaf}`),
    );
    const payload = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(topic, payload, fc.boolean(), (to, bytes, retained) => {
        expect(openMessage({ topic: to, payload: Buffer.from(bytes), retained }, now())).toHaveProperty("bad");
      }),
      { numRuns: 1_000 * inject("soak").factor },
    );
  });

  test("protocol rule 10: a flood of malformed messages through a real broker does not delay the good ones", async () => {
    const broker = await RealBroker.start();
    const watched = await broker.server("server-flood");
    const flooded = await createBridge({ database: harness.database, broker: watched, clock: harness.clock });
    try {
      await harness.bridge.stop();
      await flooded.bridge.start();
      await flooded.bridge.idle();
      const robotId = await harness.robot("FLOOD-1");
      const robot = await broker.robot("FLOOD-1", 1, now());
      const last = watched.untilHandled(({ payload }) => payload.includes('"seq":20,'));
      const sent: Promise<unknown>[] = [];
      for (let index = 0; index < 2_000; index += 1) {
        const payload = index % 2 === 0 ? "{not json" : JSON.stringify({ seq: index });
        sent.push(robot.publishAsync(topicOf("FLOOD-1", "state"), payload, { qos: 1 }));
        if (index % 100 !== 99) continue;
        const state = JSON.stringify(stateMessage(now(), 1, (index + 1) / 100));
        sent.push(robot.publishAsync(topicOf("FLOOD-1", "state"), state, { qos: 1 }));
      }
      await Promise.all(sent);
      await last;
      await flooded.pass(100);
      expect(await harness.stateOf(robotId)).toMatchObject({ online: true, state_seq: 20 });
      expect(flooded.bridge.badMessages).toEqual({ json: 1_000, schema: 1_000 });
    } finally {
      await flooded.close();
      await broker.stop();
    }
  });
});

describe("device protocol: what cannot be stored yet waits", () => {
  test("protocol rule 7: while the database is unreachable the newest message waits, and is stored afterwards", async () => {
    const robotId = await harness.robot("WAIT-1");
    await sql`alter table readings rename to readings_away`.execute(harness.database.db);
    for (let seq = 1; seq <= 100; seq += 1) harness.says("WAIT-1", "state", stateMessage(now(), 1, seq));
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: false, state_seq: null });
    harness.says("WAIT-1", "state", stateMessage(now(), 1, 101));
    await sql`alter table readings_away rename to readings`.execute(harness.database.db);
    await harness.pass(1_000);
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, state_seq: 101 });
    expect(harness.bridge.badMessages).toEqual({});
  });

  test("protocol rule 10: messages that meet an unexpected error are retried, set aside after five attempts, and delay no other robot", async () => {
    const oddId = await harness.robot("ODD-9");
    const robotId = await harness.robot("FINE-9");
    const { db } = harness.database;
    await sql`create function break_down() returns trigger language plpgsql as $$
      begin raise exception 'something nobody thought of'; end $$`.execute(db);
    await sql`create trigger break_down before insert on robot_events for each row
      when (new.robot_id = ${sql.lit(oddId)}) execute function break_down()`.execute(db);
    harness.says("ODD-9", "event", eventMessage(now(), 1, 1, { kind: "ALERT_CLEARED", code: "BRUSH" }));
    harness.says("ODD-9", "state", stateMessage(now(), 1, 1));
    const lost = () =>
      db.selectFrom("alerts").select(["robot_id", "cleared_at"]).where("code", "=", "MESSAGES_LOST").execute();
    // Tried immediately, and again after 1, 2, 4 and 8 s.
    for (let second = 0; second <= 14; second += 1) {
      harness.says("FINE-9", "state", stateMessage(now(), 1, second + 1));
      await harness.pass(100);
      expect(await harness.stateOf(robotId)).toMatchObject({ online: true, state_seq: second + 1 });
      expect(harness.bridge.badMessages).toEqual({});
      await harness.pass(900);
    }
    await harness.pass(1_000);
    expect(harness.bridge.badMessages).toEqual({ "set-aside": 2 });
    expect(harness.log.join("")).toContain("something nobody thought of");
    expect(await lost()).toEqual([{ robot_id: oddId, cleared_at: null }]);
    // Later messages are stored and clear the alert.
    harness.says("ODD-9", "state", stateMessage(now(), 1, 2));
    await harness.pass(100);
    expect(await harness.stateOf(oddId)).toMatchObject({ online: true, state_seq: 2 });
    expect(await lost()).toEqual([{ robot_id: oddId, cleared_at: expect.any(Date) }]);
  });

  test("protocol rule 10: if nothing can be stored for any robot, everything is retained as long as necessary", async () => {
    const ids = await Promise.all(["ALL-1", "ALL-2"].map((serial) => harness.robot(serial)));
    await sql`alter table readings rename to readings_away`.execute(harness.database.db);
    for (const serial of ["ALL-1", "ALL-2"]) harness.says(serial, "state", stateMessage(now(), 1, 1));
    for (let second = 0; second < 30; second += 1) await harness.pass(1_000);
    expect(harness.bridge.badMessages).toEqual({});
    await sql`alter table readings_away rename to readings`.execute(harness.database.db);
    await harness.pass(1_000);
    for (const id of ids) expect(await harness.stateOf(id)).toMatchObject({ online: true, state_seq: 1 });
  });

  test("protocol rule 11: a bridge that lost its lock discards what waits, and starts afresh when it regains the lock", async () => {
    const robotId = await harness.robot("LOST-1");
    harness.says("LOST-1", "state", stateMessage(now(), 1, 1));
    await harness.loseLock();
    expect(harness.bridge.active).toBe(false);
    harness.says("LOST-1", "state", stateMessage(now(), 1, 2));
    await harness.pass(1_000);
    await harness.pass(100);
    expect(harness.bridge.active).toBe(true);
    expect(await harness.stateOf(robotId)).toMatchObject({ state_seq: null });
    harness.says("LOST-1", "state", stateMessage(now(), 1, 3));
    await harness.pass(100);
    expect(await harness.stateOf(robotId)).toMatchObject({ state_seq: 3 });
  });

  test("protocol rule 11: once the broker is back the robots are queried, and what is pending is sent again", async () => {
    const robotId = await harness.robot("BACK-1");
    harness.says("BACK-1", "state", stateMessage(now(), 1, 1));
    await harness.pass(500);
    await harness.pass(10_000);
    harness.resent.length = 0;
    harness.broker.published.length = 0;
    harness.broker.setConnected(false);
    harness.broker.setConnected(true);
    await harness.pass(500);
    await harness.pass(10_000);
    expect(harness.resent).toEqual([robotId]);
    expect(harness.broker.published.map(({ payload }): unknown => JSON.parse(payload))).toMatchObject([
      { verb: "STATUS" },
    ]);
  });

  test("protocol rule 6: a live state of the current session settles a command in the same flush", async () => {
    const robotId = await harness.robot("DONE-1");
    const runId = randomUUID();
    const id = await harness.command(robotId, "START", 5, runId);
    const moving = { motion: "MOVING", runId, lastSeq: 5, status: "start" } as const;
    const command = () =>
      harness.database.db.selectFrom("commands").select("outcome").where("id", "=", id).executeTakeFirstOrThrow();
    harness.says("DONE-1", "state", stateMessage(now(), 1, 1, moving), true);
    await harness.pass(100);
    expect(await command()).toEqual({ outcome: null });
    harness.says("DONE-1", "state", stateMessage(now(), 1, 2, moving));
    await harness.pass(100);
    expect(await command()).toEqual({ outcome: "CONFIRMED" });
  });

  test("protocol rule 6: what settles a command is stored at once, for somebody waits for it", async () => {
    const robotId = await harness.robot("SOON-1");
    const runId = randomUUID();
    const [accepted, rejected] = [
      await harness.command(robotId, "START", 5, runId),
      await harness.command(await harness.robot("SOON-2"), "START", 5, randomUUID()),
    ];
    const settled = async (id: string) => {
      const command = harness.database.db.selectFrom("commands").select("outcome").where("id", "=", id);
      for (;;) {
        const { outcome } = await command.executeTakeFirstOrThrow();
        if (outcome !== null) return outcome;
      }
    };
    const ts = now().toISOString();
    // Time stands still: no flush becomes due.
    harness.says("SOON-1", "ack", { id: accepted, status: "ACCEPTED", code: null, ts });
    const moving = { motion: "MOVING", runId, lastSeq: 5, status: "start" } as const;
    harness.says("SOON-1", "state", stateMessage(now(), 1, 1, moving));
    expect(await settled(accepted)).toBe("CONFIRMED");
    harness.says("SOON-2", "ack", { id: rejected, status: "REJECTED", code: "BUSY", ts });
    expect(await settled(rejected)).toBe("REJECTED");
  });
});
