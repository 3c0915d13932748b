import { acknowledgeAlert, type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { compareAlerts } from "@suncrew/domain/alerts/severity-order.ts";
import type { Insertable } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { Tables } from "../../platform/database/tables.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const ago = (minutes: number) => new Date(TEST_NOW.getTime() - minutes * 60_000);
const HOUR = 60;
type Row = Insertable<Tables["alerts"]>;

/** Stores an alert, about `ownRobot` by default; returns its id. */
async function add(code: string, minutes: number, more: Partial<Row> = {}): Promise<string> {
  const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
  const usual = { robot_id, site_id, source: "ROBOT", severity: "WARNING", text: `${code}.` } as const;
  const { id } = await server.db
    .insertInto("alerts")
    .values({ ...usual, code, raised_at: ago(minutes), ...more })
    .returning("id")
    .executeTakeFirstOrThrow();
  return String(id);
}
const codes = (alerts: readonly Alert[]) => alerts.map(({ code }) => code);
const list = async (person: "admin" | "owner" | "stranger", query = {}) =>
  (await server.as(person)).ask(alertList, { query: { servers: "true", ...query } });
const acknowledge = async (person: "admin" | "owner" | "stranger", alertId: string) =>
  (await server.as(person)).call(acknowledgeAlert, { params: { alertId } });

describe("Alerts: one list", () => {
  test("an alert comes with robot and site, and says who has acknowledged it", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    const id = await add("BRUSH_WORN", 5);
    const dark = await add("SITE_DARK", 3, { robot_id: null, source: "SERVER", severity: "CRITICAL" });
    expect(await acknowledge("owner", id)).toMatchObject({ status: 200 });
    const { alerts, open, total, total_exact, next_cursor } = await list("owner");
    expect(alerts).toEqual([
      {
        id: dark,
        severity: "CRITICAL",
        source: "SERVER",
        code: "SITE_DARK",
        text: "SITE_DARK.",
        raised_at: ago(3).toISOString(),
        cleared_at: null,
        times: 1,
        sample: false,
        site_id: ownSiteId,
        site_name: "Ownfield Park",
        robot_id: null,
        robot_name: null,
        serial_number: null,
        acknowledged_at: null,
        acknowledged_by: null,
        comment: null,
      },
      {
        id,
        severity: "WARNING",
        source: "ROBOT",
        code: "BRUSH_WORN",
        text: "BRUSH_WORN.",
        raised_at: ago(5).toISOString(),
        cleared_at: null,
        times: 1,
        sample: false,
        site_id: ownSiteId,
        site_name: "Ownfield Park",
        robot_id: ownRobot.id,
        robot_name: ownRobot.serial,
        serial_number: ownRobot.serial,
        acknowledged_at: TEST_NOW.toISOString(),
        acknowledged_by: "Omkar Jain",
        comment: null,
      },
    ]);
    expect({ open, total, total_exact, next_cursor }).toEqual({
      open: { CRITICAL: 1, WARNING: 1, INFO: 0 },
      total: 2,
      total_exact: true,
      next_cursor: null,
    });
  });

  test("pages of every state follow the order of the domain, without gap or repetition", async () => {
    const severities = ["CRITICAL", "WARNING", "INFO"] as const;
    const rows = Array.from({ length: 60 }, (_, nth): [string, number, Partial<Row>] => {
      const cleared_at = nth % 5 === 0 ? TEST_NOW : null;
      const seen = nth % 4 === 1 ? { acknowledged_at: TEST_NOW, acknowledged_by: "Anita Rao" } : {};
      // Many at the same moment.
      return [`C${nth}`, nth % 7, { severity: severities[nth % 3] ?? "INFO", cleared_at, ...seen }];
    });
    for (const [code, minutes, more] of rows) await add(code, minutes, more);
    for (const [state, wanted] of [
      ["open", 48],
      ["cleared", 12],
      ["all", 60],
    ] as const) {
      const all = (await list("owner", { state })).alerts;
      expect([all.length, all]).toEqual([wanted, all.toSorted(compareAlerts)]);
      const paged: Alert[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = await list("owner", { state, limit: 7, ...(cursor !== "" && { cursor }) });
        expect(page.total).toBe(wanted);
        paged.push(...page.alerts);
        cursor = page.next_cursor;
      }
      expect(codes(paged)).toEqual(codes(all));
    }
  });

  test("is filtered by severity, site and robot; the counts of open ones follow only site and robot", async () => {
    const { ownRobot2, foreignRobot, ownSiteId, foreignSiteId } = server.fixtures;
    await add("A", 1);
    await add("B", 2, { severity: "CRITICAL", robot_id: ownRobot2.id });
    await add("C", 3, { robot_id: foreignRobot.id, site_id: foreignSiteId });
    const found = async (query: object) => {
      const { alerts, open } = await list("admin", query);
      return [codes(alerts).join(), open.CRITICAL, open.WARNING];
    };
    expect(await found({})).toEqual(["B,A,C", 1, 2]);
    expect(await found({ severity: "WARNING", site_id: ownSiteId })).toEqual(["A", 1, 1]);
    expect(await found({ robot_id: ownRobot2.id })).toEqual(["B", 1, 0]);
    expect(codes((await list("stranger")).alerts)).toEqual(["C"]);
    expect(codes((await list("owner")).alerts)).toEqual(["B", "A"]);
  });

  test("a recurring alert is one line of the past, with how often it occurred within a day", async () => {
    const flap = async (minutes: number) => add("LINK", minutes, { cleared_at: ago(minutes - 1) });
    for (const hours of [80, 25, 13, 2, 1]) await flap(hours * HOUR);
    await add("OTHER", 90, { cleared_at: ago(80) });
    const listed = async (state: "open" | "cleared" | "all") =>
      (await list("owner", { state })).alerts.map(({ code, raised_at, times }) => [code, raised_at, times]);
    const oldest = ["LINK", ago(80 * HOUR).toISOString(), 1];
    const other = ["OTHER", ago(90).toISOString(), 1];
    expect(await listed("cleared")).toEqual([["LINK", ago(HOUR).toISOString(), 3], other, oldest]);
    await add("LINK", 30);
    const holds = ["LINK", ago(30).toISOString(), 4];
    expect(await listed("open")).toEqual([holds]);
    expect(await listed("cleared")).toEqual([["LINK", ago(HOUR).toISOString(), 3], other, oldest]);
    expect(await listed("all")).toEqual([holds, other, oldest]);
  });

  test("an invalid cursor or filter is 400 and names its field", async () => {
    const client = await server.as("owner");
    const { ownRobot, secondSiteId } = server.fixtures;
    for (const [query, field] of [
      ["cursor=x", "cursor"],
      ["severity=bad", "severity"],
      ["state=old", "state"],
      ["limit=1001", "limit"],
      [`site_id=${secondSiteId}&robot_id=${ownRobot.id}`, "robot_id"],
    ] as const) {
      const answer = await client.raw(`/api/alerts?${query}`);
      expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ field }] }]);
    }
  });
});

