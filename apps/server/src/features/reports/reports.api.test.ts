import { finished } from "node:stream/promises";
import { reportCsv, reportPdf } from "@suncrew/contract/reports/reports.ts";
import { readCsv } from "@suncrew/domain/csv/csv.ts";
import { type KyselyPlugin, type QueryId, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StatementCount } from "../../../test/statement-count.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readReport } from "./reports.service.ts";
import { streamReportCsv } from "./report-files.ts";

let server: TestApp;
let siteId: number;

/** 2,300 rows, three per second, from 00:00:00 on 10 June at the site. */
const ROWS = 2_300;

beforeAll(async () => {
  server = await createTestApp();
  siteId = server.fixtures.ownSiteId;
  for (const robot of [server.fixtures.ownRobot, server.fixtures.foreignRobot]) {
    await sql`
      insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name,
        partner_name, robot_name, serial_number, details, params)
      select timestamptz '2026-06-09 18:30:00Z' + (n / 3) * interval '1 second', ${robot.siteId}, ${robot.id}, 'START',
        'MANUAL', 'SUCCESS', 'Omkar Jain', 'Site of ' || ${robot.serial}::text, 'A partner', ${robot.serial}, ${robot.serial},
        case when n % 100 = 0 then '=HYPERLINK("http://x")' else 'row ' || n end,
        '{"robotSerial":"R","mode":"AUTO","direction":"FWD","main-speed":75,"brush-speed":80}'
      from generate_series(0, ${ROWS - 1}) n`.execute(server.db);
  }
});
afterAll(() => server.close());

const june = { from: "2026-06-01 00:00:00", to: "2026-06-30 23:59:59" };
/** Some twenty rows, so that it is drawn quickly. */
const few = { ...june, from: "2026-06-10 00:12:40" };
const calls = [reportPdf, reportCsv] as const;

describe.each(calls)("§7 POST $path", (route) => {
  const ask = async (person: "admin" | "owner" | "stranger", body: object) =>
    (await server.as(person)).raw(route.path, { method: "POST", body: { site_id: siteId, ...june, ...body } });

  test("a start after the end, a range that is too long and an invalid local time are 400 with the field", async () => {
    for (const [body, field] of [
      [{ from: "2026-06-10 00:00:01", to: "2026-06-10 00:00:00" }, "from"],
      [{ from: "2025-05-26 00:00:00" }, "to"],
      [{ from: "2026-06-31 00:00:00" }, "from"],
      [{ to: "2026-06-30T23:59:59Z" }, "to"],
      [{ to: null }, "to"],
    ] as const) {
      const { status, body: answer } = await ask("admin", body);
      expect({ body, status, answer }).toMatchObject({ status: 400, answer: { errors: [{ field }] } });
    }
    const far = await ask("admin", { from: "9999-12-31 00:00:00", to: "9999-12-31 23:59:59" });
    expect(far).toMatchObject({ status: 400, body: { errors: [{ field: "from" }, { field: "to" }] } });
    const last = await ask("admin", { from: "2999-12-31 00:00:00", to: "2999-12-31 23:59:59" });
    expect(last.status).toBe(404);
    const most = await ask("owner", { from: "2025-05-27 00:00:00" });
    expect(most.status).toBe(200);
  });

  test("§8 a range without activity, and a site that is another partner's or does not exist, are 404", async () => {
    const none = await ask("owner", { from: "2026-06-11 00:00:00" });
    expect([none.status, none.body]).toEqual([
      404,
      { message: "No activity logs found between these dates", code: "NO_ACTIVITY" },
    ]);
    // The last row is at 00:12:46, the next second has none.
    const after = await ask("owner", { from: "2026-06-10 00:12:47" });
    expect(after.status).toBe(404);
    expect((await ask("owner", { from: "2026-06-10 00:12:46", to: "2026-06-10 00:12:46" })).status).toBe(200);
    for (const [person, body] of [
      ["stranger", {}],
      ["owner", { site_id: server.fixtures.foreignSiteId }],
      ["admin", { site_id: 999_999 }],
    ] as const) {
      const { status, body: answer } = await ask(person, body);
      expect([status, answer]).toEqual([404, { message: "Site not found", code: "SITE_NOT_FOUND" }]);
    }
  });

  test("§9 the file is named after the site and the dates, in any script", async () => {
    const ending = route.file === "application/pdf" ? "pdf" : "csv";
    const rest = `_report_2026-06-10_to_2026-06-30.${ending}`;
    const plain = await ask("owner", few);
    expect(plain.headers["content-disposition"]).toBe(
      `attachment; filename="Ownfield Park${rest}"; filename*=UTF-8''Ownfield%20Park${rest}`,
    );
    expect(String(plain.headers["content-type"])).toMatch(route.file);
    const rename = (name: string) => server.db.updateTable("sites").set({ name }).where("id", "=", siteId).execute();
    await rename('जोधपुर "सौर" उद्यान; é/../x');
    const { headers } = await ask("owner", few);
    await rename("Ownfield Park");
    const name = String(headers["content-disposition"]);
    expect(name).toContain(`filename="e .. x${rest}"`);
    expect(decodeURIComponent(/filename\*=UTF-8''(.*)$/.exec(name)?.[1] ?? "")).toBe(`जोधपुर सौर उद्यान é .. x${rest}`);
  });
});

