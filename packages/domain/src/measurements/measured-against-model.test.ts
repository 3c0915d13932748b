import type { MeasuredDay } from "@suncrew/contract/measurements/measurements.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays } from "../schedules/calendar-date.ts";
import { type ComparedSite, measuredAgainstModel, medianInterval } from "./measured-against-model.ts";

const FIRST = "2026-05-01";
const TODAY = "2026-06-30";
const LOSS_PER_DAY = 0.004;
const dateOf = (nth: number) => addDays(FIRST, nth);

type Modelled = Parameters<typeof measuredAgainstModel>[1][number];

/** Sunny days in which dust gathers from the first on. */
const modelledDay = (nth: number, change: Partial<Modelled> = {}): Modelled => {
  const value = 1 - LOSS_PER_DAY * (nth + 1);
  return {
    date: dateOf(nth),
    is_forecast: false,
    ratio: { value, low: value, high: value },
    rain_mm: 0,
    energy_kwh: 500,
    runs: 0,
    cleaned_share: 0,
    ...change,
  };
};

const measuredDay = (nth: number, change: Partial<MeasuredDay> = {}): MeasuredDay => ({
  date: dateOf(nth),
  inverter_energy_kwh: null,
  meter_energy_kwh: 500 * (1 - LOSS_PER_DAY * (nth + 1)),
  control_energy_kwh: null,
  soiling_ratio: null,
  curtailed: null,
  hours: 24,
  ...change,
});

const each = <Day>(count: number, dayOf: (nth: number) => Day) => Array.from({ length: count }, (_, nth) => dayOf(nth));
const plant: ComparedSite = {
  model: "hsu",
  today: TODAY,
  dc_capacity_kwp: 100,
  control_capacity_kwp: null,
  performance_ratio_percent: 80,
  soiling_rate_factor: null,
};
const compare = (measured: readonly MeasuredDay[], modelled: readonly Modelled[], site: Partial<ComparedSite> = {}) =>
  measuredAgainstModel(measured, modelled, { ...plant, ...site });

describe("Measured against modelled: the days that count", () => {
  test.each<[string, Partial<MeasuredDay>, Partial<Modelled>, string | null]>([
    ["clear", {}, {}, null],
    ["with a change of clocks", { hours: 23 }, {}, null],
    ["told to give less", { curtailed: true }, {}, "CURTAILED"],
    ["known not to be curtailed", { curtailed: false }, {}, null],
    ["of which hours are missing", { hours: 22 }, {}, "INCOMPLETE"],
    ["of rain", {}, { rain_mm: 1 }, "RAIN"],
    ["of drizzle", {}, { rain_mm: 0.9 }, null],
    ["without irradiation", {}, { energy_kwh: null }, "NO_IRRADIATION"],
    ["in the dark", {}, { energy_kwh: 0 }, "NO_IRRADIATION"],
    ["with 74 % of the usual sun", {}, { energy_kwh: 370 }, "CLOUDY"],
    ["with 75 % of the usual sun", {}, { energy_kwh: 375 }, null],
    ["that the model does not know", {}, { ratio: null }, "NOT_MODELLED"],
    ["of which the forecast speaks", {}, { is_forecast: true }, "NOT_MODELLED"],
  ])("a day %s", (_, measured, modelled, reason) => {
    const { days, energy } = compare(
      each(12, (nth) => measuredDay(nth, nth === 6 ? measured : {})),
      each(12, (nth) => modelledDay(nth, nth === 6 ? modelled : {})),
    );
    expect(days[6]?.not_counted).toBe(reason);
    expect(energy.days).toBe(reason === null ? 12 : 11);
  });

  test("today is not over", () => {
    const last = 60;
    expect(dateOf(last)).toBe(TODAY);
    const { days } = compare(
      each(last + 1, (nth) => measuredDay(nth)),
      each(last + 1, (nth) => modelledDay(nth)),
    );
    expect(days.at(-1)?.not_counted).toBe("INCOMPLETE");
  });

  test("what is usual is that of the days within 15, so that a season of less sun is not cloudy", () => {
    const { days } = compare(
      each(50, (nth) => measuredDay(nth)),
      each(50, (nth) => modelledDay(nth, { energy_kwh: nth < 25 ? 1_000 : 500 })),
    );
    expect(days.every(({ not_counted }) => not_counted === null)).toBe(true);
  });
});

describe("Measured against modelled: which energy", () => {
  const modelled = each(12, (nth) => modelledDay(nth));
  test("the meter's, where it covers as many days as the inverters", () => {
    const both = each(12, (nth) => measuredDay(nth, { inverter_energy_kwh: 1 }));
    expect(compare(both, modelled).source).toBe("meter");
    const fewer = both.map((day, nth) => (nth === 0 ? { ...day, meter_energy_kwh: null } : day));
    expect(compare(fewer, modelled).source).toBe("inverter");
    const none = both.map((day) => ({ ...day, meter_energy_kwh: null, inverter_energy_kwh: null, soiling_ratio: 1 }));
    expect(compare(none, modelled)).toMatchObject({ source: null, energy: { days: 0, bias: null }, cleanings: [] });
  });
});

