import { randomUUID } from "node:crypto";
import {
  acknowledgeAttention,
  ATTENTION_LIMIT,
  attentionList,
  undoAcknowledgement,
} from "@suncrew/contract/attention/attention.ts";
import { outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { Insertable } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setState } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { seedWallboardLinks, wallboardSessionOf } from "../../../test/wallboard-fixtures.ts";
import type { Tables } from "../../platform/database/tables.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, at every site of the fixtures.
let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  await seedGroups(server.db, server.fixtures, "planned");
});
afterEach(() => server.close());

type Person = "admin" | "owner" | "stranger";
const HOUR = 60;
const DAY = 24 * HOUR;
const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * 60_000);
const list = async (person: Person = "owner") => (await server.as(person)).ask(attentionList);
const kinds = async (person: Person = "owner") => (await list(person)).items.map(({ kind }) => kind);
const acknowledge = async (person: Person, key: string, comment: string | null = null) =>
  (await server.as(person)).call(acknowledgeAttention, { params: { itemId: key }, body: { comment } });
const undo = async (person: Person, key: string) =>
  (await server.as(person)).call(undoAcknowledgement, { params: { itemId: key } });

async function alert(more: Partial<Insertable<Tables["alerts"]>> = {}): Promise<string> {
  const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
  const usual = { robot_id, site_id, source: "ROBOT", severity: "CRITICAL", code: "JAM", text: "Jammed." } as const;
  const { id } = await server.db
    .insertInto("alerts")
    .values({ ...usual, raised_at: at(-5), ...more })
    .returning("id")
    .executeTakeFirstOrThrow();
  return String(id);
}

/** A run of the first robot's group, which was skipped, except as `more` says. */
async function run(due: Date, more: Partial<Insertable<Tables["runs"]>> = {}): Promise<string> {
  const id = randomUUID();
  const { ownRobot, ownGroup } = server.fixtures;
  const { code, text } = outcomeText("ROBOT_AWAY", { serial: ownRobot.serial });
  await server.db
    .insertInto("runs")
    .values({
      id,
      robot_id: ownRobot.id,
      site_id: ownRobot.siteId,
      planned: true,
      action_type: "SCHEDULED",
      started_by: "Scheduler",
      schedule_id: ownGroup.scheduleId,
      group_id: ownGroup.groupId,
      group_name: "Ownfield East",
      due_at: due,
      stop_due_at: new Date(due.getTime() + 1_800_000),
      ended_at: due,
      outcome: "SKIPPED",
      reason: text,
      reason_code: code,
      ...more,
    })
    .execute();
  return id;
}

const done = (began: Date): Partial<Insertable<Tables["runs"]>> => ({
  began_at: began,
  ended_at: new Date(began.getTime() + 1_800_000),
  outcome: "COMPLETED",
  reason: "STOP",
  reason_code: null,
});

async function lock(days: number, more: Partial<Insertable<Tables["maintenance_locks"]>> = {}): Promise<void> {
  const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot2;
  const who = { locked_by: "Asha Rathore", reason: "New brush", former_mode: "auto" } as const;
  await server.db
    .insertInto("maintenance_locks")
    .values({ robot_id, site_id, ...who, locked_at: at(-days * DAY), ...more })
    .execute();
}

/** Two runs of 30 minutes that took this much of the battery, and one more tonight. */
async function drains(percent: number, runs = 2): Promise<void> {
  for (let nth = 1; nth <= runs; nth += 1) {
    const began = at(-nth * DAY - 18 * HOUR);
    await run(began, { ...done(began), battery_began: 90, battery_ended: 90 - percent });
  }
  await server.db
    .updateTable("schedules")
    .set({ next_run_at: at(8 * HOUR) })
    .where("id", "=", server.fixtures.ownGroup.scheduleId)
    .execute();
}
const battery = (percent: number, charging = false) =>
  setState(server.db, server.fixtures.ownRobot.id, { battery: percent, charging });

