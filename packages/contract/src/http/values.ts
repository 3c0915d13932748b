import { z } from "zod";

const MAX_ID = 2_147_483_647;

/** Characters in the search of a list. */
export const SEARCH_MAX = 100;

/** A row's id in a response. */
export const idSchema = z.int().min(1).max(MAX_ID);

/** A row's id in a request: a JSON integer, or digits as text (paths, forms). */
export const idInputSchema = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,10}$/, "must be a whole number")
      .transform(Number),
  ])
  .pipe(idSchema);

/** A whole percentage in a request, as a number or text. */
export const percentInputSchema = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,3}$/, "must be a whole number from 0 to 100")
      .transform(Number),
  ])
  .pipe(z.int().min(0).max(100));

/** `YYYY-MM-DD`. */
export const dateSchema = z.iso.date();

/** A date from a form, from 1900 on: ISO 8601 has a year 0 that PostgreSQL cannot store. */
export function dayInputSchema(name: string) {
  const message = `${name} must be a date, YYYY-MM-DD`;
  return z.iso.date({ error: message, abort: true }).refine((day) => day >= "1900-01-01", `${message}, from 1900 on`);
}

/** An instant, ISO 8601 in UTC. */
export const instantSchema = z.iso.datetime();

/** An instant in a request, from 1900 on: ISO 8601 has a year 0 that PostgreSQL cannot store. */
export const instantInputSchema = z.iso
  .datetime({ error: "must be an instant, ISO 8601 in UTC", abort: true })
  .refine((instant) => instant >= "1900", "must be from 1900 on");

/** A robot's serial number, also its MQTT user name and topic segment: no wildcards or separators. */
export const serialSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "is not a serial number");

/**
 * A row's edit count, for optimistic locking. An edit sends the version it started from and gets 409 if somebody else
 * has changed the row since; without a version it overwrites.
 */
export const versionSchema = z.int().min(1);

/** An email address that may be missing, null or blank, which all become null. */
export const optionalEmailSchema = z
  .union([
    z.literal("").transform(() => null),
    z.null(),
    z.email("is not an email address").max(254, "must have at most 254 characters"),
  ])
  .optional()
  .transform((text) => text ?? null);

const DECIMAL = /^[+-]?(\d{1,10}(\.\d{0,20})?|\.\d{1,20})$/;

/** A decimal in a request, a number or text, `min` to `max`; rounded to six decimals. */
export function decimalInputSchema(name: string, min: number, max: number) {
  const message = decimalMessage(name, min, max);
  return z
    .union([z.number(), z.string().trim().regex(DECIMAL).transform(Number)], { error: message })
    .pipe(z.number(message).min(min, message).max(max, message))
    .transform(toSixDecimals);
}

/** The same where blank or null means none. */
export function optionalDecimalInputSchema(name: string, min: number, max: number) {
  const given = decimalInputSchema(name, min, max);
  const blank = z
    .string()
    .trim()
    .length(0)
    .transform(() => null);
  return z.union([z.null(), blank, given], { error: decimalMessage(name, min, max) });
}

function decimalMessage(name: string, min: number, max: number): string {
  return `${name} must be a number from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}`;
}

const toSixDecimals = (number: number) => Math.round(number * 1e6) / 1e6;

/** Decimal degrees in a request, a number or text, `-limit` to `limit`; rounded to six decimals (about 10 cm). */
export function degreesInputSchema(name: string, limit: number) {
  return decimalInputSchema(name, -limit, limit);
}

/** Refinement of a filter by time; its error is `TO_BEFORE_FROM`. */
export function isOrderedRange(span: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): boolean {
  const { from, to } = span;
  return from === undefined || to === undefined || Date.parse(from) <= Date.parse(to);
}
export const TO_BEFORE_FROM = { path: ["to"], message: "must not be before from" };
