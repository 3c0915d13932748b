import { PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import type { WithoutSensor } from "@suncrew/contract/guard/site-guard.ts";
import type { ForecastHour } from "@suncrew/domain/guard/weather-guard.ts";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addDevice } from "../../../test/fixtures.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { acceptOrders, type Commands } from "../commands/public.ts";
import { reasonText, stoppedBy } from "../runs/public.ts";
import { recordReadings, storeSensor } from "./sensors.repository.ts";
import { WeatherGuard } from "./weather-guard.ts";

const MINUTE_MS = 60_000;
/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const SIX = "2026-06-15 06:00:00";

let harness: ScheduleHarness;
/** Gusts of every hour, in km/h; null if there is no forecast. */
let gusts: number | null;
let guards: WeatherGuard[];

beforeEach(async () => {
  harness = await ScheduleHarness.open(BEFORE);
  gusts = 20;
  guards = [];
});
afterEach(() => harness.close());

async function readHours(_: unknown, siteIds: readonly number[], from: Date, to: Date) {
  if (gusts === null) return new Map();
  const known = { gust_kmh: gusts, rain_mm: 0, temperature_c: 30, weather_received_at: harness.clock.now() };
  const hours: ForecastHour[] = [];
  for (let at = from.getTime() + 60 * MINUTE_MS; at <= to.getTime(); at += 60 * MINUTE_MS) {
    hours.push({ at: new Date(at), ...known });
  }
  return new Map(siteIds.map((siteId) => [siteId, hours]));
}

/** The guard of another server; with `dispatch` it dies before it sends. */
function addGuard(dispatch?: Commands["dispatch"]): WeatherGuard {
  const [server] = harness.servers;
  if (server === undefined) throw new Error("The harness has no server.");
  const commands = dispatch ? { dispatch } : server.commands;
  const { db, clock } = harness;
  const guard = new WeatherGuard({ db, clock, log: pino({ level: "silent" }), commands, readHours });
  guards.push(guard);
  return guard;
}

/** Time passes, second by second as far as guards are concerned. */
async function pass(ms: number): Promise<void> {
  const STEP_MS = 5_000;
  for (let left = ms; left > 0; left -= STEP_MS) {
    await Promise.all(guards.map((guard) => guard.runOnce()));
    await harness.deliver();
    await harness.pass(Math.min(left, STEP_MS));
  }
  await Promise.all(guards.map((guard) => guard.runOnce()));
  await harness.deliver();
}

const limit = (siteId: number, without_sensor: WithoutSensor = "FORECAST") =>
  harness.db.insertInto("site_guards").values({ site_id: siteId, max_gust_kmh: 45, without_sensor }).execute();

/** Reports gusts each time it is called, of the newest session. */
async function addSensor(siteId: number): Promise<(gust: number) => Promise<void>> {
  const serial = `WX-${siteId}`;
  await addDevice(harness.db, serial);
  await harness.db.transaction().execute((tx) => storeSensor(tx, siteId, serial, harness.clock.now()));
  let seq = 0;
  return async (gust) => {
    seq += 1;
    const receivedAt = harness.clock.now();
    const measured = { gust_kmh: gust, rain_mm_h: 0, temperature_c: 30, ts: receivedAt.toISOString() };
    const message = { v: PROTOCOL_VERSION, seq, session: 1, ...measured } as const;
    await harness.db.transaction().execute((tx) => recordReadings(tx, [{ serial, message, receivedAt }]));
  };
}
const alerts = (siteId: number) =>
  harness.db
    .selectFrom("alerts")
    .select(["code", "severity", "text", "cleared_at"])
    .where("site_id", "=", siteId)
    .where("robot_id", "is", null)
    .execute();

async function start(siteId: number, robotId: number): Promise<string | null> {
  const by = { userId: null, name: "Anita Rao", actionType: "MANUAL" } as const;
  const order = { verb: "START", by, mode: "AUTO", maxDurationS: 3_600 } as const;
  const [one] = await harness.db
    .transaction()
    .execute((tx) => acceptOrders(tx, siteId, [robotId], order, harness.clock.now()));
  return one?.accepted.kind === "refused" ? one.accepted.reason.code : null;
}