describe("Alerts: acknowledging", () => {
  const audit = () =>
    server.db.selectFrom("audit").selectAll().where("action", "=", "ACKNOWLEDGE_ALERT").orderBy("id").execute();

  test("the first acknowledgement stays, is recorded, and the alert remains open", async () => {
    const { ownSiteId, userIds } = server.fixtures;
    const id = await add("BRUSH_WORN", 5);
    const [one, two] = await Promise.all([acknowledge("owner", id), acknowledge("admin", id)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const { alerts } = await list("owner");
    const by = alerts[0]?.acknowledged_by;
    expect(["Omkar Jain", "Anita Rao"]).toContain(by);
    expect(alerts).toMatchObject([{ cleared_at: null, acknowledged_at: TEST_NOW.toISOString() }]);
    const listed = [one.body, two.body].map((body) => JSON.stringify(body)).toSorted();
    expect(listed).toEqual(
      [
        JSON.stringify({ message: "The alert was acknowledged." }),
        JSON.stringify({ message: `${by} has already acknowledged this alert.` }),
      ].toSorted(),
    );
    const user_id = by === "Omkar Jain" ? userIds.owner : userIds.admin;
    expect(await audit()).toMatchObject([{ user_id, entity_id: id, site_id: ownSiteId, outcome: "DONE" }]);
  });

  test("one that is over is 409 with the reason, recorded; another partner's or a nonexistent one is 404", async () => {
    const id = await add("BRUSH_WORN", 5, { cleared_at: ago(1) });
    expect(await acknowledge("owner", id)).toMatchObject({
      status: 409,
      body: { message: "This alert is over: it has been cleared." },
    });
    expect(await audit()).toMatchObject([{ outcome: "REFUSED" }]);
    const open = await add("DUST", 5);
    expect(await acknowledge("stranger", open)).toMatchObject({ status: 404, body: { message: "Alert not found" } });
    expect(await acknowledge("owner", "999999999999999999")).toMatchObject({ status: 404 });
    expect((await list("owner")).alerts).toMatchObject([{ acknowledged_by: null }]);
  });

  test("a missed run is cleared by it: nothing else could end it", async () => {
    const id = await add("RUN_MISSED", 5, { source: "SERVER" });
    expect(await acknowledge("owner", id)).toMatchObject({
      body: { message: "The alert was acknowledged and is over." },
    });
    const { alerts } = await list("owner", { state: "all" });
    expect(alerts).toMatchObject([{ cleared_at: TEST_NOW.toISOString(), acknowledged_by: "Omkar Jain" }]);
  });
});

describe("Alerts: of robots and sites that move or are deleted", () => {
  test("a robot that moves takes its open alerts along, to be acknowledged again; past ones keep their names", async () => {
    const { ownRobot, foreignSiteId } = server.fixtures;
    await acknowledge("owner", await add("DUST", 5));
    await add("OLD", 50, { cleared_at: ago(40) });
    const form = { site_id: foreignSiteId, robot_name: "Row 9", serial_number: ownRobot.serial };
    const body = { ...form, installation_date: "2024-02-29" };
    await (await server.as("admin")).ask(updateRobot, { params: { id: ownRobot.id }, body });
    expect((await list("stranger", { state: "all" })).alerts).toMatchObject([
      { code: "DUST", robot_name: "Row 9", acknowledged_by: null },
    ]);
    expect((await list("owner", { state: "all" })).alerts).toMatchObject([{ code: "OLD", robot_name: "OWN-1" }]);
  });

  test("a deleted site's alerts end, its own and its robots', and stay readable", async () => {
    const { ownSiteId } = server.fixtures;
    await add("DUST", 5);
    await add("SITE_DARK", 5, { robot_id: null, source: "SERVER" });
    await (await server.as("admin")).ask(deleteSite, { params: { id: ownSiteId } });
    const { alerts, open } = await list("owner", { state: "all" });
    expect(alerts.map(({ cleared_at }) => cleared_at)).toEqual([TEST_NOW.toISOString(), TEST_NOW.toISOString()]);
    expect(open).toEqual({ CRITICAL: 0, WARNING: 0, INFO: 0 });
  });

  test("a dark site is not an alert of its robots", async () => {
    const { ownSiteId: siteId } = server.fixtures;
    await add("SITE_DARK", 5, { robot_id: null, source: "SERVER" });
    const robots = await (await server.as("owner")).ask(robotsList, { params: { siteId } });
    expect(robots.map(({ alerts }) => alerts)).toEqual([[], []]);
  });
});

describe("Alerts: about Suncrew's own servers", () => {
  const SERVERS = { site_id: null, robot_id: null, source: "SERVER", severity: "CRITICAL" } as const;

  test("protocol rule 12: a Super Admin sees and counts it, with no site; no partner does", async () => {
    await add("SERVER_CLOCK", 90, { ...SERVERS, cleared_at: ago(80) });
    const id = await add("SERVER_CLOCK", 5, SERVERS);
    await add("DUST", 3, { severity: "CRITICAL" });
    const listed = await list("admin");
    expect(listed).toMatchObject({ total: 2, open: { CRITICAL: 2, WARNING: 0, INFO: 0 } });
    expect(listed.alerts[1]).toEqual({
      id,
      severity: "CRITICAL",
      source: "SERVER",
      code: "SERVER_CLOCK",
      text: "SERVER_CLOCK.",
      raised_at: ago(5).toISOString(),
      cleared_at: null,
      times: 2,
      sample: false,
      site_id: null,
      site_name: null,
      robot_id: null,
      robot_name: null,
      serial_number: null,
      acknowledged_at: null,
      acknowledged_by: null,
      comment: null,
    });
    // Not unless requested: a console of the previous version cannot read alerts without a site.
    expect(await list("admin", { servers: "false" })).toMatchObject({ total: 1, open: { CRITICAL: 1 } });
    // Among past alerts it is one line, like any other.
    expect(codes((await list("admin", { state: "all" })).alerts)).toEqual(["DUST", "SERVER_CLOCK"]);
    expect(codes((await list("admin", { state: "cleared" })).alerts)).toEqual(["SERVER_CLOCK"]);
    expect(codes((await list("admin", { site_id: server.fixtures.ownSiteId })).alerts)).toEqual(["DUST"]);
    for (const [person, critical] of [
      ["owner", 1],
      ["stranger", 0],
    ] as const) {
      for (const state of ["open", "cleared", "all"] as const) {
        const { alerts, open, total } = await list(person, { state });
        expect(codes(alerts)).not.toContain("SERVER_CLOCK");
        expect([open.CRITICAL, total]).toEqual([critical, state === "cleared" ? 0 : critical]);
      }
    }
  });

  test("protocol rule 12: pages that contain it follow the order of the domain, without gap or repetition", async () => {
    await add("SERVER_CLOCK", 5, SERVERS);
    for (let nth = 0; nth < 6; nth += 1) await add(`C${nth}`, 4 + (nth % 3), { severity: "CRITICAL" });
    const all = (await list("admin")).alerts;
    expect([all.length, all]).toEqual([7, all.toSorted(compareAlerts)]);
    const paged: Alert[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await list("admin", { limit: 2, ...(cursor !== "" && { cursor }) });
      paged.push(...page.alerts);
      cursor = page.next_cursor;
    }
    expect(codes(paged)).toEqual(codes(all));
  });

  test("protocol rule 12: a Super Admin acknowledges it, recorded without a site, and it stays open; a partner gets 404", async () => {
    const id = await add("SERVER_CLOCK", 5, SERVERS);
    for (const person of ["owner", "stranger"] as const) {
      expect(await acknowledge(person, id)).toMatchObject({ status: 404, body: { message: "Alert not found" } });
    }
    expect(await acknowledge("admin", id)).toMatchObject({
      status: 200,
      body: { message: "The alert was acknowledged." },
    });
    const { alerts } = await list("admin");
    expect(alerts).toMatchObject([{ id, cleared_at: null, acknowledged_by: "Anita Rao" }]);
    const audit = await server.db.selectFrom("audit").selectAll().where("action", "=", "ACKNOWLEDGE_ALERT").execute();
    expect(audit).toMatchObject([{ entity_id: id, site_id: null, target_name: "SERVER_CLOCK.", outcome: "DONE" }]);
  });
});