describe("attention: the list", () => {
  test("nothing wrong is an empty list", async () => {
    expect(await list()).toEqual({ items: [], open: { CRITICAL: 0, WARNING: 0, INFO: 0 }, acknowledged: 0 });
  });

  test("has every kind, ranked, for the partner of the site and a Super Admin, and not for others", async () => {
    const { ownRobot, ownRobot2, ownSiteId } = server.fixtures;
    await alert({ severity: "WARNING", code: "DUST" });
    const alertId = await alert({ robot_id: null, source: "SERVER", code: "SITE_DARK", text: "All is dark." });
    await drains(15);
    await battery(34);
    await run(at(-12 * HOUR));
    await lock(9);
    await setState(server.db, ownRobot2.id, {
      motion: "MOVING",
      online: false,
      connection: "CONNECTION_BROKEN",
      connection_at: at(-2),
      received_at: at(-2),
    });
    const { items, open } = await list();
    expect(items.map(({ kind, robots }) => [kind, robots.map(({ serial_number: serial }) => serial)])).toEqual([
      ["MAY_BE_MOVING", [ownRobot2.serial]],
      ["ALERT", []],
      ["RUNS", [ownRobot.serial]],
      ["BATTERY", [ownRobot.serial]],
      ["MAINTENANCE", [ownRobot2.serial]],
    ]);
    expect(items[1]).toEqual({
      key: alertId,
      kind: "ALERT",
      code: "SITE_DARK",
      severity: "CRITICAL",
      site_id: ownSiteId,
      site_name: "Ownfield Park",
      robots: [],
      robot_count: 0,
      since: at(-5).toISOString(),
      due_at: null,
      cause: "All is dark.",
      suggestion: "Check power and network on site.",
      can_stop: false,
      retry_minutes: null,
      day: null,
      acknowledged_at: null,
      acknowledged_by: null,
      comment: null,
    });
    expect(items[2]).toMatchObject({
      cause: "The 00:00 run of Ownfield East was skipped. Robot OWN-1 is offline: it has no connection at the moment.",
      retry_minutes: 30,
      day: "2026-06-15",
    });
    expect(open).toEqual({ CRITICAL: 2, WARNING: 2, INFO: 1 });
    expect(await kinds("admin")).toEqual(items.map(({ kind }) => kind));
    expect(await kinds("stranger")).toEqual([]);
    expect((await (await server.as(null)).call(attentionList)).status).toBe(401);
  });

  test("of warnings those about weather limits, sensor and soiling of a site, and none of a robot's own with their codes", async () => {
    const ofSite = { robot_id: null, source: "SERVER", severity: "WARNING" } as const;
    await alert({ ...ofSite, code: "WEATHER_LIMIT", text: "Gusts." });
    await alert({ ...ofSite, code: "SITE_SOILED", text: "Dust." });
    await alert({ ...ofSite, code: "SENSOR_SILENT", text: "Silence." });
    await alert({ ...ofSite, code: "ANOTHER", text: "Less." });
    await alert({ severity: "WARNING", code: "WEATHER_LIMIT", text: "A robot's own." });
    const { items, open } = await list();
    expect(items.map(({ cause }) => cause).toSorted()).toEqual(["Dust.", "Gusts.", "Silence."]);
    expect(open).toEqual({ CRITICAL: 0, WARNING: 3, INFO: 0 });
  });

  test("alerts about Suncrew's own servers are a Super Admin's", async () => {
    await alert({ robot_id: null, site_id: null, source: "SERVER", code: "SERVER_CLOCK", text: "Clocks." });
    expect((await list("admin")).items).toMatchObject([{ site_id: null, site_name: null, cause: "Clocks." }]);
    expect(await kinds("owner")).toEqual([]);
  });

  test("a robot is listed once, with the robots of its group that have the same reason", async () => {
    const { ownRobot2 } = server.fixtures;
    await run(at(-12 * HOUR));
    const { text } = outcomeText("ROBOT_AWAY", { serial: ownRobot2.serial });
    await run(at(-12 * HOUR), { robot_id: ownRobot2.id, reason: text });
    expect((await list()).items).toMatchObject([{ robot_count: 2, cause: expect.stringContaining("for 2 robots") }]);
    await run(at(-10 * HOUR), { outcome: "MISSED", reason: "Missed.", reason_code: null });
    expect((await list()).items.map(({ robots }) => robots.map(({ serial_number: serial }) => serial))).toEqual([
      ["OWN-2"],
      ["OWN-1"],
    ]);
  });

  test("is bounded; its counts are of all", async () => {
    await Promise.all(
      Array.from({ length: ATTENTION_LIMIT + 5 }, async (_, nth) =>
        alert({ code: `C${nth}`, text: `Text ${nth}.`, raised_at: at(-nth) }),
      ),
    );
    const { items, open } = await list();
    expect([items.length, open.CRITICAL]).toEqual([ATTENTION_LIMIT, ATTENTION_LIMIT + 5]);
  });
});

