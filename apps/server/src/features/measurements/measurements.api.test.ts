import {
  correctModel,
  measuredComparison,
  takeCorrectionBack,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import {
  deleteMeasurements,
  exportMeasurements,
  importMeasurements,
  measuredDays,
  MEASUREMENTS_PER_CALL_MAX,
  storeMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import { energyAtRisk, type SoilingDay, siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { SITE_FIELDS } from "@suncrew/contract/sites/site-forms.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Workers } from "../../platform/workers/workers.ts";
import { SoilingWatch } from "../soiling/public.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";

let server: TestApp;
let owner: TestClient;
let params: { readonly siteId: number };
beforeAll(async () => {
  server = await createTestApp();
  owner = await server.as("owner");
  params = { siteId: server.fixtures.ownSiteId };
});
beforeEach(async () => {
  for (const table of ["site_measurements", "site_air_days", "site_weather_days", "site_corrections"] as const) {
    await server.db.deleteFrom(table).execute();
  }
  await server.db.deleteFrom("audit").execute();
  await setFacts({ dc_capacity_kwp: 100, control_capacity_kwp: null, soiling_rate_factor: null });
});
afterAll(() => server.close());

/** As an edit of the site would. */
const setFacts = (facts: Partial<EnergyFacts>) =>
  server.db
    .updateTable("sites")
    .set((eb) => ({ ...facts, version: eb("version", "+", 1) }))
    .where("id", "=", params.siteId)
    .execute();

const range = { from: "2026-06-01", to: "2026-06-14" };
const days = async () => (await owner.ask(measuredDays, { params, query: range })).days;
const send = (csv: string, apply: boolean) => owner.call(importMeasurements, { params, body: { csv, apply } });

async function records() {
  return server.db
    .selectFrom("audit")
    .select(["action", "entity", "site_id", "outcome", "before", "after", "reason"])
    .orderBy("id")
    .execute();
}

describe("Measurements by API", () => {
  test("days and hours are stored, and a second value of the same time replaces the first", async () => {
    const values = [
      { start: "2026-06-01", meter_energy_kwh: 400, curtailed: true },
      { start: "2026-06-02 10:00", inverter_energy_kwh: "31.5", soiling_ratio: 0.97 },
    ];
    expect(await owner.ask(storeMeasurements, { params, body: { values } })).toEqual({
      message: "2 added, 0 replaced, 0 unchanged.",
      added: 2,
      replaced: 0,
      unchanged: 0,
    });
    const more = [
      { start: "2026-06-01", meter_energy_kwh: 410, inverter_energy_kwh: 420, control_energy_kwh: 40 },
      { start: "2026-06-02T10:00", soiling_ratio: 0.97 },
    ];
    expect(await owner.ask(storeMeasurements, { params, body: { values: more } })).toMatchObject({
      added: 0,
      replaced: 1,
      unchanged: 1,
    });
    const answer = await owner.ask(measuredDays, { params, query: range });
    expect(answer).toEqual({
      first: "2026-06-01",
      last: "2026-06-02",
      days: [
        {
          date: "2026-06-01",
          inverter_energy_kwh: 420,
          meter_energy_kwh: 410,
          control_energy_kwh: 40,
          soiling_ratio: null,
          curtailed: true,
          hours: 24,
        },
        {
          date: "2026-06-02",
          inverter_energy_kwh: 31.5,
          meter_energy_kwh: null,
          control_energy_kwh: null,
          soiling_ratio: 0.97,
          curtailed: null,
          hours: 1,
        },
      ],
    });
    expect(await records()).toMatchObject([
      {
        action: "STORE_MEASUREMENTS",
        entity: "site",
        site_id: params.siteId,
        after: { measurements: 2, added: 2, first: "2026-05-31T18:30:00.000Z", last: "2026-06-02T04:30:00.000Z" },
      },
      { action: "STORE_MEASUREMENTS", after: { added: 0, replaced: 1, unchanged: 1 } },
    ]);
  });

  test("one wrong value refuses all, and each is named with its field", async () => {
    const values = [
      { start: "2026-06-01", meter_energy_kwh: 400 },
      { start: "2026-06-02", meter_energy_kwh: 400_000 },
      { start: "2026-06-01", meter_energy_kwh: 401 },
      { start: "2026-06-15", meter_energy_kwh: 1 },
    ];
    const { status, body } = await owner.call(storeMeasurements, { params, body: { values } });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [
        { field: "values.0.start", message: expect.stringContaining("Duplicate of row 4") },
        { field: "values.1.meter_energy_kwh", message: expect.stringContaining("is it in Wh?") },
        { field: "values.2.start" },
        { field: "values.3.start", message: expect.stringContaining("The day is not over yet") },
      ],
    });
    expect(await days()).toEqual([]);
    expect(await records()).toMatchObject([{ action: "STORE_MEASUREMENTS", outcome: "REFUSED" }]);
  });

  test.each([
    [{ values: [] }, "values"],
    [{ values: [{ meter_energy_kwh: 1 }] }, "values.0.start"],
    [{ values: [{ start: 5 }] }, "values.0.start"],
    [{ values: [{ start: "2026-06-01", soiling_ratio: 97 }] }, "values.0.soiling_ratio"],
    [{ values: Array.from({ length: MEASUREMENTS_PER_CALL_MAX + 1 }, () => ({ start: "2026-06-01" })) }, "values"],
  ])("a body that is wrong is refused with its field (%#)", async (body, field) => {
    const url = storeMeasurements.path.replace(":siteId", String(params.siteId));
    const answer = await owner.raw(url, { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ field }] });
  });

  test("a year of days is stored by one call", async () => {
    const values = Array.from({ length: 365 }, (_, day) => ({
      start: new Date(Date.parse("2025-06-15") + day * 86_400_000).toISOString().slice(0, 10),
      meter_energy_kwh: 400.125,
      inverter_energy_kwh: 410.5,
      soiling_ratio: 0.975,
      curtailed: false,
    }));
    expect(await owner.ask(storeMeasurements, { params, body: { values } })).toMatchObject({ added: 365 });
  });

  test("another partner's site does not exist, in every call", async () => {
    const stranger = await server.as("stranger");
    const body = { values: [{ start: "2026-06-01", meter_energy_kwh: 1 }] };
    const answers = await Promise.all([
      stranger.call(measuredDays, { params, query: range }),
      stranger.call(storeMeasurements, { params, body }),
      stranger.call(importMeasurements, { params, body: { csv: "start,meter_energy_kwh\n2026-06-01,1\n" } }),
      stranger.call(exportMeasurements, { params, query: range }),
      stranger.call(deleteMeasurements, { params, query: range }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await days()).toEqual([]);
  });
});

describe("Measurements by CSV", () => {
  test("a file is checked first, then stored; what is exported can be imported again", async () => {
    const csv =
      "start;meter_energy_kwh;control_energy_kwh;curtailed\n2026-06-01;400;20.5;no\n2026-06-02 10:00;31.25;;\n";
    const checked = importMeasurements.response.parse((await send(csv, false)).body);
    expect(checked).toMatchObject({ applied: false, message: "2 rows can be imported." });
    expect(checked.rows.map(({ name, day }) => [name, day])).toEqual([
      ["2026-06-01", "2026-06-01"],
      ["2026-06-02 10:00", "2026-06-02"],
    ]);
    expect(await days()).toEqual([]);
    expect((await send(csv, true)).status).toBe(200);
    const stored = await days();
    expect(stored).toMatchObject([
      { date: "2026-06-01", meter_energy_kwh: 400, control_energy_kwh: 20.5, curtailed: false },
      { date: "2026-06-02", meter_energy_kwh: 31.25, curtailed: null, hours: 1 },
    ]);
    const file = await owner.ask(exportMeasurements, { params, query: range });
    await owner.ask(deleteMeasurements, { params, query: range });
    expect((await send(file, true)).status).toBe(200);
    expect(await days()).toEqual(stored);
  });

  test("every wrong row is named, and nothing is stored", async () => {
    const csv = [
      "start,meter_energy_kwh,soiling_ratio,curtailed",
      "2026-06-01,400,,",
      "2026-06-01,401,,",
      "2026-06-03,,,",
      "2026-06-04,x,97,perhaps",
      "2026-06-05 10:30,1,,",
    ].join("\n");
    const { rows } = importMeasurements.response.parse((await send(csv, false)).body);
    expect(rows.map(({ row, problems }) => [row, ...problems.map(({ field }) => field)])).toEqual([
      [2, "start"],
      [3, "start"],
      [4, "row"],
      [5, "meter_energy_kwh", "soiling_ratio", "curtailed"],
      [6, "start"],
    ]);
    const refused = await send(csv, true);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ code: "IMPORT_REFUSED" });
    expect(await days()).toEqual([]);
  });

  test("a year of hours is stored at once", async () => {
    const from = Date.parse("2025-06-14T18:30:00Z");
    const lines = Array.from({ length: 8_760 }, (_, hour) => {
      return `${new Date(from + hour * 3_600_000).toISOString()},${hour % 24}`;
    });
    const { status } = await send(`start,meter_energy_kwh\n${lines.join("\n")}\n`, true);
    expect(status).toBe(200);
    const year = await owner.ask(measuredDays, { params, query: { from: "2025-06-15", to: "2026-06-14" } });
    expect(year.days).toHaveLength(365);
    expect(new Set(year.days.map(({ hours, meter_energy_kwh: energy }) => `${hours} ${energy}`))).toEqual(
      new Set(["24 276"]),
    );
  });

  test.each([
    ["", "csv"],
    ["meter_energy_kwh\n5\n", "start"],
    ["start,power_kw\n2026-06-01,5\n", "power_kw"],
  ])("a file of other columns is refused as a whole (%#)", async (csv, field) => {
    const { status, body } = await send(csv, true);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ field }] });
  });
});

