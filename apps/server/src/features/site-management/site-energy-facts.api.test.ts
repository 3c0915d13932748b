import { createSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Person } from "../../../test/fixtures.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(async () => {
  await restorePoint.restore();
  await server.db.deleteFrom("audit").execute();
});
afterAll(() => server.close());

const form = {
  name: "Newfield Park",
  address: "Newfield Road 1",
  district: "Kurnool",
  state: "Andhra Pradesh",
  pin_code: "518001",
  commissioning_date: "2024-02-29",
  latitude: 15.8281,
  longitude: "78.0373",
};
const facts = {
  dc_capacity_kwp: 10_000,
  control_capacity_kwp: 250,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 82,
  tariff_per_kwh: 2.5,
  currency: "INR",
  cleaning_price: 8_000,
  cleaning_price_per: "run",
  cleaning_effectiveness_percent: 92.5,
  wet_wash_litres_per_kwp: 1.2,
  soiling_rate_factor: 1.4,
  soiling_alert_percent: 3,
};

type Change = Readonly<Record<string, unknown>>;

const create = async (change: Change = {}, who: Person = "admin") =>
  (await server.as(who)).raw(createSite.path, { method: "POST", body: { ...form, ...change } });
const update = async (change: Change = {}, who: Person = "owner", id = server.fixtures.ownSiteId) =>
  (await server.as(who)).raw(`/api/sites/update/${id}`, { method: "PUT", body: { ...form, ...change } });
const siteWith = async (siteId: number) =>
  (await (await server.as("admin")).ask(siteDetails)).find(({ id }) => id === siteId);
const own = () => siteWith(server.fixtures.ownSiteId);

const problemsIn = (body: unknown) => errorsIn(body).map(({ field, message }) => `${field}: ${message}`);
const errorsIn = (body: unknown): { field: string; message: string }[] =>
  typeof body === "object" && body !== null && "errors" in body && Array.isArray(body.errors) ? body.errors : [];

const audits = () =>
  server.db
    .selectFrom("audit")
    .select(["action", "outcome", "before", "after"])
    .where("entity", "=", "site")
    .orderBy("id")
    .execute();

test("Energy facts are stored with a new site, as numbers or text, and a site without them has none", async () => {
  const texts = Object.fromEntries(Object.entries(facts).map(([fact, value]) => [fact, `${value}`]));
  const { body } = await create(texts);
  expect(await siteWith(createSite.response.parse(body).siteId)).toMatchObject(facts);
  const plain = await create({ name: "Plain Park", latitude: 1, tilt_degrees: "", currency: null });
  expect(await siteWith(createSite.response.parse(plain.body).siteId)).toMatchObject(noEnergyFacts);
});

test("A partner enters the energy facts of its sites, another partner does not", async () => {
  expect((await update(facts)).status).toBe(200);
  expect(await own()).toMatchObject({ ...facts, version: 2 });
  expect((await update({ tilt_degrees: 30 }, "stranger")).status).toBe(404);
  expect(await own()).toMatchObject({ ...facts, version: 2 });
});

test("An edit that leaves energy facts out keeps them; null or blank clears them, and that is recorded", async () => {
  await update(facts);
  await server.db.deleteFrom("audit").execute();
  expect((await update({ name: "Renamed Park" })).status).toBe(200);
  expect(await own()).toMatchObject({ ...facts, name: "Renamed Park" });
  expect((await update({ name: "Renamed Park", tilt_degrees: 20, currency: "inr" })).status).toBe(200);
  expect(await own()).toMatchObject({ ...facts, version: 3 });
  expect((await update({ name: "Renamed Park", tilt_degrees: null, soiling_alert_percent: "" })).status).toBe(200);
  const cleared = { ...facts, tilt_degrees: null, soiling_alert_percent: null };
  expect(await own()).toMatchObject(cleared);
  expect(await audits()).toMatchObject([
    { action: "UPDATE_SITE", outcome: "DONE", before: facts, after: facts },
    { action: "UPDATE_SITE", outcome: "DONE", before: facts, after: cleared },
  ]);
});

test.each([
  ["dc_capacity_kwp", [0, -1, 5_000_001, "1e3", "10,000", true, []]],
  ["control_capacity_kwp", [0, -1, 5_000_001, "few", 100]],
  ["soiling_rate_factor", [0, 0.09, 10.1, -1, "double", true]],
  ["tilt_degrees", [-0.1, 90.1, "flat"]],
  ["azimuth_degrees", [-1, 360, "south"]],
  ["performance_ratio_percent", [9, 101, "0.8"]],
  ["tariff_per_kwh", [-1, 1_000_001, "2,5"]],
  ["currency", ["RUPEE", "Rs", "XYZ", 356, {}]],
  ["cleaning_price", [-1, 1e12, "free"]],
  ["cleaning_price_per", ["kWh", 1, "panel"]],
  ["cleaning_effectiveness_percent", [0, 101, "x"]],
  ["wet_wash_litres_per_kwp", [-1, 1_001, "x"]],
  ["soiling_alert_percent", [0.4, 51, "x"]],
] as const)("A wrong %s is refused at creation and edit, and named", async (fact, values) => {
  for (const value of values) {
    const wrong = { currency: "INR", cleaning_price_per: "run", dc_capacity_kwp: 100, [fact]: value };
    for (const { status, body } of [await create(wrong), await update(wrong)]) {
      expect([value, status, errorsIn(body).map(({ field }) => field)]).toEqual([value, 400, [fact]]);
    }
  }
  expect(await own()).toMatchObject({ ...noEnergyFacts, version: 1 });
});

test("A tariff and a price need their currency, and a price what it is for, also with what is stored", async () => {
  const currency = "currency: Currency is required where there is a tariff and a cleaning price";
  const per = "cleaning_price_per: Price per (run or kWp) is required where there is a cleaning price";
  const created = await create({ tariff_per_kwh: 2.5, cleaning_price: 0 });
  expect([created.status, problemsIn(created.body)]).toEqual([400, [currency, per]]);
  await update(facts);
  const without = await update({ currency: "", cleaning_price_per: null });
  expect([without.status, problemsIn(without.body)]).toEqual([400, [currency, per]]);
  const none = { tariff_per_kwh: null, cleaning_price: null, currency: "", cleaning_price_per: null };
  expect((await update(none)).status).toBe(200);
  expect(await own()).toMatchObject({ ...facts, ...none, currency: null });
});
