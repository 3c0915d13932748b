import type { ClockCheck } from "../src/platform/clock-watch.ts";

/** Lets a test decide whether a server's clock can be relied on. */
export class StubClockCheck implements ClockCheck {
  trouble: string | null = null;
  readonly reading = { countedAheadMs: 250, ownAheadMs: 3_600_000 };

  check = async (): Promise<void> => {};
}

export const TROUBLE = "The machine's clock is about 60 minutes ahead of the database's.";
