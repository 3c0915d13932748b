import { scheduleDecisions } from "@suncrew/contract/schedules/schedule-decisions.ts";
import {
  createSchedule,
  deleteSchedule,
  getRobotSchedule,
  updateSchedule,
} from "@suncrew/contract/schedules/schedules.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Person } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, at every site of the fixtures.
let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  await seedGroups(server.db, server.fixtures, "unplanned");
});
afterEach(() => server.close());

type Body = SentBodyOf<typeof updateSchedule>;

const body = (more: Partial<Body> = {}): Body => ({
  site_id: server.fixtures.ownSiteId,
  group_id: server.fixtures.ownGroup.groupId,
  action: "START",
  start_time: "2026-06-15 18:30:00",
  duration_minutes: 30,
  frequency: "DAILY",
  status: "ACTIVE",
  ...more,
});
const create = async (more: Partial<Body> = {}) => (await server.as("owner")).ask(createSchedule, { body: body(more) });
const update = async (scheduleId: number, more: Partial<Body> = {}) =>
  (await server.as("owner")).call(updateSchedule, { params: { scheduleId }, body: body(more) });
const list = async () =>
  (await server.as("owner")).ask(getRobotSchedule, { params: { siteId: server.fixtures.ownSiteId } });
const audit = () => server.db.selectFrom("audit").selectAll().where("entity", "=", "schedule").orderBy("id").execute();

describe("§7 Groups and schedules: POST api/robots/group/schedule", () => {
  test("gives the group its schedule, with the next run in UTC, and the list includes it", async () => {
    const created = await create();
    expect(created).toEqual({
      message: "Schedule created successfully",
      scheduleId: created.schedule.id,
      schedule: {
        id: created.scheduleId,
        group_id: server.fixtures.ownGroup.groupId,
        site_id: server.fixtures.ownSiteId,
        action: "START",
        start_time: "2026-06-15 18:30:00",
        duration_minutes: 30,
        frequency: "DAILY",
        status: "ACTIVE",
        next_run_at: "2026-06-15T13:00:00.000Z",
        waiting: null,
        skip_on_rain: false,
        least_days: null,
        most_days: null,
        decides_at: null,
        decision: null,
        version: 1,
      },
    });
    expect(await list()).toEqual({ message: "Schedule Fetched Successfully", schedules: [created.schedule] });
    expect(await audit()).toMatchObject([
      {
        action: "CREATE_SCHEDULE",
        actor: "Omkar Jain",
        outcome: "DONE",
        entity_id: String(created.scheduleId),
        before: null,
        after: { start_time: "2026-06-15 18:30:00" },
      },
    ]);
  });

  test("accepts what the specification's console sends: text for numbers, and nothing it does not send", async () => {
    const { ownSiteId, ownGroup } = server.fixtures;
    const sent = { site_id: `${ownSiteId}`, group_id: `${ownGroup.groupId}`, duration_minutes: "45" };
    const { schedule } = await create(sent);
    expect(schedule).toMatchObject({ duration_minutes: 45, group_id: ownGroup.groupId });
  });

  test.each([
    ["ONCE", "2026-06-16 06:00:00", "2026-06-16T00:30:00.000Z"],
    ["DAILY", "2026-06-15 06:00:00", "2026-06-16T00:30:00.000Z"],
    ["WEEKLY", "2026-06-15 06:00:00", "2026-06-22T00:30:00.000Z"],
    ["MONTHLY", "2026-06-15 06:00:00", "2026-07-15T00:30:00.000Z"],
  ] as const)("decisions, Time: a %s whose time is past today means the next one", async (frequency, stored, next) => {
    const { schedule } = await create({ frequency, start_time: "2026-06-15 06:00:00" });
    expect(schedule).toMatchObject({ start_time: stored, next_run_at: next });
  });

  test("decisions, Time: a ONCE before the site's today is 400 and names the field", async () => {
    const answer = await (
      await server.as("owner")
    ).call(createSchedule, {
      body: body({ frequency: "ONCE", start_time: "2026-06-14 23:59:00" }),
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "start_time" }] } });
    expect(await audit()).toMatchObject([{ action: "CREATE_SCHEDULE", outcome: "REFUSED" }]);
    expect((await list()).schedules).toEqual([]);
  });

  test("decisions, Time: 'today' is the site's today", async () => {
    // 23:00 on 14 June in Los Angeles.
    await server.db
      .updateTable("sites")
      .set({ timezone: "America/Los_Angeles" })
      .where("id", "=", server.fixtures.ownSiteId)
      .execute();
    const { schedule } = await create({ frequency: "ONCE", start_time: "2026-06-14 23:45:00" });
    expect(schedule).toMatchObject({ next_run_at: "2026-06-15T06:45:00.000Z" });
  });

  test("wire, Schedules: INACTIVE is stored and has no next run", async () => {
    const { schedule } = await create({ status: "INACTIVE" });
    expect(schedule).toMatchObject({ status: "INACTIVE", next_run_at: null });
  });

  test("wire, Schedules: a second one for the group is 409, even if two people save concurrently", async () => {
    const client = await server.as("owner");
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.call(createSchedule, { body: body() })));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409", "409"]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      message: 'Group "Ownfield East" already has a schedule. Please edit or delete it.',
    });
    expect((await audit()).map(({ outcome }) => outcome).toSorted()).toEqual(["DONE", "REFUSED", "REFUSED", "REFUSED"]);
  });

  test.each([
    ["duration_minutes", { duration_minutes: 0 }],
    ["duration_minutes", { duration_minutes: 481 }],
    ["start_time", { start_time: "2026-02-30 06:00:00" }],
    ["start_time", { start_time: "2026-06-15T06:00:00Z" }],
  ])("§5 Schedule: an invalid %s is 400 and named", async (field, wrong) => {
    const answer = await (await server.as("owner")).call(createSchedule, { body: body(wrong) });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });
});

