import { ROBOT_COLUMNS, exportRobots, importRobots } from "@suncrew/contract/robots/robot-files.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addDevice, type Person } from "../../../test/fixtures.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  const { ownerPartnerId, strangerPartnerId } = server.fixtures;
  for (const serial of ["FREE-2", "FREE-3", "OLD-1"]) await addDevice(server.db, serial, ownerPartnerId);
  await addDevice(server.db, "FAR-2", strangerPartnerId);
  await server.db.updateTable("devices").set({ retired_at: new Date() }).where("serial", "=", "OLD-1").execute();
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(async () => {
  await restorePoint.restore();
  await server.db.deleteFrom("audit").execute();
});
afterAll(() => server.close());

type Row = Partial<Record<(typeof ROBOT_COLUMNS)[number], string>>;

const right: Row = {
  site: "Ownfield Park",
  serial_number: "FREE-1",
  robot_name: "Row 7",
  motor_type: "BLDC",
  control_type: "PLC",
  installation_date: "2024-02-29",
};

const fileOf = (...rows: readonly Row[]) =>
  writeCsv(
    ROBOT_COLUMNS,
    rows.map((row) => ROBOT_COLUMNS.map((column) => row[column] ?? "")),
  );

async function send(csv: string, apply: boolean, who: Person = "owner") {
  return (await server.as(who)).call(importRobots, { body: { csv, apply } });
}

async function problemsOf(who: Person, ...rows: readonly Row[]): Promise<string[][]> {
  const { status, body } = await send(fileOf(...rows), false, who);
  const answer = importRobots.response.parse(body);
  expect([status, answer.applied, answer.problems]).toEqual([200, false, []]);
  return answer.rows.map((row) => row.problems.map(({ field, message }) => `${field}: ${message}`));
}

const serialsAt = async (siteId: number) =>
  (await (await server.as("admin")).ask(robotsList, { params: { siteId } })).map(({ serial_number }) => serial_number);

describe("Import of robots: the preview", () => {
  test("a valid row has no problem, and nothing is created", async () => {
    expect(await problemsOf("owner", right)).toEqual([[]]);
    expect(await serialsAt(server.fixtures.ownSiteId)).toEqual(["OWN-1", "OWN-2"]);
  });

  test.each<[string, Row, string[]]>([
    ["no site", { site: "" }, ["site: Site is required"]],
    ["an unknown site", { site: "Nowhere" }, ['site: There is no site "Nowhere"']],
    ["no serial number", { serial_number: "", robot_name: "A" }, ["serial_number: Serial number is required"]],
    [
      "an unknown serial number",
      { serial_number: "NONE-1" },
      ["serial_number: NONE-1 is not the serial number of a device that is allocated to your company."],
    ],
    ["what is no serial number", { serial_number: "a/b" }, ["serial_number: is not a serial number"]],
    ["a retired device", { serial_number: "OLD-1" }, ["serial_number: The device OLD-1 has been retired."]],
    [
      "a serial number that is taken",
      { serial_number: "OWN-2" },
      ["serial_number: Another robot already has the serial number OWN-2."],
    ],
    [
      "a serial number that another partner's robot has, as one that is unknown",
      { serial_number: "FAR-1" },
      ["serial_number: FAR-1 is not the serial number of a device that is allocated to your company."],
    ],
    [
      "a free serial number of another partner, as one that is unknown",
      { serial_number: "FAR-2" },
      ["serial_number: FAR-2 is not the serial number of a device that is allocated to your company."],
    ],
    ["a name that is taken", { robot_name: "OWN -1" }, ["robot_name: Robot name already exists for this site"]],
    [
      "no installation date",
      { installation_date: "" },
      ["installation_date: Installation date must be a date, YYYY-MM-DD"],
    ],
    [
      "an installation date that is another one where months come first",
      { installation_date: "01-11-2024" },
      ["installation_date: 01-11-2024 could be 2024-11-01 or 2024-01-11; write the date as YYYY-MM-DD"],
    ],
    ["a type that is too long", { motor_type: "x".repeat(61) }, ["motor_type: must have at most 60 characters"]],
  ])("%s is reported", async (_words, change, problems) => {
    const rows = [
      { ...right, serial_number: "FREE-2", robot_name: "Other" },
      { ...right, ...change },
    ];
    expect(await problemsOf("owner", ...rows)).toEqual([[], problems]);
  });

  test("rows that are the same in the file name each other; the same name at another site is fine", async () => {
    const rows = [
      right,
      { ...right, serial_number: "FREE-2", robot_name: "Ro w7" },
      { ...right, robot_name: "Row 8" },
      { ...right, serial_number: "FREE-3", site: "ownfield ANNEX" },
    ];
    expect(await problemsOf("owner", ...rows)).toEqual([
      ["serial_number: Duplicate of row 4", "robot_name: Duplicate of row 3"],
      ["robot_name: Duplicate of row 2"],
      ["serial_number: Duplicate of row 2"],
      [],
    ]);
  });

  test("§6: another partner's site seems not to exist", async () => {
    const rows = [{ ...right, site: "Farfield Park" }];
    expect(await problemsOf("owner", ...rows)).toEqual([['site: There is no site "Farfield Park"']]);
    const others = [{ ...right, site: "Farfield Park", serial_number: "FAR-2" }];
    expect(await problemsOf("stranger", ...others)).toEqual([[]]);
    expect(await problemsOf("admin", ...others)).toEqual([[]]);
    expect((await send(fileOf(...rows), true)).status).toBe(400);
  });
});

