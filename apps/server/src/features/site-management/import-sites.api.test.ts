import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { SITE_COLUMNS, exportSites, importSites } from "@suncrew/contract/sites/site-files.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

/** A soak sends more files than a person may. */
const callsPerMinute = { reads: 10_000, writes: 3_000, files: 100_000 };

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp({ settings: { callsPerMinute } });
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(async () => {
  await restoreSites();
  await server.db.deleteFrom("audit").execute();
});
afterAll(() => server.close());

type Row = Partial<Record<(typeof SITE_COLUMNS)[number], string>>;

const right: Row = {
  name: "Newfield Park",
  address: "Newfield Road 1, Ward 3",
  district: "Kurnool",
  state: "Andhra Pradesh",
  pin_code: "518001",
  latitude: "15.8281",
  longitude: "78.0373",
  commissioning_date: "2024-02-29",
  maintenance_partner: "Owncare Services",
};

const fileOf = (...rows: readonly Row[]) =>
  writeCsv(
    SITE_COLUMNS,
    rows.map((row) => SITE_COLUMNS.map((column) => row[column] ?? "")),
  );

async function send(csv: string, apply: boolean) {
  return (await server.as("admin")).call(importSites, { body: { csv, apply } });
}

async function check(...rows: readonly Row[]) {
  const { status, body } = await send(fileOf(...rows), false);
  expect(status).toBe(200);
  return importSites.response.parse(body);
}

/** The problems of each row, as `column: text`. */
async function problemsOf(...rows: readonly Row[]): Promise<string[][]> {
  const { rows: checked, problems } = await check(...rows);
  expect(problems).toEqual([]);
  return checked.map((row) => row.problems.map(({ field, message }) => `${field}: ${message}`));
}

/** The kept list of sites learns of those that go only by their deletion. */
async function restoreSites(): Promise<void> {
  await server.db.updateTable("sites").set({ deleted_at: server.clock.now() }).execute();
  await sites();
  await restorePoint.restore();
}

const sites = async () => (await server.as("admin")).ask(siteDetails);

describe("Import of sites: the preview", () => {
  test("a valid row has no problem, and nothing is created", async () => {
    expect(await check(right)).toEqual({
      message: "1 row can be imported.",
      applied: false,
      rows: [{ row: 2, name: "Newfield Park", day: "2024-02-29", problems: [] }],
      problems: [],
    });
    expect(await sites()).toHaveLength(3);
    expect(await server.db.selectFrom("audit").selectAll().where("entity", "=", "site").execute()).toEqual([]);
  });

  test.each<[string, Row, string[]]>([
    ["no name", { name: "" }, ["name: Site name is required"]],
    ["a blank address", { address: "  " }, ["address: Address is required"]],
    ["no district", { district: "" }, ["district: District is required"]],
    ["no state", { state: "" }, ["state: State is required"]],
    ["no pin code", { pin_code: "" }, ["pin_code: Pin code is required"]],
    ["a short pin code", { pin_code: "51800" }, ["pin_code: Pin code must have six digits"]],
    ["no latitude", { latitude: "" }, ["latitude: Latitude must be a number from -90 to 90"]],
    ["a longitude out of range", { longitude: "181" }, ["longitude: Longitude must be a number from -180 to 180"]],
    [
      "a day that puts the month first",
      { commissioning_date: "2/29/2024" },
      ["commissioning_date: Commissioning date must be a date, YYYY-MM-DD"],
    ],
    [
      "a date that is another one where months come first",
      { commissioning_date: "01/11/2024" },
      ["commissioning_date: 01/11/2024 could be 2024-11-01 or 2024-01-11; write the date as YYYY-MM-DD"],
    ],
    [
      "no email address",
      { maintenance_partner: "", maintenance_email: "x" },
      ["maintenance_email: is not an email address"],
    ],
    ["a tilt out of range", { tilt_degrees: "91" }, ["tilt_degrees: Tilt must be a number from 0 to 90"]],
    [
      "a tariff without its currency",
      { tariff_per_kwh: "2.5" },
      ["currency: Currency is required where there is a tariff"],
    ],
    [
      "a price that does not say what it is for",
      { cleaning_price: "8000", currency: "inr" },
      ["cleaning_price_per: Price per (run or kWp) is required where there is a cleaning price"],
    ],
    [
      "an unknown partner",
      { maintenance_partner: "Nobody" },
      ['maintenance_partner: There is no maintenance partner "Nobody"'],
    ],
    [
      "a phone alone",
      { maintenance_partner: "", maintenance_contact: "+91 98765 43210" },
      [
        "maintenance_contact_name: Contact is required where there is no maintenance partner",
        "maintenance_email: Email is required where there is no maintenance partner",
      ],
    ],
    [
      "a phone that a spreadsheet shortened",
      { maintenance_contact: "9.19877E+11" },
      ["maintenance_contact: Was shortened by a spreadsheet; format the column as text there"],
    ],
    [
      "a name that is taken",
      { name: "ownfield park" },
      ["name: A site with this name already exists. Please choose a different name."],
    ],
    [
      "a place that is taken",
      { latitude: "27.530099", longitude: "71.91" },
      ["latitude", "longitude"].map(
        (field) => `${field}: A site with these coordinates already exists. Please choose a different location.`,
      ),
    ],
  ])("%s is reported", async (_title, change, problems) => {
    const [, actual] = await problemsOf({ ...right, name: "Other", latitude: "1" }, { ...right, ...change });
    expect(actual?.toSorted()).toEqual(problems.toSorted());
  });

  test("rows that are the same in the file name each other, whatever else is wrong with them", async () => {
    expect(
      await problemsOf(
        right,
        { ...right, name: " NEWFIELD park", latitude: "1", pin_code: "1" },
        { ...right, name: "C" },
      ),
    ).toEqual([
      ["name: Duplicate of row 3", "latitude: Duplicate of row 4", "longitude: Duplicate of row 4"],
      ["pin_code: Pin code must have six digits", "name: Duplicate of row 2"],
      ["latitude: Duplicate of row 2", "longitude: Duplicate of row 2"],
    ]);
  });

  test.each([
    ["a column that is missing", "name,address\nA,B\n", "The column district is missing"],
    ["a column that is not known", fileOf(right).replace("pin_code", "pin"), "The column pin is not known"],
    ["a quotation mark that is open", 'name\n"A\n', "A quotation mark"],
    ["no rows", fileOf(), "The file has no rows"],
    ["too many rows", fileOf(...Array.from({ length: 5_001 }, () => right)), "The file has more than 5,000 rows"],
  ])("%s is reported for the file as a whole", async (_title, csv, text) => {
    const { status, body } = await send(csv, false);
    const { rows, problems } = importSites.response.parse(body);
    expect([status, rows, problems.map(({ message }) => message).join()]).toEqual([
      200,
      [],
      expect.stringContaining(text),
    ]);
    const applied = await send(csv, true);
    expect([applied.status, applied.text]).toEqual([400, expect.stringContaining(text)]);
  });
});

