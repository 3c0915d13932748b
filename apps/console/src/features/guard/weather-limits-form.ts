import {
  GUARD_FIELDS,
  GUARD_RANGES,
  type GuardField,
  type siteGuard,
  updateSiteGuard,
  type WithoutSensor,
} from "@suncrew/contract/guard/site-guard.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { type GuardRules, judgeWeather } from "@suncrew/domain/guard/weather-guard.ts";
import { type EntityRules, problemsByField, schemaErrors } from "../../platform/form/entity-form.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";

export type SiteGuard = ResponseOf<typeof siteGuard>;

/** As typed; blank is no limit. */
export interface LimitsForm extends Readonly<Record<GuardField, string>> {
  readonly without_sensor: WithoutSensor;
}
export type RuleField = keyof LimitsForm;

export const WITHOUT_SENSOR_LABEL = "A silent sensor is as bad as a passed limit";

interface LimitField {
  readonly label: string;
  readonly unit: string;
  /** What of an hour's weather is compared with it. */
  readonly value: "gust_kmh" | "rain_mm" | "temperature_c";
  /** What the sensor calls it. */
  readonly measured: "gust_kmh" | "rain_mm_h" | "temperature_c";
  readonly hint: string;
}

export const LIMIT_FIELDS: Readonly<Record<GuardField, LimitField>> = {
  max_gust_kmh: {
    label: "Highest gust (km/h)",
    unit: "km/h",
    value: "gust_kmh",
    measured: "gust_kmh",
    hint: hintOf("max_gust_kmh"),
  },
  max_rain_mm: {
    label: "Most rain in an hour (mm)",
    unit: "mm",
    value: "rain_mm",
    measured: "rain_mm_h",
    hint: `${hintOf("max_rain_mm")}; 0 is any rain`,
  },
  min_temperature_c: {
    label: "Lowest temperature (\u00b0C)",
    unit: "\u00b0C",
    value: "temperature_c",
    measured: "temperature_c",
    hint: hintOf("min_temperature_c"),
  },
  max_temperature_c: {
    label: "Highest temperature (\u00b0C)",
    unit: "\u00b0C",
    value: "temperature_c",
    measured: "temperature_c",
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
      without_sensor: guard.without_sensor,
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
export function rulesOf(form: LimitsForm): GuardRules {
  return {
    without_sensor: form.without_sensor,
    max_gust_kmh: limitOf(form.max_gust_kmh),
    max_rain_mm: limitOf(form.max_rain_mm),
    min_temperature_c: limitOf(form.min_temperature_c),
    max_temperature_c: limitOf(form.max_temperature_c),
  };
}

/** What is wrong with each field; the server checks with the same schema. */
export const limitProblems = (form: LimitsForm) =>
  problemsByField(schemaErrors(updateSiteGuard.body.safeParse(rulesOf(form)).error?.issues), limitRules);

export const limitRules: EntityRules<LimitsForm, RuleField> = {
  // One person's lowest temperature may be above another one's highest.
  units: [["max_gust_kmh"], ["max_rain_mm"], ["min_temperature_c", "max_temperature_c"], ["without_sensor"]],
  isSame: (one, other, field) =>
    field === "without_sensor" ? one[field] === other[field] : Object.is(limitOf(one[field]), limitOf(other[field])),
  labelOf: (field) => (field === "without_sensor" ? WITHOUT_SENSOR_LABEL : LIMIT_FIELDS[field].label),
  fieldOf: (wire) => GUARD_FIELDS.find((field) => field === wire) ?? null,
  textOf: (form, field) => (field === "without_sensor" ? (form[field] === "STOP" ? "Yes" : "No") : form[field].trim()),
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
