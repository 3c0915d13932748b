import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTopic } from "@suncrew/contract/devices/topics.ts";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { DirectStops, unrecordedResults } from "./direct-stops.ts";
import type { KnownRobot } from "./known-robots.repository.ts";

/** Takes what is published, and does not say so. */
class SilentBroker extends MemoryBroker {
  override async publish(topic: string, payload: string): Promise<void> {
    await super.publish(topic, payload);
    await new Promise(() => {});
  }
}

let database: OpenDatabase;
let stopJournalDir: string;
let clock: ManualClock;
let broker: SilentBroker;
let stops: DirectStops;

beforeEach(async () => {
  database = await createTestDatabase();
  stopJournalDir = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  clock = new ManualClock(new Date("2026-06-15T00:30:00Z"));
  broker = new SilentBroker();
  const log = pino({ level: "silent" });
  stops = new DirectStops({ db: database.db, broker, clock, log, serverId: "A", settings: { stopJournalDir } });
});
afterEach(async () => {
  await stops.stop();
  await database.close();
  await rm(stopJournalDir, { recursive: true, force: true });
});

function robotNamed(serial: string, id: number): KnownRobot {
  const params = { direction: "FWD", "main-speed": 50, "brush-speed": 50 } as const;
  const site = { siteId: 1, siteName: "Park", state: "Rajasthan", partnerId: null, groupId: null };
  return { id, serial, ...site, session: 1, wasMoving: true, lastSeq: 0, params };
}

const by = { userId: 1, name: "Omkar Jain", actionType: "MANUAL", press: null } as const;
/** At a database that stores nothing. */
const press = (robots: readonly KnownRobot[]) =>
  stops.press({ by, mode: "AUTO", robots }, () => new Promise<never>(() => {}), unrecordedResults);
const serials = () => broker.published.map(({ topic }) => parseTopic(topic)?.serial);
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise(setImmediate);
}

test("protocol rule 3: a Stop of a robot or a site is not behind the thousands of a fleet, which a slow broker delays little", async () => {
  const fleet = Array.from({ length: 1_200 }, (_, nth) => robotNamed(`FLEET-${nth}`, nth + 1));
  const single = [robotNamed("SINGLE", 9_999)];
  const site = Array.from({ length: 12 }, (_, nth) => robotNamed(`SITE-${nth}`, 5_000 + nth));
  const answers = [press(fleet), press(single), press(site)];
  await pass(100);
  expect(serials()).toHaveLength(513);
  expect(serials()).toEqual(expect.arrayContaining([...single, ...site].map(({ serial }) => serial)));
  // Nothing has been accepted, yet the others follow.
  await pass(100);
  expect(serials()).toHaveLength(1_013);
  await pass(100);
  expect(new Set(serials())).toEqual(new Set([...fleet, ...single, ...site].map(({ serial }) => serial)));
  await pass(1_000);
  expect((await Promise.all(answers)).map((results) => results.length)).toEqual([1_200, 1, 12]);
});
