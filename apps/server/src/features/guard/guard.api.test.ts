import { allocateDevices, deviceList } from "@suncrew/contract/devices/devices.ts";
import { assignSensor, removeSensor, siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { createRobot, serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDevice } from "../../../test/fixtures.ts";
import { SiteInputs } from "../weather/public.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";

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
    {
      entity: "site",
      site_id: server.fixtures.ownSiteId,
      before: { ...none, without_sensor: "FORECAST" },
      after: { ...limits, without_sensor: "FORECAST" },
      outcome: "DONE",
    },
  ]);
});

test("Wind and rain guard: an edit never overwrites somebody else's, and the same limits change nothing", async () => {
  const admin = await server.as("admin");
  const late = await admin.call(updateSiteGuard, { ...own(), body: { ...none, version: 0 } });
  expect(late).toMatchObject({ status: 409, body: { code: "EDIT_CONFLICT" } });
  await admin.call(updateSiteGuard, { ...own(), body: limits });
  expect(await admin.ask(siteGuard, own())).toMatchObject({ ...limits, version: 1 });
});

test("Wind and rain guard: a passed limit has its age, and the hours that count are named with their source and age", async () => {
  const { ownSiteId: siteId } = server.fixtures;
  const owner = await server.as("owner");
  expect(await owner.ask(siteGuard, own())).toMatchObject({ hours: [], forecast_source: null, forecast_at: null });
  await new SiteInputs(server.deps).runOnce();
  await server.db
    .updateTable("site_guards")
    .set({ verdict: "PASSED", judged_at: server.clock.now(), within_since: new Date(TEST_NOW.getTime() - 60_000) })
    .set({ passed: JSON.stringify({ what: "GUST", value: 62, limit: 45, source: "FORECAST" }) })
    .where("site_id", "=", siteId)
    .execute();
  const raisedAt = new Date(TEST_NOW.getTime() - 600_000);
  const alert = {
    robot_id: null,
    source: "SERVER",
    code: "WEATHER_LIMIT",
    severity: "WARNING",
    text: "Gusts.",
  } as const;
  await server.db
    .insertInto("alerts")
    .values({ ...alert, site_id: siteId, raised_at: raisedAt })
    .execute();
  const guard = await owner.ask(siteGuard, own());
  expect(guard).toMatchObject({
    state: { verdict: "PASSED", text: expect.stringContaining("gusts of 62 km/h (limit 45 km/h) are forecast") },
    passed_since: raisedAt.toISOString(),
    within_since: new Date(TEST_NOW.getTime() - 60_000).toISOString(),
    forecast_source: "sample",
    forecast_at: expect.any(String),
  });
  expect(guard.hours).toHaveLength(2);
  expect(guard.hours[0]).toEqual({
    at: expect.any(String),
    gust_kmh: expect.any(Number),
    rain_mm: expect.any(Number),
    temperature_c: expect.any(Number),
  });
  await server.db.updateTable("alerts").set({ cleared_at: server.clock.now() }).execute();
  expect(await owner.ask(siteGuard, own())).toMatchObject({ passed_since: null });
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

describe("Wind and rain guard: a site's weather sensor", () => {
  const assign = async (who: "admin" | "owner" | "stranger", serial: string) =>
    (await server.as(who)).call(assignSensor, { ...own(), body: { serial_number: serial } });
  const sensorOfSite = async () => (await (await server.as("owner")).ask(siteGuard, own())).sensor;

  test("Wind and rain guard: its owner makes a device of its own the sensor, sees what it measured and when, and takes it away", async () => {
    await addDevice(server.db, "WX-OWN", server.fixtures.ownerPartnerId);
    expect(await assign("owner", "WX-OWN")).toMatchObject({ status: 200 });
    expect(await sensorOfSite()).toMatchObject({ serial: "WX-OWN", received_at: null, age_s: null, fresh: false });
    const received = new Date(TEST_NOW.getTime() - 40_000);
    const measured = {
      session: 1,
      seq: 1,
      received_at: received,
      sensor_ts: received,
      gust_kmh: 12.5,
      temperature_c: 30,
    };
    await server.db.updateTable("site_sensors").set(measured).execute();
    expect(await sensorOfSite()).toMatchObject({
      received_at: received.toISOString(),
      age_s: 40,
      fresh: true,
      gust_kmh: 12.5,
      rain_mm_h: null,
      temperature_c: 30,
    });
    const devices = await (await server.as("admin")).ask(deviceList, {});
    expect(devices.find(({ serial }) => serial === "WX-OWN")).toMatchObject({
      robot: null,
      sensor_of: { site_id: server.fixtures.ownSiteId, site_name: "Ownfield Park" },
    });
    const owner = await server.as("owner");
    expect(await owner.call(removeSensor, own())).toMatchObject({ status: 200 });
    expect(await sensorOfSite()).toBe(null);
    const audited = server.db.selectFrom("audit").selectAll().where("action", "in", ["ASSIGN_SENSOR", "REMOVE_SENSOR"]);
    expect(await audited.orderBy("id").execute()).toMatchObject([
      { before: { sensor: null }, after: { sensor: "WX-OWN" }, site_id: server.fixtures.ownSiteId, outcome: "DONE" },
      { before: { sensor: "WX-OWN" }, after: { sensor: null }, outcome: "DONE" },
    ]);
  });

  test("Wind and rain guard: a device is one robot's or one site's, and its partner's", async () => {
    await addDevice(server.db, "WX-FREE");
    await addDevice(server.db, "WX-GONE", server.fixtures.ownerPartnerId);
    await server.db.updateTable("devices").set({ retired_at: TEST_NOW }).where("serial", "=", "WX-GONE").execute();
    expect(await assign("owner", "WX-FREE")).toMatchObject({ status: 400, body: { code: "SERIAL_UNKNOWN" } });
    expect(await assign("owner", "NO-SUCH-1")).toMatchObject({ status: 400, body: { code: "SERIAL_UNKNOWN" } });
    expect(await assign("owner", "WX-GONE")).toMatchObject({ status: 409, body: { code: "DEVICE_RETIRED" } });
    expect(await assign("owner", "OWN-1")).toMatchObject({ status: 409, body: { code: "DEVICE_ASSIGNED" } });
    expect((await assign("stranger", "WX-FREE")).status).toBe(404);
    expect(await assign("admin", "WX-FREE")).toMatchObject({ status: 200 });
    // It stands at the site, so it is its partner's now, and no robot's.
    const admin = await server.as("admin");
    const robot = { site_id: server.fixtures.ownSiteId, robot_name: "Late", installation_date: "2024-02-29" };
    expect(await admin.call(createRobot, { body: { ...robot, serial_number: "WX-FREE" } })).toMatchObject({
      status: 409,
      body: { code: "SERIAL_TAKEN" },
    });
    expect(
      await admin.call(assignSensor, {
        params: { siteId: server.fixtures.secondSiteId },
        body: { serial_number: "WX-FREE" },
      }),
    ).toMatchObject({ status: 409, body: { code: "DEVICE_ASSIGNED" } });
    expect(
      await admin.call(allocateDevices, { body: { serials: ["WX-FREE"], partner_id: IN_HOUSE_PARTNER_ID } }),
    ).toMatchObject({ status: 409, body: { code: "DEVICE_ASSIGNED" } });
    const serials = await admin.ask(serialNumbers, {});
    expect(serials).toContainEqual({ serial_number: "WX-FREE", assigned: true });
    const device = server.db.selectFrom("devices").select("partner_id").where("serial", "=", "WX-FREE");
    expect(await device.executeTakeFirst()).toEqual({ partner_id: server.fixtures.ownerPartnerId });
  });

  test("Wind and rain guard: what a missing sensor means stays unless an edit says otherwise", async () => {
    const owner = await server.as("owner");
    await owner.call(updateSiteGuard, { ...own(), body: { ...limits, without_sensor: "STOP" } });
    await owner.call(updateSiteGuard, { ...own(), body: { ...limits, max_gust_kmh: 50 } });
    expect(await owner.ask(siteGuard, own())).toMatchObject({ max_gust_kmh: 50, without_sensor: "STOP" });
  });

  test("a deleted site has no sensor; its device is free", async () => {
    const admin = await server.as("admin");
    await addDevice(server.db, "WX-LAST", server.fixtures.ownerPartnerId);
    await admin.call(assignSensor, { ...own(), body: { serial_number: "WX-LAST" } });
    expect((await admin.call(deleteSite, { params: { id: server.fixtures.ownSiteId } })).status).toBe(200);
    expect(await server.db.selectFrom("site_sensors").selectAll().execute()).toEqual([]);
  });
});
