import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { COMMAND_EXPIRES_MS, RESEND_MS } from "@suncrew/domain/devices/protocol-times.ts";
import pLimit from "p-limit";
import { v7 as uuidv7 } from "uuid";
import { withTimeout } from "../../platform/clock.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { isLockTimeout } from "../../platform/database/transactions.ts";
import type { Dependencies, Service, Settings } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { CachedSnapshot, PeriodicTask, PeriodicTasks } from "../../platform/periodic-task.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { CommandBody } from "./person-orders.ts";
import { type Order, recordSentStops } from "./accept-orders.ts";
import {
  NOTHING_REACHABLE,
  queuedUnrecorded,
  RESULT_UNKNOWN,
  SENT_UNRECORDED,
  notKnownYet,
  type SuccessAnswer,
} from "./command-answers.ts";
import type { PressedStop } from "./commands.repository.ts";
import { type KnownRobot, readKnownRobots } from "./known-robots.repository.ts";
import { messageOf, publishCommandMessage } from "./dispatcher.ts";
import { type SentStop, type SentStops, StopJournal } from "./stop-journal.ts";
import { StopNotices } from "./stop-notices.ts";

/**
 * The robots as the database last knew them, so that a person's Stop need not wait for it (protocol rule 3). People
 * find only robots at sites that were in their scope; if anything does not match, none.
 */
export class KnownFleet implements Service {
  readonly #robots: CachedSnapshot<readonly KnownRobot[]>;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "log">) {
    this.#robots = new CachedSnapshot(deps, () => readKnownRobots(deps.db));
  }

  async start(): Promise<void> {
    await this.#robots.start();
  }

  async stop(): Promise<void> {
    await this.#robots.stop();
  }

  /** Those in the viewer's scope. */
  reachedBy(viewer: Viewer): KnownRobot[] {
    return (this.#robots.value ?? []).filter((robot) => mayReach(viewer, robot));
  }

  /** The robot that a command names by serial number, id and site. */
  named(viewer: Viewer, { robotId, robotObjectId, siteId }: CommandBody): KnownRobot[] {
    return this.atSite(viewer, siteId).filter(({ id, serial }) => id === robotObjectId && serial === robotId);
  }

  atSite(viewer: Viewer, siteId: number): KnownRobot[] {
    return this.reachedBy(viewer).filter((robot) => robot.siteId === siteId);
  }

  /** The members of a group of the site, or those in `only`, if all of them are members. */
  inGroup(viewer: Viewer, siteId: number, groupId: number, only?: readonly number[]): KnownRobot[] {
    const members = this.atSite(viewer, siteId).filter((robot) => robot.groupId === groupId);
    if (only === undefined) return members;
    const named = members.filter(({ id }) => only.includes(id));
    return named.length === new Set(only).size ? named : [];
  }
}

/** Mirrors `visibleSites`, based on the snapshot. */
function mayReach(viewer: Viewer, { partnerId }: KnownRobot): boolean {
  return viewer.role === "SUPER_ADMIN" || (viewer.partnerId !== null && viewer.partnerId === partnerId);
}

/**
 * How long after the press a row may take to be stored and its message sent; then robots are sent the Stop without a
 * row.
 */
const DIRECT_SEND_DELAY_MS = 100;
/** How much later the caller is answered if the database still has not stored anything. */
const ANSWER_DELAY_MS = 800;
const RETRY_INTERVAL_MS = 500;
/** How many Stops of a press the broker has to accept at a time, so that others are not behind thousands. */
const MAX_UNACCEPTED = 50;
/** A slow broker does not hold up the next ones for longer than this. */
const ACCEPTED_WITHIN_MS = 50;

/** A person's Stop for robots. */
export interface StopOrder extends Pick<Order, "mode" | "params"> {
  readonly by: SentStops["by"];
  readonly request?: SentStops["request"] | undefined;
  /** The target robots as last known; any others are stopped only through the database. */
  readonly robots: readonly KnownRobot[];
  /** In place of `ANSWER_DELAY_MS`, for a Stop whose rows have to wait for those of others. */
  readonly answerDelayMs?: number | undefined;
}

type Deps = Pick<Dependencies, "db" | "broker" | "peerBroker" | "clock" | "log" | "serverId"> & {
  readonly settings: Pick<Settings, "stopJournalDir">;
};