describe("§7 Groups and schedules: PUT api/robots/group/updateSchedule/{scheduleId}", () => {
  test("changes it; the audit has before and after", async () => {
    const { scheduleId } = await create();
    const answer = await update(scheduleId, {
      duration_minutes: 60,
      start_time: "2026-06-17 07:15:00",
      frequency: "WEEKLY",
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        message: "Schedule updated successfully",
        schedule: {
          id: scheduleId,
          duration_minutes: 60,
          frequency: "WEEKLY",
          next_run_at: "2026-06-17T01:45:00.000Z",
        },
      },
    });
    expect((await audit()).at(-1)).toMatchObject({
      action: "UPDATE_SCHEDULE",
      outcome: "DONE",
      before: { duration_minutes: 30 },
      after: { duration_minutes: 60 },
    });
  });

  test("an edit based on an older version is 409 and changes nothing; one without a version overwrites", async () => {
    const { scheduleId } = await create();
    const edit = async (version: number | undefined, duration_minutes: number) =>
      (await update(scheduleId, { duration_minutes, version })).status;
    expect([await edit(1, 30), await edit(1, 60)]).toEqual([200, 200]);
    const message = "Somebody else has changed this schedule in the meantime.";
    expect(await update(scheduleId, { duration_minutes: 90, version: 1 })).toMatchObject({
      status: 409,
      body: { message, errors: [{ field: "version" }] },
    });
    expect((await audit()).at(-1)).toMatchObject({ action: "UPDATE_SCHEDULE", outcome: "REFUSED", reason: message });
    expect((await list()).schedules).toMatchObject([{ duration_minutes: 60, version: 2 }]);
    expect(await edit(undefined, 90)).toBe(200);
    expect((await list()).schedules).toMatchObject([{ duration_minutes: 90, version: 3 }]);
  });

  test("a ONCE that has run becomes ACTIVE again", async () => {
    const { scheduleId } = await create({ frequency: "ONCE" });
    await server.db.updateTable("schedules").set({ status: "COMPLETED", next_run_at: null }).execute();
    const answer = await update(scheduleId, { frequency: "ONCE", start_time: "2026-06-15 19:00:00" });
    expect(answer).toMatchObject({
      status: 200,
      body: { schedule: { status: "ACTIVE", next_run_at: "2026-06-15T13:30:00.000Z" } },
    });
  });

  test("its site and group cannot change: 400 names which differs", async () => {
    const { scheduleId } = await create();
    const { secondSiteId } = server.fixtures;
    expect(await update(scheduleId, { site_id: secondSiteId })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "site_id" }] },
    });
  });

  describe("never starts a robot", () => {
    /** The robot can start, and its schedule has been due for this many seconds. */
    const standDue = async (lateS: number) => {
      const { scheduleId } = await create();
      const now = server.clock.now();
      const dueAt = new Date(now.getTime() - lateS * 1_000);
      await server.db.updateTable("schedules").set({ next_run_at: dueAt }).where("id", "=", scheduleId).execute();
      const ready = { online: true, live_at: now, received_at: now, motion: "STOPPED", mode: "AUTO" } as const;
      await server.db
        .updateTable("robot_state")
        .set({ ...ready, clock_skew_ms: 0 })
        .execute();
      return { scheduleId, dueAt };
    };
    const orders = () => server.db.selectFrom("commands").selectAll().execute();
    const runs = () => server.db.selectFrom("runs").selectAll().orderBy("due_at").execute();

    test.each([0, 2, 120])("due for %d s, then switched off: it is INACTIVE, and the run skipped", async (lateS) => {
      for (const connected of [true, false]) {
        server.broker.setConnected(connected);
        const { scheduleId, dueAt } = await standDue(lateS);
        const answer = await update(scheduleId, { status: "INACTIVE" });
        expect(answer).toMatchObject({ status: 200, body: { schedule: { status: "INACTIVE", next_run_at: null } } });
        const reason = "Switched off by Omkar Jain before it could start.";
        expect(await runs()).toMatchObject([{ due_at: dueAt, outcome: "SKIPPED", reason, began_at: null }]);
        expect(await orders()).toEqual([]);
        await server.db.deleteFrom("runs").execute();
        await server.db.deleteFrom("schedules").execute();
      }
    });

    test.each([0, 120])(
      "due for %d s, then changed: the run is skipped, and the next one is planned",
      async (lateS) => {
        const { scheduleId, dueAt } = await standDue(lateS);
        expect(await update(scheduleId, { start_time: "2026-06-20 06:00:00" })).toMatchObject({
          status: 200,
          body: { schedule: { next_run_at: "2026-06-20T00:30:00.000Z" } },
        });
        const reason = "The schedule was changed by Omkar Jain before this run could start.";
        expect(await runs()).toMatchObject([{ schedule_id: scheduleId, due_at: dueAt, outcome: "SKIPPED", reason }]);
        expect(await orders()).toEqual([]);
      },
    );

    test("what was missed before stays missed; a refused change does not affect what is due", async () => {
      const { scheduleId } = await standDue(24 * 3_600 + 60);
      expect(await update(scheduleId, { site_id: server.fixtures.secondSiteId })).toMatchObject({ status: 400 });
      expect(await runs()).toEqual([]);
      expect(await update(scheduleId, { status: "INACTIVE" })).toMatchObject({ status: 200 });
      expect((await runs()).map(({ outcome }) => outcome)).toEqual(["MISSED"]);
    });

    test("deleted while due: nothing starts", async () => {
      const { scheduleId } = await standDue(2);
      await (await server.as("owner")).ask(deleteSchedule, { params: { scheduleId } });
      expect(await orders()).toEqual([]);
    });
  });
});

