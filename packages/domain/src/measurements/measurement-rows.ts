import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { MeasuredDay, storeMeasurements } from "@suncrew/contract/measurements/measurements.ts";
import { Temporal } from "temporal-polyfill";
import { dayOfCell } from "../csv/import-file.ts";
import { addDays, isCalendarDate } from "../schedules/calendar-date.ts";
import { instantOfLocal, localTimeOf, siteToday, startOfDay } from "../schedules/site-time.ts";

/** What the rules for a measurement need to know of its site. */
export interface MeasuredSite {
  readonly timezone: string;
  readonly dc_capacity_kwp: number | null;
}

export const RESOLUTIONS = ["hour", "day"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** What is measured of one hour or day. */
export interface MeasuredFigures {
  /** Null is not measured. */
  readonly inverter_energy_kwh: number | null;
  readonly meter_energy_kwh: number | null;
  readonly control_energy_kwh: number | null;
  readonly soiling_ratio: number | null;
  readonly curtailed: boolean | null;
}

export interface Measurement extends MeasuredFigures {
  readonly resolution: Resolution;
  /** The hour's beginning; of a day its first instant at the site. */
  readonly starts_at: Date;
}

export const MEASURED_FIGURES = [
  "inverter_energy_kwh",
  "meter_energy_kwh",
  "control_energy_kwh",
  "soiling_ratio",
  "curtailed",
] as const satisfies readonly (keyof MeasuredFigures)[];
const ENERGIES = ["inverter_energy_kwh", "meter_energy_kwh", "control_energy_kwh"] as const;

const START_FORMS =
  "Start must be a day (YYYY-MM-DD) or the beginning of an hour (YYYY-MM-DD HH:MM by the site's clock, or with Z or an offset)";
const EARLIEST = "2000-01-01";
const HOUR_MS = 3_600_000;
/** More than this times its capacity no plant gives: clouds' edges and cold days stay below. */
const CAPACITY_FACTOR_MAX = 1.5;

type Sent = BodyOf<typeof storeMeasurements>["values"][number];

/** A measurement as it is stored, or why it cannot be. */
export function measurementOf(
  sent: Sent,
  site: MeasuredSite,
  now: Date,
): { readonly measurement: Measurement } | { readonly problems: readonly FieldError[] } {
  const figures: MeasuredFigures = {
    inverter_energy_kwh: sent.inverter_energy_kwh ?? null,
    meter_energy_kwh: sent.meter_energy_kwh ?? null,
    control_energy_kwh: sent.control_energy_kwh ?? null,
    soiling_ratio: sent.soiling_ratio ?? null,
    curtailed: sent.curtailed ?? null,
  };
  const start = startOf(sent.start, site.timezone);
  if (typeof start === "string") return { problems: [{ field: "start", message: start }] };
  const measurement = { ...start, ...figures };
  const problems = [...timeProblems(start, site.timezone, now), ...figureProblems(measurement, site)];
  return problems.length > 0 ? { problems } : { measurement };
}

type Start = Pick<Measurement, "resolution" | "starts_at">;

const LOCAL_HOUR = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::00(?:\.0+)?)?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** What a text says about when a measurement began, or what is wrong with it. */
function startOf(text: string, timezone: string): Start | string {
  const { day, problem } = dayOfCell(text);
  if (problem !== null) return problem;
  if (isCalendarDate(day)) {
    return day < EARLIEST
      ? `Start must be from ${EARLIEST} on`
      : { resolution: "day", starts_at: startOfDay(day, timezone) };
  }
  const startsAt = instantIn(text, timezone);
  if (startsAt === null) return START_FORMS;
  const { date, time } = localTimeOf(startsAt, timezone);
  if (date < EARLIEST) return `Start must be from ${EARLIEST} on`;
  // Hours that overlap would count twice.
  if (!time.endsWith(":00:00") || startsAt.getTime() % 1_000 !== 0)
    return "Start must be a full hour by the site's clock";
  return { resolution: "hour", starts_at: startsAt };
}