type Outcome<A> = { readonly answer: A } | { readonly error: unknown };

/**
 * A person's Stop does not depend on the database (protocol rule 3): if that is unreachable, overloaded or slow, the
 * robot is sent the Stop directly. The Stop is kept in the journal, repeated, and recorded with its true time once the
 * database accepts it.
 */
export class DirectStops implements Service {
  readonly #deps: Deps;
  /** Null without a folder: then every Stop goes through the database. */
  readonly #journal: StopJournal | null;
  readonly #notices: StopNotices;
  readonly #recording: PeriodicTask;
  readonly #tasks: PeriodicTasks;
  /** Presses that the database may still store. */
  readonly #inProgress = new Set<string>();
  /** When each press was last sent. */
  readonly #sentAt = new Map<string, Date>();

  constructor(deps: Deps) {
    this.#deps = deps;
    const { stopJournalDir } = deps.settings;
    this.#journal = stopJournalDir === undefined ? null : new StopJournal(stopJournalDir, deps.log);
    this.#notices = new StopNotices(deps);
    this.#recording = new PeriodicTask(deps.log, () => this.#record());
    this.#tasks = new PeriodicTasks(deps, [
      { name: "direct Stops", everyMs: RETRY_INTERVAL_MS, work: () => this.#resend() },
      { name: "recording of direct Stops", everyMs: RETRY_INTERVAL_MS, work: () => this.#recording.run() },
    ]);
  }

