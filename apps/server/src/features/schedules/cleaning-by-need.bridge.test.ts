import { randomUUID } from "node:crypto";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { afterEach, describe, expect, test } from "vitest";
import { HarnessUser } from "../../../test/harness-user.ts";
import { holdLock, untilBlocked } from "../../../test/row-locks.ts";
import { type NewSchedule, ScheduleHarness } from "../../../test/schedule-harness.ts";
import type { Tx } from "../../platform/database/database.ts";
import { voidDecisions } from "./public.ts";
import { runDue } from "./scheduled-runs.ts";
import { lockSchedule } from "./schedules.repository.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
let harness: ScheduleHarness;
afterEach(() => harness.close());

/** 20:00 at the harness's sites; it is decided at 18:00. */
const DUE = new Date("2026-06-15T14:30:00Z");
const DECIDED = new Date(DUE.getTime() - 2 * HOUR_MS);
const BEFORE = new Date(DECIDED.getTime() - MINUTE_MS);
const later = (at: Date, ms: number) => new Date(at.getTime() + ms);

type Group = Awaited<ReturnType<ScheduleHarness["group"]>>;

const facts = {
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
  cleaning_price: 200,
  cleaning_price_per: "run",
} as const;

interface Inputs {
  readonly dustyDays?: number;
  /** By how many hours after it is due. */
  readonly rainAfter?: number;
  readonly receivedAgoMs?: number;
}

/** Dust of so many days and of the five ahead at a site whose facts are known. */
async function soiled(group: Group, { dustyDays = 40, rainAfter, receivedAgoMs = HOUR_MS }: Inputs = {}) {
  await harness.db.updateTable("sites").set(facts).where("id", "=", group.siteId).execute();
  const { latitude, longitude } = await harness.db
    .selectFrom("sites")
    .select(["latitude", "longitude"])
    .where("id", "=", group.siteId)
    .executeTakeFirstOrThrow();
  const at = later(DECIDED, -receivedAgoMs);
  const place = `${latitude.toFixed(2)} ${longitude.toFixed(2)}`;
  const received = { site_id: group.siteId, received_at: at, confirmed_at: at, source: "open-meteo", place } as const;
  const each = (value: (hour: number) => number) => Array.from({ length: 24 }, (_, hour) => value(hour));
  const rainAt = rainAfter === undefined ? Number.NaN : DUE.getTime() + rainAfter * HOUR_MS + 30 * MINUTE_MS;
  for (let ahead = -dustyDays; ahead <= 6; ahead += 1) {
    const day = addDays("2026-06-15", ahead);
    const values = { pm2_5: each(() => 60), pm10: each(() => 150) };
    await harness.db
      .insertInto("site_air_days")
      .values({ ...received, ...values, day })
      .execute();
    const rain_mm = each((hour) => (Date.parse(day) + hour * HOUR_MS === rainAt ? 8 : 0));
    const irradiance_w_m2 = each((hour) => (hour >= 2 && hour <= 12 ? 600 : 0));
    const others = { archived: false, surface: "20 180", gust_kmh: each(() => 10), temperature_c: each(() => 30) };
    await harness.db
      .insertInto("site_weather_days")
      .values({ ...received, ...others, day, rain_mm, irradiance_w_m2 })
      .execute();
  }
}

/** Each robot of the group was run by hand so many days before the evening; a row takes 30 minutes. */
async function ran(
  { siteId, robotIds }: Group,
  daysAgo: number,
  outcome: "COMPLETED" | "CUT_SHORT" = "COMPLETED",
  minutes = 30,
) {
  for (const robot_id of robotIds) {
    const began_at = later(DUE, -daysAgo * DAY_MS);
    const ended_at = later(began_at, minutes * MINUTE_MS);
    await harness.db
      .insertInto("runs")
      .values({ id: randomUUID(), site_id: siteId, robot_id, started_by: "Anita Rao", began_at, ended_at, outcome })
      .execute();
  }
}

const byNeed = (group: Group, more: Partial<NewSchedule> = {}) =>
  harness.schedule(group, { startTime: "2026-06-15 20:00:00", frequency: "WHEN_WORTH_IT", ...more });