describe("§7 POST api/site/robot/reportpdf", () => {
  test("a template that does not exist or is inactive is 404, and an active one is applied", async () => {
    const owner = await server.as("owner");
    const ask = (template_id: number | null) =>
      owner.call(reportPdf, { body: { site_id: siteId, ...few, template_id } });
    const templates = await server.db
      .selectFrom("report_templates")
      .select(["id", "is_active", "name"])
      .orderBy("id")
      .execute();
    const inactive = templates.find(({ is_active }) => !is_active)?.id ?? 0;
    const performance = templates.find(({ name }) => name === "Performance Only Report")?.id ?? 0;
    expect([(await ask(inactive)).status, (await ask(999_999)).status]).toEqual([404, 404]);
    const whole = await ask(null);
    const part = await ask(performance);
    expect([whole.text.slice(0, 5), part.text.slice(0, 5)]).toEqual(["%PDF-", "%PDF-"]);
    expect(part.text.length).toBeLessThan(whole.text.length);
  });
});

describe("the figures of a report", () => {
  const options = { now: new Date("2026-06-20T00:00:00Z"), maintenanceIntervalDays: 180 };
  const viewerOf = (): Viewer => ({
    userId: server.fixtures.userIds.admin,
    name: "Anita Rao",
    email: "",
    role: "SUPER_ADMIN",
    partnerId: null,
    sessionId: "",
  });

  test("decisions, report figures: maintenance is due after the last one of this machine at this site, otherwise after its installation", async () => {
    const { ownRobot, foreignSiteId } = server.fixtures;
    const healthOf = async () => {
      const { robots } = await readReport(viewerOf(), server.db, { siteId, ...june }, options);
      const { health } = robots.find(({ robotId }) => robotId === ownRobot.id) ?? {};
      return [health?.lastMaintenanceAt?.utc, health?.maintenanceDueDate];
    };
    const released = (at: string, site: number, commandId: string | null = null) =>
      server.db
        .insertInto("maintenance_locks")
        .values({
          robot_id: ownRobot.id,
          site_id: site,
          reason: "Brush worn",
          locked_by: "Omkar Jain",
          locked_at: new Date("2026-05-01T00:00:00Z"),
          former_mode: "auto",
          command_id: commandId,
          released_by: "Omkar Jain",
          released_at: new Date(at),
        })
        .execute();
    const formerMachine = "00000000-0000-4000-8000-000000000001";
    await sql`
      insert into commands (id, robot_id, site_id, serial_number, verb, seq, session, issued_at, expires_at, settle_by,
        requested_by, settled_at, outcome)
      values (${formerMachine}, ${ownRobot.id}, ${siteId}, 'FORMER-1', 'MAINTENANCE_ON', 1, 1, now(), now(), now(),
        'Omkar Jain', now(), 'CONFIRMED')`.execute(server.db);
    await released("2026-06-05T12:00:00Z", foreignSiteId);
    await released("2026-06-06T12:00:00Z", siteId, formerMachine);
    expect(await healthOf()).toEqual([undefined, "2024-08-27"]);
    await released("2026-06-04T12:00:00Z", siteId);
    expect(await healthOf()).toEqual(["2026-06-04T12:00:00.000Z", "2026-12-01"]);
  });

  test("disconnecting while a long range is read makes the server stop reading", async () => {
    const disconnecting = new AbortController();
    let batteries = 0;
    const ofReadings = new WeakSet<QueryId>();
    const leaving: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        if (!/\breadings\b/.test(JSON.stringify(node))) return node;
        ofReadings.add(queryId);
        disconnecting.abort(new Error("left"));
        return node;
      },
      async transformResult({ result, queryId }) {
        if (ofReadings.has(queryId)) batteries += 1;
        return result;
      },
    };
    // Known for a year, of which no day is closed.
    await server.db
      .insertInto("robot_presence")
      .values({
        robot_id: server.fixtures.ownRobot.id,
        site_id: siteId,
        online_at: new Date("2025-05-27T00:00:00Z"),
        offline_at: new Date("2026-06-01T00:00:00Z"),
      })
      .execute();
    const request = { siteId, from: "2025-05-27 00:00:00", to: june.to };
    const read = readReport(viewerOf(), server.db.withPlugin(leaving), request, {
      ...options,
      signal: disconnecting.signal,
    });
    await expect(read).rejects.toThrow("left");
    // A year takes a query for each day.
    expect(batteries).toBe(1);
  });
});

