import type { GuardState, GuardVerdict } from "@suncrew/contract/guard/guard-state.ts";
import type { WithoutSensor } from "@suncrew/contract/guard/site-guard.ts";
import { CLOCK_SKEW_MS } from "../devices/protocol-times.ts";
import type { WeatherSource } from "@suncrew/contract/weather/weather.ts";
import { outcomeSentence, outcomeText } from "../texts/outcome-texts.ts";
import type { PassedLimit } from "../texts/passed-limit.ts";

/** As stored; null is no limit. */
export interface WeatherLimits {
  readonly max_gust_kmh: number | null;
  readonly max_rain_mm: number | null;
  readonly min_temperature_c: number | null;
  readonly max_temperature_c: number | null;
}

export function hasLimits(limits: WeatherLimits): boolean {
  const { max_gust_kmh, max_rain_mm, min_temperature_c, max_temperature_c } = limits;
  return [max_gust_kmh, max_rain_mm, min_temperature_c, max_temperature_c].some((limit) => limit !== null);
}

/** An hour of the forecast, as `at` its end. */
export interface ForecastHour {
  readonly at: Date;
  readonly gust_kmh: number | null;
  readonly rain_mm: number | null;
  readonly temperature_c: number | null;
  readonly weather_received_at: Date | null;
  readonly source?: WeatherSource;
}

/** The newest reading of a site's weather sensor. */
export interface SensorReading {
  /** By the server's clock, and by the sensor's; null before the first reading. */
  readonly received_at: Date | null;
  readonly sensor_ts: Date | null;
  readonly gust_kmh: number | null;
  readonly rain_mm_h: number | null;
  readonly temperature_c: number | null;
}

/** What the limits are compared with; `sensor` is null at a site without one. */
export interface Weather {
  readonly hours: readonly ForecastHour[];
  readonly sensor: SensorReading | null;
}

/** The limits of a site, and what they mean without a fresh reading of its sensor. */
export interface GuardRules extends WeatherLimits {
  readonly without_sensor: WithoutSensor;
}

const HOUR_MS = 3_600_000;

/** A reading that was received longer ago, in milliseconds, says nothing. */
export const SENSOR_STALE_MS = 90_000;

/** Whether a reading was received a moment ago. */
function isHeard({ received_at: receivedAt }: SensorReading, now: Date): boolean {
  return receivedAt !== null && Math.abs(now.getTime() - receivedAt.getTime()) <= SENSOR_STALE_MS;
}

/** Whether a reading may also say that all is well: what waited for its connection, or for a right clock, may not. */
export function isFreshReading(sensor: SensorReading, now: Date): boolean {
  const { received_at: receivedAt, sensor_ts: ts } = sensor;
  if (receivedAt === null || ts === null || !isHeard(sensor, now)) return false;
  return Math.abs(receivedAt.getTime() - ts.getTime()) <= CLOCK_SKEW_MS;
}

/** A forecast that was received longer ago, in milliseconds, says nothing: weather services renew theirs every hour or so. */
export const FORECAST_FRESH_MS = 6 * HOUR_MS;

/** The hours that count are the present one and the next: a robot must rest before the storm, and takes time to get there. */
export function hoursThatCount(now: Date): { readonly from: Date; readonly to: Date } {
  const begun = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  return { from: new Date(begun), to: new Date(begun + 2 * HOUR_MS) };
}

/** How often the weather is compared with the limits, in milliseconds. */
export const JUDGED_EVERY_MS = 5_000;

/**
 * A judgement older than this, in milliseconds, counts for nothing: then no server compares the weather with the limits, or
 * the database was just restored. A wrong START is worse than a missing one.
 */
export const JUDGEMENT_FRESH_MS = 20_000;

/** For so long, in milliseconds, the weather must be within the limits again: gusts come and go. */
export const WITHIN_LIMITS_MS = 600_000;

interface Judgement {
  readonly verdict: GuardVerdict;
  readonly passed: PassedLimit | null;
  /** Since when it has been within the limits, while the verdict is still that one is passed. */
  readonly within_since: Date | null;
}

/** As stored: null before the first judgement, and after a change of the limits. */
export interface StoredJudgement extends Omit<Judgement, "verdict"> {
  readonly verdict: GuardVerdict | null;
}

/**
 * Compares the weather with the limits, the worst of forecast and sensor. A value that any hour passes counts, and so does
 * an hour that is not known: the verdict is then that nobody knows, unless another one is known to pass a limit. Where the
 * site says so, a sensor that is missing, silent or without an instrument is as bad as a limit that is passed.
 */