const decisions = async () => {
  const rows = await harness.db.selectFrom("schedule_decisions").selectAll().orderBy("id").execute();
  return rows.map(({ due_at, decided_at, runs, reason_code, reason, voided_at }) => {
    return { due_at, decided_at, runs, code: reason_code, reason, isVoid: voided_at !== null };
  });
};
const codes = async () => (await decisions()).map(({ code }) => code);
const audit = async () => {
  const rows = await harness.db
    .selectFrom("audit")
    .select(["action", "outcome", "reason"])
    .where("actor", "=", "Scheduler")
    .orderBy("id")
    .execute();
  return rows;
};
const plannedRuns = async (id: number) => (await harness.runs(id)).map(({ outcome }) => outcome);

describe("§11 Cleaning by need", () => {
  test("an older server, which knows nothing of decisions, starts no run that was not decided, or was decided against", async () => {
    harness = await ScheduleHarness.open(later(BEFORE, -MINUTE_MS));
    const group = await harness.group(1);
    const [robot_id = 0] = group.robotIds;
    const schedule_id = await byNeed(group);
    const run = { site_id: group.siteId, group_id: group.groupId, robot_id, started_by: "Scheduler" } as const;
    const plan = (due_at: Date) =>
      harness.db
        .insertInto("runs")
        .values({ ...run, id: randomUUID(), schedule_id, planned: true, due_at, action_type: "SCHEDULED" })
        .execute();
    await expect(plan(DUE)).rejects.toThrow("it was not decided");
    const reason = { reason: "Not tonight", reason_code: "NOT_KNOWN", reason_params: {} };
    await harness.db
      .insertInto("schedule_decisions")
      .values({
        schedule_id,
        site_id: run.site_id,
        group_id: run.group_id,
        due_at: DUE,
        decided_at: BEFORE,
        runs: false,
        ...reason,
      })
      .execute();
    await expect(plan(DUE)).rejects.toThrow("it was not decided");
  });

  test("two hours ahead it is decided that it is worth it; then it runs as any other schedule", async () => {
    harness = await ScheduleHarness.open(later(BEFORE, -MINUTE_MS));
    const group = await harness.group(2);
    await soiled(group);
    await ran(group, 5);
    const id = await byNeed(group);
    await harness.until(BEFORE);
    expect(await decisions()).toEqual([]);
    await harness.until(DECIDED);
    expect(await decisions()).toEqual([
      {
        due_at: DUE,
        decided_at: DECIDED,
        runs: true,
        code: "RUNS_WORTH_IT",
        reason: expect.stringMatching(/^Runs: loss 1\.\d %, worth from \d\.\d %\.$/),
        isVoid: false,
      },
    ]);
    await harness.until(later(DUE, -1_000));
    expect(await harness.runs(id)).toEqual([]);
    await harness.until(DUE);
    expect(await harness.runs(id)).toMatchObject([{ began_at: DUE }, { began_at: DUE }]);
    expect(await harness.scheduleRow(id)).toMatchObject({ status: "ACTIVE", next_run_at: later(DUE, DAY_MS) });
    expect(await codes()).toHaveLength(1);
  });

  const notTonight = (code: string, words: RegExp) => ({ code, words });
  test.each([
    { name: "rain near", inputs: { rainAfter: 20 }, ...notTonight("NOT_RAIN_NEAR", /rain 8 mm forecast tomorrow/) },
    { name: "not yet worth it", inputs: { dustyDays: 1 }, ...notTonight("NOT_YET", /loss 0\.\d %, worth from/) },
    {
      name: "inputs too old",
      inputs: { receivedAgoMs: 13 * HOUR_MS },
      ...notTonight("NOT_KNOWN", /missing or too old/),
    },
    { name: "no inputs", inputs: null, ...notTonight("NOT_KNOWN", /missing or too old/) },
    {
      name: "least days",
      inputs: {},
      limits: { leastDays: 6 },
      ...notTonight("NOT_LEAST_DAYS", /5 days .* at least 6/),
    },
  ])("no robot starts, and why is on record: $name", async ({ inputs, code, words, ...more }) => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    if (inputs !== null) await soiled(group, inputs);
    await ran(group, 5);
    const id = await byNeed(group, "limits" in more ? more.limits : {});
    await harness.until(DECIDED);
    const [decision] = await decisions();
    expect(decision).toMatchObject({ runs: false, code, reason: expect.stringMatching(words) });
    await harness.until(DUE);
    // None was planned, so that no run is recorded as skipped.
    expect(await harness.runs(id)).toEqual([]);
    expect(harness.robots.motions(group.robotIds[0] ?? 0)).toEqual([]);
    expect(await audit()).toEqual([{ action: "HOLD_SCHEDULED_RUN", outcome: "REFUSED", reason: decision?.reason }]);
    expect(await harness.scheduleRow(id)).toMatchObject({ status: "ACTIVE", next_run_at: later(DUE, DAY_MS) });
    await harness.until(later(DUE, HOUR_MS));
    expect(await harness.commands(group.robotIds[0] ?? 0)).toEqual([]);
  });

  test.each([
    { name: "no run is known", daysAgo: null },
    { name: "the most days are over", daysAgo: 14 },
  ])("it runs without any facts or inputs where $name", async ({ daysAgo }) => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    if (daysAgo !== null) await ran(group, daysAgo);
    const id = await byNeed(group);
    await harness.until(DECIDED);
    expect(await codes()).toEqual(["RUNS_MOST_DAYS"]);
    await harness.until(DUE);
    expect(await harness.runs(id)).toMatchObject([{ began_at: DUE }]);
  });

  test.each([
    { minutes: 1, outcome: "COMPLETED", since: "20 days" },
    { minutes: 14, outcome: "CUT_SHORT", since: "20 days" },
    { minutes: 15, outcome: "CUT_SHORT", since: "2 days" },
    { minutes: 30, outcome: "COMPLETED", since: "2 days" },
  ] as const)(
    "the last run is one that cleaned half of its row or more, however it ended: $minutes of 30 min $outcome",
    async ({ minutes, outcome, since }) => {
      harness = await ScheduleHarness.open(BEFORE);
      const group = await harness.group(1);
      await ran(group, 20);
      await ran(group, 2, outcome, minutes);
      await byNeed(group, { leastDays: 3 });
      await harness.until(DECIDED);
      expect(await decisions()).toMatchObject([{ reason: expect.stringContaining(`${since} since the last run`) }]);
    },
  );

  test("a robot in maintenance does not have the others run for it: its row does not count", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    await soiled(group);
    const [locked = 0, other = 0] = group.robotIds;
    await ran({ ...group, robotIds: [other] }, 1);
    await byNeed(group);
    const lock = { reason: "Brush worn", locked_by: "Anita Rao", locked_at: BEFORE, former_mode: "auto" } as const;
    await harness.db
      .insertInto("maintenance_locks")
      .values({ robot_id: locked, site_id: group.siteId, ...lock })
      .execute();
    await harness.until(DECIDED);
    expect(await codes()).toEqual(["NOT_YET"]);
  });

  test("robots that cannot start are skipped as always, in spite of the decision", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const id = await byNeed(group);
    await harness.until(later(DUE, -10 * MINUTE_MS));
    await harness.press("START", group.robotIds[0] ?? 0, group.siteId);
    await harness.until(DUE);
    const outcomes = await plannedRuns(id);
    expect(outcomes).toEqual(["SKIPPED", null]);
  });

  test("of two servers one decides, once", async () => {
    harness = await ScheduleHarness.open(BEFORE, { servers: 2 });
    const group = await harness.group(1);
    await soiled(group);
    await ran(group, 5);
    const id = await byNeed(group);
    await harness.until(DECIDED);
    expect(await codes()).toEqual(["RUNS_WORTH_IT"]);
    // What comes later changes nothing.
    await ran(group, 0);
    await harness.until(later(DECIDED, MINUTE_MS));
    await harness.until(DUE);
    expect(await codes()).toEqual(["RUNS_WORTH_IT"]);
    expect(await harness.runs(id)).toMatchObject([{ began_at: DUE }]);
  });

  test.each([
    ["its time", { start_time: "2026-06-15 21:00:00" }],
    ["its days", { least_days: 6 }],
  ])("a change of %s makes what was decided void; it is decided anew", async (_, change) => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    await soiled(group);
    await ran(group, 5);
    const id = await byNeed(group);
    const user = await HarnessUser.at(harness);
    await harness.until(DECIDED);
    await harness.pass(MINUTE_MS);
    await user.edit(id, group, {});
    expect(await decisions()).toMatchObject([{ isVoid: false }]);
    await user.edit(id, group, change);
    expect(await decisions()).toMatchObject([{ isVoid: true }]);
    await harness.until(later(DUE, -HOUR_MS));
    expect(await decisions()).toHaveLength(2);
    expect((await decisions())[1]).toMatchObject({ isVoid: false, runs: !("least_days" in change) });
    await harness.until(DUE);
    expect(await plannedRuns(id)).toEqual([]);
  });

  test("switched off or deleted, nothing starts", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const groups = [await harness.group(1), await harness.group(1)] as const;
    const [off, deleted] = [await byNeed(groups[0]), await byNeed(groups[1])];
    const gone = await harness.group(1);
    await byNeed(gone);
    const user = await HarnessUser.at(harness);
    await harness.until(DECIDED);
    await user.edit(off, groups[0], { status: "INACTIVE" });
    await user.deleteSchedule(deleted);
    await user.deleteGroup(gone);
    expect((await decisions()).map(({ isVoid }) => isVoid)).toEqual([true, true, true]);
    await harness.until(DUE);
    await harness.until(later(DUE, MINUTE_MS));
    expect(await harness.runs()).toEqual([]);
    expect(await decisions()).toHaveLength(3);
  });

  test("where no server was up it is decided when one is, at the start at the latest; it starts late", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const id = await byNeed(group);
    harness.clock.advance(DUE.getTime() + 2 * MINUTE_MS - harness.clock.now().getTime());
    await harness.work();
    expect(await decisions()).toMatchObject([{ code: "RUNS_MOST_DAYS", decided_at: later(DUE, 2 * MINUTE_MS) }]);
    await harness.pass(30_000);
    await harness.pass(1_000);
    expect(await harness.runs(id)).toMatchObject([{ outcome: null, due_at: DUE }]);
  });

  test("times that nobody could decide are on record, and no run is: none was planned", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    await ran(group, 5);
    const id = await byNeed(group);
    const stopped = harness.servers.splice(0);
    await harness.until(later(DUE, DAY_MS + HOUR_MS));
    harness.servers.push(...stopped);
    await harness.pass(1_000);
    expect(await codes()).toEqual(["NOT_DECIDED", "NOT_DECIDED"]);
    expect(await harness.runs(id)).toEqual([]);
    expect(await harness.scheduleRow(id)).toMatchObject({ next_run_at: later(DUE, 2 * DAY_MS) });
  });

  test("a change at a server whose clock is behind, stored after the start, does not void what was run by", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const [started, held] = [await harness.group(1), await harness.group(1)];
    await ran(held, 5);
    const ids = [await byNeed(started), await byNeed(held, { leastDays: 6 })] as const;
    const user = await HarnessUser.at(harness);
    await harness.until(DECIDED);
    await harness.until(DUE);
    expect(await codes()).toEqual(["RUNS_MOST_DAYS", "NOT_LEAST_DAYS"]);
    const behind = { now: () => later(DUE, -1_000) };
    await user.edit(ids[0], started, { duration_minutes: 40 }, behind);
    await user.edit(ids[1], held, { duration_minutes: 40 }, behind);
    expect(await decisions()).toMatchObject([{ isVoid: false }, { isVoid: false }]);
  });

  test("a change that waits while the evening is served comes after it: it is on record once, and due again tomorrow", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const [started, held] = [await harness.group(1), await harness.group(1)];
    await ran(held, 5);
    const ids = [await byNeed(started), await byNeed(held, { leastDays: 6 })] as const;
    const user = await HarnessUser.at(harness);
    await harness.until(DECIDED);
    await harness.until(later(DUE, -1_000));
    // As a server that serves them: it has locked both, and nobody sees yet what it stored.
    const take = async (tx: Tx) => {
      for (const id of ids) await lockSchedule(tx, id);
    };
    const serve = async (tx: Tx) => {
      const known = { listeningSince: BEFORE, isStopUnrecorded: () => false, tooWet: null };
      for (const id of ids) await runDue(tx, id, { ...known, now: harness.clock.now(), canSend: true });
    };
    const release = await holdLock(harness.db, take, serve);
    const edits = Promise.all(
      ids.map((id, nth) => user.edit(id, nth === 0 ? started : held, { duration_minutes: 40 })),
    );
    await untilBlocked(harness.db, 2);
    harness.clock.advance(1_000);
    await release();
    await edits;
    for (const id of ids) expect(await harness.scheduleRow(id)).toMatchObject({ next_run_at: later(DUE, DAY_MS) });
    await harness.pass(1_000);
    expect((await audit()).filter(({ action }) => action === "HOLD_SCHEDULED_RUN")).toHaveLength(1);
    expect(await harness.runs()).toMatchObject([{}, { schedule_id: ids[0], due_at: DUE }]);
  });

  test("what cannot be computed is tried again while it may still start; then it is on record as undecided", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    await soiled(group);
    await ran(group, 5);
    const id = await byNeed(group);
    harness.failingSites.add(group.siteId);
    await harness.until(DECIDED);
    await harness.until(DUE);
    await harness.until(later(DUE, 9 * MINUTE_MS));
    expect(await decisions()).toEqual([]);
    await harness.until(later(DUE, 11 * MINUTE_MS));
    expect(await codes()).toEqual(["NOT_DECIDED"]);
    expect(await harness.runs(id)).toEqual([]);
  });

  test.each([
    { name: "two hours ahead", at: DECIDED, failed: 30_000 },
    { name: "when it is due", at: DUE, failed: 30_000 },
  ])("one failure $name is no decision: a minute later it is decided, and it runs", async ({ at, failed }) => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    await soiled(group);
    await ran(group, 5);
    const id = await byNeed(group);
    harness.clock.advance(at.getTime() - BEFORE.getTime());
    harness.failingSites.add(group.siteId);
    await harness.work();
    harness.failingSites.clear();
    await harness.pass(failed);
    expect(await decisions()).toEqual([]);
    await harness.pass(MINUTE_MS - failed);
    expect(await codes()).toEqual(["RUNS_WORTH_IT"]);
    if (at < DUE) await harness.until(DUE);
    await harness.pass(1_000);
    expect(await harness.runs(id)).toMatchObject([{ due_at: DUE, outcome: null }]);
  });

  test("what the days alone decide does not wait for what a cleaning is worth", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const [over, recent] = [await harness.group(1), await harness.group(1)];
    await ran(over, 14);
    await ran(recent, 1);
    for (const group of [over, recent]) {
      harness.failingSites.add(group.siteId);
      await byNeed(group, { leastDays: 2 });
    }
    await harness.until(DECIDED);
    expect((await codes()).toSorted()).toEqual(["NOT_LEAST_DAYS", "RUNS_MOST_DAYS"]);
  });

  test("a decision is of the moment in which it is known, however long that takes to compute", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    await soiled(group);
    await ran(group, 5);
    await byNeed(group);
    harness.worthTakesMs = 5_000;
    await harness.until(DECIDED);
    expect(await decisions()).toMatchObject([{ runs: true, decided_at: later(DECIDED, 5_000) }]);
  });

  test("however many fail, the others are decided", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    for (let nth = 1; nth <= 21; nth += 1) {
      const failing = await harness.group(1);
      await ran(failing, 5);
      harness.failingSites.add(failing.siteId);
      await byNeed(failing);
    }
    await byNeed(await harness.group(1), { startTime: "2026-06-15 20:01:00" });
    await harness.until(DECIDED);
    await harness.until(later(DECIDED, MINUTE_MS));
    await harness.pass(1_000);
    await harness.pass(1_000);
    expect(await codes()).toEqual(["RUNS_MOST_DAYS"]);
  });

  test("after a restore what was decided of times to come is void", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    await byNeed(await harness.group(1));
    await harness.until(DECIDED);
    await harness.db.transaction().execute((tx) => voidDecisions(tx, null, harness.clock.now()));
    await harness.pass(1_000);
    expect(await decisions()).toMatchObject([{ isVoid: true }, { isVoid: false }]);
  });
});
