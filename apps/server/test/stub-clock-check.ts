import type { ClockCheck } from "../src/platform/clock-watch.ts";

/** What a server thinks of its clock, in a test's hands. */
export class StubClockCheck implements ClockCheck {
  trouble: string | null = null;
  readonly reading = { countedAheadMs: 250, ownAheadMs: 3_600_000 };

  look = async (): Promise<void> => {};
}

export const TROUBLE = "The machine's clock is about 60 minutes ahead of the database's.";
