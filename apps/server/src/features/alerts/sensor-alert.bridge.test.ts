import { PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import { randomUUID } from "node:crypto";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addDevice } from "../../../test/fixtures.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { testSettings } from "../../../test/test-app.ts";
import { freeSensor, recordReadings, storeSensor } from "../guard/public.ts";
import { AlertWatch } from "./alert-watch.ts";

const MINUTE_MS = 60_000;
/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");

let harness: ScheduleHarness;
/** Two servers that check at the same moment. */
let watches: AlertWatch[];
let siteId: number;
let seq = 0;

beforeEach(async () => {
  harness = await ScheduleHarness.open(BEFORE);
  const { db, clock } = harness;
  const parts = { db, clock, broker: new MemoryBroker(), settings: testSettings, log: pino({ level: "silent" }) };
  watches = ["A", "B"].map((serverName) => new AlertWatch({ ...parts, serverId: randomUUID(), serverName }));
  ({ siteId } = await harness.group(1));
  await db.insertInto("site_guards").values({ site_id: siteId, max_gust_kmh: 45 }).execute();
  await addDevice(db, "WX-1");
  await db.transaction().execute((tx) => storeSensor(tx, siteId, "WX-1", BEFORE));
  await pass(3);
});
afterEach(async () => {
  for (const watch of watches) await watch.stop();
  await harness.close();
});

/** Advances time, and both servers check. */
async function pass(minutes: number): Promise<void> {
  await harness.pass(minutes * MINUTE_MS);
  await Promise.all(watches.map((watch) => watch.runOnce()));
}
async function report(): Promise<void> {
  seq += 1;
  const receivedAt = harness.clock.now();
  const measured = { gust_kmh: 20, rain_mm_h: 0, temperature_c: 30, ts: receivedAt.toISOString() };
  const message = { v: PROTOCOL_VERSION, seq, session: 1, ...measured } as const;
  await harness.db.transaction().execute((tx) => recordReadings(tx, [{ serial: "WX-1", message, receivedAt }]));
}
const alerts = () =>
  harness.db
    .selectFrom("alerts")
    .select(["site_id", "robot_id", "code", "severity", "text", "raised_at", "cleared_at"])
    .orderBy("id")
    .execute();
const open = async () => (await alerts()).filter(({ cleared_at }) => cleared_at === null).map(({ code }) => code);

describe("Alerts: a silent weather sensor", () => {
  test("has one alert of its site after 30 minutes however many servers check, which says since when, until it reports", async () => {
    await report();
    await pass(29.9);
    expect(await alerts()).toEqual([]);
    await pass(0.1);
    await pass(60);
    const silent = {
      site_id: siteId,
      robot_id: null,
      code: "SENSOR_SILENT",
      severity: "WARNING",
      text: "The site's weather sensor WX-1 has sent no reading since 2026-06-15 06:02. Until it does, the forecast alone decides whether robots run.",
      raised_at: new Date(BEFORE.getTime() + 33 * MINUTE_MS),
    };
    expect(await alerts()).toEqual([{ ...silent, cleared_at: null }]);
    await report();
    await pass(1);
    expect(await alerts()).toEqual([{ ...silent, cleared_at: new Date(BEFORE.getTime() + 94 * MINUTE_MS) }]);
  });

  test("that has never reported has none", async () => {
    await pass(600);
    expect(await alerts()).toEqual([]);
  });

  test("has none where its silence is a limit that is passed: that alert says so", async () => {
    await harness.db.updateTable("site_guards").set({ without_sensor: "STOP" }).execute();
    await report();
    await pass(600);
    expect(await alerts()).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["its device is retired", () => harness.db.updateTable("devices").set({ retired_at: BEFORE }).execute()],
    ["it is taken away", () => harness.db.transaction().execute((tx) => freeSensor(tx, siteId))],
    [
      "the site has no limits any more",
      () => harness.db.updateTable("site_guards").set({ max_gust_kmh: null }).execute(),
    ],
    [
      "its silence becomes a limit",
      () => harness.db.updateTable("site_guards").set({ without_sensor: "STOP" }).execute(),
    ],
  ])("is over when %s", async (_, change) => {
    await report();
    await pass(31);
    expect(await open()).toEqual(["SENSOR_SILENT"]);
    await change();
    await pass(1);
    expect(await open()).toEqual([]);
    await pass(60);
    expect(await alerts()).toHaveLength(1);
  });
});
