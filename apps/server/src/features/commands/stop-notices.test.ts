import { randomUUID } from "node:crypto";
import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { SentStops } from "./stop-journal.ts";
import { StopNotices } from "./stop-notices.ts";

const TOPIC = "suncrew/stops/press/0";

let clock: ManualClock;
let broker: MemoryBroker;
let notices: StopNotices;

beforeEach(async () => {
  clock = new ManualClock(new Date("2026-06-15T00:30:00Z"));
  broker = new MemoryBroker();
  notices = await listening(broker);
});
afterEach(() => notices.stop());

async function listening(peerBroker: MemoryBroker, log = pino({ level: "silent" })): Promise<StopNotices> {
  const started = new StopNotices({ peerBroker, clock, log });
  await started.start();
  await pass(1_000);
  return started;
}

/** Lets time pass, and what is done every half second. */
async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 500) {
    await new Promise(setImmediate);
    clock.advance(500);
  }
  await new Promise(setImmediate);
}

function pressFor(robotIds: readonly number[]): Pick<SentStops, "id" | "stops"> {
  const params = { direction: "FWD", "main-speed": 50, "brush-speed": 50 } as const;
  const stops = robotIds.map((robotId) => {
    return { id: randomUUID(), renumberedId: randomUUID(), seq: 1, robotId, serial: "S", session: 1, params };
  });
  return { id: randomUUID(), stops };
}

/** The broker brings what was published to every server, this one among them. */
function deliver(): void {
  for (const { topic, payload } of broker.published.splice(0)) broker.receive(topic, payload && JSON.parse(payload));
}

test("protocol rule 3: a Stop for thousands of robots is told in messages that a broker accepts", () => {
  const robotIds = Array.from({ length: 5_000 }, (_, nth) => nth + 100_000);
  notices.announce(pressFor(robotIds));
  expect(broker.published.length).toBeGreaterThan(1);
  for (const { payload, retain } of broker.published) {
    expect(payload.length).toBeLessThan(MAX_MESSAGE_BYTES);
    expect(retain).toBe(true);
  }
  deliver();
  expect(robotIds.filter((robotId) => !notices.holdsBack(robotId))).toEqual([]);
});

test("protocol rule 3: it counts until it is withdrawn, for each robot that has its row and for the whole press", async () => {
  const press = pressFor([7, 8]);
  notices.announce(press);
  deliver();
  expect([7, 8, 9].map((id) => notices.holdsBack(id))).toEqual([true, true, false]);
  notices.update([{ ...press, stops: press.stops.slice(1) }]);
  deliver();
  expect([7, 8].map((id) => notices.holdsBack(id))).toEqual([false, true]);
  notices.update([]);
  deliver();
  expect(notices.holdsBack(8)).toBe(false);
  // The broker has accepted that, so it is not said again.
  await pass(500);
  notices.update([]);
  expect(broker.published).toEqual([]);
});

test("protocol rule 3: one that is not repeated counts for as long as a run may begin late, and is then removed from the broker", async () => {
  notices.announce(pressFor([7]));
  deliver();
  await pass(STARTS_LATE_UP_TO_MS);
  expect(notices.holdsBack(7)).toBe(true);
  await pass(1_000);
  expect(notices.holdsBack(7)).toBe(false);
  expect(broker.published).toMatchObject([{ payload: "", retain: true }]);
});

test("protocol rule 3: one that the broker retained is as old as it says", async () => {
  const at = new Date(clock.now().getTime() - STARTS_LATE_UP_TO_MS + 5_000);
  broker.receive(TOPIC, { at, robotIds: [7] }, true);
  expect(notices.holdsBack(7)).toBe(true);
  await pass(6_000);
  expect(notices.holdsBack(7)).toBe(false);
});

test("protocol rule 3: a server that starts, or connects again, starts no due run before it has heard what is retained", async () => {
  broker.setConnected(false);
  await pass(60_000);
  expect(notices.holdsBack(7)).toBe(false);
  broker.setConnected(true);
  await pass(1_000);
  expect(notices.holdsBack(7)).toBe(true);
  broker.receive(TOPIC, { at: clock.now(), robotIds: [7] }, true);
  await pass(1_000);
  expect([7, 8].map((id) => notices.holdsBack(id))).toEqual([true, false]);
});

test("set-up: a broker that refuses servers the topic keeps no run from starting, and is asked once a minute", async () => {
  const lines: string[] = [];
  let attempts = 0;
  class RefusingBroker extends MemoryBroker {
    override async subscribe(): Promise<never> {
      attempts += 1;
      throw new Error("Subscribe error: Unspecified error");
    }
  }
  const log = pino({ level: "error" }, { write: (line) => void lines.push(line) });
  const without = await listening(new RefusingBroker(), log);
  expect(without.holdsBack(7)).toBe(false);
  await pass(50_000);
  expect(attempts).toBe(1);
  await without.stop();
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "the subscription to other servers' Stops is refused",
  ]);
});

test("protocol rule 10: a message that is no notice changes nothing", () => {
  for (const message of [null, "stop", { at: clock.now(), robotIds: ["7"] }, { robotIds: [7] }]) {
    broker.receive(TOPIC, message);
  }
  expect(notices.holdsBack(7)).toBe(false);
});
