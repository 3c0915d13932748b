import { details } from "../../../test/details.ts";
import { activityLogs, activityUsers, exportActivity } from "@suncrew/contract/activity/activity.ts";
import type { SentQueryOf } from "@suncrew/contract/http/route.ts";
import { COUNT_LIMIT } from "@suncrew/contract/http/page.ts";
import { readCsv } from "@suncrew/domain/csv/csv.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestRobot } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import type { Tx } from "../../platform/database/database.ts";
import { readActivity } from "./activity.queries.ts";
import { type ActivityRecord, recordActivities } from "./activity.repository.ts";

let server: TestApp;
let admin: TestClient;
const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 6, minute));

/** Rows 1 to 8: one for each case that the filters distinguish. */
async function recordEight(): Promise<void> {
  const { ownRobot, foreignRobot } = server.fixtures;
  const rows: Partial<ActivityRecord>[] = [
    { details: details("The robot showed that it is cleaning.") },
    { details: details("The robot showed that it has stopped."), action: "STOP" },
    { userName: "Scheduler", actionType: "SCHEDULED", details: details("Battery 100% charged_up") },
    {
      robotId: foreignRobot.id,
      siteId: foreignRobot.siteId,
      status: "FAILED",
      details: details("The robot did not confirm."),
    },
    { userName: "सुनीता शर्मा", status: "REFUSED", details: details("=HYPERLINK(1)") },
    { userName: "Éloïse Roy", details: details('said "no", twice') },
    { robotName: "Old name", serialNumber: "OLD-7", details: details("@home") },
    { robotId: foreignRobot.id, siteId: foreignRobot.siteId, action: "STOP", details: details("-") },
  ];
  await recordActivities(
    server.db,
    rows.map((row, nth) => ({ ...usual(ownRobot), at: at(nth + 1), ...row })),
  );
}

function usual({ id, siteId }: TestRobot): ActivityRecord {
  return {
    at: at(30),
    robotId: id,
    siteId,
    commandId: null,
    action: "START",
    actionType: "MANUAL",
    status: "SUCCESS",
    userId: null,
    userName: "Omkar Jain",
    details: details(""),
    mode: "AUTO",
    params: { direction: "FWD", "main-speed": 75, "brush-speed": 80 },
  };
}

beforeAll(async () => {
  server = await createTestApp();
  await recordEight();
  admin = await server.as("admin");
});
afterAll(() => server.close());

type Query = SentQueryOf<typeof activityLogs>;

async function ids(query: Query): Promise<string> {
  const { logs, total, total_exact } = await admin.ask(activityLogs, { query });
  expect({ total, total_exact }).toEqual({ total: logs.length, total_exact: true });
  return logs.map(({ log_id }) => log_id).join(" ");
}

describe("§2 Activity Log page: search", () => {
  test.each([
    ["ownFIELD", "7 6 5 3 2 1"],
    ["farcare", "8 4"],
    ["omkar", "8 7 4 2 1"],
    ["सुनीता", "5"],
    ["ता श", "5"],
    ["éLOÏSE", "6"],
    ["old-7", "7"],
    ["OLD name", "7"],
    ["showed that it", "2 1"],
    ["100%", "3"],
    ["d_u", "3"],
    ["o_n", ""],
    [String.raw`\ `, ""],
    ["-", "8 7 6 5 4 3 2 1"],
    ["q", ""],
    ["cleaning robot", ""],
    // Spans two texts: found in neither.
    ["Park\nOwncare", ""],
  ])("%j is in rows %s", async (search, found) => {
    expect(await ids({ search })).toBe(found);
  });
});

