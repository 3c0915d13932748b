import { isClockWrong } from "../../platform/clock-watch.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies, Settings } from "../../platform/dependencies.ts";
import { forEachConcurrently, PeriodicTasks } from "../../platform/periodic-task.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import { type DayRange, daysOf, placeText, ProviderFailure, surfaceText } from "./conditions.ts";
import { missingDays, recentDays } from "./days-to-ask.ts";
import { readAirDays, readWeatherDays } from "./open-meteo-hours.ts";
import { OpenMeteo } from "./open-meteo.ts";
import { sampleAirDay, sampleWeatherDay } from "./sample-hours.ts";
import { type AirDay, storeAirDays, storeWeatherDays, type WeatherDay } from "./site-hours.repository.ts";
import {
  claimInput,
  endClaim,
  failClaim,
  type InputClaim,
  type InputKind,
  markChanged,
  planInputs,
  readStoredDays,
  releaseClaim,
} from "./site-inputs.repository.ts";

const ROUND_EVERY_MS = 10_000;
const REFRESH_MS = 3 * 3_600_000;
/** Between two requests for missing days of a site, and until it is looked for others. */
const NEXT_MISSING_MS = 5_000;
const LOOK_FOR_MISSING_MS = 24 * 3_600_000;
const FIRST_RETRY_MS = 5 * 60_000;
const LAST_RETRY_MS = REFRESH_MS;
const AT_ONCE = 3;
/**
 * Requests of a server in a round. A long one counts several times at the provider, whose free service allows 600 a
 * minute.
 */
const ASKED_PER_ROUND = 12;
/** A sample costs the database alone; others want it, too. */
const SAMPLES_PER_ROUND = 40;
const SAMPLE_DAYS = 365;

type SiteInputsDependencies = Pick<Dependencies, "db" | "clock" | "clocks" | "log" | "fetch"> & {
  readonly settings: Pick<Settings, "weather">;
};

type Answer =
  | { readonly of: "AIR"; readonly days: readonly AirDay[] }
  | { readonly of: "WEATHER"; readonly days: readonly WeatherDay[]; readonly archived: boolean };

/** Where hours of air and weather come from. */
interface Provider {
  readonly source: Settings["weather"]["provider"];
  readonly kinds: readonly InputKind[];
  /** How far back recent days reach, if not as far as usual. */
  readonly recentDays?: number;
  readonly askedPerRound: number;
  /** Rejects with a ProviderFailure without a valid answer. */
  ask(claim: InputClaim, range: DayRange, stopping: AbortSignal): Promise<Answer>;
}

/**
 * Keeps air and weather at every site stored as received (decision 85): every three hours the last days and the
 * forecast, and days of the past year that are missing. All servers do so at once, a few requests at a time; a lease
 * keeps each to one server.
 */
export class SiteInputs extends PeriodicTasks {
  readonly #deps: SiteInputsDependencies;
  readonly #provider: Provider;
  readonly #log: ThrottledLog;

