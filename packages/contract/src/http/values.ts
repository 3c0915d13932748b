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

/** An instant, ISO 8601 in UTC. */
export const instantSchema = z.iso.datetime();

/** A robot's serial number, which is also its name at the broker: no topic wildcards or separators. */
export const serialSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "is not a serial number");
