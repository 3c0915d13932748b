import { COMMAND_EXPIRES_MS, RESEND_MS } from "@suncrew/domain/commands/limits.ts";
import { type Cancel, withTimeout } from "../../platform/clock.ts";
import { isLockTimeout } from "../../platform/database/transactions.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { PeriodicTask } from "../../platform/periodic-task.ts";
import type { Order } from "./accept-order.ts";
import { messageOf, publishCommandMessage } from "./command-message.ts";
import { NOBODY_TOLD } from "./command-sentences.ts";
import type { KnownRobot } from "./known-fleet.repository.ts";
import { recordSentStops } from "./record-sent-stops.repository.ts";
import { type SentStop, type SentStops, StopJournal } from "./stop-journal.ts";
import { StopPress } from "./stop-press.ts";

/** The usual way, first a row and then its message, has this long from the press; then robots are told without a row. */
const SENT_AFTER_MS = 100;
/** And so much later the caller is answered, where the database still has not stored anything. */
const ANSWERED_AFTER_MS = 800;
const CATCH_UP_MS = 500;

/** A person's Stop for robots of one site. */
export interface StopOrder extends Pick<Order, "mode" | "params"> {
  readonly by: SentStops["by"];
  /** Whom it is for, by what was last known; robots that are not among them are told the usual way only. */
  readonly robots: readonly KnownRobot[];
}

type Outcome<A> = { readonly answer: A } | { readonly error: unknown };

/**
 * A person's Stop does not depend on the database (protocol rule 3): where that is away, full or slow, the robot is told
 * at once. The Stop is kept in the journal, repeated, and put on record with its true time when the database takes it.
 */