describe("Import of sites: all or nothing", () => {
  test("one invalid row rejects them all, and is named; the refusal is recorded", async () => {
    const { status, body } = await send(
      fileOf({ ...right, latitude: "1", name: "Good" }, { ...right, pin_code: "1" }),
      true,
    );
    expect([status, body]).toEqual([
      400,
      {
        message: "Nothing was imported. 1 of 2 rows cannot be imported.",
        code: "IMPORT_REFUSED",
        errors: [{ field: "row 3: pin_code", message: "Pin code must have six digits" }],
      },
    ]);
    expect(await sites()).toHaveLength(3);
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "outcome"])
      .where("entity", "=", "site")
      .execute();
    expect(audit).toEqual([{ action: "IMPORT_SITES", outcome: "REFUSED" }]);
  });

  test("valid rows are all created, by the rules of the form: partner by name, typed contact, or the default one", async () => {
    const typed = {
      maintenance_partner: "",
      maintenance_contact_name: "Ravi Kumar",
      maintenance_contact: "+91 98765 43210",
      maintenance_email: "ravi@park.example",
    };
    const csv = fileOf(
      { ...right, name: "सौर पार्क", commissioning_date: "29/02/2024", maintenance_partner: " OWNCARE services" },
      { ...right, name: "Typed", latitude: "1", ...typed },
      { ...right, name: "Default", latitude: "52.52", longitude: "13.405", maintenance_partner: "" },
    );
    const { status, body } = await send(csv, true);
    expect([status, body]).toMatchObject([
      200,
      { message: "3 rows imported.", applied: true, rows: [{ row: 2 }, {}, {}] },
    ]);
    const created = (await sites()).filter(({ name }) => ["सौर पार्क", "Typed", "Default"].includes(name));
    const { maintenance_partner: _column, ...contacts } = typed;
    expect(created).toMatchObject([
      { name: "Default", partner_name: "In-house", timezone: "Europe/Berlin" },
      { name: "Typed", partner_name: null, ...contacts },
      {
        name: "सौर पार्क",
        partner_name: "Owncare Services",
        commissioning_date: "2024-02-29",
        maintenance_contact: null,
      },
    ]);
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "outcome", "reason", "actor"])
      .where("entity", "=", "site")
      .execute();
    const one = { action: "CREATE_SITE", outcome: "DONE", reason: "Imported from a file.", actor: "Anita Rao" };
    expect(audit).toEqual([one, one, one]);
  });

  test("the columns of energy facts may be blank or left out", async () => {
    const facts = { dc_capacity_kwp: "12500.5", tariff_per_kwh: "2.53", currency: "inr", tilt_degrees: "" };
    const columns = [
      ...SITE_COLUMNS.slice(0, 8),
      "tariff_per_kwh",
      "currency",
      "dc_capacity_kwp",
      "tilt_degrees",
    ] as const;
    const row: Row = { ...right, ...facts };
    expect((await send(writeCsv(columns, [columns.map((column) => row[column] ?? "")]), true)).status).toBe(200);
    expect((await sites()).find(({ name }) => name === right.name)).toMatchObject({
      ...noEnergyFacts,
      dc_capacity_kwp: 12_500.5,
      tariff_per_kwh: 2.53,
      currency: "INR",
    });
  });

  test("of two concurrent imports of one file, one creates the sites and the other nothing", async () => {
    const both = await Promise.all([send(fileOf(right), true), send(fileOf(right), true)]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect(await sites()).toHaveLength(4);
  });

  test("5,000 sites are imported in one go", async () => {
    const rows = Array.from({ length: 5_000 }, (_, nth) => ({
      ...right,
      name: `Park ${nth}`,
      latitude: String(10 + Math.floor(nth / 100) / 100),
      longitude: String(72 + (nth % 100) / 100),
    }));
    const { status } = await send(fileOf(...rows), true);
    expect(status).toBe(200);
    expect(await sites()).toHaveLength(5_003);
  });
});