describe("filters of the activity log", () => {
  test("each alone, and together with the search", async () => {
    const { ownRobot, foreignRobot } = server.fixtures;
    const cases: readonly (readonly [Query, string])[] = [
      [{ action: "STOP" }, "8 2"],
      [{ status: "REFUSED" }, "5"],
      [{ status: "SUCCESS", action: "STOP" }, "8 2"],
      [{ user: "Scheduler" }, "3"],
      [{ user: "scheduler" }, ""],
      [{ site_id: foreignRobot.siteId }, "8 4"],
      [{ robot_id: ownRobot.id }, "7 6 5 3 2 1"],
      [{ site_id: foreignRobot.siteId, robot_id: foreignRobot.id, status: "FAILED" }, "4"],
      [{ from: at(3).toISOString(), to: at(6).toISOString() }, "5 4 3"],
      [{ from: at(3).toISOString(), to: at(3).toISOString() }, ""],
      [{ search: "robot", action: "START", to: at(4).toISOString() }, "1"],
      [{ search: "omkar", site_id: ownRobot.siteId, action: "START" }, "7 1"],
    ];
    for (const [query, found] of cases) expect([query, await ids(query)]).toEqual([query, found]);
  });

  test("invalid ones are refused by name", async () => {
    const cases = [
      ["from=2026-06-15T06:01:00Z&to=2026-06-15T06:00:59.5Z", "to"],
      ["from=yesterday", "from"],
      ["to=0000-01-01T00:00:00Z", "to"],
      ["action=PAUSE", "action"],
      ["status=done", "status"],
      ["search=%00", "search"],
      ["search=", "search"],
      [`search=${"x".repeat(101)}`, "search"],
      ["user=%00", "user"],
      ["site_id=1e3", "site_id"],
      ["robot_id=-1", "robot_id"],
    ] as const;
    for (const [query, field] of cases) {
      for (const path of [activityLogs.path, exportActivity.path]) {
        const answer = await admin.raw(`${path}?${query}`, { method: "GET" });
        expect([query, answer.status, answer.body]).toMatchObject([query, 400, { errors: [{ field }] }]);
      }
    }
    for (const query of ["limit=0", "limit=1001", "cursor=x", "exact_total=1"]) {
      expect([query, (await admin.raw(`${activityLogs.path}?${query}`, { method: "GET" })).status]).toEqual([
        query,
        400,
      ]);
    }
  });

  test("every person in the log is listed once, for the filter", async () => {
    expect((await admin.ask(activityUsers)).toSorted()).toEqual([
      "Omkar Jain",
      "Scheduler",
      "Éloïse Roy",
      "सुनीता शर्मा",
    ]);
  });
});

describe("§9 CSV exports: robot-activity-log-<date>.csv", () => {
  test("the table's columns with times at the site and in UTC, with the partner's name, and no formula", async () => {
    const answer = await admin.raw(exportActivity.path, { method: "GET" });
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="robot-activity-log-2026-06-15.csv"',
    });
    const columns =
      "Timestamp (local),Time Zone,Timestamp (UTC),Action,Action Type,UserName,Status,Site,Partner,Robot,Serial Number,Mode,Details,Direction,Main Speed,Brush Speed";
    expect(answer.text.split("\r\n")[0]).toBe(`\uFEFF"${columns.replaceAll(",", '","')}"`);
    expect(answer.text).toContain(`,"'=HYPERLINK(1)",`);
    expect(answer.text).toContain(`,"'@home",`);
    const { rows } = readCsv(answer.text, 100);
    expect(rows.map(({ cells }) => cells["username"])).toContain("सुनीता शर्मा");
    expect(rows).toHaveLength(8);
    expect(rows[2]?.cells).toMatchObject({
      "time zone": "Asia/Kolkata",
      "timestamp (utc)": at(6).toISOString(),
      action: "Start",
      "action type": "Manual",
      username: "Éloïse Roy",
      status: "Success",
      site: "Ownfield Park",
      partner: "Owncare Services",
      "serial number": "OWN-1",
      mode: "AUTO",
      details: 'said "no", twice',
      direction: "Forward",
      "main speed": "75",
      "brush speed": "80",
    });
  });

  test("the filters apply to it too", async () => {
    const answer = await admin.raw(`${exportActivity.path}?search=robot&action=STOP`, { method: "GET" });
    expect(readCsv(answer.text, 100).rows.map(({ cells }) => cells["details"])).toEqual([
      "The robot showed that it has stopped.",
    ]);
  });
});

