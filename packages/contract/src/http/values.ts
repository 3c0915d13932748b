import { z } from "zod";

const MAX_ID = 2_147_483_647;

/** A row's id in an answer. */
export const idSchema = z.int().min(1).max(MAX_ID);

/** A row's id in a request: a JSON integer; digits as text are accepted (paths, forms). */
export const idInputSchema = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,10}$/, "must be a whole number")
      .transform(Number),
  ])
  .pipe(idSchema);

/** A percentage 0 to 100 in a request: whole, a number or text. */
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

/** A day of a form, from 1900 on: the calendar has a year 0 that no database stores. */
export function dayInputSchema(name: string) {
  const sentence = `${name} must be a day, YYYY-MM-DD`;
  return z.iso.date({ error: sentence, abort: true }).refine((day) => day >= "1900-01-01", `${sentence}, from 1900 on`);
}

/** An instant, ISO 8601 in UTC. */
export const instantSchema = z.iso.datetime();

/** The same in a request: the calendar has a year 0 that no database stores. */
export const instantInputSchema = z.iso
  .datetime({ error: "must be an instant, ISO 8601 in UTC", abort: true })
  .refine((instant) => instant >= "1900", "must be from 1900 on");

/** A robot's serial number, which is also its name at the broker: no topic wildcards or separators. */
export const serialSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "is not a serial number");

/**
 * Counts the edits of a row by its form. Sent with an edit it is the one the person began from: where another edit came
 * between, the answer is 409 and nothing is changed. Left out, the edit goes over whatever is there.
 */
export const versionSchema = z.int().min(1);

/** An e-mail address that may be left out, null or blank. */
export const optionalEmailSchema = z
  .union([
    z.literal("").transform(() => null),
    z.null(),
    z.email("is not an e-mail address").max(254, "must have at most 254 characters"),
  ])
  .optional()
  .transform((text) => text ?? null);

/** Decimal degrees in a request, a number or text, `-limit` to `limit`; kept to six decimals, some ten centimetres. */
export function degreesInputSchema(name: string, limit: number) {
  const sentence = `${name} must be a number from -${limit} to ${limit}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .trim()
          .regex(/^[+-]?(\d{1,3}(\.\d{0,20})?|\.\d{1,20})$/)
          .transform(Number),
      ],
      { error: sentence },
    )
    .pipe(z.number(sentence).min(-limit, sentence).max(limit, sentence))
    .transform((degrees) => Math.round(degrees * 1e6) / 1e6);
}

/** For a filter over a time: refines it with `endsTooEarly`. */
export function isOrderedRange(span: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): boolean {
  const { from, to } = span;
  return from === undefined || to === undefined || Date.parse(from) <= Date.parse(to);
}
export const TO_BEFORE_FROM = { path: ["to"], message: "must not be before from" };