describe("Wind and rain guard: what people are told", () => {
  test("Wind and rain guard: the one alert is reworded when another limit is passed, and says since when robots rest", async () => {
    const { siteId } = await harness.group(1);
    await limit(siteId, "STOP");
    const report = await addSensor(siteId);
    addGuard();
    await pass(1_000);
    const [silent] = await alerts(siteId);
    expect(silent?.text).toContain("no reading of the site's weather sensor");
    await report(90);
    await pass(6_000);
    const [gusty, ...more] = await alerts(siteId);
    expect(more).toEqual([]);
    expect(gusty).toMatchObject({ text: expect.stringContaining("gusts of 90 km/h"), cleared_at: null });
  });

  test("Wind and rain guard: a verdict that was too old to be shown is news when it is judged again", async () => {
    const { siteId } = await harness.group(1);
    await limit(siteId);
    const changes = async () =>
      (await harness.db.selectFrom("site_guards").select("change_no").execute())[0]?.change_no;
    addGuard();
    await pass(1_000);
    const first = await changes();
    await pass(10_000);
    expect(await changes()).toEqual(first);
    await harness.pass(30_000);
    await pass(1_000);
    expect(await changes()).not.toEqual(first);
  });
});

describe("Wind and rain guard: a Start", () => {
  test("Wind and rain guard: is refused where a limit is passed, with gust, limit and source, until ten minutes of calm", async () => {
    const { siteId, robotIds } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await limit(siteId);
    addGuard();
    gusts = 62;
    await pass(1_000);
    expect(await start(siteId, robotId)).toBe("WEATHER_LIMIT");
    expect(await harness.activity()).toMatchObject([
      {
        status: "REFUSED",
        details: expect.stringContaining("gusts of 62 km/h (limit 45 km/h) are forecast"),
      },
    ]);
    gusts = 30;
    await pass(9 * MINUTE_MS);
    expect(await start(siteId, robotId)).toBe("WEATHER_LIMIT");
    await pass(MINUTE_MS + 10_000);
    expect(await start(siteId, robotId)).toBe(null);
  });

  test("Wind and rain guard: is refused while nobody has judged the weather, or has not for a while", async () => {
    const { siteId, robotIds } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await limit(siteId);
    expect(await start(siteId, robotId)).toBe("WEATHER_UNKNOWN");
    addGuard();
    await pass(1_000);
    guards = [];
    await harness.pass(21_000);
    expect(await start(siteId, robotId)).toBe("WEATHER_UNKNOWN");
    gusts = null;
    addGuard();
    await pass(1_000);
    expect(await start(siteId, robotId)).toBe("WEATHER_UNKNOWN");
    expect(await alerts(siteId)).toEqual([]);
  });

  test("Wind and rain guard: is as ever at a site without limits", async () => {
    const { siteId, robotIds } = await harness.group(1);
    gusts = 200;
    addGuard();
    await pass(1_000);
    expect(await start(siteId, robotIds[0] ?? 0)).toBe(null);
  });
});

