import { describe, expect, test } from "vitest";
import { noEnergyFacts } from "../sites/site-energy-facts.ts";
import { decideEvening } from "./cleaning-by-need.ts";
import { eveningOfRows, partOfSite } from "./evening-of-rows.ts";
import type { SoilingSite } from "./site-soiling.ts";
import type { RowRun, SoilingHour } from "./soiling-model.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 17:30 at the site; the run is due two hours later. */
const now = new Date("2026-03-20T12:00:00Z");
const dueAt = new Date(now.getTime() + 2 * HOUR_MS);
const limits = { least: 1, most: 30 };

const site: SoilingSite = {
  ...noEnergyFacts,
  timezone: "Asia/Kolkata",
  rows: [1, 2, 3, 4],
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
  cleaning_price: 500,
  cleaning_price_per: "run",
};

/** Dust of so many days and the five ahead, with rain of 8 mm in one hour. */
function dusty(days: number, rainAfterHours = Number.NaN): SoilingHour[] {
  return Array.from({ length: (days + 5) * 24 }, (_, index): SoilingHour => {
    const at = new Date(now.getTime() - days * DAY_MS + (index + 1) * HOUR_MS);
    const isDay = at.getUTCHours() > 0 && at.getUTCHours() <= 12;
    const isRain = at.getTime() === now.getTime() + rainAfterHours * HOUR_MS;
    return { at, pm2_5: 60, pm10: 150, rain_mm: isRain ? 8 : 0, irradiance_w_m2: isDay ? 500 : 0 };
  });
}
const cleaned = (row: number, daysAgo: number): RowRun => {
  return { row, endedAt: new Date(now.getTime() - daysAgo * DAY_MS), share: 1 };
};
const decide = (of: SoilingSite, hours: readonly SoilingHour[], runs: readonly RowRun[] = []) => {
  const daysSinceRun = 5;
  const {
    runs: isRun,
    code,
    params,
  } = decideEvening({ daysSinceRun, ...eveningOfRows(of, hours, runs, { now, dueAt }) }, limits);
  return { isRun, code, params };
};

describe("an evening of a schedule's rows", () => {
  test("it runs once what they lost has reached the price of cleaning them", () => {
    expect(decide(site, dusty(3)).code).toBe("NOT_YET");
    expect(decide(site, dusty(40))).toMatchObject({ isRun: true, code: "RUNS_WORTH_IT" });
  });

  test("rain that cleans within two days keeps it, named by its day at the site; later rain does not", () => {
    expect(decide(site, dusty(40, 5))).toEqual({
      isRun: false,
      code: "NOT_RAIN_NEAR",
      params: { rain_mm: 8, days_ahead: 0 },
    });
    expect(decide(site, dusty(40, 20)).params).toEqual({ rain_mm: 8, days_ahead: 1 });
    expect(decide(site, dusty(40, 51)).code).toBe("RUNS_WORTH_IT");
    // Before the run is due it has cleaned already.
    expect(decide(site, dusty(40, 1)).code).toBe("NOT_YET");
  });

  test("it is about its own rows: others that are dirty or clean change nothing", () => {
    const runs = [cleaned(1, 1), cleaned(2, 1)];
    expect(decide(partOfSite(site, [1, 2]), dusty(40), runs).code).toBe("NOT_YET");
    expect(decide(partOfSite(site, [3, 4]), dusty(40), runs).code).toBe("RUNS_WORTH_IT");
    expect(partOfSite(site, [3]).dc_capacity_kwp).toBe(250);
  });

  test.each([
    "dc_capacity_kwp",
    "tilt_degrees",
    "azimuth_degrees",
    "performance_ratio_percent",
    "tariff_per_kwh",
    "currency",
    "cleaning_price",
  ] as const)("without %s nothing is known", (fact) =>
    expect(decide({ ...site, [fact]: null }, dusty(40)).code).toBe("NOT_KNOWN"),
  );

  test("without an hour of the rain to come, without sun or without anything ahead nothing is known", () => {
    const hours = dusty(40, 5);
    const isAhead = ({ at }: SoilingHour) => at > now;
    expect(
      decide(
        site,
        hours.map((hour) => (isAhead(hour) ? { ...hour, rain_mm: null } : hour)),
      ).code,
    ).toBe("NOT_KNOWN");
    expect(
      decide(
        site,
        hours.map((hour) => ({ ...hour, irradiance_w_m2: null })),
      ).code,
    ).toBe("NOT_KNOWN");
    expect(
      decide(
        site,
        hours.filter((hour) => !isAhead(hour)),
      ).code,
    ).toBe("NOT_KNOWN");
    expect(decide(site, []).code).toBe("NOT_KNOWN");
  });
});