describe("§7 Groups and schedules: DELETE api/robots/group/deleteSchedule/{scheduleId}", () => {
  test("deletes the schedule; group and robots stay", async () => {
    const { scheduleId } = await create();
    const owner = await server.as("owner");
    expect(await owner.ask(deleteSchedule, { params: { scheduleId } })).toEqual({
      message: "Schedule deleted successfully",
    });
    expect((await list()).schedules).toEqual([]);
    expect(await server.db.selectFrom("robot_group_members").selectAll().execute()).toHaveLength(2);
    expect((await audit()).at(-1)).toMatchObject({
      action: "DELETE_SCHEDULE",
      entity_id: String(scheduleId),
      after: null,
    });
    expect(await owner.call(deleteSchedule, { params: { scheduleId } })).toMatchObject({ status: 404 });
    await create();
  });
});

test("live stream: a change of a schedule is sent as a change of the groups of its site", async () => {
  const { groupId } = server.fixtures.ownGroup;
  const changeNo = async () =>
    (await server.db.selectFrom("robot_groups").select("change_no").where("id", "=", groupId).executeTakeFirstOrThrow())
      .change_no;
  const before = await changeNo();
  const { scheduleId } = await create();
  const created = await changeNo();
  await update(scheduleId, { duration_minutes: 31 });
  const updated = await changeNo();
  await (await server.as("owner")).ask(deleteSchedule, { params: { scheduleId } });
  expect(new Set([before, created, updated, await changeNo()]).size).toBe(4);
});