describe("attention: what is over leaves by itself", () => {
  test.each([
    ["the robot has cleaned since", done(at(-6 * HOUR)), []],
    ["it is cleaning now", { began_at: at(-10), ended_at: null, outcome: null, reason: null, reason_code: null }, []],
    ["a person has ended a later run", { ...done(at(-6 * HOUR)), outcome: "STOPPED" }, ["RUNS"]],
    [
      "the later run was held for rain",
      { outcome: "SKIPPED", reason: "Rain.", reason_code: "RUN_HELD_FOR_RAIN" },
      ["RUNS"],
    ],
  ] as const)("a run in trouble, once %s", async (_, later, left) => {
    await run(at(-12 * HOUR));
    expect(await kinds()).toEqual(["RUNS"]);
    await run(at(-6 * HOUR), later);
    expect(await kinds()).toEqual(left);
  });

  test("runs before yesterday 18:00 at the site, ended by a person, or held for rain are not listed", async () => {
    await run(at(-18 * HOUR - 1));
    await run(at(-17 * HOUR), { ...done(at(-17 * HOUR)), outcome: "STOPPED" });
    await run(at(-16 * HOUR), { reason: "Rain.", reason_code: "RUN_HELD_FOR_RAIN" });
    expect(await kinds()).toEqual([]);
    await run(at(-18 * HOUR));
    expect(await kinds()).toEqual(["RUNS"]);
  });

  test("wallboard: is told causes without people and their words, of the same items", async () => {
    await seedWallboardLinks(server.db, server.fixtures);
    const wall = new TestClient(server.app.http, wallboardSessionOf(server.app.http, server.fixtures));
    const stopped = outcomeText("RUN_AFTER_STOP", { name: "Asha Rathore" });
    await run(at(-12 * HOUR), { reason: stopped.text, reason_code: stopped.code, reason_params: stopped.params });
    await lock(9);
    const { items } = await list();
    expect(items.filter(({ cause }) => cause.includes("Asha Rathore"))).toHaveLength(2);
    for (const { key } of items) await acknowledge("owner", key, "Asha looks after it.");
    const shown = (await wall.ask(attentionList)).items;
    expect(shown.map(({ cause }) => cause)).toEqual([
      "The 00:00 run of Ownfield East was skipped. Stopped after this run was due.",
      "In maintenance for 9 days.",
    ]);
    expect(shown.map(({ key }) => key)).toEqual(items.map(({ key }) => key));
    expect(shown.filter(({ acknowledged_at: seen }) => seen === null)).toEqual([]);
    expect(JSON.stringify(shown)).not.toContain("Asha");
    // Of a text that is stored without its code nobody knows whom it names.
    await server.db
      .updateTable("runs")
      .set({ reason: "Asha did it.", reason_code: null, reason_params: null })
      .execute();
    expect((await wall.ask(attentionList)).items[0]?.cause).toBe("The 00:00 run of Ownfield East was skipped.");
  });

  test("an alert once it is cleared, and a lock once it is released", async () => {
    const id = await alert();
    await lock(9);
    expect(await kinds()).toEqual(["ALERT", "MAINTENANCE"]);
    await server.db
      .updateTable("alerts")
      .set({ cleared_at: at(0) })
      .where("id", "=", Number(id))
      .execute();
    await server.db
      .updateTable("maintenance_locks")
      .set({ released_at: at(0), released_by: "Asha Rathore" })
      .execute();
    expect(await kinds()).toEqual([]);
  });
});

