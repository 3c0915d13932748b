import {
  GUARD_FIELDS,
  GUARD_RANGES,
  type GuardField,
  type siteGuard,
  updateSiteGuard,
} from "@suncrew/contract/guard/site-guard.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { type GuardRules, judgeWeather, type WeatherLimits } from "@suncrew/domain/guard/weather-guard.ts";
import { type EntityRules, problemsByField, schemaErrors } from "../../platform/form/entity-form.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";

export type SiteGuard = ResponseOf<typeof siteGuard>;

/** As typed; blank is no limit. */
export type LimitsForm = Readonly<Record<GuardField, string>>;

interface LimitField {
  readonly label: string;
  readonly unit: string;
  /** What of an hour's weather is compared with it. */
  readonly value: "gust_kmh" | "rain_mm" | "temperature_c";
  readonly hint: string;
}

export const LIMIT_FIELDS: Readonly<Record<GuardField, LimitField>> = {
  max_gust_kmh: { label: "Highest gust (km/h)", unit: "km/h", value: "gust_kmh", hint: hintOf("max_gust_kmh") },
  max_rain_mm: {
    label: "Most rain in an hour (mm)",
    unit: "mm",
    value: "rain_mm",
    hint: `${hintOf("max_rain_mm")}; 0 is any rain`,
  },
  min_temperature_c: {
    label: "Lowest temperature (\u00b0C)",
    unit: "\u00b0C",
    value: "temperature_c",
    hint: hintOf("min_temperature_c"),
  },
  max_temperature_c: {
    label: "Highest temperature (\u00b0C)",
    unit: "\u00b0C",
    value: "temperature_c",
    hint: hintOf("max_temperature_c"),
  },
};

function hintOf(field: GuardField): string {
  const [min, max] = GUARD_RANGES[field];
  return `${numberText(min)} to ${numberText(max)}`;
}

/** With a true minus, as in "−5". */
export function numberText(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 1 }).replace("-", "\u2212");
}

export function storedLimits(guard: SiteGuard): StoredForm<LimitsForm> {
  const textOf = (field: GuardField) => String(guard[field] ?? "");
  return {
    form: {
      max_gust_kmh: textOf("max_gust_kmh"),
      max_rain_mm: textOf("max_rain_mm"),
      min_temperature_c: textOf("min_temperature_c"),
      max_temperature_c: textOf("max_temperature_c"),
    },
    version: guard.version,
  };
}

const NUMBER = /^[-\u2212]?\d+(\.\d+)?$/;

/** Null if it is blank; not a number if it is something else. */
function limitOf(text: string): number | null {
  const typed = text.trim();
  if (typed === "") return null;
  return NUMBER.test(typed) ? Number(typed.replace("\u2212", "-")) : NaN;
}

/** As it is sent, and compared with the weather. */
export function limitsOf(form: LimitsForm): WeatherLimits {
  return {
    max_gust_kmh: limitOf(form.max_gust_kmh),
    max_rain_mm: limitOf(form.max_rain_mm),
    min_temperature_c: limitOf(form.min_temperature_c),
    max_temperature_c: limitOf(form.max_temperature_c),
  };
}

/** What is wrong with each field; the server checks with the same schema. */
export const limitProblems = (form: LimitsForm) =>
  problemsByField(schemaErrors(updateSiteGuard.body.safeParse(limitsOf(form)).error?.issues), limitRules);

export const limitRules: EntityRules<LimitsForm, GuardField> = {
  // One person's lowest temperature may be above another one's highest.
  units: [["max_gust_kmh"], ["max_rain_mm"], ["min_temperature_c", "max_temperature_c"]],
  isSame: (one, other, field) => Object.is(limitOf(one[field]), limitOf(other[field])),
  labelOf: (field) => LIMIT_FIELDS[field].label,
  fieldOf: (wire) => GUARD_FIELDS.find((field) => field === wire) ?? null,
  textOf: (form, field) => form[field].trim(),
};

/** What the guard would say of the weather with these rules, by the rule that the server has. */
export function judgedNow(rules: GuardRules, { hours, forecast_at: receivedAt, sensor }: SiteGuard, now: Date) {
  const forecast = hours.map(({ at, ...hour }) => ({
    ...hour,
    at: new Date(at),
    weather_received_at: dateOf(receivedAt),
  }));
  const readAt = dateOf(sensor?.received_at ?? null);
  const reading = sensor && { ...sensor, received_at: readAt, sensor_ts: sensor.fresh ? readAt : null };
  return judgeWeather(
    rules,
    { hours: forecast, sensor: reading },
    { verdict: null, passed: null, within_since: null },
    now,
  );
}

const dateOf = (at: string | null): Date | null => (at === null ? null : new Date(at));
