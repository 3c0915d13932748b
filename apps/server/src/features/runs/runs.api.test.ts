import { randomUUID } from "node:crypto";
import { type RecordedCount, runsCalendar, runsList, runsOfToday, runsToday } from "@suncrew/contract/runs/runs.ts";
import type { Insertable } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addRobot } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { Tables } from "../../platform/database/tables.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, at every site of the fixtures.
let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  await seedGroups(server.db, server.fixtures, "planned");
});
afterEach(() => server.close());

const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * 60_000);

/** A run of the first robot by hand, ten minutes long, ended by the robot, except as `more` says. */
async function run(more: Partial<Insertable<Tables["runs"]>> = {}): Promise<string> {
  const id = randomUUID();
  const began_at = more.began_at === undefined ? at(-60) : more.began_at;
  await server.db
    .insertInto("runs")
    .values({
      id,
      robot_id: server.fixtures.ownRobot.id,
      site_id: server.fixtures.ownSiteId,
      started_by: "Omkar Jain",
      began_at,
      battery_began: 90,
      ended_at: began_at && new Date(began_at.getTime() + 600_000),
      battery_ended: 80,
      outcome: "COMPLETED",
      reason: "FINISHED",
      ...more,
    })
    .execute();
  return id;
}

/** One robot's run of the fixtures' schedule. */
const planned = (due: Date, more: Partial<Insertable<Tables["runs"]>> = {}) =>
  run({
    planned: true,
    action_type: "SCHEDULED",
    started_by: "Scheduler",
    schedule_id: server.fixtures.ownGroup.scheduleId,
    group_id: server.fixtures.ownGroup.groupId,
    group_name: "Ownfield East",
    due_at: due,
    stop_due_at: new Date(due.getTime() + 1_800_000),
    began_at: due,
    ...more,
  });
const none = { began_at: null, battery_began: null, battery_ended: null };

describe("runs: the list", () => {
  test("comes newest first, complete and in plain words, for those who may see the site", async () => {
    const manual = await run({ began_at: at(-200) });
    const skipped = await planned(at(-100), {
      ...none,
      ended_at: at(-100),
      outcome: "SKIPPED",
      reason: "Robot OWN-1 is in maintenance. Exit maintenance first.",
    });
    const { runs, next_cursor } = await (await server.as("owner")).ask(runsList);
    expect(next_cursor).toBeNull();
    expect(runs.map(({ id }) => id)).toEqual([skipped, manual]);
    expect(runs[1]).toEqual({
      id: manual,
      site_id: server.fixtures.ownSiteId,
      robot_id: server.fixtures.ownRobot.id,
      robot_name: "OWN-1",
      serial_number: "OWN-1",
      schedule_id: null,
      group_id: null,
      group_name: null,
      action_type: "MANUAL",
      started_by: "Omkar Jain",
      due_at: null,
      stop_due_at: null,
      began_at: at(-200).toISOString(),
      ended_at: at(-190).toISOString(),
      battery_began: 90,
      battery_ended: 80,
      outcome: "COMPLETED",
      reason: "The robot finished by itself.",
      sample: false,
    });
    expect(runs[0]).toMatchObject({ began_at: null, reason: "Robot OWN-1 is in maintenance. Exit maintenance first." });
    expect((await (await server.as("stranger")).ask(runsList)).runs).toEqual([]);
  });

  test("pages without a gap or a repetition, even if many have the same time", async () => {
    const ids = await Promise.all(Array.from({ length: 25 }, (_, nth) => run({ began_at: at(-60 - (nth % 3)) })));
    const owner = await server.as("owner");
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await owner.ask(runsList, { query: { limit: 4, ...(cursor !== undefined && { cursor }) } });
      expect(page.runs.length).toBeLessThanOrEqual(4);
      seen.push(...page.runs.map(({ id }) => id));
      more = page.next_cursor !== null;
      cursor = page.next_cursor ?? undefined;
    }
    expect(seen).toHaveLength(ids.length);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  test("is filtered by site, robot and time", async () => {
    const first = await run({ began_at: at(-300) });
    const second = await run({ began_at: at(-200), robot_id: server.fixtures.ownRobot2.id });
    const owner = await server.as("owner");
    const ids = async (query: Parameters<typeof owner.ask<typeof runsList>>[1]) =>
      (await owner.ask(runsList, query)).runs.map(({ id }) => id);
    expect(await ids({ query: { robot_id: server.fixtures.ownRobot.id } })).toEqual([first]);
    expect(await ids({ query: { site_id: server.fixtures.secondSiteId } })).toEqual([]);
    expect(await ids({ query: { from: at(-200).toISOString() } })).toEqual([second]);
    expect(await ids({ query: { to: at(-200).toISOString() } })).toEqual([first]);
    const { secondSiteId, ownRobot } = server.fixtures;
    const answer = await owner.call(runsList, { query: { site_id: secondSiteId, robot_id: ownRobot.id } });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "robot_id" }] } });
  });

  test("shows who stopped a run", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    await server.db
      .insertInto("commands")
      .values({
        id: randomUUID(),
        robot_id: ownRobot.id,
        site_id: ownSiteId,
        serial_number: ownRobot.serial,
        verb: "STOP",
        seq: at(-55).getTime(),
        session: 1,
        issued_at: at(-55),
        expires_at: at(-54),
        settle_by: at(-54),
        params: "{}",
        requested_by: "Anita Rao",
      })
      .execute();
    await run({ reason: "STOP" });
    await planned(at(-60.5), { robot_id: server.fixtures.ownRobot2.id, reason: "STOP" });
    const { runs } = await (await server.as("owner")).ask(runsList);
    expect(runs.map(({ reason }) => reason)).toEqual(["Stopped by Anita Rao.", "Stopped at its planned end."]);
  });
});