  constructor(deps: SiteInputsDependencies) {
    super(deps, [{ name: "air and weather", everyMs: ROUND_EVERY_MS, work: (stopping) => this.#round(stopping) }]);
    this.#deps = deps;
    this.#provider = providerOf(deps);
    this.#log = new ThrottledLog(deps.log, deps.clock);
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#log.stop();
  }

  async #round(stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    // By a clock that is ahead, other days would be asked for.
    if (isClockWrong(this.#deps)) return;
    const { kinds, source, askedPerRound } = this.#provider;
    await planInputs(db, kinds, source, clock.now());
    let isDue = true;
    const turns = Array.from({ length: askedPerRound }, (_, turn) => turn);
    await forEachConcurrently(turns, AT_ONCE, async () => {
      if (!isDue || stopping.aborted) return;
      const claim = await claimInput(db, kinds, clock.now());
      if (claim === null) isDue = false;
      else await this.#serve(claim, stopping);
    });
  }

  async #serve(claim: InputClaim, stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    try {
      await this.#askAndStore(claim, stopping);
    } catch (error) {
      if (stopping.aborted) return releaseClaim(db, claim, clock.now());
      const reason = error instanceof ProviderFailure ? error.message : "unexpected";
      const fields = { provider: this.#provider.source, asked: claim.kind, siteId: claim.siteId, reason };
      const message = "air or weather of a site could not be received";
      if (error instanceof ProviderFailure) this.#log.warn(fields, message, `${claim.kind} ${reason}`);
      else this.#log.error({ ...fields, error }, message, claim.kind);
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(claim.failures, 10), LAST_RETRY_MS);
      const now = clock.now();
      await failClaim(db, claim, reason, new Date(now.getTime() + retryMs), now);
    }
  }

  async #askAndStore(claim: InputClaim, stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    const { source, recentDays: pastDays } = this.#provider;
    const isPast = claim.kind === "PAST_AIR" || claim.kind === "PAST_WEATHER";
    const today = clock.now().toISOString().slice(0, 10);
    const stored = await readStoredDays(db, claim, source);
    const missing = isPast ? missingDays(today, stored) : null;
    const range = isPast ? missing?.range : recentDays(today, stored, pastDays);
    const answer = range === undefined ? null : await this.#provider.ask(claim, range, stopping);
    const now = clock.now();
    const nextMs = !isPast ? REFRESH_MS : missing?.more === true ? NEXT_MISSING_MS : LOOK_FOR_MISSING_MS;
    await inTransaction(db, async (tx) => {
      const isWanted = await endClaim(tx, claim, new Date(now.getTime() + nextMs), now);
      if (!isWanted || answer === null) return;
      const received = { siteId: claim.siteId, source, place: placeText(claim), at: now };
      // Days that are known by the way stay as they are.
      const isNeeded = ({ day }: { readonly day: string }) => missing === null || missing.days.has(day);
      const stores =
        answer.of === "AIR"
          ? storeAirDays(tx, received, answer.days.filter(isNeeded))
          : storeWeatherDays(
              tx,
              { ...received, surface: surfaceText(claim), archived: answer.archived },
              answer.days.filter(isNeeded),
            );
      if ((await stores) > 0) await markChanged(tx, claim, now);
    });
  }
}

function providerOf({ settings: { weather }, clock, fetch: ask = fetch }: SiteInputsDependencies): Provider {
  if (weather.provider === "sample") {
    return {
      source: "sample",
      kinds: ["AIR", "WEATHER"],
      recentDays: SAMPLE_DAYS,
      askedPerRound: SAMPLES_PER_ROUND,
      ask: async (claim, range) =>
        claim.kind === "AIR"
          ? { of: "AIR", days: daysOf(range).map((day) => sampleAirDay(claim, day)) }
          : { of: "WEATHER", days: daysOf(range).map((day) => sampleWeatherDay(claim, day)), archived: false },
    };
  }
  const { url, airQualityUrl: air = null, archiveUrl: archive = null, apiKey } = weather;
  const openMeteo = new OpenMeteo({ apiKey, clock, fetch: ask });
  const urls: Readonly<Record<InputKind, string | null>> = {
    WEATHER: url,
    AIR: air,
    PAST_WEATHER: archive,
    PAST_AIR: air,
  };
  const kinds = (["WEATHER", "AIR", "PAST_WEATHER", "PAST_AIR"] as const).filter((kind) => urls[kind] !== null);
  return {
    source: "open-meteo",
    kinds,
    askedPerRound: ASKED_PER_ROUND,
    ask: async (claim, range, stopping) => {
      const { kind } = claim;
      const asked = urls[kind];
      if (asked === null) throw new ProviderFailure("nobody is asked for it");
      if (kind === "AIR" || kind === "PAST_AIR") {
        return { of: "AIR", days: await readAirDays(openMeteo, asked, claim, range, stopping) };
      }
      const days = await readWeatherDays(openMeteo, asked, claim, range, stopping);
      return { of: "WEATHER", days, archived: kind === "PAST_WEATHER" };
    },
  };
}
