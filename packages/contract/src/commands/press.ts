import { z } from "zod";

/**
 * Header of a robot command that says when its button was pressed, so that a command given before a Stop is never sent
 * after it. Two numbers in milliseconds: the time by the browser's clock, compared only within the same session, and how
 * long the command then waited in the browser.
 */
export const PRESS_HEADER = "Suncrew-Press";

/** Also used in the API document. */
export const PRESS_PATTERN = String.raw`^\d{1,15} \d{1,7}$`;

export const pressSchema = z
  .string()
  .regex(new RegExp(PRESS_PATTERN), "must be the time of the press and the time since, in milliseconds")
  .transform((text) => {
    const [atMs = 0, waitedMs = 0] = text.split(" ").map(Number);
    return { atMs, waitedMs };
  });