describe("the activity log as it grows and things are deleted", () => {
  test("a text that a later outcome brings is found, the former one is not", async () => {
    await server.db.updateTable("activity").set({ details: "Delivered at dawn." }).where("log_id", "=", 2).execute();
    expect(await ids({ search: "at DAWN" })).toBe("2");
    expect(await ids({ search: "has stopped" })).toBe("");
  });

  test("servers that add the same new texts concurrently do not wait for each other", async () => {
    const { ownRobot } = server.fixtures;
    const record = (tx: Tx, text: string) => recordActivities(tx, [{ ...usual(ownRobot), details: details(text) }]);
    await server.db.transaction().execute(async (one) => {
      await record(one, "Dust storm");
      await server.db.transaction().execute(async (other) => {
        await record(other, "Hail");
        await record(other, "Dust storm");
      });
      await record(one, "Hail");
    });
    expect((await ids({ search: "dust STORM" })).split(" ")).toHaveLength(2);
    await server.db.deleteFrom("activity").where("details", "in", ["Dust storm", "Hail"]).execute();
  });

  test("§4 Site and robot counts: what a deleted site, robot or person did stays, and is found", async () => {
    const { ownSiteId, ownRobot, userIds } = server.fixtures;
    const deleted = { deleted_at: server.clock.now() };
    await server.db.updateTable("robots").set(deleted).where("id", "=", ownRobot.id).execute();
    await server.db.updateTable("sites").set(deleted).where("id", "=", ownSiteId).execute();
    await server.db.updateTable("users").set(deleted).where("id", "=", userIds.owner).execute();
    expect(await ids({ search: "ownfield", action: "START" })).toBe("7 6 5 3 1");
    expect(await ids({ site_id: ownSiteId, robot_id: ownRobot.id, user: "Scheduler" })).toBe("3");
  });

  test("counting ends at its limit unless all are requested; pages, file and search work for many rows", async () => {
    await sql`
      insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, partner_name,
        robot_name, serial_number, details, params)
      select created_at - n * interval '1 second', site_id, robot_id, action, action_type, status, user_name, site_name,
        partner_name, robot_name, serial_number, 'Load ' || n, params
      from activity, generate_series(1, ${COUNT_LIMIT + 50}::int) n where log_id = 1
    `.execute(server.db);
    // As autovacuum does in time: dead rows and statistics may stem from earlier tests.
    await sql`vacuum analyze`.execute(server.db);
    const all = COUNT_LIMIT + 58;
    const first = await admin.ask(activityLogs, { query: { limit: 1000 } });
    expect(first).toMatchObject({ total: COUNT_LIMIT, total_exact: false });
    expect(await admin.ask(activityLogs, { query: { exact_total: "true", limit: 1 } })).toMatchObject({
      total: all,
      total_exact: true,
    });
    // So many texts match that they are compared row by row.
    const load = await admin.ask(activityLogs, { query: { search: "load", limit: 2, exact_total: "true" } });
    expect(load).toMatchObject({
      total: COUNT_LIMIT + 50,
      logs: [{ details: "Load 1" }, { details: "Load 2" }],
    });
    expect((await admin.ask(activityLogs, { query: { search: "load 1005" } })).total).toBe(2);
    const answer = await admin.raw(exportActivity.path, { method: "GET" });
    const stamps = answer.text.split("\r\n").slice(1, -1);
    expect(stamps).toHaveLength(all);
    expect(new Set(stamps).size).toBe(all);
  });

  test("a partner's viewer sees only its own rows, whatever is searched", async () => {
    const viewer = {
      userId: server.fixtures.userIds.stranger,
      name: "Sana",
      email: "sana@far.example",
      role: "PARTNER",
      partnerId: server.fixtures.strangerPartnerId,
      sessionId: "none",
    } as const;
    const rows = await readActivity(viewer, server.db, { filter: { search: "-" } });
    expect(rows.map(({ log_id }) => log_id)).toEqual(["8", "4"]);
    expect(rows[0]).not.toHaveProperty("partner_name");
  });
});
