import { measurementInputSchema } from "@suncrew/contract/measurements/measurements.ts";
import { describe, expect, test } from "vitest";
import { type Measurement, measuredDaysOf, measurementOf } from "./measurement-rows.ts";

const KOLKATA = { timezone: "Asia/Kolkata", dc_capacity_kwp: 100 };
const NOW = new Date("2026-06-15T06:30:00Z");

function of(sent: object, site: Parameters<typeof measurementOf>[1] = KOLKATA) {
  return measurementOf(measurementInputSchema.parse({ meter_energy_kwh: 10, ...sent }), site, NOW);
}

const startsAt = (sent: object, site = KOLKATA) => {
  const result = of(sent, site);
  return "measurement" in result
    ? [result.measurement.resolution, result.measurement.starts_at.toISOString()]
    : result.problems.map(({ field, message }) => `${field}: ${message}`);
};

describe("Measurements: when one began", () => {
  test.each([
    ["2026-06-14", "day", "2026-06-13T18:30:00.000Z"],
    ["14/06/2026", "day", "2026-06-13T18:30:00.000Z"],
    ["2026-06-14 09:00", "hour", "2026-06-14T03:30:00.000Z"],
    ["2026-06-14T09:00:00", "hour", "2026-06-14T03:30:00.000Z"],
    ["2026-06-14T03:30:00Z", "hour", "2026-06-14T03:30:00.000Z"],
    ["2026-06-14 09:00+05:30", "hour", "2026-06-14T03:30:00.000Z"],
    ["2026-06-15 11:00", "hour", "2026-06-15T05:30:00.000Z"],
  ])("%s is the %s from %s", (start, resolution, instant) => {
    expect(startsAt({ start })).toEqual([resolution, instant]);
  });

  test.each([
    ["yesterday", /^start: Start must be a day \(YYYY-MM-DD\) or the beginning of an hour/],
    ["2026-02-30", /^start: Start must be a day/],
    ["2026-02-30 10:00", /^start: Start must be a day/],
    ["2026-06-14 25:00", /^start: Start must be a day/],
    ["2026-06-14T24:61:00Z", /^start: Start must be a day/],
    ["05/06/2026", /^start: 05\/06\/2026 could be 2026-06-05 or 2026-05-06/],
    ["1999-12-31", /^start: Start must be from 2000-01-01 on$/],
    ["1999-12-31 10:00", /^start: Start must be from 2000-01-01 on$/],
    ["2026-06-14 09:30", /^start: Start must be a full hour by the site's clock$/],
    ["2026-06-14T03:00:00Z", /^start: Start must be a full hour by the site's clock$/],
    ["2026-06-15", /^start: The day is not over yet$/],
    ["2026-06-15 12:00", /^start: The hour is not over yet$/],
  ])("%s is refused", (start, sentence) => {
    expect(startsAt({ start })).toEqual([expect.stringMatching(sentence)]);
  });
});

describe("Measurements: what one says", () => {
  test("nothing at all is refused; zero is measured", () => {
    expect(of({ start: "2026-06-14", meter_energy_kwh: "" })).toMatchObject({ problems: [{ field: "row" }] });
    expect(of({ start: "2026-06-14", meter_energy_kwh: "0" })).toMatchObject({ measurement: { meter_energy_kwh: 0 } });
  });

  test("more energy than the capacity can give is refused, as in Wh; without a capacity it is not judged", () => {
    const wattHours = { start: "2026-06-14", meter_energy_kwh: 450_000 };
    expect(of(wattHours)).toEqual({
      problems: [
        {
          field: "meter_energy_kwh",
          message: "450,000 kWh in one day is more than 100 kWp can give; is it in Wh?",
        },
      ],
    });
    expect(of({ start: "2026-06-14 10:00", meter_energy_kwh: 151 })).toMatchObject({ problems: [{}] });
    expect(of({ start: "2026-06-14 10:00", meter_energy_kwh: 150 })).toHaveProperty("measurement");
    expect(of(wattHours, { ...KOLKATA, dc_capacity_kwp: null })).toHaveProperty("measurement");
  });

  test.each([
    ["soiling_ratio", "97.3", "Soiling ratio must be a number from 0 to 1.1"],
    ["inverter_energy_kwh", "-1", "Inverter energy must be a number from 0 to 1,000,000,000"],
    ["meter_energy_kwh", "much", "Meter energy must be a number from 0 to 1,000,000,000"],
    ["curtailed", "maybe", "Curtailed must be yes, no or empty"],
  ])("%s of %s is refused", (field, value, message) => {
    const parsed = measurementInputSchema.safeParse({ start: "2026-06-14", [field]: value });
    expect(parsed.error?.issues).toMatchObject([{ path: [field], message }]);
  });
});

describe("Measurements: of days", () => {
  const nothing = {
    inverter_energy_kwh: null,
    meter_energy_kwh: null,
    control_energy_kwh: null,
    soiling_ratio: null,
    curtailed: null,
  };
  const hour = (instant: string, figures: Partial<Measurement>): Measurement => ({
    ...nothing,
    resolution: "hour",
    starts_at: new Date(instant),
    ...figures,
  });
  const day = (instant: string, figures: Partial<Measurement>): Measurement => ({
    ...hour(instant, figures),
    resolution: "day",
  });

  test("hours make a day by the site's calendar: energy is summed, ratios averaged, one curtailed hour counts", () => {
    const measurements = [
      hour("2026-06-13T17:30:00Z", { meter_energy_kwh: 1 }),
      hour("2026-06-13T18:30:00Z", { meter_energy_kwh: 2, soiling_ratio: 0.9, curtailed: false }),
      hour("2026-06-14T05:30:00Z", { meter_energy_kwh: 30, soiling_ratio: 1, curtailed: true }),
      hour("2026-06-14T06:30:00Z", { soiling_ratio: 0.95 }),
    ];
    expect(measuredDaysOf(measurements, "Asia/Kolkata")).toEqual([
      { ...nothing, date: "2026-06-13", meter_energy_kwh: 1, hours: 1 },
      {
        ...nothing,
        date: "2026-06-14",
        meter_energy_kwh: 32,
        soiling_ratio: expect.closeTo(0.95, 9),
        curtailed: true,
        hours: 2,
      },
    ]);
  });

  test("a station that measures at noon only does not make the energy of a day incomplete", () => {
    const hours = Array.from({ length: 24 }, (_, nth) =>
      hour(new Date(Date.parse("2026-06-13T18:30:00Z") + nth * 3_600_000).toISOString(), {
        meter_energy_kwh: nth,
        soiling_ratio: nth === 12 ? 0.97 : null,
      }),
    );
    expect(measuredDaysOf(hours, "Asia/Kolkata")).toMatchObject([{ soiling_ratio: 0.97, hours: 24 }]);
    const ratioOnly = hours.map((one) => ({ ...one, meter_energy_kwh: null }));
    expect(measuredDaysOf(ratioOnly, "Asia/Kolkata")).toMatchObject([{ soiling_ratio: 0.97, hours: 1 }]);
  });

  test("a figure of the day as such comes before those of its hours, each figure by itself", () => {
    const measurements = [
      day("2026-06-13T18:30:00Z", { meter_energy_kwh: 400, curtailed: false }),
      hour("2026-06-14T05:30:00Z", { meter_energy_kwh: 30, inverter_energy_kwh: 31, curtailed: true }),
    ];
    expect(measuredDaysOf(measurements, "Asia/Kolkata")).toEqual([
      {
        date: "2026-06-14",
        meter_energy_kwh: 400,
        inverter_energy_kwh: 31,
        control_energy_kwh: null,
        soiling_ratio: null,
        curtailed: false,
        hours: 1,
      },
    ]);
  });
});
