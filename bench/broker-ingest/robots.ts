import { randomUUID } from "node:crypto";
import type { ConnectionMessage, EventMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";

/** A robot is moving in as many states as it is stopped in, and then moves again: a hundredth of all begin a run. */
const STATES_PER_MOTION = 50;

export const serialOf = (index: number) => `BENCH-${index}`;

/** What a robot sends at a time: a state, and an event before it if its motion has changed. */
export interface Sent {
  readonly index: number;
  readonly state: StateMessage;
  readonly event: EventMessage | null;
}

export interface Counts {
  states: number;
  events: number;
  /** Motions that began and that ended. */
  begun: number;
  ended: number;
}

/** Robots that report in turn, each at its own place in its runs. They keep their session and their counters. */
export class Robots {
  readonly counts: Counts = { states: 0, events: 0, begun: 0, ended: 0 };
  readonly #session = Math.floor(Date.now() / 1_000);
  readonly #robots: { sent: number; runId: string | null; eventSeq: number }[];
  #next = 0;

  constructor(robots: number) {
    const eventSeq = this.#session;
    this.#robots = Array.from({ length: robots }, () => ({ sent: 0, runId: null, eventSeq }));
  }

  connection(): ConnectionMessage {
    return { v: 1, state: "ONLINE", session: this.#session, ts: new Date().toISOString() };
  }

  /** What the next robot sends. */
  next(ts: string): Sent {
    const index = this.#next;
    this.#next = (index + 1) % this.#robots.length;
    const robot = this.#robots[index];
    if (robot === undefined) throw new Error("There are no robots.");
    const place = (robot.sent + index * 7_919) % (2 * STATES_PER_MOTION);
    robot.sent += 1;
    const isMoving = place < STATES_PER_MOTION;
    const battery = 90 - (isMoving ? place : 2 * STATES_PER_MOTION - place) / 2;
    const former = robot.runId;
    if (isMoving && former === null) robot.runId = randomUUID();
    if (!isMoving) robot.runId = null;
    const state: StateMessage = {
      seq: robot.sent,
      ts,
      session: this.#session,
      status: isMoving ? "start" : "stop",
      motion: isMoving ? "MOVING" : "STOPPED",
      mode: "AUTO",
      battery,
      charging: !isMoving,
      applied: { direction: "FWD", mainSpeed: 75, brushSpeed: 80 },
      runId: robot.runId,
      lastSeq: 0,
      lastCommandId: null,
      firmware: "2.4.1",
      alerts: [],
    };
    this.counts.states += 1;
    const runId = former ?? robot.runId;
    if (former === robot.runId || runId === null) return { index, state, event: null };
    robot.eventSeq += 1;
    this.counts.events += 1;
    const { eventSeq } = robot;
    const of = { eventSeq, session: this.#session, ts, at: ts, runId, battery };
    if (isMoving) {
      this.counts.begun += 1;
      return { index, state, event: { ...of, kind: "RUN_BEGAN" } };
    }
    this.counts.ended += 1;
    return { index, state, event: { ...of, kind: "RUN_ENDED", reason: "FINISHED" } };
  }
}