describe("Wind and rain guard: a robot that runs", () => {
  test("Wind and rain guard: is stopped, which ends its run, and one alert of the site says why until it is over", async () => {
    const { siteId, robotIds } = await harness.group(2);
    const other = await harness.group(1);
    await limit(siteId);
    addGuard();
    await pass(1_000);
    for (const robotId of robotIds) await harness.press("START", robotId, siteId);
    await harness.press("START", other.robotIds[0] ?? 0, other.siteId);
    gusts = 62;
    await pass(10_000);
    for (const robotId of robotIds) {
      expect(harness.robots.motions(robotId)).toMatchObject([{ endedAt: expect.any(Date) }]);
      expect(await harness.commands(robotId)).toMatchObject([
        { verb: "START" },
        { verb: "STOP", requested_by: "Wind and rain guard", action_type: "SYSTEM", outcome: "CONFIRMED" },
      ]);
    }
    const because = "gusts of 62 km/h (limit 45 km/h) are forecast";
    expect((await harness.activity()).filter(({ action }) => action === "STOP")).toMatchObject(
      robotIds.map(() => ({
        user_name: "Wind and rain guard",
        details: `The robot showed that it has stopped: ${because}.`,
      })),
    );
    const ends = await harness.db
      .selectFrom("runs")
      .selectAll()
      .select(stoppedBy.as("stopped_by"))
      .where("site_id", "=", siteId)
      .execute();
    expect(ends.map((end) => reasonText({ ...end, stoppedBy: end.stopped_by }))).toEqual(
      robotIds.map(() => `Stopped by Wind and rain guard: ${because}.`),
    );
    expect(harness.robots.motions(other.robotIds[0] ?? 0)).toMatchObject([{ endedAt: null }]);
    expect(await alerts(siteId)).toMatchObject([
      { code: "WEATHER_LIMIT", severity: "WARNING", text: expect.stringContaining("62 km/h"), cleared_at: null },
    ]);
    gusts = 20;
    await pass(11 * MINUTE_MS);
    expect(await alerts(siteId)).toMatchObject([{ cleared_at: expect.any(Date) }]);
  });

  test("Wind and rain guard: is stopped once if several servers see it, and by another one if the first dies", async () => {
    const { siteId, robotIds } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await limit(siteId);
    addGuard(async () => {});
    addGuard();
    await pass(1_000);
    await harness.press("START", robotId, siteId);
    gusts = 62;
    await pass(10_000);
    expect((await harness.commands(robotId)).map(({ verb }) => verb)).toEqual(["START", "STOP"]);
  });

  test("Wind and rain guard: that is away gets its Stop when it returns", async () => {
    const { siteId, robotIds } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await limit(siteId);
    addGuard();
    await pass(1_000);
    await harness.press("START", robotId, siteId);
    await harness.robots.leave(robotId);
    gusts = 62;
    await pass(10_000);
    expect(await harness.commands(robotId)).toMatchObject([{}, { verb: "STOP", settled_at: null }]);
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await harness.deliver();
    expect(await harness.commands(robotId)).toMatchObject([{}, { verb: "STOP", outcome: "CONFIRMED" }]);
  });
});

describe("Wind and rain guard: a due run", () => {
  test("Wind and rain guard: is skipped with the reason where a limit is passed, without an alert of its robot", async () => {
    const group = await harness.group(1);
    await limit(group.siteId);
    const id = await harness.schedule(group, { startTime: SIX });
    addGuard();
    gusts = 62;
    await pass(2 * MINUTE_MS);
    expect(await harness.runs(id)).toMatchObject([
      { outcome: "SKIPPED", reason_code: "WEATHER_LIMIT", reason: expect.stringContaining("62 km/h") },
    ]);
    expect((await alerts(group.siteId)).map(({ code }) => code)).toEqual(["WEATHER_LIMIT"]);
  });

  test("Wind and rain guard: waits for weather that nobody knows, and starts late once it is known", async () => {
    const group = await harness.group(1);
    await limit(group.siteId);
    const id = await harness.schedule(group, { startTime: SIX });
    addGuard();
    gusts = null;
    await pass(3 * MINUTE_MS);
    expect(await harness.runs(id)).toEqual([]);
    expect((await harness.scheduleRow(id)).waiting).toContain("Waiting for the weather");
    gusts = 20;
    await pass(MINUTE_MS);
    expect(await harness.runs(id)).toMatchObject([{ began_at: expect.any(Date), outcome: null }]);
  });

  test("Wind and rain guard: is skipped with that reason after ten minutes of unknown weather; the site has one alert until a run starts again", async () => {
    const group = await harness.group(2);
    await limit(group.siteId);
    const id = await harness.schedule(group, { startTime: SIX });
    addGuard();
    gusts = null;
    await pass(13 * MINUTE_MS);
    const skipped = { outcome: "SKIPPED", reason_code: "WEATHER_UNKNOWN" };
    expect(await harness.runs(id)).toMatchObject([skipped, skipped]);
    const all = () => harness.db.selectFrom("alerts").select(["code", "robot_id", "text", "cleared_at"]).execute();
    const alert = {
      code: "RUN_SKIPPED",
      robot_id: null,
      text: expect.stringContaining("the weather at the site is not known"),
    };
    expect(await all()).toMatchObject([{ ...alert, cleared_at: null }]);
    gusts = 20;
    const nextRun = { status: "ACTIVE", next_run_at: new Date("2026-06-15T00:50:00Z") } as const;
    await harness.db.updateTable("schedules").set(nextRun).where("id", "=", id).execute();
    await pass(10 * MINUTE_MS);
    expect(await all()).toMatchObject([{ ...alert, cleared_at: expect.any(Date) }]);
  });
});

