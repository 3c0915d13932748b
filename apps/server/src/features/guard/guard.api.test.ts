import { siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeAll(async () => (server = await createTestApp()));
afterAll(() => server.close());

const limits = { max_gust_kmh: 45, max_rain_mm: 0.5, min_temperature_c: null, max_temperature_c: null };
const none = { max_gust_kmh: null, max_rain_mm: null, min_temperature_c: null, max_temperature_c: null };
const own = () => ({ params: { siteId: server.fixtures.ownSiteId } });

test("Wind and rain guard: a site has no limits until somebody sets them, and its owner may", async () => {
  const owner = await server.as("owner");
  expect(await owner.ask(siteGuard, own())).toMatchObject({ ...none, version: 0, state: null, judged_at: null });
  expect(await owner.call(updateSiteGuard, { ...own(), body: { ...limits, version: 0 } })).toMatchObject({
    status: 200,
  });
  expect(await owner.ask(siteGuard, own())).toMatchObject({ ...limits, version: 1, state: { verdict: "UNKNOWN" } });
  const sites = await owner.ask(siteDetails, {});
  expect(sites.map(({ id, weather_guard: guard }) => [id, guard?.verdict ?? null])).toContainEqual([
    server.fixtures.ownSiteId,
    "UNKNOWN",
  ]);
  expect(
    await server.db.selectFrom("audit").selectAll().where("action", "=", "UPDATE_WEATHER_LIMITS").execute(),
  ).toMatchObject([
    { entity: "site", site_id: server.fixtures.ownSiteId, before: none, after: limits, outcome: "DONE" },
  ]);
});

test("Wind and rain guard: an edit never overwrites somebody else's, and the same limits change nothing", async () => {
  const admin = await server.as("admin");
  const late = await admin.call(updateSiteGuard, { ...own(), body: { ...none, version: 0 } });
  expect(late).toMatchObject({ status: 409, body: { code: "EDIT_CONFLICT" } });
  await admin.call(updateSiteGuard, { ...own(), body: limits });
  expect(await admin.ask(siteGuard, own())).toMatchObject({ ...limits, version: 1 });
});

test("Wind and rain guard: limits that make no sense are refused by field", async () => {
  const admin = await server.as("admin");
  for (const [field, body] of [
    ["max_gust_kmh", { ...none, max_gust_kmh: 5 }],
    ["max_rain_mm", { ...none, max_rain_mm: -1 }],
    ["max_temperature_c", { ...none, min_temperature_c: 30, max_temperature_c: 30 }],
  ] as const) {
    const answer = await admin.call(updateSiteGuard, { ...own(), body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  }
});

test("Wind and rain guard: a partner neither sees nor changes limits of another's site", async () => {
  const other = await server.as("stranger");
  expect((await other.call(siteGuard, own())).status).toBe(404);
  expect((await other.call(updateSiteGuard, { ...own(), body: none })).status).toBe(404);
});

test("Wind and rain guard: without limits the alert about them is over", async () => {
  const { ownSiteId: siteId } = server.fixtures;
  const alert = {
    robot_id: null,
    source: "SERVER",
    code: "WEATHER_LIMIT",
    severity: "WARNING",
    text: "Gusts.",
  } as const;
  await server.db
    .insertInto("alerts")
    .values({ ...alert, site_id: siteId, raised_at: new Date(0) })
    .execute();
  const admin = await server.as("admin");
  await admin.call(updateSiteGuard, { ...own(), body: none });
  const open = server.db.selectFrom("alerts").selectAll().where("code", "=", "WEATHER_LIMIT");
  expect(await open.where("cleared_at", "is", null).execute()).toEqual([]);
});
