import type { Machine } from "./body.ts";
import type { Conditions } from "./conditions.ts";
import type { RobotMemory } from "./memory.ts";
import type { Moment } from "./moment.ts";

export interface RobotOptions {
  readonly memory: RobotMemory;
  readonly conditions?: Conditions;
  readonly machine?: Machine;
  /** Protocol rule 4: stops after this long without its broker. Default 300 s. */
  readonly linkLossStopMs?: number;
  /** A state at least this often, in milliseconds. Default 25 s, so that 30 s holds with room. */
  readonly reportIntervalMs?: number;
  /** How long an installation takes, in milliseconds. Default 2 s. */
  readonly installMs?: number;
  /** Told of every command that set the robot moving, and when it decided; a test's truth, not the robot's. */
  readonly onMove?: (commandId: string, now: Moment) => void;
}

/** Whether the memory has changed, and whether it must be stored before the messages that tell of it. */
export type Unsaved = "nothing" | "soon" | "before-publishing";