  async start(): Promise<void> {
    await this.#notices.start();
    if (this.#journal === null) return;
    await this.#journal.load();
    await this.#recording.run();
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#tasks.stop(), this.#recording.idle(), this.#journal?.idle(), this.#notices.stop()]);
  }

  /** A robot with an unrecorded Stop is not started: neither people nor rules can see that it was stopped. */
  blocksStart(robotId: number): boolean {
    return this.#journal?.presses.some(({ stops }) => stops.some((stop) => stop.robotId === robotId)) === true;
  }

  /** Nor by a due run if another server has one: nobody is there who has seen that the robot stands. */
  blocksDueStart(robotId: number): boolean {
    return this.blocksStart(robotId) || this.#notices.holdsBack(robotId);
  }

  /**
   * Stops robots `viaDatabase`, and directly those not sent the Stop in time. Returns the result of `viaDatabase`, or
   * of `unrecorded` if the database did not store it. Throws like `viaDatabase` if no robot was sent the Stop.
   */
  async press<A>(
    order: StopOrder,
    viaDatabase: (press: StopPress) => Promise<A>,
    unrecorded: (press: StopPress) => A,
  ): Promise<A> {
    const journal = this.#journal;
    const { clock } = this.#deps;
    const press: StopPress = new StopPress(
      clock.now(),
      journal === null ? [] : order.robots,
      (robotId) => void journal?.removeStop(press.id, robotId),
    );
    this.#inProgress.add(press.id);
    const ending = viaDatabase(press)
      .then(
        (answer): Outcome<A> => ({ answer }),
        (error: unknown): Outcome<A> => ({ error }),
      )
      .finally(() => this.#inProgress.delete(press.id));
    const early = await withTimeout(clock, ending, DIRECT_SEND_DELAY_MS);
    const isDecided = early !== null && ("answer" in early || early.error instanceof HttpError);
    const sending = isDecided ? null : this.#sendDirectly(press, order);
    if (sending === null) return answerOf(this.#withMessage(early ?? (await ending)));
    const { answerDelayMs = ANSWER_DELAY_MS } = order;
    const [end] = await Promise.all([
      early ?? withTimeout(clock, ending, answerDelayMs),
      withTimeout(clock, sending, ANSWER_DELAY_MS),
    ]);
    if (end === null && !press.isAnyStored) return unrecorded(press);
    const last = end ?? (await ending);
    if ("answer" in last || last.error instanceof HttpError) return answerOf(last);
    this.#deps.log.warn({ reason: last.error, press: press.id }, "a Stop went out without the database");
    return unrecorded(press);
  }

  #withMessage<A>(outcome: Outcome<A>): Outcome<A> {
    if ("answer" in outcome || this.#deps.broker.connected || !isDatabaseUnreachable(outcome.error)) return outcome;
    return { error: new HttpError(503, "NOTHING_REACHABLE", NOTHING_REACHABLE, { success: false }) };
  }

  /** Sends the Stop to robots that have not been sent it; null if there are none, or no broker. */
  #sendDirectly(press: StopPress, { by, mode, params, request }: StopOrder): Promise<unknown> | null {
    const { unsent } = press;
    if (unsent.length === 0 || this.#journal === null || !this.#deps.broker.connected) return null;
    const [siteId = 0, ...more] = new Set(unsent.map((robot) => robot.siteId));
    const stops = unsent.flatMap((robot): SentStop[] => {
      const pressed = press.of(robot.id);
      if (pressed === undefined) return [];
      const { id: robotId, serial, session } = robot;
      const { id, renumberedId, seq } = pressed;
      return [{ id, renumberedId, seq, robotId, serial, session, params: { ...robot.params, ...params } }];
    });
    const sent: SentStops = {
      id: press.id,
      at: press.at,
      siteId: more.length === 0 ? siteId : [siteId, ...more],
      by,
      mode,
      request,
      stops,
    };
    // Before anything that may take time.
    this.#notices.announce(sent);
    const publishing = this.#publishAll(sent, async (stop) => {
      if (press.isHandedOver(stop.robotId)) return;
      await this.#publish(sent, stop);
      press.noteSent(stop.robotId);
    });
    this.#sentAt.set(press.id, this.#deps.clock.now());
    // Those with a row already need no file.
    const unstored = stops.filter(({ robotId }) => !press.isStored(robotId));
    for (const { robotId } of unstored) press.noteJournaled(robotId);
    const journaling = unstored.length === 0 ? null : this.#journal.add({ ...sent, stops: unstored });
    return Promise.allSettled([...publishing, journaling]);
  }

  /** Each resolves when the broker has accepted it. Every press has turns of its own: none waits for another. */
  #publishAll({ stops }: SentStops, publish: (stop: SentStop) => Promise<void>): Promise<void>[] {
    const turn = pLimit(MAX_UNACCEPTED);
    return stops.map((stop) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const publishing = turn(async () => {
        const accepted = publish(stop);
        resolve(accepted);
        await withTimeout(this.#deps.clock, accepted, ACCEPTED_WITHIN_MS);
      });
      // A Stop that failed fails where it is awaited.
      publishing.catch(() => {});
      return promise;
    });
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

  /** Until the Stops have rows nobody can see whether the robots have stopped, so they are sent again. */
  async #resend(): Promise<void> {
    const { broker, clock } = this.#deps;
    const presses = this.#journal?.presses ?? [];
    this.#notices.update(presses);
    if (!broker.connected) return;
    const now = clock.now();
    const journaled = new Set(presses.map(({ id }) => id));
    for (const id of this.#sentAt.keys()) if (!journaled.has(id)) this.#sentAt.delete(id);
    for (const press of presses) {
      const sentAt = this.#sentAt.get(press.id);
      if (sentAt !== undefined && now.getTime() - sentAt.getTime() < RESEND_MS) continue;
      this.#sentAt.set(press.id, now);
      this.#notices.announce(press);
      // One that is recorded by its turn is sent by its row, and may be followed by a START.
      const repeat = async (stop: SentStop) => {
        if (this.#journal?.has(press.id, stop.robotId) === true) await this.#publish(press, stop);
      };
      void Promise.allSettled(this.#publishAll(press, repeat));
    }
  }

  async #record(): Promise<void> {
    const { db, clock, serverId, log } = this.#deps;
    for (const press of this.#journal?.presses ?? []) {
      if (this.#inProgress.has(press.id)) continue;
      try {
        await recordSentStops(db, press, serverId, clock.now());
      } catch (error) {
        // Retried; while the database is unreachable there is nothing to log.
        if (isDatabaseUnreachable(error)) return;
        if (isLockTimeout(error)) continue;
        log.error({ error, press: press.id }, "a Stop that was sent could not be recorded; retrying");
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

/**
 * A person's Stop for robots, from the press to its answer. Each robot's order has an id and seq from the
 * start.
 */
export class StopPress {
  readonly id = uuidv7();
  readonly at: Date;
  /** Robots that may be sent the Stop before the database is involved. */
  readonly robots: readonly KnownRobot[];
  readonly #onStored: (robotId: number) => void;
  readonly #pressed: ReadonlyMap<number, PressedStop>;
  readonly #stored = new Set<number>();
  readonly #handedOver = new Set<number>();
  readonly #journaled = new Set<number>();
  readonly #sent = new Set<number>();

  constructor(at: Date, robots: readonly KnownRobot[], onStored: (robotId: number) => void) {
    this.at = at;
    this.robots = robots;
    this.#onStored = onStored;
    this.#pressed = new Map(
      robots.map(({ id, lastSeq }) => {
        return [id, { id: uuidv7(), renumberedId: uuidv7(), seq: Math.max(at.getTime(), lastSeq + 1), wasSent: false }];
      }),
    );
  }

  /** Identifies the robot's order wherever it is sent or stored; undefined for a robot that was not known. */
  of(robotId: number): PressedStop | undefined {
    return this.#pressed.get(robotId);
  }

  /** Its row is committed. */
  noteStored(robotId: number): void {
    this.#stored.add(robotId);
    if (this.#journaled.has(robotId)) this.#onStored(robotId);
  }

  /** The server that stored its row has sent it, or will. */
  noteHandedOver(robotId: number): void {
    this.#handedOver.add(robotId);
  }

  /** It is in the journal, and repeated until it has its row. */
  noteJournaled(robotId: number): void {
    this.#journaled.add(robotId);
  }

  /** The broker has accepted it. */
  noteSent(robotId: number): void {
    this.#sent.add(robotId);
  }

  /** The time in its rows: of the press if robots were sent it before they had one, otherwise of the decision. */
  recordedAt(decidedAt: Date): Date {
    return this.#journaled.size > 0 ? this.at : decidedAt;
  }

  isStored(robotId: number): boolean {
    return this.#stored.has(robotId);
  }

  isHandedOver(robotId: number): boolean {
    return this.#handedOver.has(robotId);
  }

  get isAnyStored(): boolean {
    return this.#stored.size > 0;
  }

  /** Robots that have not been sent the Stop yet. */
  get unsent(): readonly KnownRobot[] {
    return this.robots.filter(({ id }) => !this.#handedOver.has(id) && !this.#journaled.has(id));
  }

  /** True if it is in the journal but not in the database. */
  isOnlyJournaled(robotId: number): boolean {
    return this.#journaled.has(robotId) && !this.#stored.has(robotId);
  }

  wasSent(robotId: number): boolean {
    return this.#sent.has(robotId);
  }
}

type Result = Pick<RobotResult, "outcome" | "message" | "pending">;

/** The outcome for one robot whose Stop is in the journal but not in the database. */
export function unrecordedResult(press: StopPress, robotId: number, serial: string): Result {
  if (press.wasSent(robotId)) return { outcome: "SUCCESS", message: SENT_UNRECORDED, pending: true };
  return { outcome: "FAILED", message: queuedUnrecorded(serial), pending: true };
}

/** The outcome for all robots of a press if the database does not respond. */
export function unrecordedResults(press: StopPress): RobotResult[] {
  return press.robots.map(({ id, serial }) => {
    const result: Result = press.isOnlyJournaled(id)
      ? unrecordedResult(press, id, serial)
      : { outcome: "FAILED", message: RESULT_UNKNOWN, pending: press.isStored(id) };
    return { robotId: serial, robotObjectId: id, ...result };
  });
}

/**
 * The answer about one robot: it was sent the Stop, but has not been seen to stop yet. Throws anything that is not a
 * success.
 */
export function unrecordedAnswer(press: StopPress, serial: string): SuccessAnswer {
  const [robot] = press.robots;
  const pressed = robot && press.of(robot.id);
  if (robot === undefined || pressed === undefined || !press.isOnlyJournaled(robot.id)) {
    throw new HttpError(504, "RESULT_UNKNOWN", notKnownYet(serial), { success: false, pending: true });
  }
  const { outcome, message } = unrecordedResult(press, robot.id, serial);
  if (outcome === "FAILED") throw new HttpError(503, "COMMAND_PENDING", message, { success: false, pending: true });
  return { success: true, message, command_id: pressed.id, pending: true };
}