describe("Measured against modelled: the model's bias", () => {
  test("a plant that gives what the model says has none, one that gives 8 % less has 0.92", () => {
    const modelled = each(20, (nth) => modelledDay(nth));
    const exact = compare(
      each(20, (nth) => measuredDay(nth)),
      modelled,
    ).energy;
    expect(exact.days).toBe(20);
    expect(exact.bias?.value).toBeCloseTo(1, 12);
    const less = each(20, (nth) => measuredDay(nth, { meter_energy_kwh: 0.92 * 500 * (1 - LOSS_PER_DAY * (nth + 1)) }));
    expect(compare(less, modelled).energy.bias?.value).toBeCloseTo(0.92, 12);
  });

  test("a station that loses 1.5 times what the model says has 1.5, curtailed or not; too little loss says nothing", () => {
    const station = each(20, (nth) =>
      measuredDay(nth, {
        meter_energy_kwh: null,
        curtailed: true,
        soiling_ratio: 1 - 1.5 * LOSS_PER_DAY * (nth + 1),
      }),
    );
    const { station: bias, energy } = compare(
      station,
      each(20, (nth) => modelledDay(nth)),
    );
    expect(energy).toEqual({ days: 0, bias: null });
    // The model's loss of the first day is 0.4 %.
    expect(bias.days).toBe(19);
    expect(bias.bias?.value).toBeCloseTo(1.5, 9);
    const unknownPlant = each(20, (nth) => modelledDay(nth, { energy_kwh: null }));
    expect(compare(station, unknownPlant).station.days).toBe(19);
    const rain = each(20, (nth) => modelledDay(nth, { rain_mm: nth === 19 ? 5 : 0 }));
    expect(compare(station, rain).station.days).toBe(18);
  });

  test("fewer than ten days say nothing; of ten the second is the interval's end", () => {
    const values = [10, 1, 9, 2, 8, 3, 7, 4, 6, 5];
    expect(medianInterval(values.slice(1))).toBeNull();
    expect(medianInterval(values)).toEqual({ value: 5.5, low: 2, high: 9 });
    // Tables of the sign test: 6th of 20, 40th of 100.
    const upTo = (count: number) => each(count, (nth) => nth + 1);
    expect(medianInterval(upTo(20))).toEqual({ value: 10.5, low: 6, high: 15 });
    expect(medianInterval(upTo(100))).toEqual({ value: 50.5, low: 40, high: 61 });
    expect(medianInterval(upTo(5_000))).toMatchObject({ value: 2500.5, low: expect.closeTo(2431, -1) });
  });

  test("property: the median is within its interval, both scale with the values, and no wild day moves them far", () => {
    const values = fc.array(fc.double({ min: 0.1, max: 2, noNaN: true }), { minLength: 10, maxLength: 200 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.5, max: 2, noNaN: true }), (ratios, factor) => {
        const interval = medianInterval(ratios);
        const scaled = medianInterval(ratios.map((ratio) => ratio * factor));
        const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
        if (interval === null || scaled === null) throw new Error("no interval");
        expect(interval.low).toBeLessThanOrEqual(interval.value);
        expect(interval.value).toBeLessThanOrEqual(interval.high);
        expect(interval.low).toBeGreaterThanOrEqual(least);
        expect(interval.high).toBeLessThanOrEqual(most);
        expect(scaled.value).toBeCloseTo(interval.value * factor, 9);
        const wild = medianInterval(ratios.with(0, 1e9));
        expect(wild?.high).toBeLessThanOrEqual(most);
      }),
      { numRuns: 200 },
    );
  });

  test("property: what the plant gives is what the bias says, whatever days are missing, cloudy or curtailed", () => {
    const day = fc.record({
      isMissing: fc.boolean(),
      curtailed: fc.constantFrom(true, false, null),
      sun: fc.double({ min: 0.1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(day, { minLength: 30, maxLength: 50 }),
        fc.double({ min: 0.5, max: 1.3, noNaN: true }),
        (fates, factor) => {
          const modelled = fates.map(({ sun }, nth) => modelledDay(nth, { energy_kwh: 500 * sun }));
          const measured = fates.flatMap(({ isMissing, curtailed, sun }, nth) => {
            const gives = (curtailed === true ? 0.2 : factor) * 500 * sun * (1 - LOSS_PER_DAY * (nth + 1));
            return isMissing ? [] : [measuredDay(nth, { meter_energy_kwh: gives, curtailed })];
          });
          const { energy, days } = compare(measured, modelled);
          expect(energy.days).toBe(days.filter(({ not_counted }) => not_counted === null).length);
          expect(energy.bias === null).toBe(energy.days < 10);
          for (const one of Object.values(energy.bias ?? {})) expect(one).toBeCloseTo(factor, 9);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("Measured against modelled: cleanings", () => {
  /** A week's dust, then a run that takes it: 3 % better, or as little as given. */
  const around = (gain: number, change: (nth: number) => Partial<Modelled> = () => ({})) =>
    compare(
      each(15, (nth) => measuredDay(nth, { meter_energy_kwh: 450 * (nth < 7 ? 1 : 1 + gain) })),
      each(15, (nth) => modelledDay(nth, { ...(nth === 7 && { runs: 2, cleaned_share: 1 }), ...change(nth) })),
    ).cleanings;

  test("verified where the days around it can carry it, with its gain and interval", () => {
    const [cleaning, ...others] = around(0.03);
    expect(others).toEqual([]);
    expect(cleaning).toMatchObject({
      date: dateOf(7),
      runs: 2,
      cleaned_share: 1,
      days_before: 7,
      days_after: 7,
      verdict: "VERIFIED",
      gain: { value: expect.closeTo(0.03, 9) },
    });
  });

  test("not measurable with a gain that these days could not show, which is said", () => {
    const [cleaning] = around(0.01);
    expect(cleaning).toMatchObject({ verdict: "NOT_MEASURABLE", gain: { value: expect.closeTo(0.01, 9) } });
    expect(cleaning?.detectable).toBeGreaterThan(0.01);
  });

  test.each<[string, Partial<Modelled>, number]>([
    ["another run", { runs: 1, cleaned_share: 0.5 }, 2],
    ["rain", { rain_mm: 3 }, 1],
    ["a day of which the rain is not known", { rain_mm: null }, 1],
  ])("%s ends the days that speak for it", (_, between, cleanings) => {
    const all = around(0.03, (nth) => (nth === 10 ? between : {}));
    expect(all).toHaveLength(cleanings);
    expect(all.at(-1)).toMatchObject({
      days_before: 7,
      days_after: 2,
      verdict: "NOT_MEASURABLE",
      gain: null,
      detectable: null,
    });
  });

  test("runs of every night are never verified, whatever the energy does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 500, noNaN: true }), { minLength: 3, maxLength: 40 }),
        (energies) => {
          const { cleanings } = compare(
            energies.map((kwh, nth) => measuredDay(nth, { meter_energy_kwh: kwh })),
            energies.map((_, nth) => modelledDay(nth, { runs: 1, cleaned_share: 1 })),
          );
          expect(cleanings).toHaveLength(energies.length);
          expect(cleanings.every(({ verdict, gain }) => verdict === "NOT_MEASURABLE" && gain === null)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("Measured against modelled: control rows", () => {
  /** 100 kWp of which 10 are left, which give so much less than the others for each kWp. */
  const left = (nth: number, less: number, change: Partial<MeasuredDay> = {}) => {
    const each = measuredDay(nth).meter_energy_kwh ?? 0;
    const control = (each / 100) * 10 * (1 - less);
    return measuredDay(nth, { meter_energy_kwh: (each / 100) * 90 + control, control_energy_kwh: control, ...change });
  };
  const modelled = each(20, (nth) => modelledDay(nth));

  test("each kWp that is cleaned against each that is left, over the days that count", () => {
    const measured = each(20, (nth) => left(nth, 0.05, { curtailed: nth === 4 }));
    const { control, days } = compare(measured, modelled, { control_capacity_kwp: 10 });
    expect(control).toMatchObject({ missing: [], days: 19, verdict: "VERIFIED" });
    expect(control?.gain?.value).toBeCloseTo(1 / 0.95 - 1, 9);
    expect(days[0]?.control_gain).toBeCloseTo(1 / 0.95 - 1, 9);
  });

  test("they need nothing of the model, but its rain and clouds are known from it", () => {
    const measured = each(20, (nth) => left(nth, 0.05));
    expect(compare(measured, [], { control_capacity_kwp: 10, model: null }).control?.days).toBe(20);
    const wet = each(20, (nth) => modelledDay(nth, nth < 5 ? { rain_mm: 3 } : {}));
    expect(compare(measured, wet, { control_capacity_kwp: 10 }).control?.days).toBe(15);
  });

  test("a difference that rows have anyway is not measurable", () => {
    const { control } = compare(
      each(20, (nth) => left(nth, 0.005)),
      modelled,
      { control_capacity_kwp: 10 },
    );
    expect(control).toMatchObject({ days: 20, verdict: "NOT_MEASURABLE" });
    expect(control?.detectable).toBeGreaterThan(0.01);
  });

  test("without their capacity it is named, and without their energy there is nothing to compare", () => {
    const measured = each(20, (nth) => left(nth, 0.05));
    expect(compare(measured, modelled).control).toEqual({
      missing: ["control_capacity_kwp"],
      days: 0,
      gain: null,
      detectable: null,
      verdict: "NOT_MEASURABLE",
    });
    const { control } = compare(
      each(20, (nth) => measuredDay(nth)),
      modelled,
      { control_capacity_kwp: 10 },
    );
    expect(control).toBeNull();
  });

  test("days without energy of theirs, or of the site, do not count", () => {
    const measured = each(20, (nth) => left(nth, 0.05, nth < 3 ? { control_energy_kwh: 0 } : {}));
    const dark = measured.map((day, nth) => (nth === 5 ? { ...day, meter_energy_kwh: null } : day));
    expect(compare(dark, modelled, { control_capacity_kwp: 10 }).control?.days).toBe(16);
  });
});
