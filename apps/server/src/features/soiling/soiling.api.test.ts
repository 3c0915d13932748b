import { energyAtRisk, siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

describe("a site of which nothing is known", () => {
  test("has no figure, and says what is missing", async () => {
    const owner = await server.as("owner");
    const answer = await owner.ask(siteSoiling, { params: { siteId: server.fixtures.ownSiteId } });
    expect(answer).toMatchObject({ basis: "modelled", model: null, ratio: null, lost_kwh: null, days: [] });
    expect(answer.missing).toEqual([
      "dc_capacity_kwp",
      "tilt_degrees",
      "azimuth_degrees",
      "performance_ratio_percent",
      "tariff_per_kwh",
      "currency",
      "cleaning_price",
      "particles",
      "rain",
      "irradiation",
    ]);
    expect(answer.next_night).toMatchObject({ date: null, reason: "UNKNOWN" });
  });

  test("§6: a site of another partner does not exist", async () => {
    const owner = await server.as("owner");
    const answer = await owner.call(siteSoiling, { params: { siteId: server.fixtures.foreignSiteId } });
    expect([answer.status, answer.body]).toEqual([404, { message: "Site not found", code: "SITE_NOT_FOUND" }]);
  });

  test("is counted as unknown, of the viewer's sites", async () => {
    const counts = await Promise.all(
      (["admin", "owner", "stranger"] as const).map(async (person) => (await server.as(person)).ask(energyAtRisk)),
    );
    expect(counts.map(({ unknown_sites }) => unknown_sites)).toEqual([3, 2, 1]);
    expect(counts[0]).toMatchObject({ sites: [], total_kwh: null, totals_money: [], known_sites: 0, stale_sites: 0 });
  });
});
