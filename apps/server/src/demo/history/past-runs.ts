import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import type { Requester } from "../../features/commands/public.ts";
import type { PastFleet, Reaction } from "./past-fleet.ts";
import { fateOf, type RunFate } from "./past-incidents.ts";
import { type PastRobot, STANDS_AFTER_MS } from "./past-robot.ts";
import { after, MINUTE_MS } from "./timeline.ts";

const LOW_BATTERY = { code: "LOW_BATTERY", severity: "WARNING", text: "The battery is low." } as const;
const JAMMED = {
  code: "JAMMED",
  severity: "CRITICAL",
  text: "The brush is jammed and the robot has stopped.",
} as const;

const JAM_LASTS_MS = 95 * MINUTE_MS;
const LOW_LASTS_MS = 40 * MINUTE_MS;
const LINK_LOST_MS = 25 * MINUTE_MS;

/** What a robot does with the START of such a run. */
export function reactionTo(fate: RunFate): Reaction {
  if (fate.kind === "rejected") return "rejects";
  return fate.kind === "silent" ? "silent" : "takes";
}

/** What happens to robots on their runs. */
export class PastRuns {
  readonly #fleet: PastFleet;
  readonly #personAt: (siteId: number) => Requester;

  constructor(fleet: PastFleet, personAt: (siteId: number) => Requester) {
    this.#fleet = fleet;
    this.#personAt = personAt;
  }

  fateAt(robot: PastRobot, at: Date, timezone: string): RunFate {
    const { date, time } = localTimeOf(at, timezone);
    return fateOf(robot.of.serial, date, time);
  }

  /** Plans what comes between a robot and the end of its run. */
  meet(robot: PastRobot, fate: RunFate, began: Date, end: Date): void {
    if (!("share" in fate)) return;
    const at = after(began, fate.share * (end.getTime() - began.getTime()));
    const meetings: Record<typeof fate.kind, (now: Date) => Promise<void>> = {
      stopped: (now) => this.stop(robot, now),
      battery: (now) => this.#runLow(robot, now),
      jam: (now) => this.#jam(robot, now),
      "link-lost": (now) => this.#loseLink(robot, now),
    };
    this.#fleet.timeline.plan(at, async (now) => {
      if (robot.isMoving && robot.online) await meetings[fate.kind](now);
    });
  }

  /** A person's Stop of one robot. */
  async stop(robot: PastRobot, at: Date): Promise<void> {
    const { id, siteId } = robot.of;
    const order = { verb: "STOP", by: this.#personAt(siteId), mode: "AUTO", maxDurationS: 1 } as const;
    await this.#fleet.order(siteId, [id], order, at);
    await this.#fleet.deliver([id], after(at, 1_200));
  }

  async #runLow(robot: PastRobot, at: Date): Promise<void> {
    robot.battery = 10;
    robot.setAlert(LOW_BATTERY);
    robot.endRun("BATTERY", at);
    await this.#fleet.report([robot.of.id], at);
    await this.#clearLater(robot, LOW_BATTERY.code, after(at, LOW_LASTS_MS));
  }

  async #jam(robot: PastRobot, at: Date): Promise<void> {
    robot.setAlert(JAMMED);
    robot.endRun("FAULT", at);
    await this.#fleet.report([robot.of.id], at);
    await this.#clearLater(robot, JAMMED.code, after(at, JAM_LASTS_MS));
  }

  async #clearLater(robot: PastRobot, code: string, at: Date): Promise<void> {
    this.#fleet.timeline.plan(at, async (now) => {
      robot.clearAlert(code);
      await this.#fleet.report([robot.of.id], now);
    });
  }

  /** Protocol rule 4: it stands 300 s after its link broke, and tells so when it is back. */
  async #loseLink(robot: PastRobot, at: Date): Promise<void> {
    const { timeline } = this.#fleet;
    robot.disconnect(at, "CONNECTION_BROKEN");
    await this.#fleet.store(after(at, 500));
    timeline.plan(after(at, STANDS_AFTER_MS), (now) => robot.endRun("LINK_LOST", now));
    timeline.plan(after(at, LINK_LOST_MS), (now) => this.comeBack(robot, now));
  }

  /** A robot is there again; what waited for it is delivered. */
  async comeBack(robot: PastRobot, at: Date): Promise<void> {
    robot.connect(at);
    await this.#fleet.store(after(at, 500));
    await this.#fleet.deliver([robot.of.id], after(at, 1_000));
  }
}
