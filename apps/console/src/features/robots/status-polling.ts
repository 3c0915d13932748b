import { isPollDue, POLL_CHECK_MS, POLL_FIRST_AGAIN_MS, POLL_FIRST_MS } from "@suncrew/domain/live/polling.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";

/** A robot of the selected site as polling sees it. */
export interface PolledRobot {
  readonly id: number;
  readonly status: RobotStatus;
  readonly lastQueriedAt: Date | null;
  /** A status call for it waits or is under way. */
  readonly isAsked: boolean;
}

export interface StatusPollingParts {
  readonly robots: () => readonly PolledRobot[];
  readonly ask: (robotId: number) => void;
  readonly now: () => Date;
  readonly isHidden: () => boolean;
  /** The first site since the page was loaded is asked a second time (§9). */
  readonly isFirstLoad: boolean;
}

/** §9 Status polling of one site's robots, under the live stream; a hidden tab asks nothing. */
export class StatusPolling {
  readonly #parts: StatusPollingParts;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #interval: ReturnType<typeof setInterval> | undefined;

  constructor(parts: StatusPollingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timers.push(setTimeout(() => this.#ask(() => true), POLL_FIRST_MS));
    if (this.#parts.isFirstLoad) {
      this.#timers.push(setTimeout(() => this.#ask(() => true), POLL_FIRST_AGAIN_MS));
    }
    this.#interval = setInterval(() => this.check(), POLL_CHECK_MS);
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    clearInterval(this.#interval);
  }

  /** Asks what is due: each minute, and when a hidden tab is shown again. */
  check(): void {
    const now = this.#parts.now();
    this.#ask((robot) => isPollDue(robot.status, robot.lastQueriedAt, now));
  }

  #ask(isWanted: (robot: PolledRobot) => boolean): void {
    if (this.#parts.isHidden()) return;
    for (const robot of this.#parts.robots()) {
      if (!robot.isAsked && isWanted(robot)) this.#parts.ask(robot.id);
    }
  }
}
