import { randomUUID } from "node:crypto";
import { robotNights, siteNights } from "@suncrew/contract/robot-history/nights.ts";
import {
  robotBySerial,
  robotChanges,
  robotHistory,
  robotOrders,
} from "@suncrew/contract/robot-history/robot-history.ts";
import fc from "fast-check";
import type { Insertable } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addReadings } from "../../../test/day-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { Tables } from "../../platform/database/tables.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, at every site of the fixtures: a night has just begun.
let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const MINUTE_MS = 60_000;
const HOUR = 60;
const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * MINUTE_MS);
const iso = (minutes: number) => at(minutes).toISOString();

/** A planned run of the first robot, done, except as `more` says. */
async function run(beganMinutes: number, more: Partial<Insertable<Tables["runs"]>> = {}): Promise<void> {
  await server.db
    .insertInto("runs")
    .values({
      id: randomUUID(),
      robot_id: server.fixtures.ownRobot.id,
      site_id: server.fixtures.ownSiteId,
      started_by: "Scheduler",
      action_type: "SCHEDULED",
      planned: true,
      schedule_id: 1_000_000,
      due_at: at(beganMinutes),
      stop_due_at: at(beganMinutes + 30),
      began_at: at(beganMinutes),
      ended_at: at(beganMinutes + 30),
      outcome: "COMPLETED",
      reason: "STOP",
      ...more,
    })
    .execute();
}
const notBegun = { began_at: null, battery_began: null, battery_ended: null };

/** The first robot now belongs to the other partner's site; what happened stays where it happened. */
async function moveToStranger(): Promise<void> {
  const { foreignSiteId, ownRobot } = server.fixtures;
  await server.db.updateTable("robots").set({ site_id: foreignSiteId }).where("id", "=", ownRobot.id).execute();
  await server.db
    .updateTable("robot_state")
    .set({ site_id: foreignSiteId })
    .where("robot_id", "=", ownRobot.id)
    .execute();
}

async function changeSpeed(minutes: number, before: number, after: number): Promise<void> {
  const settings = (main: number) =>
    JSON.stringify({ cleaning_direction: "FORWARD", main_motor_speed: main, brush_motor_speed: 80 });
  const { ownRobot, ownSiteId } = server.fixtures;
  await server.db
    .insertInto("audit")
    .values({
      at: at(minutes),
      actor: "Anita Rao",
      action: "UPDATE_SETTINGS",
      entity: "robot",
      entity_id: String(ownRobot.id),
      site_id: ownSiteId,
      outcome: "DONE",
      before: settings(before),
      after: settings(after),
    })
    .execute();
}

describe("robot page: one robot by its serial number", () => {
  test("comes with the names around it, for those who may see it", async () => {
    const { ownRobot } = server.fixtures;
    const params = { robotSerial: ownRobot.serial };
    expect(await (await server.as("owner")).ask(robotBySerial, { params })).toMatchObject({
      robot: { robot_id: ownRobot.id, serial_number: "OWN-1" },
      site_name: "Ownfield Park",
      timezone: "Asia/Kolkata",
      group_name: null,
    });
    expect(await (await server.as("stranger")).call(robotBySerial, { params })).toMatchObject({ status: 404 });
    expect(await (await server.as(null)).call(robotBySerial, { params })).toMatchObject({ status: 401 });
  });
});