describe("runs: today", () => {
  test("counts each robot's runs of the site's own today, and what is still to come", async () => {
    const { ownGroup } = server.fixtures;
    await planned(at(-60));
    await planned(at(-70), { outcome: "STOPPED" });
    await planned(at(-80), { outcome: "CUT_SHORT" });
    for (const outcome of ["SKIPPED", "MISSED", "FAILED"] as const) {
      const { id: robot_id } = await addRobot(server.db, server.fixtures.ownSiteId, outcome);
      await planned(at(-90), { ...none, ended_at: at(-90), outcome, robot_id });
    }
    await run({ began_at: at(-5), ended_at: null, outcome: null, reason: null });
    // Yesterday at the site; today in UTC.
    await run({ began_at: at(-12 * 60 - 1) });
    await server.db
      .updateTable("schedules")
      .set({ frequency: "DAILY", start_time: "2026-06-15 23:59:00", next_run_at: new Date("2026-06-15T18:29:00Z") })
      .where("id", "=", ownGroup.scheduleId)
      .execute();
    expect(await (await server.as("owner")).ask(runsToday)).toEqual({
      planned: 1,
      running: 1,
      done: 1,
      stopped: 1,
      cut_short: 1,
      failed: 1,
      skipped: 1,
      missed: 1,
    });
    const listed = async (count: RecordedCount, person: "owner" | "stranger" = "owner") => {
      const { runs } = await (await server.as(person)).ask(runsOfToday, { query: { count } });
      return runs.map(({ serial_number, outcome, site_name }) => [serial_number, outcome, site_name]);
    };
    expect(await listed("failed")).toEqual([["FAILED", "FAILED", "Ownfield Park"]]);
    expect(await listed("stopped")).toEqual([["OWN-1", "STOPPED", "Ownfield Park"]]);
    expect(await listed("running")).toEqual([["OWN-1", null, "Ownfield Park"]]);
    expect(await listed("failed", "stranger")).toEqual([]);
    const nothing = { planned: 0, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };
    expect(await (await server.as("stranger")).ask(runsToday)).toEqual(nothing);
  });
});