describe("Wind and rain guard: a site's weather sensor", () => {
  test("Wind and rain guard: gusts that it measures stop what runs and refuse Starts, with sensor and value, until ten minutes of calm", async () => {
    const { siteId, robotIds } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await limit(siteId);
    const measures = await addSensor(siteId);
    addGuard();
    await measures(20);
    await pass(5_000);
    await harness.press("START", robotId, siteId);
    await measures(62);
    await pass(10_000);
    expect(harness.robots.motions(robotId)).toMatchObject([{ endedAt: expect.any(Date) }]);
    expect(await harness.commands(robotId)).toMatchObject([
      { verb: "START" },
      { verb: "STOP", because: "gusts of 62 km/h (limit 45 km/h) are measured", outcome: "CONFIRMED" },
    ]);
    expect(await start(siteId, robotId)).toBe("WEATHER_LIMIT");
    expect(await alerts(siteId)).toMatchObject([{ code: "WEATHER_LIMIT", cleared_at: null }]);
    const calm = async (ms: number) => {
      for (let left = ms; left > 0; left -= 30_000) {
        await measures(20);
        await pass(Math.min(left, 30_000));
      }
    };
    await calm(9 * MINUTE_MS);
    expect(await alerts(siteId)).toMatchObject([{ cleared_at: null }]);
    await calm(MINUTE_MS + 10_000);
    expect(await alerts(siteId)).toMatchObject([{ cleared_at: expect.any(Date) }]);
    expect(await start(siteId, robotId)).toBe(null);
  });

  test("Wind and rain guard: one that falls silent stops what runs where the site says so, and elsewhere the forecast decides", async () => {
    const strict = await harness.group(1);
    const other = await harness.group(1);
    await limit(strict.siteId, "STOP");
    await limit(other.siteId);
    addGuard();
    for (const { siteId } of [strict, other]) await (await addSensor(siteId))(20);
    await pass(5_000);
    for (const { siteId, robotIds } of [strict, other]) await harness.press("START", robotIds[0] ?? 0, siteId);
    await pass(80_000);
    expect(harness.robots.motions(strict.robotIds[0] ?? 0)).toMatchObject([{ endedAt: null }]);
    await pass(20_000);
    expect(harness.robots.motions(strict.robotIds[0] ?? 0)).toMatchObject([{ endedAt: expect.any(Date) }]);
    expect(harness.robots.motions(other.robotIds[0] ?? 0)).toMatchObject([{ endedAt: null }]);
    expect(await start(strict.siteId, strict.robotIds[0] ?? 0)).toBe("WEATHER_LIMIT");
    expect(await alerts(strict.siteId)).toMatchObject([
      {
        code: "WEATHER_LIMIT",
        text: expect.stringContaining("no reading of the site's weather sensor within 90 seconds"),
      },
    ]);
    expect(await alerts(other.siteId)).toEqual([]);
  });

  test("Wind and rain guard: where a missing sensor is as bad as a limit, no robot starts without one", async () => {
    const { siteId, robotIds } = await harness.group(1);
    await limit(siteId, "STOP");
    addGuard();
    await pass(1_000);
    expect(await start(siteId, robotIds[0] ?? 0)).toBe("WEATHER_LIMIT");
  });
});
