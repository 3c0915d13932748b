import { afterEach, describe, expect, test } from "vitest";
import { ScheduleBench } from "../../../test/schedule-bench.ts";
import { scheduledRunReasons } from "./scheduler-messages.ts";

const MINUTE_MS = 60_000;
let bench: ScheduleBench;
afterEach(() => bench.close());

/** 05:59 at the bench's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const at = (minutes: number) => new Date(DUE.getTime() + minutes * MINUTE_MS);
const SIX = "2026-06-15 06:00:00";

const outcomes = async (id?: number) => (await bench.runs(id)).map(({ outcome, reason }) => [outcome, reason]);

describe("decisions, Time: schedules really run", () => {
  test("stack, due work: a group starts at the local time of its site and stops after the duration", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(2);
    const id = await bench.schedule(group, { startTime: SIX, frequency: "DAILY" });
    await bench.until(at(-1 / 60));
    expect(await bench.runs()).toEqual([]);
    await bench.until(DUE);
    expect(await bench.runs(id)).toMatchObject(
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
    expect(await bench.scheduleRow(id)).toMatchObject({ status: "ACTIVE", next_run_at: at(24 * 60) });
    await bench.until(at(30));
    expect((await bench.runs(id)).map(({ outcome, ended_at }) => [outcome, ended_at])).toEqual(
      group.robotIds.map(() => ["COMPLETED", at(30)]),
    );
    for (const robotId of group.robotIds) {
      expect(bench.robots.motions(robotId)).toMatchObject([{ beganAt: DUE, endedAt: at(30) }]);
    }
    const scheduled = { action_type: "SCHEDULED", status: "SUCCESS" };
    expect(await bench.activity()).toMatchObject([
      ...group.robotIds.map(() => ({ ...scheduled, action: "START", user_name: "Scheduler" })),
      ...group.robotIds.map(() => {
        return { ...scheduled, action: "STOP", user_name: "Robot", details: "Reached its planned end." };
      }),
    ]);
  });

  test("stack, due work: a server that has just started runs what is due as soon as robots are heard", async () => {
    bench = await ScheduleBench.open(at(-2 / 60));
    const id = await bench.schedule(await bench.group(2), { startTime: SIX });
    await bench.until(DUE);
    expect(await bench.runs(id)).toMatchObject([{ began_at: DUE }, { began_at: DUE }]);
  });

  test("wire, Schedules: a ONCE is completed by its run and stays; INACTIVE is stored and runs nothing", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const once = await bench.schedule(await bench.group(1), { startTime: SIX });
    const inactive = await bench.schedule(await bench.group(1), { startTime: SIX, status: "INACTIVE" });
    await bench.until(DUE);
    await bench.until(at(24 * 60));
    expect(await bench.scheduleRow(once)).toMatchObject({ status: "COMPLETED", next_run_at: null });
    expect(await bench.scheduleRow(inactive)).toMatchObject({ status: "INACTIVE" });
    expect(await outcomes()).toHaveLength(1);
  });

  test("Schedules: robots that cannot run are skipped with a reason; the rest run", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(4);
    const [offline = 0, locked = 0, busy = 0, fine = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.robots.leave(offline, { goodbye: true });
    await bench.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", locked).execute();
    await bench.press("START", busy, group.siteId);
    await bench.until(DUE);
    expect((await bench.runs(id)).map((run) => [run.robot_id, run.outcome, run.reason, run.began_at])).toEqual([
      [offline, "SKIPPED", "Robot S1-1 is offline: it has no connection at the moment.", null],
      [locked, "SKIPPED", "Robot S1-2 is in maintenance. Exit maintenance first.", null],
      [busy, "SKIPPED", "Robot S1-3 is already cleaning.", null],
      [fine, null, null, DUE],
    ]);
    expect((await bench.activity()).filter(({ user_name }) => user_name === "Scheduler")).toMatchObject([
      { robot_id: offline, status: "REFUSED" },
      { robot_id: locked, status: "REFUSED" },
      { robot_id: busy, status: "REFUSED" },
      { robot_id: fine, status: "SUCCESS" },
    ]);
  });

  test("protocol rule 2: a robot whose last report is merely older than 45 s is waited for, 10 minutes at most", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(2);
    const [late = 0, silent = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    bench.clock.advance(MINUTE_MS);
    await bench.poll();
    expect(await bench.runs(id)).toEqual([]);
    bench.clock.advance(10_000);
    await bench.robots.tick([late]);
    await bench.poll();
    expect(await bench.runs(id)).toMatchObject([{ robot_id: late, began_at: at(1 / 6) }]);
    expect(await bench.scheduleRow(id)).toMatchObject({
      waiting: "Waiting for the state of S1-2: not heard from for a while.",
      waiting_due_at: DUE,
    });
    bench.clock.advance(at(10).getTime() - 1 - bench.clock.now().getTime());
    await bench.poll();
    expect(await bench.runs(id)).toHaveLength(1);
    bench.clock.advance(1);
    await bench.poll();
    expect((await bench.runs(id)).map(({ robot_id, outcome, reason }) => [robot_id, outcome, reason])).toEqual([
      [late, null, null],
      [silent, "SKIPPED", expect.stringContaining("has not reported for 45 seconds")],
    ]);
    expect(await bench.scheduleRow(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("a group without robots moves nothing and is due again the next time", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const id = await bench.schedule(await bench.group(0), { startTime: SIX, frequency: "DAILY" });
    await bench.until(DUE);
    expect(await bench.scheduleRow(id)).toMatchObject({ next_run_at: at(24 * 60) });
    expect(await bench.runs()).toEqual([]);
  });
});

describe("decisions, Time: a run for which no server was up", () => {
  test("starts up to 10 minutes late, and still ends on time", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.until(at(9));
    expect(await bench.runs(id)).toMatchObject([{ due_at: DUE, began_at: at(9), stop_due_at: at(30) }]);
    const [start] = await bench.commands(group.robotIds[0] ?? 0);
    expect(start).toMatchObject({ verb: "START", max_duration_s: 21 * 60 });
    await bench.until(at(30));
    expect(await bench.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
  });

  test("waits for robots not heard from in the meantime; those that stay offline are skipped", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(2);
    const [online = 0, lost = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    bench.servers.pop();
    bench.robots.unheard = true;
    bench.clock.advance(at(2).getTime() - BEFORE.getTime());
    bench.addServer();
    await bench.poll();
    expect(await bench.runs(id)).toEqual([]);
    bench.robots.unheard = false;
    await bench.robots.leave(lost);
    await bench.pass(10_000);
    expect(await bench.runs(id)).toMatchObject([{ robot_id: online, began_at: at(2 + 1 / 6), stop_due_at: at(30) }]);
    expect(await bench.activity()).toMatchObject([{ robot_id: online, status: "SUCCESS" }]);
    await bench.pass(25_000);
    expect(await bench.runs(id)).toHaveLength(1);
    await bench.until(at(10));
    expect(await bench.runs(id)).toMatchObject([{ robot_id: online, outcome: null }, { outcome: "SKIPPED" }]);
    expect(await bench.scheduleRow(id)).toMatchObject({ status: "COMPLETED" });
    await bench.until(at(29));
    await bench.until(at(30));
    expect(bench.robots.motions(online)).toMatchObject([{ endedAt: at(30) }]);
  });

  test.each([
    ["too late", { minutes: 30, seenAt: 10 }, "Suncrew could not start it within 10 minutes of its time."],
    ["over", { minutes: 5, seenAt: 5 }, "Its planned end had passed before Suncrew could start it."],
  ])("is missed if it is %s", async (_title, { minutes, seenAt }, reason) => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(2);
    const id = await bench.schedule(group, { startTime: SIX, minutes });
    await bench.until(at(seenAt));
    expect(await outcomes(id)).toEqual(group.robotIds.map(() => ["MISSED", reason]));
    expect(await bench.activity()).toEqual([]);
    const audit = await bench.db.selectFrom("audit").selectAll().where("action", "=", "MISS_SCHEDULED_RUN").execute();
    expect(audit).toMatchObject([{ actor: "Scheduler", outcome: "FAILED", entity_id: String(id), reason }]);
  });

  test("every occurrence of a long downtime is recorded, and the next one is planned", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const id = await bench.schedule(group, { startTime: SIX, frequency: "DAILY" });
    const days = 70;
    await bench.until(at(days * 24 * 60 + 1));
    const runs = await bench.runs(id);
    expect(runs.map(({ due_at }) => due_at)).toEqual(Array.from({ length: days + 1 }, (_, day) => at(day * 24 * 60)));
    expect(runs.slice(0, -1).every(({ outcome }) => outcome === "MISSED")).toBe(true);
    expect(runs.at(-1)).toMatchObject({ outcome: null, began_at: at(days * 24 * 60 + 1) });
    expect(await bench.scheduleRow(id)).toMatchObject({ next_run_at: at((days + 1) * 24 * 60) });
  });
});

describe("Schedules: skip on rain", () => {
  test.each([
    ["not-recommended", true, ["SKIPPED", scheduledRunReasons.heldForRain.text]],
    ["not-recommended", false, [null, null]],
    ["caution", true, [null, null]],
    [null, true, [null, null]],
  ] as const)("weather %s with the choice %s", async (advice, skipOnRain, expected) => {
    bench = await ScheduleBench.open(BEFORE);
    bench.advice = advice;
    const id = await bench.schedule(await bench.group(2), { startTime: SIX, skipOnRain, frequency: "DAILY" });
    await bench.until(DUE);
    expect(await outcomes(id)).toEqual([expected, expected]);
    expect(bench.adviceRequests).toBe(skipOnRain ? 1 : 0);
    expect(await bench.scheduleRow(id)).toMatchObject({ next_run_at: at(24 * 60) });
  });
});