describe("runs: today, of a schedule that nobody served for a year", () => {
  test("counts only the day's runs", async () => {
    const { ownGroup } = server.fixtures;
    const set = (frequency: "DAILY" | "WEEKLY", start_time: string) =>
      server.db
        .updateTable("schedules")
        .set({ frequency, start_time, next_run_at: new Date(`${start_time.slice(0, 10)}T18:29:00Z`) })
        .where("id", "=", ownGroup.scheduleId)
        .execute();
    const owner = await server.as("owner");
    await set("DAILY", "2025-06-15 23:59:00");
    expect(await owner.ask(runsToday)).toMatchObject({ planned: 1 });
    // 15 June 2025 was a Sunday: nothing is planned for a Monday.
    await set("WEEKLY", "2025-06-15 23:59:00");
    expect(await owner.ask(runsToday)).toMatchObject({ planned: 0 });
  });
});

describe("runs: the week's calendar of a site", () => {
  const week = async (day?: string) =>
    (await server.as("owner")).ask(runsCalendar, {
      params: { siteId: server.fixtures.ownSiteId },
      query: { ...(day !== undefined && { day }) },
    });

  test("has the seven days from Monday on, in the site's time", async () => {
    const { timezone, today, days } = await week("2026-06-21");
    expect({ timezone, today }).toEqual({ timezone: "Asia/Kolkata", today: "2026-06-15" });
    expect(days.map(({ date }) => date)).toEqual(Array.from({ length: 7 }, (_, day) => `2026-06-${15 + day}`));
    expect((await week("2026-06-14")).days[0]?.date).toBe("2026-06-08");
    expect((await week()).days[0]?.date).toBe("2026-06-15");
  });

  test("groups the robots of a due time, keeps runs by hand apart, and plans what is to come", async () => {
    const { ownGroup, ownRobot2 } = server.fixtures;
    await planned(at(-330));
    await planned(at(-330), {
      ...none,
      robot_id: ownRobot2.id,
      ended_at: at(-330),
      outcome: "SKIPPED",
      reason: "Robot OWN-2 is offline: it has no connection at the moment.",
    });
    const manual = await run({ began_at: at(-60) });
    await server.db
      .updateTable("schedules")
      .set({
        frequency: "DAILY",
        start_time: "2026-06-10 06:30:00",
        next_run_at: new Date("2026-06-16T01:00:00Z"),
        duration_minutes: 30,
      })
      .where("id", "=", ownGroup.scheduleId)
      .execute();
    const { days } = await week();
    const [monday, ...others] = days;
    expect(monday?.entries).toEqual([
      {
        key: `schedule-${ownGroup.scheduleId}-${at(-330).toISOString()}`,
        state: "OVER",
        action_type: "SCHEDULED",
        group_id: ownGroup.groupId,
        title: "Ownfield East",
        begins_at: at(-330).toISOString(),
        ends_at: at(-320).toISOString(),
        local_time: "06:30",
        robots: 2,
        counts: { planned: 0, running: 0, done: 1, stopped: 0, cut_short: 0, failed: 0, skipped: 1, missed: 0 },
        reasons: [
          {
            serial_number: "OWN-2",
            outcome: "SKIPPED",
            reason: "Robot OWN-2 is offline: it has no connection at the moment.",
          },
        ],
        by_need: null,
        sample: false,
      },
      expect.objectContaining({ key: manual, title: "OWN-1", action_type: "MANUAL", robots: 1, local_time: "11:00" }),
    ]);
    expect(others.map(({ entries }) => entries)).toEqual(
      others.map(({ date }) => [
        expect.objectContaining({
          state: "PLANNED",
          title: "Ownfield East",
          begins_at: `${date}T01:00:00.000Z`,
          ends_at: `${date}T01:30:00.000Z`,
          local_time: "06:30",
          robots: 1,
          counts: { planned: 1, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 },
        }),
      ]),
    );
  });

  const todays = async () => (await server.as("owner")).ask(runsToday);

  test("§11 Cleaning by need: only what is decided is planned; a day without a run says why", async () => {
    const { ownGroup, ownSiteId } = server.fixtures;
    const next = new Date("2026-06-15T13:00:00Z");
    await server.db
      .updateTable("schedules")
      .set({ frequency: "WHEN_WORTH_IT", least_days: 1, most_days: 14, start_time: "2026-06-10 18:30:00" })
      .set({ next_run_at: next })
      .where("id", "=", ownGroup.scheduleId)
      .execute();
    const decide = (due_at: Date, runs: boolean, reason: string) =>
      server.db
        .insertInto("schedule_decisions")
        .values({
          schedule_id: ownGroup.scheduleId,
          group_id: ownGroup.groupId,
          site_id: ownSiteId,
          due_at,
          runs,
          reason,
          reason_code: "RUNS_WORTH_IT",
          reason_params: {},
          decided_at: TEST_NOW,
        })
        .execute();
    const nothing = { planned: 0, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };
    const undecided = (date: string) =>
      expect.objectContaining({
        state: "PLANNED",
        begins_at: `${date}T13:00:00.000Z`,
        counts: nothing,
        by_need: { runs: null, decides_at: `${date}T11:00:00.000Z`, text: null },
      });
    expect(await todays()).toMatchObject({ planned: 0 });
    expect((await week()).days.map(({ entries }) => entries)).toEqual(
      (await week()).days.map(({ date }) => [undecided(date)]),
    );

    await decide(next, true, "Runs: loss 1.4 %, worth from 1.1 %.");
    expect(await todays()).toMatchObject({ planned: 1 });
    const [monday, tuesday] = (await week()).days;
    expect(monday?.entries).toMatchObject([
      {
        state: "PLANNED",
        counts: { planned: 1 },
        by_need: { runs: true, text: "Runs: loss 1.4 %, worth from 1.1 %." },
      },
    ]);
    expect(tuesday?.entries).toEqual([undecided("2026-06-16")]);

    await server.db.updateTable("schedule_decisions").set({ runs: false, reason: "Not tonight." }).execute();
    expect(await todays()).toMatchObject({ planned: 0 });
    const held = {
      counts: nothing,
      by_need: { runs: false, decides_at: "2026-06-15T11:00:00.000Z", text: "Not tonight." },
    };
    expect((await week()).days[0]?.entries).toMatchObject([{ state: "PLANNED", ...held }]);
    await server.db
      .updateTable("schedules")
      .set({ next_run_at: new Date("2026-06-16T13:00:00Z") })
      .where("id", "=", ownGroup.scheduleId)
      .execute();
    expect((await week()).days[0]?.entries).toMatchObject([{ state: "OVER", title: "Ownfield East", ...held }]);
    expect(await todays()).toMatchObject({ planned: 0, skipped: 0 });
  });

  test("one press of Start All is one entry, running until its last robot has stopped", async () => {
    const { ownGroup, ownRobot, ownRobot2 } = server.fixtures;
    const group = { action_type: "GROUP", group_id: ownGroup.groupId, group_name: "Ownfield East" } as const;
    await run({ ...group, began_at: at(-20), robot_id: ownRobot.id });
    await run({
      ...group,
      began_at: at(-19.95),
      robot_id: ownRobot2.id,
      ended_at: null,
      outcome: null,
      reason: null,
      battery_ended: null,
    });
    await run({ ...group, began_at: at(-600), robot_id: ownRobot.id });
    const [monday] = (await week()).days;
    expect(monday?.entries).toMatchObject([{ robots: 1 }, { robots: 2, state: "RUNNING", ends_at: null }]);
  });

  test.each(["1000-01-01", "9999-12-31"])("a day as far away as %s is 400", async (day) => {
    const answer = await (
      await server.as("owner")
    ).call(runsCalendar, {
      params: { siteId: server.fixtures.ownSiteId },
      query: { day },
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "day" }] } });
  });
});
