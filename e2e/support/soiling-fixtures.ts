import { measuredComparison } from "@suncrew/contract/measurements/measured-against-model.ts";
import { deleteMeasurements, storeMeasurements } from "@suncrew/contract/measurements/measurements.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { siteSoiling, type SoilingDay } from "@suncrew/contract/soiling/soiling.ts";
import type { ApiClient } from "./api.ts";
import { BHADLA } from "./dashboard.ts";
import type { RunningServer } from "./server-process.ts";
import { expect, test as base } from "./site-fixtures.ts";

/**
 * The server asks for air and weather, computes, and the console asks again while nothing is known; the dashboard up to a
 * minute later than the tab. In milliseconds.
 */
export const FIRST_FIGURES_MS = 180_000;

type Inputs = "site_air_days" | "site_weather_days";

/** Air and weather that are stored of sites, as if they had come otherwise; as before after the test. */
class StoredInputs {
  readonly #sql: RunningServer["sql"];
  readonly #undo: string[] = [];

  constructor(sql: RunningServer["sql"]) {
    this.#sql = sql;
  }

  /** As if they had been received two days earlier. */
  async age(inputs: Inputs, siteId: number): Promise<void> {
    const shift = (by: string) =>
      `update ${inputs} set confirmed_at = confirmed_at ${by} interval '2 days' where site_id = ${siteId} and superseded_at is null`;
    await this.#change(siteId, shift("-"), shift("+"));
  }

  /** As if they had never been received. */
  async hide(inputs: Inputs, siteId: number): Promise<void> {
    const [current, hidden] = ["null", "'2999-01-01'"];
    const turn = (from: string, to: string) =>
      `update ${inputs} set superseded_at = ${to} where site_id = ${siteId} and superseded_at is not distinct from ${from}`;
    await this.#change(siteId, turn(current, hidden), turn(hidden, current));
  }

  async restore(): Promise<void> {
    for (const statement of this.#undo.splice(0).toReversed()) await this.#sql(statement);
  }

  /** Meanwhile the server asks for nothing: what it has asked for already comes too late. */
  async #change(siteId: number, done: string, undone: string): Promise<void> {
    const wait = (by: string) =>
      `update site_inputs set next_at = next_at ${by} interval '1 day', attempts = attempts + 1 where site_id = ${siteId}`;
    for (const [statement, undo] of [
      [wait("+"), wait("-")],
      [done, undone],
    ] as const) {
      await this.#sql(statement);
      this.#undo.push(undo);
    }
  }
}

/** A site whose soiling is known, without measurements before and after the test. */
class SoiledSite {
  readonly site: Site;
  readonly #api: ApiClient;

  private constructor(api: ApiClient, site: Site) {
    this.#api = api;
    this.site = site;
  }

  static async begin(api: ApiClient, site: Site): Promise<SoiledSite> {
    const soiled = new SoiledSite(api, site);
    await expect.poll(async () => (await soiled.pastDays()).length, { timeout: FIRST_FIGURES_MS }).toBeGreaterThan(60);
    return soiled;
  }

  get tab(): string {
    return `/dashboard?site=${this.site.id}&tab=soiling`;
  }

  /** Whole days whose energy and ratio are known. */
  async pastDays() {
    const { days } = await this.#api.call(siteSoiling, { params: this.#params });
    const known = ({ date, energy_kwh: clean, ratio }: SoilingDay) =>
      clean === null || ratio === null ? [] : [{ date, energy: clean * ratio.value, ratio: ratio.value }];
    return days
      .filter((day) => !day.is_forecast)
      .slice(0, -1)
      .flatMap(known);
  }

  /** Somebody else's program sends what the meter counted: this share of what is modelled now. */
  async measure(share: number): Promise<void> {
    const values = (await this.pastDays()).map(({ date, energy }) => ({
      start: date,
      meter_energy_kwh: share * energy,
    }));
    await this.#api.call(storeMeasurements, { params: this.#params, body: { values } });
  }

  async forget(): Promise<void> {
    const { first, last } = await this.#api.call(measuredComparison, { params: this.#params });
    if (first === null || last === null) return;
    await this.#api.call(deleteMeasurements, { params: this.#params, query: { from: first, to: last } });
  }

  get #params() {
    return { siteId: this.site.id };
  }
}

export const test = base.extend<{ readonly inputs: StoredInputs; readonly bhadla: SoiledSite }>({
  inputs: async ({ suncrew }, use) => {
    const inputs = new StoredInputs((statement) => suncrew.sql(statement));
    await use(inputs);
    await inputs.restore();
  },
  bhadla: async ({ apiAs, sites }, use) => {
    const bhadla = await SoiledSite.begin(await apiAs("admin"), await sites.named(BHADLA));
    await use(bhadla);
    await bhadla.forget();
  },
});
