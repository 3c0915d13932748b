import { afterEach, describe, expect, test } from "vitest";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { scheduledRunReasons } from "./scheduler-messages.ts";

const MINUTE_MS = 60_000;
let harness: ScheduleHarness;
afterEach(() => harness.close());

/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const at = (minutes: number) => new Date(DUE.getTime() + minutes * MINUTE_MS);
const SIX = "2026-06-15 06:00:00";

const outcomes = async (id?: number) => (await harness.runs(id)).map(({ outcome, reason }) => [outcome, reason]);

describe("decisions, Time: schedules really run", () => {
  test("stack, due work: a group starts at the local time of its site and stops after the duration", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const id = await harness.schedule(group, { startTime: SIX, frequency: "DAILY" });
    await harness.until(at(-1 / 60));
    expect(await harness.runs()).toEqual([]);
    await harness.until(DUE);
    expect(await harness.runs(id)).toMatchObject(
      group.robotIds.map((robot_id) => ({
        robot_id,
        planned: true,
        started_by: "Scheduler",
        action_type: "SCHEDULED",
        group_id: group.groupId,
        group_name: group.name,
        due_at: DUE,
        stop_due_at: at(30),
        began_at: DUE,
        battery_began: 91,
        ended_at: null,
      })),
    );
    expect(await harness.scheduleRow(id)).toMatchObject({ status: "ACTIVE", next_run_at: at(24 * 60) });
    await harness.until(at(30));
    expect((await harness.runs(id)).map(({ outcome, ended_at }) => [outcome, ended_at])).toEqual(
      group.robotIds.map(() => ["COMPLETED", at(30)]),
    );
    for (const robotId of group.robotIds) {
      expect(harness.robots.motions(robotId)).toMatchObject([{ beganAt: DUE, endedAt: at(30) }]);
    }
    const scheduled = { action_type: "SCHEDULED", status: "SUCCESS" };
    expect(await harness.activity()).toMatchObject([
      ...group.robotIds.map(() => ({ ...scheduled, action: "START", user_name: "Scheduler" })),
      ...group.robotIds.map(() => {
        return { ...scheduled, action: "STOP", user_name: "Robot", details: "Reached its planned end." };
      }),
    ]);
  });

  test("stack, due work: a server that has just started runs what is due as soon as robots are heard", async () => {
    harness = await ScheduleHarness.open(at(-2 / 60));
    const id = await harness.schedule(await harness.group(2), { startTime: SIX });
    await harness.until(DUE);
    expect(await harness.runs(id)).toMatchObject([{ began_at: DUE }, { began_at: DUE }]);
  });

  test("wire, Schedules: a ONCE is completed by its run and stays; INACTIVE is stored and runs nothing", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const once = await harness.schedule(await harness.group(1), { startTime: SIX });
    const inactive = await harness.schedule(await harness.group(1), { startTime: SIX, status: "INACTIVE" });
    await harness.until(DUE);
    await harness.until(at(24 * 60));
    expect(await harness.scheduleRow(once)).toMatchObject({ status: "COMPLETED", next_run_at: null });
    expect(await harness.scheduleRow(inactive)).toMatchObject({ status: "INACTIVE" });
    expect(await outcomes()).toHaveLength(1);
  });

  test("Schedules: robots that cannot run are skipped with a reason; the rest run", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(4);
    const [offline = 0, locked = 0, busy = 0, fine = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.robots.leave(offline, { goodbye: true });
    await harness.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", locked).execute();
    await harness.press("START", busy, group.siteId);
    await harness.until(DUE);
    expect((await harness.runs(id)).map((run) => [run.robot_id, run.outcome, run.reason, run.began_at])).toEqual([
      [offline, "SKIPPED", "Robot S1-1 is offline: it has no connection at the moment.", null],
      [locked, "SKIPPED", "Robot S1-2 is in maintenance. Exit maintenance first.", null],
      [busy, "SKIPPED", "Robot S1-3 is already cleaning.", null],
      [fine, null, null, DUE],
    ]);
    expect((await harness.activity()).filter(({ user_name }) => user_name === "Scheduler")).toMatchObject([
      { robot_id: offline, status: "REFUSED" },
      { robot_id: locked, status: "REFUSED" },
      { robot_id: busy, status: "REFUSED" },
      { robot_id: fine, status: "SUCCESS" },
    ]);
  });

  test("protocol rule 2: a robot whose last report is merely older than 45 s is waited for, 10 minutes at most", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const [late = 0, silent = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    harness.clock.advance(MINUTE_MS);
    await harness.poll();
    expect(await harness.runs(id)).toEqual([]);
    harness.clock.advance(10_000);
    await harness.robots.tick([late]);
    await harness.poll();
    expect(await harness.runs(id)).toMatchObject([{ robot_id: late, began_at: at(1 / 6) }]);
    expect(await harness.scheduleRow(id)).toMatchObject({
      waiting: "Waiting for the state of S1-2: not heard from for a while.",
      waiting_due_at: DUE,
    });
    harness.clock.advance(at(10).getTime() - 1 - harness.clock.now().getTime());
    await harness.poll();
    expect(await harness.runs(id)).toHaveLength(1);
    harness.clock.advance(1);
    await harness.poll();
    expect((await harness.runs(id)).map(({ robot_id, outcome, reason }) => [robot_id, outcome, reason])).toEqual([
      [late, null, null],
      [silent, "SKIPPED", expect.stringContaining("has not reported for 45 seconds")],
    ]);
    expect(await harness.scheduleRow(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("a group without robots moves nothing and is due again the next time", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const id = await harness.schedule(await harness.group(0), { startTime: SIX, frequency: "DAILY" });
    await harness.until(DUE);
    expect(await harness.scheduleRow(id)).toMatchObject({ next_run_at: at(24 * 60) });
    expect(await harness.runs()).toEqual([]);
  });
});

describe("decisions, Time: a run for which no server was up", () => {
  test("starts up to 10 minutes late, and still ends on time", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(at(9));
    expect(await harness.runs(id)).toMatchObject([{ due_at: DUE, began_at: at(9), stop_due_at: at(30) }]);
    const [start] = await harness.commands(group.robotIds[0] ?? 0);
    expect(start).toMatchObject({ verb: "START", max_duration_s: 21 * 60 });
    await harness.until(at(30));
    expect(await harness.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
  });

  test("waits for robots not heard from in the meantime; those that stay offline are skipped", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const [online = 0, lost = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    harness.servers.pop();
    harness.robots.unheard = true;
    harness.clock.advance(at(2).getTime() - BEFORE.getTime());
    harness.addServer();
    await harness.poll();
    expect(await harness.runs(id)).toEqual([]);
    harness.robots.unheard = false;
    await harness.robots.leave(lost);
    await harness.pass(10_000);
    expect(await harness.runs(id)).toMatchObject([{ robot_id: online, began_at: at(2 + 1 / 6), stop_due_at: at(30) }]);
    expect(await harness.activity()).toMatchObject([{ robot_id: online, status: "SUCCESS" }]);
    await harness.pass(25_000);
    expect(await harness.runs(id)).toHaveLength(1);
    await harness.until(at(10));
    expect(await harness.runs(id)).toMatchObject([{ robot_id: online, outcome: null }, { outcome: "SKIPPED" }]);
    expect(await harness.scheduleRow(id)).toMatchObject({ status: "COMPLETED" });
    await harness.until(at(29));
    await harness.until(at(30));
    expect(harness.robots.motions(online)).toMatchObject([{ endedAt: at(30) }]);
  });

  test.each([
    ["too late", { minutes: 30, seenAt: 10 }, "Suncrew could not start it within 10 minutes of its time."],
    ["over", { minutes: 5, seenAt: 5 }, "Its planned end had passed before Suncrew could start it."],
  ])("is missed if it is %s", async (_title, { minutes, seenAt }, reason) => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const id = await harness.schedule(group, { startTime: SIX, minutes });
    await harness.until(at(seenAt));
    expect(await outcomes(id)).toEqual(group.robotIds.map(() => ["MISSED", reason]));
    expect(await harness.activity()).toEqual([]);
    const audit = await harness.db.selectFrom("audit").selectAll().where("action", "=", "MISS_SCHEDULED_RUN").execute();
    expect(audit).toMatchObject([{ actor: "Scheduler", outcome: "FAILED", entity_id: String(id), reason }]);
  });

  test("every occurrence of a long downtime is recorded, and the next one is planned", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const id = await harness.schedule(group, { startTime: SIX, frequency: "DAILY" });
    const days = 70;
    await harness.until(at(days * 24 * 60 + 1));
    const runs = await harness.runs(id);
    expect(runs.map(({ due_at }) => due_at)).toEqual(Array.from({ length: days + 1 }, (_, day) => at(day * 24 * 60)));
    expect(runs.slice(0, -1).every(({ outcome }) => outcome === "MISSED")).toBe(true);
    expect(runs.at(-1)).toMatchObject({ outcome: null, began_at: at(days * 24 * 60 + 1) });
    expect(await harness.scheduleRow(id)).toMatchObject({ next_run_at: at((days + 1) * 24 * 60) });
  });
});

describe("Schedules: skip on rain", () => {
  test.each([
    ["not-recommended", true, ["SKIPPED", scheduledRunReasons.heldForRain.text]],
    ["not-recommended", false, [null, null]],
    ["caution", true, [null, null]],
    [null, true, [null, null]],
  ] as const)("weather %s with the choice %s", async (advice, skipOnRain, expected) => {
    harness = await ScheduleHarness.open(BEFORE);
    harness.advice = advice;
    const id = await harness.schedule(await harness.group(2), { startTime: SIX, skipOnRain, frequency: "DAILY" });
    await harness.until(DUE);
    expect(await outcomes(id)).toEqual([expected, expected]);
    expect(harness.adviceRequests).toBe(skipOnRain ? 1 : 0);
    expect(await harness.scheduleRow(id)).toMatchObject({ next_run_at: at(24 * 60) });
  });
});
