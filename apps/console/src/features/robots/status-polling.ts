import { isPollDue, POLL_CHECK_MS, POLL_FIRST_AGAIN_MS, POLL_FIRST_MS } from "@suncrew/domain/live/polling.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";

/** A robot of the selected site as polling sees it. */
export interface PolledRobot {
  readonly id: number;
  readonly status: RobotStatus;
  readonly lastQueriedAt: Date | null;
  /** A status call for it is queued or in flight. */
  readonly isRequested: boolean;
}

export interface StatusPollingOptions {
  readonly robots: () => readonly PolledRobot[];
  readonly request: (robotId: number) => void;
  readonly now: () => Date;
  readonly isHidden: () => boolean;
  /** The first site since the page was loaded is polled a second time (§9). */
  readonly isFirstLoad: boolean;
}

/** §9 Status polling of one site's robots, in addition to the live stream; a hidden tab does not poll. */
export class StatusPolling {
  readonly #options: StatusPollingOptions;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #interval: ReturnType<typeof setInterval> | undefined;

  constructor(options: StatusPollingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timers.push(setTimeout(() => this.#requestWhere(() => true), POLL_FIRST_MS));
    if (this.#options.isFirstLoad) {
      this.#timers.push(setTimeout(() => this.#requestWhere(() => true), POLL_FIRST_AGAIN_MS));
    }
    this.#interval = setInterval(() => this.check(), POLL_CHECK_MS);
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    clearInterval(this.#interval);
  }

  /** Requests what is due: each minute, and when a hidden tab is shown again. */
  check(): void {
    const now = this.#options.now();
    this.#requestWhere((robot) => isPollDue(robot.status, robot.lastQueriedAt, now));
  }

  #requestWhere(isDue: (robot: PolledRobot) => boolean): void {
    if (this.#options.isHidden()) return;
    for (const robot of this.#options.robots()) {
      if (!robot.isRequested && isDue(robot)) this.#options.request(robot.id);
    }
  }
}