describe("attention: a battery that will not last tonight's run", () => {
  test.each([
    [35, false, ["BATTERY"]],
    [36, false, []],
    [35, true, []],
  ])("with %d percent, charging %s, for a run that takes 16 percent: %j", async (percent, charging, listed) => {
    await drains(16);
    await battery(percent, charging);
    expect(await kinds()).toEqual(listed);
  });

  test("nothing is made up from a single run and an old one", async () => {
    await battery(21);
    await drains(16, 1);
    const began = at(-31 * DAY);
    await run(began, { ...done(began), battery_began: 90, battery_ended: 60 });
    expect(await kinds()).toEqual([]);
  });

  test("§11 Cleaning by need: nor is one of which it is not decided that it is worth it", async () => {
    await battery(21);
    await drains(16);
    const { groupId: group_id, scheduleId: schedule_id } = server.fixtures.ownGroup;
    const [schedule] = await server.db
      .updateTable("schedules")
      .set({ frequency: "WHEN_WORTH_IT", least_days: 1, most_days: 14 })
      .where("id", "=", schedule_id)
      .returning(["next_run_at", "site_id"])
      .execute();
    expect(await kinds()).toEqual([]);
    const due_at = schedule?.next_run_at ?? TEST_NOW;
    const reason = { reason: "Runs.", reason_code: "RUNS_WORTH_IT", reason_params: {} };
    await server.db
      .insertInto("schedule_decisions")
      .values({
        schedule_id,
        group_id,
        site_id: server.fixtures.ownSiteId,
        due_at,
        decided_at: TEST_NOW,
        runs: true,
        ...reason,
      })
      .execute();
    expect(await kinds()).toEqual(["BATTERY"]);
  });

  test("a run that is not tonight is not looked at", async () => {
    await battery(21);
    await drains(16);
    expect(await kinds()).toEqual(["BATTERY"]);
    const later = { next_run_at: at(DAY + 1) };
    await server.db.updateTable("schedules").set(later).execute();
    expect(await kinds()).toEqual([]);
  });
});

