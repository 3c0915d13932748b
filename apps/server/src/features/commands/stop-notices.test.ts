import { randomUUID } from "node:crypto";
import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { SentStops } from "./stop-journal.ts";
import { StopNotices } from "./stop-notices.ts";

let seeded: Awaited<ReturnType<typeof createSeededDatabase>>;
let clock: ManualClock;
let broker: MemoryBroker;
let notices: StopNotices;

beforeEach(async () => {
  seeded = await createSeededDatabase();
  clock = new ManualClock(new Date("2026-06-15T00:30:00Z"));
  broker = new MemoryBroker();
  notices = new StopNotices({ db: seeded.database.db, clock, broker, log: pino({ level: "silent" }) });
  await notices.start();
});
afterEach(async () => {
  await notices.stop();
  await seeded.database.close();
});

function pressFor(robotIds: readonly number[]): SentStops {
  const params = { direction: "FWD", "main-speed": 50, "brush-speed": 50 } as const;
  return {
    id: randomUUID(),
    at: clock.now(),
    siteId: 1,
    by: { userId: 1, name: "Anita Rao", actionType: "GROUP", press: null },
    mode: "AUTO",
    stops: robotIds.map((robotId) => {
      return { id: randomUUID(), renumberedId: randomUUID(), seq: 1, robotId, serial: "S", session: 1, params };
    }),
  };
}

/** The broker brings what was published to every server, this one among them. */
function deliver(): void {
  for (const { topic, payload } of broker.published.splice(0)) broker.receive(topic, JSON.parse(payload));
}

test("protocol rule 3: a Stop for thousands of robots is told in messages that a broker accepts", () => {
  const robotIds = Array.from({ length: 3_000 }, (_, nth) => nth + 1);
  notices.announce(pressFor(robotIds));
  expect(broker.published.length).toBeGreaterThan(1);
  for (const { payload } of broker.published) expect(payload.length).toBeLessThan(MAX_MESSAGE_BYTES);
  deliver();
  expect(robotIds.filter((robotId) => !notices.isStopped(robotId))).toEqual([]);
});

test("protocol rule 3: it counts until it has not been heard of for as long as a run may begin late", () => {
  const press = pressFor([7]);
  notices.announce(press);
  deliver();
  clock.advance(STARTS_LATE_UP_TO_MS - 1_000);
  notices.announce(press);
  deliver();
  clock.advance(STARTS_LATE_UP_TO_MS);
  expect(notices.isStopped(7)).toBe(true);
  clock.advance(1_000);
  expect(notices.isStopped(7)).toBe(false);
});

test("set-up: a broker that refuses the servers' account the topic is logged as an outage, not with every attempt", async () => {
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line) => void lines.push(line) });
  class RefusingBroker extends MemoryBroker {
    readonly refused = Promise.withResolvers<void>();
    #attempts = 0;

    override async subscribe(): Promise<never> {
      this.#attempts += 1;
      if (this.#attempts === 3) this.refused.resolve();
      throw new Error("Subscribe error: Unspecified error");
    }
  }
  const refusing = new RefusingBroker();
  const without = new StopNotices({ db: seeded.database.db, clock, broker: refusing, log });
  await without.start();
  for (let second = 0; second < 2; second += 1) {
    await new Promise(setImmediate);
    clock.advance(500);
  }
  await refusing.refused.promise;
  await without.stop();
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "the subscription to other servers' Stops is refused",
  ]);
});

test("protocol rule 10: a message that is no notice changes nothing", () => {
  for (const message of [null, "stop", { stops: [{ robotId: 7, ids: [] }] }, { stops: [{ robotId: "7" }] }]) {
    broker.receive("suncrew/stops", message);
  }
  expect(notices.isStopped(7)).toBe(false);
});