export class DirectStops implements Service {
  readonly #deps: Dependencies;
  /** Null where no folder was given: then every Stop goes the usual way. */
  readonly #journal: StopJournal | null;
  readonly #sending: PeriodicTask;
  readonly #recording: PeriodicTask;
  /** Presses whose usual way is not at its end yet, which may still store them. */
  readonly #underWay = new Set<string>();
  /** When each press was last sent. */
  readonly #sentAt = new Map<string, Date>();
  #cancel: Cancel = () => {};

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const { stopJournalDir } = deps.settings;
    this.#journal = stopJournalDir === undefined ? null : new StopJournal(stopJournalDir, deps.log);
    this.#sending = new PeriodicTask(deps.log, () => this.#sendAgain());
    this.#recording = new PeriodicTask(deps.log, () => this.#record());
  }

  async start(): Promise<void> {
    if (this.#journal === null) return;
    await this.#journal.load();
    await this.#recording.run();
    this.#cancel = this.#deps.clock.every(CATCH_UP_MS, () => {
      void this.#sending.run();
      void this.#recording.run();
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await Promise.all([this.#sending.idle(), this.#recording.idle(), this.#journal?.idle()]);
  }

  /** A robot whose Stop is not on record yet is not started: neither people nor rules can see that it was stopped. */
  holdsBack(robotId: number): boolean {
    return this.#journal?.presses.some(({ stops }) => stops.some((stop) => stop.robotId === robotId)) === true;
  }

  /**
   * Stops robots the `usual` way; whom that has not told in time is told directly. Answers what the usual way answers, or
   * what `kept` says where the database did not take it. Throws like the usual way where nobody was told.
   */
  async press<A>(order: StopOrder, usual: (press: StopPress) => Promise<A>, kept: (press: StopPress) => A): Promise<A> {
    const journal = this.#journal;
    const { clock } = this.#deps;
    const press: StopPress = new StopPress(
      clock.now(),
      journal === null ? [] : order.robots,
      (robotId) => void journal?.removeStop(press.id, robotId),
    );
    this.#underWay.add(press.id);
    const ending = usual(press)
      .then(
        (answer): Outcome<A> => ({ answer }),
        (error: unknown): Outcome<A> => ({ error }),
      )
      .finally(() => this.#underWay.delete(press.id));
    const early = await withTimeout(clock, ending, SENT_AFTER_MS);
    const isDecided = early !== null && ("answer" in early || early.error instanceof HttpError);
    const telling = isDecided ? null : this.#tell(press, order);
    if (telling === null) return answerOf(this.#inWords(early ?? (await ending)));
    const [end] = await Promise.all([
      early ?? withTimeout(clock, ending, ANSWERED_AFTER_MS),
      withTimeout(clock, telling, ANSWERED_AFTER_MS),
    ]);
    if (end === null && !press.isAnyStored) return kept(press);
    const last = end ?? (await ending);
    if ("answer" in last || last.error instanceof HttpError) return answerOf(last);
    this.#deps.log.warn({ reason: last.error, press: press.id }, "a Stop went out without the database");
    return kept(press);
  }

  #inWords<A>(outcome: Outcome<A>): Outcome<A> {
    if ("answer" in outcome || this.#deps.broker.connected || !isDatabaseUnreachable(outcome.error)) return outcome;
    return { error: new HttpError(503, NOBODY_TOLD, { success: false }) };
  }

  /** Tells the robots that nobody has told; null where there is none, or no broker. */
  #tell(press: StopPress, { by, mode, params }: StopOrder): Promise<unknown> | null {
    const { untold } = press;
    const [first] = untold;
    if (first === undefined || this.#journal === null || !this.#deps.broker.connected) return null;
    const stops = untold.flatMap((robot): SentStop[] => {
      const pressed = press.of(robot.id);
      if (pressed === undefined) return [];
      const { id: robotId, serial, session } = robot;
      return [{ id: pressed.id, seq: pressed.seq, robotId, serial, session, params: { ...robot.params, ...params } }];
    });
    const sent: SentStops = { id: press.id, at: press.at, siteId: first.siteId, by, mode, stops };
    // Before anything that may take time.
    const publishing = stops.map(async (stop) => {
      await this.#publish(sent, stop);
      press.noteSent(stop.robotId);
    });
    this.#sentAt.set(press.id, this.#deps.clock.now());
    // What has its row already needs no file.
    const unstored = stops.filter(({ robotId }) => !press.isStored(robotId));
    for (const { robotId } of unstored) press.noteKept(robotId);
    const keeping = unstored.length === 0 ? null : this.#journal.add({ ...sent, stops: unstored });
    return Promise.allSettled([...publishing, keeping]);
  }

  async #publish(press: SentStops, stop: SentStop): Promise<void> {
    const message = messageOf(
      {
        ...stop,
        verb: "STOP",
        issued_at: press.at,
        expires_at: new Date(press.at.getTime() + COMMAND_EXPIRES_MS),
        requested_by: press.by.name,
        run_id: null,
        max_duration_s: null,
      },
      stop.session,
    );
    await publishCommandMessage(this.#deps.broker, stop.serial, message);
  }

  /** Nobody sees meanwhile whether the robots stand, so they are told until their Stops have rows. */
  async #sendAgain(): Promise<void> {
    const { broker, clock } = this.#deps;
    if (!broker.connected) return;
    const now = clock.now();
    const presses = this.#journal?.presses ?? [];
    const kept = new Set(presses.map(({ id }) => id));
    for (const id of this.#sentAt.keys()) if (!kept.has(id)) this.#sentAt.delete(id);
    for (const press of presses) {
      const sentAt = this.#sentAt.get(press.id);
      if (sentAt !== undefined && now.getTime() - sentAt.getTime() < RESEND_MS) continue;
      this.#sentAt.set(press.id, now);
      for (const stop of press.stops) this.#publish(press, stop).catch(() => {});
    }
  }

  async #record(): Promise<void> {
    const { db, clock, serverId, log } = this.#deps;
    for (const press of this.#journal?.presses ?? []) {
      if (this.#underWay.has(press.id)) continue;
      try {
        await recordSentStops(db, press, serverId, clock.now());
      } catch (error) {
        // Tried again; while the database is away there is nothing to tell.
        if (isDatabaseUnreachable(error)) return;
        if (isLockTimeout(error)) continue;
        log.error({ error, press: press.id }, "a Stop that was sent could not be put on record; trying again");
        continue;
      }
      await this.#journal?.remove(press.id);
    }
  }
}

function answerOf<A>(outcome: Outcome<A>): A {
  if ("error" in outcome) throw outcome.error;
  return outcome.answer;
}
