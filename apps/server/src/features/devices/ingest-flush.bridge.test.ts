import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import pino from "pino";
import { addRobot, addSite } from "../../../test/fixtures.ts";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";
import { TEST_NOW } from "../../../test/test-app.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import { BadMessages } from "./devices.mqtt.ts";
import { IngestQueue } from "./ingest-queue.ts";

let database: OpenDatabase;
let siteId: number;
let queue: IngestQueue;
let bad: BadMessages;
/** Readings of each transaction. */
let stored: number[];
beforeEach(async () => {
  database = await createTestDatabase();
  const clock = new ManualClock(TEST_NOW);
  const log = pino({ level: "silent" });
  siteId = await addSite(database.db, "Flush Park", null);
  for (const serial of ["FLUSH-1", "FLUSH-2"]) await addRobot(database.db, siteId, serial);
  stored = [];
  bad = new BadMessages({ clock, log });
  queue = new IngestQueue({
    db: database.db,
    clock,
    log: new ThrottledLog(log, clock),
    bad,
    maxUnexpected: 5,
    isHeld: () => true,
    onIngested: ({ readings }) => void stored.push(readings),
  });
});
afterEach(() => database.close());

/** Each state differs, so that none makes the previous one redundant. */
const shows = (serial: string, seq: number) =>
  queue.add(serial, {
    leaf: "state",
    message: stateMessage(TEST_NOW, 1, seq, { lastSeq: seq }),
    receivedAt: TEST_NOW,
    retained: false,
  });

describe("protocol rule 10: what a flush stores", () => {
  test("protocol rule 10: everything that waits; what arrives meanwhile waits for the next flush", async () => {
    shows("FLUSH-1", 1);
    const first = queue.flush();
    shows("FLUSH-2", 1);
    shows("FLUSH-1", 2);
    await first;
    expect(stored).toEqual([1]);
    await queue.flush();
    expect(stored).toEqual([1, 2]);
  });

  test("protocol rule 10: a flush requested meanwhile stores what has arrived by then, before both end", async () => {
    shows("FLUSH-1", 1);
    const first = queue.flush();
    shows("FLUSH-2", 1);
    const second = queue.flush();
    await Promise.all([first, second]);
    expect(stored).toEqual([1, 1]);
  });

  test("protocol rule 10: all of a robot's backlog, a few at a time", async () => {
    for (let seq = 1; seq <= 20; seq += 1) shows("FLUSH-1", seq);
    shows("FLUSH-2", 1);
    await queue.flush();
    expect(stored).toEqual([9, 8, 4]);
  });
});

test("protocol rule 6: what somebody waits for is stored before what a whole fleet has sent", async () => {
  queue.expect(3_000);
  const invented = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) shows(`INVENTED-${index}`, 1);
  };
  invented(0, 2_500);
  const ack = { id: randomUUID(), status: "ACCEPTED", code: null, ts: TEST_NOW.toISOString() } as const;
  queue.add("FLUSH-1", { leaf: "ack", message: ack, receivedAt: TEST_NOW });
  invented(2_500, 3_000);
  shows("FLUSH-1", 1);
  await queue.flush();
  expect(stored).toEqual([0, 1, 0, 0]);
});

describe("protocol rule 10: how much waits in memory", () => {
  const MANY = 40;
  const rest = { receivedAt: TEST_NOW, retained: true };

  test("protocol rule 11: both retained messages of every robot, however large the fleet is", async () => {
    for (let index = 1; index <= MANY; index += 1) await addRobot(database.db, siteId, `FLEET-${index}`);
    queue.expect(MANY);
    // A broker sends all connections before the first state.
    for (let index = 1; index <= MANY; index += 1)
      queue.add(`FLEET-${index}`, { leaf: "connection", message: connectionMessage(TEST_NOW, 1), ...rest });
    for (let index = 1; index <= MANY; index += 1)
      queue.add(`FLEET-${index}`, { leaf: "state", message: stateMessage(TEST_NOW, 1, 1), ...rest });
    await queue.flush();
    const known = await database.db
      .selectFrom("robot_state")
      .where("connection", "=", "ONLINE")
      .where("state_seq", "is not", null)
      .select("robot_id")
      .execute();
    expect(known.length).toBe(MANY);
    expect(bad.counts).toEqual({});
  });

  test("protocol rule 10: invented serial numbers take a limited number of places beyond the fleet", () => {
    queue.expect(2);
    for (let index = 1; index <= MANY; index += 1) shows(`INVENTED-${index}`, 1);
    expect(bad.counts).toEqual({ overflow: MANY - 7 });
  });
});