describe("Measurements: reading and deleting", () => {
  test("days are deleted by the site's calendar, on record, and only those asked for", async () => {
    const values = ["2026-06-01", "2026-06-02", "2026-06-03"].map((start) => ({ start, meter_energy_kwh: 1 }));
    await owner.ask(storeMeasurements, { params, body: { values } });
    const query = { from: "2026-06-02", to: "2026-06-02" };
    expect(await owner.ask(deleteMeasurements, { params, query })).toEqual({
      message: "1 measurement was deleted.",
      deleted: 1,
    });
    expect((await days()).map(({ date }) => date)).toEqual(["2026-06-01", "2026-06-03"]);
    expect(await owner.ask(deleteMeasurements, { params, query })).toMatchObject({ deleted: 0 });
    expect((await records()).map(({ action }) => action)).toEqual([
      "STORE_MEASUREMENTS",
      "DELETE_MEASUREMENTS",
      "DELETE_MEASUREMENTS",
    ]);
  });

  test("a range that is too long or turned round is refused with its field", async () => {
    for (const query of [
      { from: "2026-06-02", to: "2026-06-01" },
      { from: "2024-06-01", to: "2026-06-01" },
    ]) {
      const { status, body } = await owner.call(measuredDays, { params, query });
      expect([status, body]).toMatchObject([400, { errors: [{ field: "to" }] }]);
    }
  });
});