describe("§7 POST api/site/robot/reportcsv", () => {
  test("it has every row of the range, newest first, of the partner's own site alone, and no cell is a formula", async () => {
    const owner = await server.as("owner");
    const csv = await owner.ask(reportCsv, { body: { site_id: siteId, ...june } });
    expect(
      csv.startsWith(
        '\uFEFF"Timestamp (local)","Time Zone","Timestamp (UTC)","Action","Action Type","UserName","Status","Site",',
      ),
    ).toBe(true);
    expect(csv).not.toMatch(/FAR-1|A partner/);
    const { rows } = readCsv(csv, ROWS + 1);
    expect(rows.length).toBe(ROWS);
    expect(rows.every(({ isComplete }) => isComplete)).toBe(true);
    const details = rows.map(({ cells }) => cells["details"]);
    expect(details.slice(0, 3)).toEqual(["row 2299", "row 2298", "row 2297"]);
    expect(new Set(details).size).toBe(ROWS - ROWS / 100 + 1);
    expect(rows[0]?.cells).toEqual({
      "timestamp (local)": "2026-06-10 00:12:46",
      "time zone": "Asia/Kolkata",
      "timestamp (utc)": "2026-06-09T18:42:46.000Z",
      action: "Start",
      "action type": "Manual",
      username: "Omkar Jain",
      status: "Success",
      site: "Site of OWN-1",
      robot: "OWN-1",
      "serial number": "OWN-1",
      mode: "AUTO",
      details: "row 2299",
      direction: "Forward",
      "main speed": "75",
      "brush speed": "80",
    });
    expect(csv).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(csv).not.toContain(`,"=HYPERLINK`);
  });

  test("a slow or disconnected reader makes the server stop reading", async () => {
    const counted = new StatementCount();
    const viewer: Viewer = {
      userId: server.fixtures.userIds.admin,
      name: "Anita Rao",
      email: "",
      role: "SUPER_ADMIN",
      partnerId: null,
      sessionId: "",
    };
    const request = { siteId, from: june.from, to: june.to };
    const { csv } = await streamReportCsv(viewer, server.db.withPlugin(counted), request);
    const first: unknown = await csv[Symbol.asyncIterator]().next();
    expect(first).toMatchObject({ done: false });
    csv.destroy();
    await finished(csv).catch(() => undefined);
    const asLeft = counted.statements;
    // Any further query would have run by now.
    for (let turn = 0; turn < 3; turn += 1) await server.db.selectFrom("sites").select("id").execute();
    expect(counted.statements).toBe(asLeft);
    // The site, whether there is any activity, and at most two pages of the three.
    expect(counted.statements).toBeLessThanOrEqual(4);
  });
});