describe("attention: acknowledging", () => {
  const audit = () =>
    server.db.selectFrom("audit").selectAll().where("action", "like", "%ACKNOWLEDGE%").orderBy("id").execute();
  const keyOfFirst = async () => (await list("admin")).items[0]?.key ?? "";

  test("an alert with a comment is what all lists of alerts show; undone, it counts again", async () => {
    const id = await alert();
    expect(await acknowledge("owner", id, "A team is on its way.")).toMatchObject({ status: 200 });
    const seen = {
      acknowledged_by: "Omkar Jain",
      acknowledged_at: TEST_NOW.toISOString(),
      comment: "A team is on its way.",
    };
    expect(await list("admin")).toMatchObject({ items: [seen], open: { CRITICAL: 0 }, acknowledged: 1 });
    expect(await server.db.selectFrom("alerts").select("acknowledged_by").execute()).toEqual([
      { acknowledged_by: "Omkar Jain" },
    ]);
    expect(await undo("admin", id)).toMatchObject({ status: 200 });
    expect(await list()).toMatchObject({ items: [{ acknowledged_by: null, comment: null }], open: { CRITICAL: 1 } });
    expect(await audit()).toMatchObject([
      { action: "ACKNOWLEDGE_ALERT", outcome: "DONE", after: { comment: "A team is on its way." } },
      { action: "UNDO_ACKNOWLEDGE_ALERT", outcome: "DONE", before: { acknowledged_by: "Omkar Jain" } },
    ]);
  });

  test("what is no alert is acknowledged by its key, once, with audit rows of both changes", async () => {
    const { ownSiteId, userIds } = server.fixtures;
    await run(at(-12 * HOUR));
    const key = await keyOfFirst();
    expect(await acknowledge("owner", key, "Fence repair.")).toMatchObject({ status: 200 });
    expect((await list("admin")).items).toMatchObject([{ acknowledged_by: "Omkar Jain", comment: "Fence repair." }]);
    expect(await acknowledge("admin", key)).toMatchObject({
      status: 200,
      body: { message: "Omkar Jain has already acknowledged this." },
    });
    expect(await undo("owner", key)).toMatchObject({ status: 200 });
    expect(await undo("owner", key)).toMatchObject({ status: 200, body: { message: "Nobody has acknowledged this." } });
    expect((await list()).items).toMatchObject([{ acknowledged_by: null, comment: null }]);
    const change = { entity: "attention", entity_id: key, site_id: ownSiteId, user_id: userIds.owner, outcome: "DONE" };
    expect(await audit()).toMatchObject([
      { ...change, action: "ACKNOWLEDGE_ATTENTION", after: { comment: "Fence repair." } },
      { ...change, action: "UNDO_ACKNOWLEDGE_ATTENTION" },
      { ...change, action: "UNDO_ACKNOWLEDGE_ATTENTION", before: { acknowledged_by: null } },
    ]);
  });

  test("another robot in the same trouble is news; the next night's trouble has another key", async () => {
    const { ownRobot2 } = server.fixtures;
    await run(at(-12 * HOUR));
    const key = await keyOfFirst();
    await acknowledge("owner", key);
    expect((await list()).acknowledged).toBe(1);
    const { text } = outcomeText("ROBOT_AWAY", { serial: ownRobot2.serial });
    await run(at(-12 * HOUR), { robot_id: ownRobot2.id, reason: text });
    expect(await list()).toMatchObject({ items: [{ key, acknowledged_by: null, robot_count: 2 }], acknowledged: 0 });
    expect(await acknowledge("owner", key)).toMatchObject({ status: 200 });
    expect((await list()).acknowledged).toBe(1);
    await run(at(-2 * HOUR));
    expect(await list()).toMatchObject({ open: { WARNING: 1 }, acknowledged: 1 });
  });

  test("several alerts with the same words are acknowledged and undone together", async () => {
    const ids = [await alert(), await alert({ robot_id: server.fixtures.ownRobot2.id })];
    const key = await keyOfFirst();
    expect(key).toBe(`alerts-${ids.toSorted()[0]}`);
    expect(await acknowledge("owner", key, "Seen.")).toMatchObject({ status: 200 });
    expect(await list()).toMatchObject({ items: [{ robot_count: 2, comment: "Seen." }], acknowledged: 1 });
    expect(await undo("owner", key)).toMatchObject({ status: 200 });
    expect((await list()).open.CRITICAL).toBe(2 - 1);
  });

  test("another partner's item, one that is gone, and nobody: 404, 404, 401; a comment that is too long is 400", async () => {
    await run(at(-12 * HOUR));
    const key = await keyOfFirst();
    expect(await acknowledge("stranger", key)).toMatchObject({ status: 404, body: { code: "ATTENTION_NOT_FOUND" } });
    expect(await undo("stranger", key)).toMatchObject({ status: 404 });
    expect(await acknowledge("owner", "maintenance-999")).toMatchObject({ status: 404 });
    const id = await alert();
    expect(await acknowledge("stranger", id)).toMatchObject({ status: 404, body: { code: "ALERT_NOT_FOUND" } });
    const nobody = await server.as(null);
    expect((await nobody.call(acknowledgeAttention, { params: { itemId: key }, body: {} })).status).toBe(401);
    expect((await nobody.call(undoAcknowledgement, { params: { itemId: key } })).status).toBe(401);
    expect(await acknowledge("owner", key, "x".repeat(501))).toMatchObject({
      status: 400,
      body: { errors: [{ field: "comment" }] },
    });
    expect((await list()).acknowledged).toBe(0);
  });

  test("an alert that is over is 409", async () => {
    const id = await alert({ cleared_at: at(-1) });
    expect(await acknowledge("owner", id)).toMatchObject({ status: 409, body: { code: "ALERT_CLEARED" } });
    expect(await undo("owner", id)).toMatchObject({ status: 409, body: { code: "ALERT_CLEARED" } });
  });
});
