import { z } from "zod";

/**
 * The header in which an order to robots says when its button was pressed, so that none that was given before a Stop
 * goes out after it: the time by the browser's own clock, which is compared with others of the same session only, and
 * how long the order then waited in the browser, both in milliseconds.
 */
export const PRESS_HEADER = "Suncrew-Press";

/** For the API document, too. */
export const PRESS_PATTERN = String.raw`^\d{1,15} \d{1,7}$`;

export const pressSchema = z
  .string()
  .regex(new RegExp(PRESS_PATTERN), "must be the time of the press and the time since, in milliseconds")
  .transform((text) => {
    const [atMs = 0, waitedMs = 0] = text.split(" ").map(Number);
    return { atMs, waitedMs };
  });
