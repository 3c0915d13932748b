import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { STATUS_WAIT_MS } from "@suncrew/domain/commands/limits.ts";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { BROKER_AWAY, failure, refusalMessages } from "./command-answers.ts";
import { publishCommandMessage, questionEnvelope } from "./dispatcher.ts";
import { readShown, type ShownRow } from "./commands.queries.ts";

export type StatusAnswer = ResponseOf<typeof robotStatus>;

/** Asks robots for their state. A STATUS is a question, not an order: it has no row and no seq. */
export class RobotStatusCall {
  readonly #deps: Dependencies;
  readonly #changes: ChangeSignal;

  constructor(deps: Dependencies, changes: ChangeSignal) {
    this.#deps = deps;
    this.#changes = changes;
  }

  /**
   * The robot's state as it tells it now. Throws 404, 503 (no broker), or 504: at once where the robot is known to be
   * away, else when it did not answer within 10 s or the caller has gone.
   */
  async ask(viewer: Viewer, serial: string, gone: AbortSignal): Promise<StatusAnswer> {
    const { db, broker, clock } = this.#deps;
    const known = await readShown(viewer, db, serial);
    if (!known.online) throw failure(504, "ROBOT_AWAY", refusalMessages.away(serial));
    if (!broker.connected) throw failure(503, "BROKER_UNREACHABLE", BROKER_AWAY);
    const askedAt = clock.now();
    const question = questionEnvelope(askedAt, known.session, viewer.name);
    const unasked = new AbortController();
    const answered = this.#answerTo(viewer, serial, question.id, askedAt, AbortSignal.any([gone, unasked.signal]));
    // Not waited for: the broker's receipt may come later than the robot's answer, or never.
    publishCommandMessage(broker, serial, { ...question, verb: "STATUS" }).catch(() => unasked.abort());
    const row = await answered;
    if (unasked.signal.aborted && row === null) throw failure(503, "BROKER_UNREACHABLE", BROKER_AWAY);
    if (row === null)
      throw failure(504, "STATUS_TIMEOUT", `Robot ${serial} did not answer within ${STATUS_WAIT_MS / 1000} seconds.`);
    return shownAnswer(row, serial);
  }

  /** The row once a live state answers this question; null when the time is over or the caller has gone. */
  async #answerTo(
    viewer: Viewer,
    serial: string,
    id: string,
    askedAt: Date,
    giveUpAt: AbortSignal,
  ): Promise<ShownRow | null> {
    const { db, clock } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<ShownRow | null>();
    let reading = false;
    const seen = (row: ShownRow): void => {
      reading = false;
      if (answers(row, id, askedAt)) resolve(row);
    };
    const look = (): void => {
      if (reading) return;
      reading = true;
      readShown(viewer, db, serial).then(seen, reject);
    };
    const giveUp = () => resolve(null);
    const stopLooking = this.#changes.onWake(look);
    const cancel = clock.after(STATUS_WAIT_MS, giveUp);
    giveUpAt.addEventListener("abort", giveUp, { once: true });
    if (giveUpAt.aborted) giveUp();
    try {
      return await promise;
    } finally {
      stopLooking();
      cancel();
      giveUpAt.removeEventListener("abort", giveUp);
    }
  }
}

/**
 * A live state after the question that names it, or a command made after it: ids are ordered by time, and a robot takes
 * its messages in order. So two questions at once do not wait for each other's answer.
 */
function answers(row: ShownRow, id: string, askedAt: Date): boolean {
  return row.live_at !== null && row.live_at >= askedAt && row.last_command_id !== null && row.last_command_id >= id;
}

function shownAnswer(row: ShownRow, serial: string): StatusAnswer {
  const { status, battery, live_at, motion, applied_direction: direction } = row;
  if (status === null || battery === null || live_at === null || motion === null || direction === null) {
    throw failure(504, "ROBOT_AWAY", refusalMessages.away(serial));
  }
  return {
    success: true,
    data: { status, robot_status: row.robot_status, battery, timestamp: live_at.toISOString(), motion, direction },
    live_position: row.change_no,
  };
}