export function judgeWeather(
  rules: GuardRules,
  { hours, sensor }: Weather,
  before: StoredJudgement,
  now: Date,
): Judgement {
  const { from, to } = hoursThatCount(now);
  const counting = hours.filter((hour) => hour.at > from && hour.at <= to && isFresh(hour, now));
  const found = quantities.flatMap((quantity) => {
    const { what, excess } = quantity;
    const limit = rules[quantity.limit];
    if (limit === null) return [];
    const forecast = counting.flatMap((hour) => hour[quantity.value] ?? []);
    const measured = sensor !== null && isHeard(sensor, now) ? sensor[quantity.measured] : null;
    const [worst] = [
      ...forecast.map((value) => ({ what, value, limit, source: "FORECAST" as const })),
      ...(measured === null ? [] : [{ what, value: measured, limit, source: "SENSOR" as const }]),
    ].toSorted((one, other) => excess(other.value, one.value));
    const passed: PassedLimit | null = worst !== undefined && excess(worst.value, limit) > 0 ? worst : null;
    const isMeasured = measured !== null && sensor !== null && isFreshReading(sensor, now);
    return [{ passed, isMeasured, isKnown: forecast.length === 2 }];
  });
  const isBlind = rules.without_sensor === "STOP" && !found.every(({ isMeasured }) => isMeasured);
  const blindness = sensor !== null && isFreshReading(sensor, now) ? noInstrument : noSensor;
  const [passed] = [...found.flatMap((each) => each.passed ?? []), ...(isBlind ? [blindness] : [])];
  if (passed !== undefined) return { verdict: "PASSED", passed: worseOf(before.passed, passed), within_since: null };
  if (!found.every(({ isKnown }) => isKnown)) {
    // What nobody knows is not within the limits again.
    return before.passed === null
      ? { verdict: "UNKNOWN", passed: null, within_since: null }
      : { verdict: "PASSED", passed: before.passed, within_since: null };
  }
  if (before.passed === null) return { verdict: "CLEAR", passed: null, within_since: null };
  // A time in the future was written before a clock was set back.
  const since = before.within_since === null || before.within_since > now ? now : before.within_since;
  return now.getTime() - since.getTime() < WITHIN_LIMITS_MS
    ? { verdict: "PASSED", passed: before.passed, within_since: since }
    : { verdict: "CLEAR", passed: null, within_since: null };
}

const isFresh = ({ weather_received_at: receivedAt }: ForecastHour, now: Date): boolean =>
  receivedAt !== null && Math.abs(now.getTime() - receivedAt.getTime()) <= FORECAST_FRESH_MS;

interface Quantity {
  readonly what: PassedLimit["what"];
  readonly limit: keyof WeatherLimits;
  readonly value: "gust_kmh" | "rain_mm" | "temperature_c";
  /** What a sensor calls it. */
  readonly measured: "gust_kmh" | "rain_mm_h" | "temperature_c";
  /** Above 0 if the value is worse than the other one. */
  readonly excess: (value: number, other: number) => number;
}

const above = (value: number, other: number): number => value - other;

/** In the order in which they are named where several are passed. */
const quantities: readonly Quantity[] = [
  { what: "GUST", limit: "max_gust_kmh", value: "gust_kmh", measured: "gust_kmh", excess: above },
  { what: "RAIN", limit: "max_rain_mm", value: "rain_mm", measured: "rain_mm_h", excess: above },
  {
    what: "COLD",
    limit: "min_temperature_c",
    value: "temperature_c",
    measured: "temperature_c",
    excess: (value, other) => other - value,
  },
  { what: "HEAT", limit: "max_temperature_c", value: "temperature_c", measured: "temperature_c", excess: above },
];

const noSensor: PassedLimit = {
  what: "NO_SENSOR",
  value: SENSOR_STALE_MS / 1_000,
  limit: SENSOR_STALE_MS / 1_000,
  source: "SENSOR",
};

const noInstrument: PassedLimit = { ...noSensor, what: "NO_INSTRUMENT" };

/** What is told does not change with every reading: the worst of it stays while the same limit is passed. */
function worseOf(before: PassedLimit | null, now: PassedLimit): PassedLimit {
  if (before === null || before.what !== now.what || before.source !== now.source) return now;
  const excess = quantities.find(({ what }) => what === now.what)?.excess ?? above;
  return excess(before.value, now.value) >= 0 ? before : now;
}

/** A judgement with its time, as a START reads it under the lock on its robot. */
export interface TimedJudgement {
  readonly verdict: GuardVerdict | null;
  readonly judgedAt: Date | null;
}

/** What counts of a judgement now: an old one, or one of the future, is none. */
export function verdictNow({ verdict, judgedAt }: TimedJudgement, now: Date): GuardVerdict {
  if (verdict === null || judgedAt === null) return "UNKNOWN";
  return Math.abs(now.getTime() - judgedAt.getTime()) > JUDGEMENT_FRESH_MS ? "UNKNOWN" : verdict;
}

/** What people are shown of a site with limits. */
export function guardStateOf(judged: TimedJudgement & { readonly passed: PassedLimit | null }, now: Date): GuardState {
  const verdict = verdictNow(judged, now);
  if (verdict === "CLEAR") return { verdict, text: null };
  const text =
    verdict === "PASSED" && judged.passed !== null
      ? outcomeText("WEATHER_LIMIT", judged.passed)
      : outcomeText("WEATHER_UNKNOWN", {});
  return { verdict, text: outcomeSentence(text) };
}