test("Import of sites: whatever the cells contain, a file is applied exactly if its preview has no problem", async () => {
  const strange = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
    fc.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed() && !text.includes("\0")),
    fc.constantFrom(
      "",
      "-0",
      "1e5",
      "0000-01-01",
      "9999-12-31",
      "31/12/9999",
      "İ",
      "ß",
      "\u2028",
      "Owncare Services",
      "00",
    ),
  );
  const cell = (column: (typeof SITE_COLUMNS)[number]) =>
    fc.oneof({ weight: 8, arbitrary: fc.constant(right[column] ?? "") }, { weight: 1, arbitrary: strange });
  const row = fc.record({
    ...Object.fromEntries(SITE_COLUMNS.map((column) => [column, cell(column)])),
    name: strange,
    latitude: fc.integer({ min: -90, max: 90 }).map(String),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 3 }), async (rows) => {
      await restoreSites();
      const csv = fileOf(...rows);
      const preview = await send(csv, false);
      expect([csv, preview.status]).toEqual([csv, 200]);
      const { rows: checked, problems } = importSites.response.parse(preview.body);
      const isGood = problems.length === 0 && checked.every((each) => each.problems.length === 0);
      const applied = await send(csv, true);
      expect([csv, applied.status]).toEqual([csv, isGood ? 200 : 400]);
      expect(await sites()).toHaveLength(isGood ? 3 + rows.length : 3);
    }),
    { numRuns: 20 * inject("soak").factor },
  );
});

describe("Export of sites", () => {
  test("an export can be imported elsewhere, with the same result", async () => {
    const admin = await server.as("admin");
    const answer = await admin.call(exportSites);
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="sites.csv"',
    });
    expect(answer.text.split("\r\n")[0]).toBe(`\uFEFF"${SITE_COLUMNS.join('","')}"`);
    await server.db
      .updateTable("sites")
      .set({ maintenance_partner_id: null, maintenance_contact_name: "=Ravi", maintenance_contact: "+91 98" })
      .set({ maintenance_email: "r@park.example" })
      .set({ dc_capacity_kwp: 12_500.5, tilt_degrees: 0, azimuth_degrees: 180, performance_ratio_percent: 81.5 })
      .set({ tariff_per_kwh: 2.53, currency: "INR", cleaning_price: 0.000001, cleaning_price_per: "kwp" })
      .where("id", "=", server.fixtures.secondSiteId)
      .execute();
    const before = await sites();
    const csv = await admin.ask(exportSites);
    expect(csv).toContain(
      `"'=Ravi","+91 98","r@park.example","12500.5","","0","180","81.5","2.53","INR","0.000001","kwp"`,
    );
    await server.db.updateTable("sites").set({ deleted_at: new Date() }).execute();
    expect((await send(csv, true)).status).toBe(200);
    const plain = (list: typeof before) =>
      list.map(({ id: _id, status: _s, robot_count: _r, active_robots: _a, online_robots: _o, ...site }) => site);
    expect(plain(await sites())).toEqual(plain(before));
  });

  test("§6: a partner exports its own sites, and may not import", async () => {
    const owner = await server.as("owner");
    const csv = await owner.ask(exportSites);
    expect(csv.trim().split("\r\n")).toHaveLength(3);
    expect(csv).not.toContain("Farfield");
    expect((await owner.call(importSites, { body: { csv } })).status).toBe(403);
  });
});