function instantIn(text: string, timezone: string): Date | null {
  try {
    if (INSTANT.test(text)) {
      return new Date(Temporal.Instant.from(text.replace(" ", "T").toUpperCase()).epochMilliseconds);
    }
    const [, day = "", time = ""] = LOCAL_HOUR.exec(text) ?? [];
    return day === "" ? null : instantOfLocal(Temporal.PlainDateTime.from(`${day}T${time}`), timezone);
  } catch {
    return null;
  }
}

function timeProblems({ resolution, starts_at: startsAt }: Start, timezone: string, now: Date): FieldError[] {
  const isOver =
    resolution === "hour"
      ? startsAt.getTime() + HOUR_MS <= now.getTime()
      : localTimeOf(startsAt, timezone).date < siteToday(timezone, now);
  return isOver ? [] : [{ field: "start", message: `The ${resolution} is not over yet` }];
}

function figureProblems(measurement: Measurement, site: MeasuredSite): FieldError[] {
  if (MEASURED_FIGURES.every((figure) => measurement[figure] === null)) {
    return [{ field: "row", message: "Nothing is measured here: every value is empty" }];
  }
  const { dc_capacity_kwp: kwp } = site;
  if (kwp === null) return [];
  const most = kwp * CAPACITY_FACTOR_MAX * (measurement.resolution === "hour" ? 1 : 24);
  return ENERGIES.filter((energy) => (measurement[energy] ?? 0) > most).map((field) => ({
    field,
    message: `${(measurement[field] ?? 0).toLocaleString("en")} kWh in one ${measurement.resolution} is more than ${kwp.toLocaleString("en")} kWp can give; is it in Wh?`,
  }));
}

/** Tells measurements of the same time apart from others. */
export function timeKeyOf({ resolution, starts_at: startsAt }: Start): string {
  return `${resolution} ${startsAt.getTime()}`;
}

/**
 * What was measured of each day by the site's calendar, in order. A figure of the day as such comes before those of its
 * hours: energy is their sum, a ratio their mean; a day is curtailed if one of its hours is.
 */
export function measuredDaysOf(measurements: readonly Measurement[], timezone: string): MeasuredDay[] {
  const byDay = Map.groupBy(measurements, ({ starts_at: startsAt }) => localTimeOf(startsAt, timezone).date);
  const days = [...byDay].map(([date, of]): MeasuredDay => {
    const whole = of.find(({ resolution }) => resolution === "day");
    const hours = of.filter(({ resolution }) => resolution === "hour");
    const counts = { energies: new Array<number>(), ratios: new Array<number>() };
    const figureOf = (figure: "soiling_ratio" | (typeof ENERGIES)[number]): number | null => {
      const ofDay = whole?.[figure] ?? null;
      const ofHours = hours.flatMap((hour) => hour[figure] ?? []);
      if (ofDay === null && ofHours.length === 0) return null;
      counts[figure === "soiling_ratio" ? "ratios" : "energies"].push(ofDay === null ? ofHours.length : 24);
      if (ofDay !== null) return ofDay;
      const sum = ofHours.reduce((total, each) => total + each, 0);
      return figure === "soiling_ratio" ? sum / ofHours.length : sum;
    };
    const curtailedHours = hours.flatMap((hour) => hour.curtailed ?? []);
    const ofHours = curtailedHours.length === 0 ? null : curtailedHours.includes(true);
    const figures = {
      inverter_energy_kwh: figureOf("inverter_energy_kwh"),
      meter_energy_kwh: figureOf("meter_energy_kwh"),
      control_energy_kwh: figureOf("control_energy_kwh"),
      soiling_ratio: figureOf("soiling_ratio"),
      curtailed: whole?.curtailed ?? ofHours,
    };
    const known = counts.energies.length > 0 ? counts.energies : counts.ratios;
    const fewest = known.length > 0 ? Math.min(...known) : whole === undefined ? curtailedHours.length : 24;
    return { date, ...figures, hours: Math.max(fewest, 1) };
  });
  return days.toSorted((one, other) => one.date.localeCompare(other.date));
}

/** Days by a site's calendar; both count. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** The instants of these days at the site: from, and before. */
export function instantsOf({ from, to }: DayRange, timezone: string): { readonly from: Date; readonly before: Date } {
  return { from: startOfDay(from, timezone), before: startOfDay(addDays(to, 1), timezone) };
}
