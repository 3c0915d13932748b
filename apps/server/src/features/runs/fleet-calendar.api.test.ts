import { randomUUID } from "node:crypto";
import type { SentQueryOf } from "@suncrew/contract/http/route.ts";
import { runsFleetCalendar, runsNight } from "@suncrew/contract/runs/runs.ts";
import type { Insertable } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addRobot } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { Tables } from "../../platform/database/tables.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, at every site of the fixtures: the first second of its night.
let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  await seedGroups(server.db, server.fixtures, "planned");
});
afterEach(() => server.close());

/** A run of the fixtures' schedule by the first robot, due at this local time and done in ten minutes. */
async function run(local: string, more: Partial<Insertable<Tables["runs"]>> = {}): Promise<void> {
  const due = new Date(`${local}:00+05:30`);
  const { ownRobot, ownSiteId, ownGroup } = server.fixtures;
  await server.db
    .insertInto("runs")
    .values({
      id: randomUUID(),
      robot_id: ownRobot.id,
      site_id: ownSiteId,
      started_by: "Scheduler",
      planned: true,
      action_type: "SCHEDULED",
      schedule_id: ownGroup.scheduleId,
      group_id: ownGroup.groupId,
      group_name: "Ownfield East",
      due_at: due,
      stop_due_at: new Date(due.getTime() + 1_800_000),
      began_at: due,
      battery_began: 90,
      ended_at: new Date(due.getTime() + 600_000),
      battery_ended: 80,
      outcome: "COMPLETED",
      reason: "FINISHED",
      ...more,
    })
    .execute();
}

const failed = (reason: string) =>
  ({ began_at: null, battery_began: null, battery_ended: null, outcome: "FAILED", reason }) as const;

async function plan(start_time: string, next: string, frequency: "DAILY" | "ONCE" = "DAILY"): Promise<void> {
  await server.db
    .updateTable("schedules")
    .set({ frequency, start_time, duration_minutes: 45, next_run_at: new Date(`${next}:00+05:30`) })
    .where("id", "=", server.fixtures.ownGroup.scheduleId)
    .execute();
}

const calendar = async (query: SentQueryOf<typeof runsFleetCalendar> = {}, person: "owner" | "stranger" = "owner") =>
  (await server.as(person)).ask(runsFleetCalendar, { query });

async function nightsOfOwnSite(query?: SentQueryOf<typeof runsFleetCalendar>) {
  const { sites } = await calendar(query);
  return sites.find(({ site_id }) => site_id === server.fixtures.ownSiteId)?.nights ?? [];
}

test("fleet calendar: seven nights with tonight's in the middle, for each site that the user may see", async () => {
  const { dates, sites } = await calendar();
  expect(dates).toEqual(Array.from({ length: 7 }, (_, nth) => `2026-06-${12 + nth}`));
  const { ownSiteId, secondSiteId, foreignSiteId } = server.fixtures;
  // By name: the Annex before the Park.
  expect(sites).toEqual([secondSiteId, ownSiteId].map((site_id) => ({ site_id, tonight: "2026-06-15", nights: [] })));
  expect((await calendar({}, "stranger")).sites.map(({ site_id }) => site_id)).toEqual([foreignSiteId]);
  expect((await calendar({ days: 1 })).dates).toEqual(["2026-06-15"]);
  expect((await calendar({ from: "2026-02-27", days: 3 })).dates).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
});

test("fleet calendar: a robot counts once in a night, from noon to noon, by the best of its runs", async () => {
  const { ownRobot2, ownSiteId } = server.fixtures;
  const third = await addRobot(server.db, ownSiteId, "OWN-3");
  await run("2026-06-13T11:59");
  await run("2026-06-13T22:00", failed("Refused."));
  await run("2026-06-14T05:00");
  await run("2026-06-13T22:00", { robot_id: ownRobot2.id, ...failed("Refused.") });
  await run("2026-06-14T11:59", { robot_id: third.id, outcome: "CUT_SHORT", reason: "FAULT" });
  await run("2026-06-15T11:50", { robot_id: third.id, ended_at: null, outcome: null, reason: null });
  expect(await nightsOfOwnSite()).toEqual([
    { date: "2026-06-12", counts: { done: 1 }, plan: null },
    { date: "2026-06-13", counts: { done: 1, failed: 1, cut_short: 1 }, plan: null },
    { date: "2026-06-14", counts: { running: 1 }, plan: null },
  ]);
  expect((await calendar({}, "stranger")).sites.flatMap(({ nights }) => nights)).toEqual([]);
});