describe("Measurements: against the model", () => {
  const compared = () => owner.ask(measuredComparison, { params });

  /** Dry, dusty and sunny days up to now at a plant whose facts are known. */
  async function modelDays(): Promise<readonly SoilingDay[]> {
    const facts = { dc_capacity_kwp: 100, tilt_degrees: 20, azimuth_degrees: 180, performance_ratio_percent: 80 };
    await setFacts(facts);
    const site = await server.db
      .selectFrom("sites")
      .select(["latitude", "longitude"])
      .where("id", "=", params.siteId)
      .executeTakeFirstOrThrow();
    const received = {
      received_at: TEST_NOW,
      confirmed_at: TEST_NOW,
      source: "open-meteo" as const,
      place: `${site.latitude.toFixed(2)} ${site.longitude.toFixed(2)}`,
    };
    const hours = (value: number | ((hour: number) => number)) =>
      Array.from({ length: 24 }, (_, hour) => (typeof value === "number" ? value : value(hour)));
    for (let ago = 30; ago >= 0; ago--) {
      const key = { site_id: params.siteId, day: addDays("2026-06-15", -ago), ...received };
      await server.db
        .insertInto("site_air_days")
        .values({ ...key, pm2_5: hours(60), pm10: hours(150) })
        .execute();
      await server.db
        .insertInto("site_weather_days")
        .values({
          ...key,
          rain_mm: hours(0),
          gust_kmh: hours(10),
          temperature_c: hours(30),
          irradiance_w_m2: hours((hour) => (hour >= 2 && hour <= 12 ? 600 : 0)),
          archived: false,
          surface: "20 180",
        })
        .execute();
    }
    const { days } = await owner.ask(siteSoiling, { params });
    return days.filter(({ is_forecast, energy_kwh, ratio }) => !is_forecast && energy_kwh !== null && ratio !== null);
  }

  test("nothing measured is nothing compared", async () => {
    expect(await compared()).toEqual({
      site_id: params.siteId,
      first: null,
      last: null,
      source: null,
      days: [],
      energy: { days: 0, bias: null },
      station: { days: 0, bias: null },
      proposed: [],
      control: null,
      cleanings: [],
    });
  });

  test("a meter that counts a tenth less than the model shows as its bias; a curtailed day does not count", async () => {
    const days = (await modelDays()).filter(({ date }) => date >= "2026-05-20" && date < "2026-06-15");
    expect(days).toHaveLength(26);
    const values = days.map(({ date, energy_kwh, ratio }, nth) => ({
      start: date,
      meter_energy_kwh: 0.9 * (energy_kwh ?? 0) * (ratio?.value ?? 0),
      curtailed: nth === 3,
    }));
    await owner.ask(storeMeasurements, { params, body: { values } });
    const comparison = await compared();
    expect(comparison).toMatchObject({
      first: "2026-05-20",
      last: "2026-06-14",
      source: "meter",
      energy: { days: 25 },
    });
    expect(comparison.energy.bias?.value).toBeCloseTo(0.9, 9);
    expect(comparison.days[3]).toMatchObject({ date: "2026-05-23", not_counted: "CURTAILED" });
  });

  describe("corrected by a press", () => {
    const ratio = { fact: "performance_ratio_percent", from: 80, to: 72 } as const;
    const correct = (body: typeof correctModel.body._output) => owner.call(correctModel, { params, body });
    const soiling = () => owner.ask(siteSoiling, { params });
    const counted = ({ date }: SoilingDay) => date >= "2026-05-20" && date < "2026-06-15";

    /** A meter that counts so much of what the model says, and a station that loses as the model with this factor. */
    async function measure({ energy = null, factor = null }: { energy?: number | null; factor?: number | null }) {
      const days = (await modelDays()).filter(counted);
      await setFacts({ soiling_rate_factor: factor });
      const dustier = new Map((await soiling()).days.map((day) => [day.date, day.ratio?.value ?? null]));
      await setFacts({ soiling_rate_factor: null });
      const values = days.map(({ date, energy_kwh, ratio: modelled }) => ({
        start: date,
        meter_energy_kwh: energy === null ? null : energy * (energy_kwh ?? 0) * (modelled?.value ?? 0),
        soiling_ratio: factor === null ? null : dustier.get(date),
      }));
      await owner.ask(storeMeasurements, { params, body: { values } });
      await server.db.deleteFrom("audit").execute();
    }

    test("the performance ratio: only as it was shown, on record, and then there is no bias", async () => {
      await measure({ energy: 0.9 });
      expect((await compared()).proposed).toEqual([ratio]);
      const other = await correct({ ...ratio, to: 70 });
      expect([other.status, other.body]).toMatchObject([409, { code: "CORRECTION_CHANGED" }]);
      expect((await soiling()).corrections).toEqual([]);
      expect(await correct(ratio)).toMatchObject({
        status: 200,
        body: { message: "The soiling model counts with performance ratio 72\u00a0% now." },
      });
      const { proposed, energy } = await compared();
      expect(proposed).toEqual([]);
      expect(energy.bias?.value).toBeCloseTo(1, 9);
      expect((await soiling()).corrections).toMatchObject([
        { ...ratio, by: expect.any(String), at: TEST_NOW.toISOString() },
      ]);
      expect(await records()).toMatchObject([
        { action: "CORRECT_SOILING_MODEL", outcome: "REFUSED" },
        {
          action: "CORRECT_SOILING_MODEL",
          outcome: "DONE",
          site_id: params.siteId,
          before: { performance_ratio_percent: 80 },
          after: { performance_ratio_percent: 72 },
          reason: "Measured on 26 days that count: 0.900 times the model, between 0.900 and 0.900 in 95 of 100 cases.",
        },
      ]);
      expect((await correct(ratio)).status).toBe(409);
    });

    test("the factor on particles by a station, in every figure of the model, and taken back", async () => {
      await measure({ factor: 1.6 });
      const before = await soiling();
      const { proposed } = await compared();
      expect(proposed).toMatchObject([{ fact: "soiling_rate_factor", from: 1 }]);
      const [shown] = proposed;
      if (shown === undefined) throw new Error("nothing is proposed");
      expect(Math.abs(shown.to / 1.6 - 1)).toBeLessThan(0.01);
      expect((await correct(shown)).status).toBe(200);
      const after = await soiling();
      expect(after).toMatchObject({ soiling_rate_factor: shown.to, corrections: [{ ...shown, from: null }] });
      expect(after.ratio?.value).toBeLessThan(before.ratio?.value ?? 0);
      expect(after.ratio?.low).toBeLessThan(before.ratio?.low ?? 0);
      const corrected = await compared();
      expect(corrected.proposed).toEqual([]);
      expect(Math.abs((corrected.station.bias?.value ?? 0) - 1)).toBeLessThan(0.01);

      const back = { params, query: { fact: "soiling_rate_factor" } } as const;
      expect(await owner.ask(takeCorrectionBack, back)).toEqual({
        message: "The soiling model counts with particles \u00d71 again.",
      });
      expect(await soiling()).toMatchObject({ soiling_rate_factor: 1, corrections: [], ratio: before.ratio });
      const again = await owner.call(takeCorrectionBack, back);
      expect([again.status, again.body]).toMatchObject([409, { code: "CORRECTION_CHANGED" }]);
      expect(await records()).toMatchObject([
        { action: "CORRECT_SOILING_MODEL", outcome: "DONE" },
        {
          action: "TAKE_CORRECTION_BACK",
          outcome: "DONE",
          before: { soiling_rate_factor: shown.to },
          after: { soiling_rate_factor: null },
        },
        { action: "TAKE_CORRECTION_BACK", outcome: "REFUSED" },
      ]);
    });

    test("a second correction is taken back to what was entered; whoever enters the fact ends it", async () => {
      await measure({ energy: 0.9 });
      await correct(ratio);
      const values = (await soiling()).days.filter(counted).map(({ date, energy_kwh, ratio: modelled }) => ({
        start: date,
        meter_energy_kwh: 0.95 * (energy_kwh ?? 0) * (modelled?.value ?? 0),
      }));
      await owner.ask(storeMeasurements, { params, body: { values } });
      expect((await correct({ ...ratio, from: 72, to: 68.4 })).status).toBe(200);
      expect((await soiling()).corrections).toMatchObject([{ from: 80, to: 68.4 }]);
      await owner.ask(takeCorrectionBack, { params, query: { fact: "performance_ratio_percent" } });
      expect((await soiling()).corrections).toEqual([]);
      const { performance_ratio_percent: entered } = await server.db
        .selectFrom("sites")
        .select("performance_ratio_percent")
        .where("id", "=", params.siteId)
        .executeTakeFirstOrThrow();
      expect(entered).toBe(80);

      await owner.ask(correctModel, { params, body: { ...ratio, to: 68.4 } });
      await setFacts({ performance_ratio_percent: 75 });
      expect((await soiling()).corrections).toEqual([]);
      expect((await owner.call(takeCorrectionBack, { params, query: { fact: ratio.fact } })).status).toBe(409);
    });

    test("back to what was entered is no correction any more", async () => {
      await measure({ energy: 0.9 });
      await correct(ratio);
      const values = (await soiling()).days.filter(counted).map(({ date, energy_kwh, ratio: modelled }) => ({
        start: date,
        meter_energy_kwh: (80 / 72) * (energy_kwh ?? 0) * (modelled?.value ?? 0),
      }));
      await owner.ask(storeMeasurements, { params, body: { values } });
      expect((await correct({ ...ratio, from: 72, to: 80 })).status).toBe(200);
      expect((await soiling()).corrections).toEqual([]);
      expect(await server.db.selectFrom("site_corrections").selectAll().execute()).toEqual([]);
    });

    test("one that changes nothing is none", async () => {
      await measure({ energy: 0.9 });
      const values = { site_id: params.siteId, fact: ratio.fact, entered: 80, corrected: 80 };
      await server.db
        .insertInto("site_corrections")
        .values({ ...values, corrected_at: TEST_NOW, corrected_by: "Asha" })
        .execute();
      await setFacts({ performance_ratio_percent: 80 });
      expect((await soiling()).corrections).toEqual([]);
      expect((await owner.call(takeCorrectionBack, { params, query: { fact: ratio.fact } })).status).toBe(409);
      expect((await correct(ratio)).status).toBe(200);
      expect((await soiling()).corrections).toMatchObject([ratio]);
    });

    test("does not revive when somebody later enters the same value", async () => {
      await measure({ energy: 0.9 });
      await correct(ratio);
      const site = await server.db
        .selectFrom("sites")
        .select(SITE_FIELDS)
        .where("id", "=", params.siteId)
        .executeTakeFirstOrThrow();
      const edit = (percent: number) =>
        owner.raw(`/api/sites/update/${params.siteId}`, {
          method: "PUT",
          body: { ...site, performance_ratio_percent: percent },
        });
      expect((await edit(72)).status).toBe(200);
      expect((await soiling()).corrections).toHaveLength(1);
      expect((await edit(75)).status).toBe(200);
      expect((await edit(72)).status).toBe(200);
      expect((await soiling()).corrections).toEqual([]);
    });

    test("the energy at risk says with which factor it is modelled", async () => {
      await modelDays();
      await setFacts({ soiling_rate_factor: 1.4 });
      await new SoilingWatch(server.deps, new Workers(server.deps)).runOnce();
      const { sites } = await owner.ask(energyAtRisk, {});
      expect(sites.find(({ site_id }) => site_id === params.siteId)).toMatchObject({ soiling_rate_factor: 1.4 });
    });

    test.each([
      [{}, "fact"],
      [{ fact: "tilt_degrees", from: 1, to: 2 }, "fact"],
      [{ fact: "soiling_rate_factor", to: 2 }, "from"],
      [{ fact: "soiling_rate_factor", from: 1, to: "2" }, "to"],
    ])("a body that is wrong is refused with its field: %j", async (body, field) => {
      const { status, body: answer } = await owner.raw(`/api/measurements/${params.siteId}/correction`, {
        method: "PUT",
        body,
      });
      expect([status, answer]).toMatchObject([
        400,
        { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
      ]);
    });
  });

  test("control rows against cleaned ones, over the days that count; without their capacity it is named", async () => {
    const values = (await modelDays())
      .filter(({ date }) => date >= "2026-05-20" && date < "2026-06-15")
      .map(({ date, energy_kwh }, nth) => ({
        start: date,
        meter_energy_kwh: energy_kwh,
        // 10 of 100 kWp, which give 4 % less for each than the others.
        control_energy_kwh: ((energy_kwh ?? 0) * 9.6) / 99.6,
        curtailed: nth === 0,
      }));
    await owner.ask(storeMeasurements, { params, body: { values } });
    expect((await compared()).control).toMatchObject({ missing: ["control_capacity_kwp"], days: 0, gain: null });
    await setFacts({ control_capacity_kwp: 10 });
    const { control, days } = await compared();
    expect(control).toMatchObject({ missing: [], days: 25, verdict: "VERIFIED" });
    expect(control?.gain?.value).toBeCloseTo(1 / 0.96 - 1, 6);
    expect(days[0]?.not_counted).toBe("CURTAILED");
  });

  test("another partner's site does not exist, and nobody else is let in", async () => {
    const stranger = await server.as("stranger");
    const body = { fact: "performance_ratio_percent", from: 80, to: 72 } as const;
    const query = { fact: "performance_ratio_percent" } as const;
    expect((await stranger.call(correctModel, { params, body })).status).toBe(404);
    expect((await stranger.call(takeCorrectionBack, { params, query })).status).toBe(404);
    expect((await stranger.call(measuredComparison, { params })).status).toBe(404);
    expect(await records()).toEqual([]);
  });
});
