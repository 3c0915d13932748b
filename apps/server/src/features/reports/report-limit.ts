import type { Clock } from "../../platform/clock.ts";
import { HttpError } from "../../platform/http/http-error.ts";

/** Reading a report for a person, with the wait for its turn, is given up after that. */
export const REPORT_MOST_MS = 2 * 60_000;

/** Answers what `work` answers, whose signal aborts when nobody waits for it any more: then 503, if somebody still does. */
export async function withinLimit<T>(
  clock: Clock,
  gone: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(REPORT_MOST_MS, () => late.abort());
  try {
    return await work(AbortSignal.any([gone, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || error instanceof HttpError) throw error;
    throw new HttpError(503, "The report took too long. Choose a shorter range, or try again later.");
  } finally {
    cancel();
  }
}
