import type { SimulatedRobot } from "@suncrew/simulator/fleet/simulated-robot.ts";
import type { Clock } from "../src/platform/clock.ts";

/** A robot's true physical state at one moment. */
export interface Moment {
  readonly atMs: number;
  readonly moving: boolean;
  readonly inMaintenance: boolean;
  readonly runId: string | null;
}

/** A period in which a robot moved in one run; `endMs` is null while it is still moving. */
export interface Motion {
  readonly runId: string | null;
  readonly beganMs: number;
  readonly endMs: number | null;
}

/** Records every physical change of a simulated robot, whatever it reports. */
export class MotionRecorder {
  readonly moments: Moment[] = [];

  constructor(robot: SimulatedRobot, clock: Clock) {
    // Called at every change of the robot; never satisfied, so that it keeps watching.
    void robot.until(({ motion, mode, runId }) => {
      const moment = { moving: motion === "MOVING", inMaintenance: mode === "MAINTENANCE", runId };
      const last = this.moments.at(-1);
      const isNew =
        last === undefined ||
        last.moving !== moment.moving ||
        last.inMaintenance !== moment.inMaintenance ||
        last.runId !== moment.runId;
      if (isNew) this.moments.push({ atMs: clock.now().getTime(), ...moment });
      return false;
    });
  }

  motions(): Motion[] {
    const motions: Motion[] = [];
    let current: { runId: string | null; beganMs: number } | null = null;
    for (const { atMs, moving, runId } of this.moments) {
      if (current !== null && (!moving || runId !== current.runId)) {
        motions.push({ ...current, endMs: atMs });
        current = null;
      }
      if (moving && current === null) current = { runId, beganMs: atMs };
    }
    if (current !== null) motions.push({ ...current, endMs: null });
    return motions;
  }
}