describe("Import of robots: all or nothing", () => {
  test("one invalid row rejects them all, and is named; the refusal is recorded", async () => {
    const { status, body } = await send(fileOf(right, { ...right, serial_number: "OLD-1", robot_name: "B" }), true);
    expect([status, body]).toEqual([
      400,
      {
        message: "Nothing was imported. 1 of 2 rows cannot be imported.",
        code: "IMPORT_REFUSED",
        errors: [{ field: "row 3: serial_number", message: "The device OLD-1 has been retired." }],
      },
    ]);
    expect(await serialsAt(server.fixtures.ownSiteId)).toEqual(["OWN-1", "OWN-2"]);
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "outcome"])
      .where("entity", "=", "robot")
      .execute();
    expect(audit).toEqual([{ action: "IMPORT_ROBOTS", outcome: "REFUSED" }]);
  });

  test("valid rows are all created; a robot without a name is named by its serial number", async () => {
    const rows = [
      { ...right, installation_date: "29-02-2024" },
      { ...right, serial_number: "FREE-2", robot_name: "", motor_type: "", site: "Ownfield Annex" },
    ];
    const { status, body } = await send(fileOf(...rows), true);
    expect([status, body]).toMatchObject([200, { message: "2 rows imported.", applied: true }]);
    const { ownSiteId, secondSiteId } = server.fixtures;
    expect(await serialsAt(ownSiteId)).toEqual(["OWN-1", "OWN-2", "FREE-1"]);
    const [second] = await (await server.as("owner")).ask(robotsList, { params: { siteId: secondSiteId } });
    expect(second).toMatchObject({
      robot_name: "FREE-2",
      motor_type: null,
      installation_date: "2024-02-29",
      battery_level: 100,
      firmware_version: "1.0.0",
      operating_mode: "auto",
      status: "offline",
      version: 1,
    });
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "outcome", "reason", "actor"])
      .where("entity", "=", "robot")
      .execute();
    const one = { action: "CREATE_ROBOT", outcome: "DONE", reason: "Imported from a file.", actor: "Omkar Jain" };
    expect(audit).toEqual([one, one]);
  });

  test("of two concurrent imports with one serial number, one creates it and the other nothing", async () => {
    const both = await Promise.all([
      send(fileOf(right), true),
      send(fileOf({ ...right, site: "Ownfield Annex" }), true, "admin"),
    ]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
  });

  test("5,000 robots are imported in one go", async () => {
    const serials = Array.from({ length: 5_000 }, (_, nth) => `BULK-${nth}`);
    const secret_sha256 = Buffer.alloc(32);
    await server.db
      .insertInto("devices")
      .values(serials.map((serial) => ({ serial, secret_sha256, partner_id: server.fixtures.ownerPartnerId })))
      .execute();
    const rows = serials.map((serial_number) => ({ ...right, serial_number, robot_name: "" }));
    const { status } = await send(fileOf(...rows), true);
    expect(status).toBe(200);
    expect(await serialsAt(server.fixtures.ownSiteId)).toHaveLength(5_002);
  });
});

describe("Export of robots", () => {
  test("an export can be imported again once the serial numbers are free", async () => {
    const admin = await server.as("admin");
    const answer = await admin.call(exportRobots);
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="robots.csv"',
    });
    expect(answer.text).toBe(
      `\uFEFF${[
        ROBOT_COLUMNS.join(","),
        "Farfield Park,FAR-1,FAR-1,BLDC,PLC,2024-02-29",
        "Ownfield Park,OWN-1,OWN-1,BLDC,PLC,2024-02-29",
        "Ownfield Park,OWN-2,OWN-2,BLDC,PLC,2024-02-29",
      ]
        .map((line) => `"${line.replaceAll(",", '","')}"`)
        .join("\r\n")}\r\n`,
    );
    await server.db.updateTable("robots").set({ deleted_at: new Date() }).execute();
    expect((await send(answer.text, true, "admin")).status).toBe(200);
    expect(await admin.ask(exportRobots)).toBe(answer.text);
  });

  test("§6: a partner exports the robots of its own sites", async () => {
    const csv = await (await server.as("stranger")).ask(exportRobots);
    expect(csv.match(/OWN|FAR-1/g)).toEqual(["FAR-1", "FAR-1"]);
  });
});
