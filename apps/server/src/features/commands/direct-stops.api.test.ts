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
import { DirectStops, type StopPress, unrecordedResults } from "./direct-stops.ts";
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
  const fleet = Array.from({ length: 500 }, (_, nth) => robotNamed(`FLEET-${nth}`, nth + 1));
  const single = [robotNamed("SINGLE", 9_999)];
  const site = Array.from({ length: 150 }, (_, nth) => robotNamed(`SITE-${nth}`, 5_000 + nth));
  const answers = [press(fleet), press(single), press(site)];
  const sent = (prefix: string) => serials().filter((serial) => serial?.startsWith(prefix)).length;
  await pass(100);
  expect([sent("FLEET"), sent("SINGLE"), sent("SITE")]).toEqual([50, 1, 50]);
  // Nothing has been accepted, yet the others follow.
  await pass(50);
  await pass(50);
  expect([sent("FLEET"), sent("SITE")]).toEqual([150, 150]);
  for (let nth = 0; nth < 7; nth += 1) await pass(50);
  expect(new Set(serials()).size).toBe(651);
  expect(serials()).toHaveLength(651);
  await pass(1_000);
  expect((await Promise.all(answers)).map((results) => results.length)).toEqual([500, 1, 150]);
});

test("protocol rule 3: a Stop that waits for its turn is not sent again once its row has been", async () => {
  const robots = Array.from({ length: 52 }, (_, nth) => robotNamed(`ROBOT-${nth}`, nth + 1));
  let ownPress: StopPress | undefined;
  const { promise: stored, resolve: store } = Promise.withResolvers<string>();
  const viaDatabase = (of: StopPress) => {
    ownPress = of;
    return stored;
  };
  const answer = stops.press({ by, mode: "AUTO", robots }, viaDatabase, () => "not recorded");
  await pass(100);
  ownPress?.noteStored(51);
  ownPress?.noteHandedOver(51);
  await pass(50);
  expect(serials()).toHaveLength(51);
  expect(serials()).not.toContain("ROBOT-50");
  store("stored");
  await pass(1_000);
  expect(await answer).toBe("stored");
});
