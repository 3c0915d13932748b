import type { BodyOf, QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  importMeasurements,
  MEASURED_DAYS_MAX,
  type deleteMeasurements,
  type measuredDays,
  type storeMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import type {
  correctModel,
  measuredComparison,
  ModelBias,
  takeCorrectionBack,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import { measuredAgainstModel } from "@suncrew/domain/measurements/measured-against-model.ts";
import { type DayRange, instantsOf, measuredDaysOf } from "@suncrew/domain/measurements/measurement-rows.ts";
import { type CorrectedFact, SOILING_PAST_DAYS } from "@suncrew/contract/soiling/soiling.ts";
import { addDays, daysBetween } from "@suncrew/domain/schedules/calendar-date.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { correctedFactText } from "@suncrew/domain/sites/site-energy-facts.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, invalid } from "../../platform/http/http-error.ts";
import { SerializedAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { auditedChange } from "../audit/public.ts";
import { changeFacts } from "../site-management/public.ts";
import { readCorrections, removeCorrection, type SoilingOfSites, storeCorrection } from "../soiling/public.ts";
import { exportMeasurementsTask, importMeasurementsTask, storeValues } from "./measurement-files.ts";
import {
  readMeasuredSite,
  readMeasuredSpan,
  readMeasurements,
  type SiteOfMeasurements,
} from "./measurements.queries.ts";
import { deleteMeasurements as remove } from "./measurements.repository.ts";

/** What was measured at sites: energy by inverters and meters, and the ratio of soiling stations. */
export class Measurements {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  readonly #workers: Workers;
  readonly #soiling: SoilingOfSites;

  constructor(deps: Pick<Dependencies, "db" | "clock">, workers: Workers, soiling: SoilingOfSites) {
    this.#deps = deps;
    this.#workers = workers;
    this.#soiling = soiling;
  }

  /** Throws 400 and 404. */
  store(
    viewer: Viewer,
    siteId: number,
    body: BodyOf<typeof storeMeasurements>,
  ): Promise<ResponseOf<typeof storeMeasurements>> {
    const { db, clock } = this.#deps;
    return storeValues(db, { viewer, siteId, now: clock.now() }, body);
  }

  /** Throws 400 and 404. */
  async import(
    viewer: Viewer,
    siteId: number,
    body: BodyOf<typeof importMeasurements>,
    signal: AbortSignal,
  ): Promise<SerializedAnswer<typeof importMeasurements>> {
    const input = { viewer, siteId, body, now: this.#deps.clock.now() };
    const json = await this.#workers.run(importMeasurementsTask, input, { owner: workOwnerOf(viewer), signal });
    return new SerializedAnswer(importMeasurements, json);
  }

  /** Throws 404. */
  export(viewer: Viewer, siteId: number, days: DayRange, signal: AbortSignal): Promise<string> {
    requireFewDays(days);
    const input = { viewer, siteId, ...days };
    return this.#workers.run(exportMeasurementsTask, input, { owner: workOwnerOf(viewer), signal });
  }

  /** Throws 400 and 404. */
  async days(
    viewer: Viewer,
    siteId: number,
    days: QueryOf<typeof measuredDays>,
  ): Promise<ResponseOf<typeof measuredDays>> {
    requireFewDays(days);
    const { db } = this.#deps;
    const site = await readMeasuredSite(viewer, db, siteId);
    const measurements = await readMeasurements(viewer, db, site, days);
    return {
      ...(await this.#span(viewer, site)),
      days: measuredDaysOf(measurements, site.timezone),
    };
  }

  /** The days that the model knows. Throws 404. */
  async comparison(viewer: Viewer, siteId: number): Promise<ResponseOf<typeof measuredComparison>> {
    const { db, clock } = this.#deps;
    const modelled = await this.#soiling.of(viewer, siteId);
    const site = await readMeasuredSite(viewer, db, siteId);
    const { timezone } = site;
    const today = siteToday(timezone, clock.now());
    const days = { from: addDays(today, -SOILING_PAST_DAYS), to: today };
    const measurements = await readMeasurements(viewer, db, site, days);
    const measured = measuredDaysOf(measurements, timezone);
    const compared = measuredAgainstModel(measured, modelled.days, { ...site, model: modelled.model, today });
    return { site_id: siteId, ...(await this.#span(viewer, site)), ...compared };
  }

  /** Only what is shown is applied, and only by a person. Throws 404, and 409 where it is not proposed any more. */
  async correct(
    viewer: Viewer,
    siteId: number,
    { fact, from, to }: BodyOf<typeof correctModel>,
  ): Promise<ResponseOf<typeof correctModel>> {
    const { db, clock } = this.#deps;
    const { proposed, energy, station } = await this.comparison(viewer, siteId);
    const isProposed = proposed.some((one) => one.fact === fact && one.from === from && one.to === to);
    const at = clock.now();
    const change = { actor: viewer, action: "CORRECT_SOILING_MODEL", entity: "site", entityId: siteId, siteId, at };
    await auditedChange(db, change, async (tx, details) => {
      await readMeasuredSite(viewer, tx, siteId);
      details.before = { [fact]: from };
      details.after = { [fact]: to };
      details.reason = biasReason(fact === "soiling_rate_factor" ? station : energy);
      await changeFacts(tx, siteId, async (facts) => {
        if (!isProposed || (facts[fact] ?? 1) !== from) {
          const message = "The days have changed since this was shown. Look at the new figures first.";
          throw conflict("CORRECTION_CHANGED", message);
        }
        // A second correction is taken back to what a person entered, too, and is none if it leads there.
        const before = (await readCorrections(tx, siteId, facts)).find((one) => one.fact === fact);
        const entered = before === undefined ? facts[fact] : before.from;
        if (to === (entered ?? 1)) {
          await removeCorrection(tx, siteId, fact);
          return { [fact]: entered };
        }
        await storeCorrection(tx, siteId, { fact, from: entered, to, by: viewer.name, at: at.toISOString() });
        return { [fact]: to };
      });
    });
    return { message: `The soiling model counts with ${correctedFactText(fact, to)} now.` };
  }

  /** Throws 404, and 409 where the correction is not in force any more. */
  async takeBack(viewer: Viewer, siteId: number, fact: CorrectedFact): Promise<ResponseOf<typeof takeCorrectionBack>> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const change = { actor: viewer, action: "TAKE_CORRECTION_BACK", entity: "site", entityId: siteId, siteId, at };
    const entered = await auditedChange(db, change, async (tx, details) => {
      await readMeasuredSite(viewer, tx, siteId);
      let to: number | null = null;
      await changeFacts(tx, siteId, async (facts) => {
        const applied = (await readCorrections(tx, siteId, facts)).find((one) => one.fact === fact);
        if (applied === undefined) throw conflict("CORRECTION_CHANGED", "The model is not corrected so any more.");
        details.before = { [fact]: applied.to };
        details.after = { [fact]: applied.from };
        await removeCorrection(tx, siteId, fact);
        to = applied.from;
        return { [fact]: to };
      });
      return to;
    });
    return { message: `The soiling model counts with ${correctedFactText(fact, entered ?? 1)} again.` };
  }

  /** The first and the last day of which anything is measured. */
  async #span(viewer: Viewer, { id, timezone }: SiteOfMeasurements) {
    const span = await readMeasuredSpan(viewer, this.#deps.db, id);
    const dayOf = (instant: Date | undefined) => (instant === undefined ? null : siteToday(timezone, instant));
    return { first: dayOf(span?.first), last: dayOf(span?.last) };
  }

  /** Throws 404. */
  async delete(viewer: Viewer, siteId: number, { from, to }: DayRange): Promise<ResponseOf<typeof deleteMeasurements>> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const change = { actor: viewer, action: "DELETE_MEASUREMENTS", entity: "site", entityId: siteId, siteId, at };
    const deleted = await auditedChange(db, change, async (tx, details) => {
      const { timezone } = await readMeasuredSite(viewer, tx, siteId);
      const count = await remove(tx, siteId, instantsOf({ from, to }, timezone));
      details.before = { from, to, measurements: count };
      return count;
    });
    const what = deleted === 1 ? "1 measurement was" : `${deleted} measurements were`;
    return { message: `${what} deleted.`, deleted };
  }
}

/** Throws 400. */
function requireFewDays({ from, to }: DayRange): void {
  if (daysBetween(from, to) < MEASURED_DAYS_MAX) return;
  throw invalid("to", `must be within ${MEASURED_DAYS_MAX} days of from`, "VALIDATION_FAILED");
}

/** What a correction was made from, for its record. */
function biasReason({ days, bias }: ModelBias): string {
  if (bias === null) return "";
  const [value, low, high] = [bias.value, bias.low, bias.high].map((factor) => factor.toFixed(3));
  return `Measured on ${days} days that count: ${value} times the model, between ${low} and ${high} in 95 of 100 cases.`;
}