test("fleet calendar: what is planned shows when it begins, and a morning belongs to the night before", async () => {
  await plan("2026-06-10 05:30:00", "2026-06-17T05:30");
  const planned = { counts: { planned: 1 }, plan: { first: "05:30", minutes: 45, groups: 1 } };
  expect(await nightsOfOwnSite()).toEqual(
    ["2026-06-16", "2026-06-17", "2026-06-18"].map((date) => ({ date, ...planned })),
  );
  await plan("2026-06-18 18:30:00", "2026-06-18T18:30", "ONCE");
  expect(await nightsOfOwnSite()).toEqual([
    { date: "2026-06-18", counts: { planned: 1 }, plan: { first: "18:30", minutes: 45, groups: 1 } },
  ]);
  // Beyond the nights asked for.
  expect(await nightsOfOwnSite({ from: "2026-06-15", days: 3 })).toEqual([]);
});

test("fleet calendar: the groups of a night are one plan, which begins in the evening", async () => {
  await plan("2026-06-10 19:00:00", "2026-06-15T19:00");
  const { ownSiteId: site_id, ownRobot2 } = server.fixtures;
  const { id: group_id } = await server.db
    .insertInto("robot_groups")
    .values({ site_id, group_name: "West", name_key: "west" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await server.db.insertInto("robot_group_members").values({ robot_id: ownRobot2.id, group_id, site_id }).execute();
  await server.db
    .insertInto("schedules")
    .values({
      group_id,
      site_id,
      frequency: "DAILY",
      start_time: "2026-06-10 04:00:00",
      duration_minutes: 90,
      status: "ACTIVE",
      next_run_at: new Date("2026-06-16T04:00:00+05:30"),
    })
    .execute();
  expect(await nightsOfOwnSite({ from: "2026-06-15", days: 1 })).toEqual([
    { date: "2026-06-15", counts: { planned: 2 }, plan: { first: "19:00", minutes: 90, groups: 2 } },
  ]);
});

test("§11 Cleaning by need: a night is planned once it is decided that it is worth it", async () => {
  const { ownGroup, ownSiteId } = server.fixtures;
  const due_at = new Date("2026-06-15T13:00:00Z");
  await plan("2026-06-10 18:30:00", "2026-06-15T18:30");
  await server.db
    .updateTable("schedules")
    .set({ frequency: "WHEN_WORTH_IT", least_days: 1, most_days: 14 })
    .where("id", "=", ownGroup.scheduleId)
    .execute();
  expect(await nightsOfOwnSite()).toEqual([]);
  const decided = { due_at, decided_at: due_at, runs: true, reason: "Runs.", reason_code: "RUNS_WORTH_IT" };
  const { groupId: group_id, scheduleId: schedule_id } = ownGroup;
  await server.db
    .insertInto("schedule_decisions")
    .values({ ...decided, reason_params: {}, schedule_id, group_id, site_id: ownSiteId })
    .execute();
  expect(await nightsOfOwnSite()).toMatchObject([{ date: "2026-06-15", counts: { planned: 1 }, plan: { groups: 1 } }]);
});

test("fleet calendar: a night of a site has its runs with their reasons, and its plans", async () => {
  await run("2026-06-15T11:59");
  await run("2026-06-15T18:30", { robot_id: server.fixtures.ownRobot2.id, ...failed("Its brush is jammed.") });
  await plan("2026-06-10 05:30:00", "2026-06-16T05:30");
  const params = { siteId: server.fixtures.ownSiteId };
  const query = { date: "2026-06-15" };
  const { timezone, entries } = await (await server.as("owner")).ask(runsNight, { params, query });
  expect(timezone).toBe("Asia/Kolkata");
  expect(entries).toMatchObject([
    {
      state: "OVER",
      local_time: "18:30",
      reasons: [{ serial_number: "OWN-2", outcome: "FAILED", reason: "Its brush is jammed." }],
    },
    { state: "PLANNED", local_time: "05:30", title: "Ownfield East", robots: 1 },
  ]);
  const stranger = await server.as("stranger");
  expect((await stranger.call(runsNight, { params, query })).status).toBe(404);
});

test.each([
  [{ days: 0 }, "days"],
  [{ days: 32 }, "days"],
  [{ from: "1999-12-31" }, "from"],
  [{ from: "9999-12-31" }, "from"],
])("fleet calendar: %j is 400", async (query, field) => {
  const answer = await (await server.as("owner")).call(runsFleetCalendar, { query });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
});

test("fleet calendar: a night that no calendar shows is 400", async () => {
  const params = { siteId: server.fixtures.ownSiteId };
  const answer = await (await server.as("owner")).call(runsNight, { params, query: { date: "2200-01-01" } });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "date" }] } });
});