describe('§11 Cleaning by need: a schedule "when worth it"', () => {
  const decisions = async (who: Person, siteId: number, group_id?: number) =>
    (await server.as(who)).call(scheduleDecisions, { params: { siteId }, query: group_id ? { group_id } : {} });
  const decide = (
    scheduleId: number,
    due_at: Date,
    more: { readonly runs?: boolean; readonly voided_at?: Date } = {},
  ) =>
    server.db
      .insertInto("schedule_decisions")
      .values({
        schedule_id: scheduleId,
        group_id: server.fixtures.ownGroup.groupId,
        site_id: server.fixtures.ownSiteId,
        due_at,
        decided_at: TEST_NOW,
        runs: false,
        ...eveningReason,
        ...more,
      })
      .execute();
  const eveningReason = {
    reason: "Not tonight: loss 0.4 %, worth from 1.1 %.",
    reason_code: "NOT_YET",
    reason_params: { loss_percent: 0.4, worth_from_percent: 1.1 },
  };

  test("has days between its runs, by default 1 and 14, and says when the next is decided", async () => {
    const { schedule } = await create({ frequency: "WHEN_WORTH_IT" });
    expect(schedule).toMatchObject({
      frequency: "WHEN_WORTH_IT",
      least_days: 1,
      most_days: 14,
      next_run_at: "2026-06-15T13:00:00.000Z",
      decides_at: "2026-06-15T11:00:00.000Z",
      decision: null,
    });
    expect((await update(schedule.id, { frequency: "WHEN_WORTH_IT", least_days: 2, most_days: 30 })).status).toBe(200);
    // What a client leaves out that does not know of it stays.
    expect((await update(schedule.id, { frequency: "WHEN_WORTH_IT" })).status).toBe(200);
    const [stored] = (await list()).schedules;
    expect(stored).toMatchObject({ least_days: 2, most_days: 30, version: 2 });
    const [created, changed] = await audit();
    expect(created?.after).toMatchObject({ frequency: "WHEN_WORTH_IT", least_days: 1, most_days: 14 });
    expect(changed?.before).toMatchObject({ least_days: 1, most_days: 14 });
    expect(changed?.after).toMatchObject({ least_days: 2, most_days: 30 });
  });

  test("a change from or to another frequency is on record as that alone", async () => {
    const { schedule } = await create({ frequency: "DAILY" });
    expect((await update(schedule.id, { frequency: "WHEN_WORTH_IT" })).status).toBe(200);
    expect((await update(schedule.id, { frequency: "DAILY" })).status).toBe(200);
    const [, to, from] = await audit();
    expect(to).toMatchObject({ before: { least_days: null }, after: { frequency: "WHEN_WORTH_IT", least_days: 1 } });
    expect(from).toMatchObject({ before: { least_days: 1 }, after: { frequency: "DAILY", least_days: 1 } });
  });

  test.each([
    [{ least_days: 0 }, "least_days"],
    [{ most_days: 366 }, "most_days"],
    [{ least_days: 1.5 }, "least_days"],
    [{ least_days: 8, most_days: 7 }, "most_days"],
    [{ least_days: 15 }, "most_days"],
  ])("days that cannot be are refused: %j", async (days, field) => {
    const call = (await server.as("owner")).call(createSchedule, {
      body: body({ frequency: "WHEN_WORTH_IT", ...days }),
    });
    expect(await call).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test("what was decided of the next run is part of it; others do not say so", async () => {
    const { schedule } = await create({ frequency: "WHEN_WORTH_IT" });
    await decide(schedule.id, new Date("2026-06-15T13:00:00Z"));
    const [stored] = (await list()).schedules;
    expect(stored?.decision).toEqual({
      decided_at: TEST_NOW.toISOString(),
      runs: false,
      text: eveningReason.reason,
      code: "NOT_YET",
    });
  });

  test("every decision is listed with its reason, newest first, to those who see the site", async () => {
    const { schedule } = await create({ frequency: "WHEN_WORTH_IT" });
    const { ownSiteId, ownGroup } = server.fixtures;
    await decide(schedule.id, new Date("2026-06-13T13:00:00Z"), { runs: true });
    await decide(schedule.id, new Date("2026-06-14T13:00:00Z"), { voided_at: TEST_NOW });
    await decide(schedule.id, new Date("2026-06-14T13:00:00Z"));
    const { body: listed } = await decisions("owner", ownSiteId, ownGroup.groupId);
    expect(listed).toMatchObject({
      decisions: [
        {
          due_at: "2026-06-14T13:00:00.000Z",
          runs: false,
          is_void: false,
          text: eveningReason.reason,
          code: "NOT_YET",
        },
        { due_at: "2026-06-14T13:00:00.000Z", is_void: true },
        { due_at: "2026-06-13T13:00:00.000Z", runs: true, group_id: ownGroup.groupId, group_name: expect.any(String) },
      ],
    });
    expect((await decisions("owner", ownSiteId, ownGroup.groupId + 1000)).status).toBe(404);
    expect((await decisions("stranger", ownSiteId)).status).toBe(404);
  });
});
