import type { AppliedSettings, DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { DeviceMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { Motion } from "@suncrew/contract/robots/robots.ts";
import type { UpdateReport } from "../robot/firmware-updates.ts";
import type { Fault } from "../faults/fault.ts";

export interface AcceptedStart {
  readonly commandId: string;
  readonly atMs: number;
  readonly session: number;
}

/** The physical state, for a test or a person to compare with what was reported. */
export interface RobotTruth {
  readonly serial: string;
  readonly connected: boolean;
  readonly motion: Motion;
  readonly mode: DeviceMode;
  /** The status text that the robot reports, or would. */
  readonly status: string;
  /** Percent, exact. */
  readonly battery: number;
  readonly charging: boolean;
  readonly applied: AppliedSettings;
  readonly runId: string | null;
  readonly session: number;
  readonly lastSeq: number;
  readonly firmware: string;
  /** The current or last firmware offer. */
  readonly update: UpdateReport | null;
  readonly alerts: readonly DeviceAlert[];
  /** Events that no RECEIVED has named. */
  readonly waitingEvents: number;
  /** The id of each command that started the robot, once per start, in order. */
  readonly startsTaken: readonly string[];
  /** The same with the time by the robot's own clock, in Unix milliseconds, and its session. */
  readonly starts: readonly AcceptedStart[];
  readonly faults: readonly Fault[];
}

interface Watcher {
  readonly predicate: (truth: RobotTruth) => boolean;
  readonly found: (truth: RobotTruth) => void;
}

/** Waits for a robot's state to satisfy a predicate. */
export class Watchers {
  readonly #read: () => RobotTruth;
  #watching: Watcher[] = [];

  constructor(read: () => RobotTruth) {
    this.#read = read;
  }

  until(predicate: (truth: RobotTruth) => boolean): Promise<RobotTruth> {
    return new Promise((found) => {
      this.#watching.push({ predicate, found });
      this.check();
    });
  }

  /** Re-evaluates every predicate; called after each change. */
  check(): void {
    if (this.#watching.length === 0) return;
    const truth = this.#read();
    this.#watching = this.#watching.filter((watcher) => {
      if (!watcher.predicate(truth)) return true;
      watcher.found(truth);
      return false;
    });
  }
}
