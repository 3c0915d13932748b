import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { withTimeout } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { Commands, LockedRobot } from "../commands/public.ts";
import { requireRobotsAt } from "../groups/public.ts";
import type { Locker } from "./accept-lock.ts";
import { maintenanceSentences } from "./maintenance-sentences.ts";

/** The console gives a call up after 10 s (§9), so a start that a release is followed by is not waited for longer. */
const ANSWER_WITHIN_MS = 9_000;
/** A start with less time than this would move a robot whose caller was told of a failure. */
const LEAST_TIME_MS = 1_000;

/** What came of such a start: refused by the server, failed at the robot, or not known when the caller is answered. */
export interface ReleaseStart {
  readonly kind: "started" | "refused" | "failed" | "unknown";
  readonly message: string;
}

interface Release {
  readonly viewer: Viewer;
  readonly siteId: number;
  readonly by: Locker;
  /** When the call came. */
  readonly startedAt: Date;
}

/** Starts robots as they are released by one call: those released at the same moment by one order. */
export class ReleaseStarts {
  readonly #deps: Dependencies;
  readonly #startedAtMs: number;
  readonly #starts: BatchLoader<number, RobotResult>;
  /** The newest command of each robot as its release was asked for: a Stop or lock with a higher number came after. */
  readonly #seenSeqs = new Map<number, number>();
  /** Robots whose START is stored and on its way. */
  readonly #going = new Set<number>();

  constructor(deps: Dependencies, commands: Commands, { viewer, siteId, by, startedAt }: Release) {
    this.#deps = deps;
    this.#startedAtMs = startedAt.getTime();
    const isTooLate = () => this.#leftMs() < LEAST_TIME_MS;
    this.#starts = new BatchLoader(async (robotIds) => {
      const choose = async (tx: Tx) => {
        await requireRobotsAt(viewer, tx, siteId, robotIds);
        return { siteId, robotIds };
      };
      const results = await commands.sendMany(choose, {
        verb: "START",
        mode: "AUTO",
        by,
        refusedAs: maintenanceSentences.releasedNotStarted,
        unlessOf: (robotId) => ({ afterSeq: this.#seenSeqs.get(robotId) ?? 0, isTooLate }),
        onGoing: (robotId) => void this.#going.add(robotId),
      });
      return new Map(results.map((result) => [result.robotObjectId, result]));
    });
  }

  /** The start that was asked for with the release, like any press of Start; it undoes no release, and no Stop since. */
  async start(robot: LockedRobot, seenSeq: number): Promise<ReleaseStart> {
    this.#seenSeqs.set(robot.id, seenSeq);
    return (await withTimeout(this.#deps.clock, this.#started(robot), this.#leftMs())) ?? this.#unknown(robot);
  }

  #leftMs(): number {
    return Math.max(0, this.#startedAtMs + ANSWER_WITHIN_MS - this.#deps.clock.now().getTime());
  }

  async #started(robot: LockedRobot): Promise<ReleaseStart> {
    try {
      const result = await this.#starts.load(robot.id);
      if (result === null) return { kind: "failed", message: maintenanceSentences.gone(robot.serial_number) };
      const kinds = { SUCCESS: "started", FAILED: "failed", SKIPPED: "refused" } as const;
      return { kind: kinds[result.outcome], message: result.message };
    } catch (error) {
      if (error instanceof HttpError) return { kind: "failed", message: error.message };
      this.#deps.log.error({ reason: error, robotId: robot.id }, "starting a released robot failed");
      return this.#unknown(robot);
    }
  }

  #unknown(robot: LockedRobot): ReleaseStart {
    const words = this.#going.has(robot.id) ? maintenanceSentences.startUnknown : maintenanceSentences.startNotKnown;
    return { kind: "unknown", message: words(robot.serial_number) };
  }
}