describe("robot page: the history", () => {
  test("has one value for each part, gaps where the robot was silent, and what happened", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    const params = { robotId: ownRobot.id };
    await addReadings(server.db, ownRobot.id, ownSiteId, [
      { at: iso(-60), battery: 80, motion: "MOVING" },
      { at: iso(-58), battery: 70, motion: "MOVING" },
      { at: iso(-30), battery: 60 },
    ]);
    await changeSpeed(-90, 40, 65);
    await run(-60);
    await server.db
      .insertInto("alerts")
      .values({
        site_id: ownSiteId,
        robot_id: ownRobot.id,
        source: "ROBOT",
        code: "BRUSH",
        severity: "CRITICAL",
        text: "Brush worn",
        raised_at: at(-40),
        change_no: "1",
      })
      .execute();
    await server.db
      .insertInto("robot_presence")
      .values({ robot_id: ownRobot.id, site_id: ownSiteId, online_at: at(-60), offline_at: at(-30) })
      .execute();

    const history = await (await server.as("owner")).ask(robotHistory, { params, query: { span: "24h" } });
    expect(history).toMatchObject({ timezone: "Asia/Kolkata", from: iso(-24 * HOUR), to: iso(0), part_ms: 300_000 });
    const tail = (values: readonly (number | null)[]) => values.slice(-13);
    expect(history.battery_least).toHaveLength(288);
    const silent = [null, null, null, null, null];
    expect(tail(history.battery_least)).toEqual([null, 70, ...silent, 60, ...silent]);
    expect(tail(history.battery_most)).toEqual([null, 80, ...silent, 60, ...silent]);
    expect(tail(history.battery_mean)).toEqual([null, 75, ...silent, 60, ...silent]);
    expect(tail(history.moving)).toEqual([null, 1, ...silent, 0, ...silent]);
    expect(tail(history.main_speed)).toEqual([null, 65, ...silent, 0, ...silent]);
    expect(tail(history.connected)).toEqual([null, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect(history.uptime_percent).toBe(50);
    expect(history.runs).toMatchObject([{ began_at: iso(-60), outcome: "COMPLETED" }]);
    expect(history.alerts).toMatchObject([{ text: "Brush worn", raised_at: iso(-40), cleared_at: null }]);
    expect(history.sample).toBe(false);

    const past = await (
      await server.as("owner")
    ).ask(robotHistory, { params, query: { span: "24h", at: iso(-20 * HOUR) } });
    expect(past).toMatchObject({
      from: iso(-32 * HOUR),
      to: iso(-8 * HOUR),
      runs: [],
      alerts: [],
      uptime_percent: null,
    });
  });

  test("keeps the extremes of whatever was reported, and is silent where nothing was", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    const owner = await server.as("owner");
    const reading = fc.record({
      second: fc.integer({ min: -7 * 86_400, max: -1 }),
      battery: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
    });
    const readings = fc.uniqueArray(reading, { minLength: 1, maxLength: 120, selector: ({ second }) => second });
    await fc.assert(
      fc.asyncProperty(readings, async (each) => {
        await server.db.deleteFrom("readings").execute();
        const rows = each.map(({ second, battery }) => ({ at: iso(second / 60), battery }));
        await addReadings(server.db, ownRobot.id, ownSiteId, rows);
        const { from, part_ms, ...history } = await owner.ask(robotHistory, {
          params: { robotId: ownRobot.id },
          query: { span: "7d" },
        });
        const partOf = (time: string) => Math.floor((Date.parse(time) - Date.parse(from)) / part_ms);
        const byPart = Map.groupBy(rows, (row) => partOf(row.at));
        // A part that has no reading of its own may have the last one of the part before.
        const wrong = history.battery_least.filter((least, part) => {
          const most = history.battery_most[part];
          const own = byPart.get(part)?.map(({ battery }) => battery);
          if (own !== undefined) return least !== Math.min(...own) || most !== Math.max(...own);
          return least !== null && !(byPart.has(part - 1) && least === most);
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test("§6: is refused out of scope, and of a robot that was moved everybody sees what happened at their own sites", async () => {
    const { ownRobot, ownSiteId, foreignSiteId } = server.fixtures;
    const params = { robotId: ownRobot.id };
    await addReadings(server.db, ownRobot.id, ownSiteId, [{ at: iso(-60), battery: 80 }]);
    await run(-60);
    await changeSpeed(-90, 40, 65);
    for (const route of [robotHistory, robotNights, robotOrders, robotChanges]) {
      expect(await (await server.as("stranger")).call(route, { params })).toMatchObject({ status: 404 });
      expect(await (await server.as(null)).call(route, { params })).toMatchObject({ status: 401 });
    }
    await moveToStranger();
    await run(-20, { site_id: foreignSiteId });
    expect(await (await server.as("owner")).call(robotHistory, { params })).toMatchObject({ status: 404 });
    const theirs = await (await server.as("stranger")).ask(robotHistory, { params });
    expect(theirs.runs.map(({ began_at }) => began_at)).toEqual([iso(-20)]);
    expect(theirs.battery_mean.every((value) => value === null)).toBe(true);
    expect((await (await server.as("stranger")).ask(robotChanges, { params })).settings).toEqual([]);
    const all = await (await server.as("admin")).ask(robotHistory, { params });
    expect(all.runs).toHaveLength(2);
    expect(all.battery_mean.some((value) => value === 80)).toBe(true);
  });

  test("names the field of a wrong moment", async () => {
    const params = { robotId: server.fixtures.ownRobot.id };
    const owner = await server.as("owner");
    expect(await owner.call(robotHistory, { params, query: { at: "yesterday" } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "at" }] },
    });
  });
});

describe("robot page: nights", () => {
  test("are as good as their best run, and say why they are not done", async () => {
    const { ownRobot, ownRobot2, ownSiteId } = server.fixtures;
    const params = { robotId: ownRobot.id };
    await run(-20 * HOUR, {
      ...notBegun,
      ended_at: at(-20 * HOUR),
      outcome: "MISSED",
      reason: "No server was running.",
    });
    await run(-44 * HOUR, { outcome: "CUT_SHORT", reason: "BATTERY" });
    await run(-43 * HOUR);
    await run(-70 * HOUR, {
      outcome: "STOPPED",
      reason: "STOP",
      planned: false,
      schedule_id: null,
      due_at: null,
      stop_due_at: null,
    });
    await run(0, { ended_at: null, outcome: null, reason: null });
    await run(-20 * HOUR, { robot_id: ownRobot2.id });
    await run(-31 * 24 * HOUR);

    const { nights } = await (await server.as("owner")).ask(robotNights, { params });
    expect(nights).toHaveLength(30);
    expect(nights.slice(-5).map(({ date, state, reason }) => [date, state, reason])).toEqual([
      ["2026-06-11", "NONE", null],
      ["2026-06-12", "STOPPED", "Stopped by a command."],
      ["2026-06-13", "COMPLETED", null],
      ["2026-06-14", "MISSED", "No server was running."],
      ["2026-06-15", "RUNNING", null],
    ]);
    expect(nights.at(-2)?.run_at).toBe(iso(-20 * HOUR));

    const site = { params: { siteId: ownSiteId } };
    const answer = await (await server.as("owner")).ask(siteNights, site);
    expect(answer.dates).toEqual(nights.slice(-7).map(({ date }) => date));
    expect(answer.robots).toEqual([
      {
        robot_id: ownRobot.id,
        states: ["NONE", "NONE", "NONE", "STOPPED", "COMPLETED", "MISSED", "RUNNING"],
        reason: null,
        run_at: null,
      },
      {
        robot_id: ownRobot2.id,
        states: ["NONE", "NONE", "NONE", "NONE", "NONE", "COMPLETED", "NONE"],
        reason: null,
        run_at: null,
      },
    ]);
    expect(await (await server.as("stranger")).call(siteNights, site)).toMatchObject({ status: 404 });
    expect(await (await server.as(null)).call(siteNights, site)).toMatchObject({ status: 401 });
  });

  test("of a site name the reason of the last night with a run", async () => {
    await run(-20 * HOUR, { ...notBegun, ended_at: at(-20 * HOUR), outcome: "SKIPPED", reason: "Rain was expected." });
    const { robots } = await (
      await server.as("owner")
    ).ask(siteNights, { params: { siteId: server.fixtures.ownSiteId } });
    expect(robots).toMatchObject([{ reason: "Rain was expected.", run_at: iso(-20 * HOUR) }]);
  });
});

describe("robot page: what was asked of a robot", () => {
  test("lists starts, stops, settings and locks in pages, with who and what became of it", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    const params = { robotId: ownRobot.id };
    const common = { robot_id: ownRobot.id, site_id: ownSiteId, serial_number: ownRobot.serial };
    await server.db
      .insertInto("activity")
      .values(
        [1, 2].map((nth) => ({
          ...common,
          created_at: at(-10),
          action: "START" as const,
          action_type: "MANUAL" as const,
          user_name: "Omkar Jain",
          status: "REFUSED" as const,
          site_name: "Ownfield Park",
          robot_name: "OWN-1",
          details: `Refused, ${nth}`,
          params: "{}",
        })),
      )
      .execute();
    await server.db
      .insertInto("commands")
      .values({
        ...common,
        id: randomUUID(),
        verb: "SET",
        seq: at(-5).getTime(),
        session: 1,
        issued_at: at(-5),
        expires_at: at(-4),
        settle_by: at(-4),
        settled_at: at(-4),
        outcome: "UNCONFIRMED",
        params: JSON.stringify({ "main-speed": 60 }),
        requested_by: "Anita Rao",
      })
      .execute();
    const owner = await server.as("owner");
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await owner.ask(robotOrders, {
        params,
        query: { limit: 1, ...(cursor !== undefined && { cursor }) },
      });
      seen.push(...page.orders.map(({ verb, by, status, details }) => [verb, by, status, details].join(" | ")));
      more = page.next_cursor !== null;
      cursor = page.next_cursor ?? undefined;
    }
    expect(seen).toEqual([
      "SET | Anita Rao | FAILED | Main motor 60 %. Not confirmed by the robot in time.",
      "START | Omkar Jain | REFUSED | Refused, 2",
      "START | Omkar Jain | REFUSED | Refused, 1",
    ]);
  });

  test("and what was changed: settings with before and after, maintenance", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    await changeSpeed(-90, 40, 65);
    await server.db
      .insertInto("maintenance_locks")
      .values({
        robot_id: ownRobot.id,
        site_id: ownSiteId,
        reason: "Brush worn",
        locked_by: "Omkar Jain",
        locked_at: at(-80),
        former_mode: "auto",
        released_at: at(-70),
        released_by: "Anita Rao",
      })
      .execute();
    const changes = await (await server.as("owner")).ask(robotChanges, { params: { robotId: ownRobot.id } });
    expect(changes).toMatchObject({
      settings: [{ by: "Anita Rao", at: iso(-90), before: { main_motor_speed: 40 }, after: { main_motor_speed: 65 } }],
      firmware: [],
      locks: [{ reason: "Brush worn", locked_by: "Omkar Jain", released_by: "Anita Rao", confirmed_at: null }],
    });
  });
});
