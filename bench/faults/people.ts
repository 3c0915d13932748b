import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { sendCommand, type StartOrStop } from "@suncrew/contract/commands/commands.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Answer, Question } from "../production/caller.ts";
import type { KnownRobot } from "../production/fleet.ts";
import type { TestSystem } from "../production/test-system.ts";

/**
 * A server answers within this time, whatever happens: a START may take 9.5 s until its outcome is known, a query 15 s
 * until it is given up, and a connection to the database 5 s.
 */
export const ANSWER_LIMIT_MS = 30_000;
/** A proxy in front gives up a server that stands still after this long, and asks another one. */
const FROZEN_PATIENCE_MS = 5_000;
const RETRY_MS = 250;
const READ_PAUSE_MS = 1_000;

/** One call and what the caller saw. */
export interface Call {
  readonly what: "START" | "STOP" | "page";
  readonly fromMs: number;
  readonly untilMs: number;
  /** Null if no server answered. */
  readonly answer: Answer | null;
  /** How long one server let the caller wait at most, without servers that were suspended. */
  readonly waitedMs: number;
  /** Whether one of the servers asked was suspended in the meantime. */
  readonly metFrozen: boolean;
  /** How many times a server was asked, with the same key. */
  readonly tries: number;
}

export interface Press extends Call {
  readonly what: StartOrStop;
  readonly robot: KnownRobot;
  /** For a STOP of a robot that moved and was connected: when it stood, null if it has not. */
  readonly stood: { atMs: number | null } | null;
}

/** People who start, stop and look at robots by HTTP, each at a server of their own while that one answers. */
export class People {
  readonly #system: TestSystem;
  readonly presses: Press[] = [];
  readonly reads: Call[] = [];
  #working = true;
  #done: Promise<unknown>[] = [];

  constructor(system: TestSystem) {
    this.#system = system;
  }

  /** Each of these robots has a person who starts and stops it all the time. */
  startAndStop(robots: readonly KnownRobot[]): void {
    const { random } = this.#system;
    const work = async (robot: KnownRobot, nth: number): Promise<void> => {
      await pause(random.between(0, 3_000));
      while (this.#working) {
        await this.press(robot, "START", nth);
        await pause(random.between(1_500, 5_000));
        await this.press(robot, "STOP", nth);
        await pause(random.between(1_000, 3_000));
      }
    };
    this.#done.push(...robots.map(work));
  }

  /** At each server somebody looks at the sites, the robots of one and the activity log in turn. */
  read(siteId: number): void {
    const pages: readonly { readonly route: RouteSpec; readonly params: Question["params"] }[] = [
      { route: siteDetails, params: {} },
      { route: robotDetailsWithSettings, params: { siteId } },
      { route: activityLogs, params: {} },
    ];
    const work = async (_: unknown, nth: number): Promise<void> => {
      for (let turn = 0; this.#working; turn += 1) {
        const { route, params } = pages[turn % pages.length] ?? { route: siteDetails, params: {} };
        const call = await this.#call(route, { params }, nth, 1);
        this.reads.push({ what: "page", ...call });
        await pause(READ_PAUSE_MS);
      }
    };
    this.#done.push(...this.#system.places.map(work));
  }

  /** One robot after the other is started, until one of all that people press has been: finds out from when that works. */
  async startUntilOneWorks(robots: readonly KnownRobot[], limitMs: number): Promise<void> {
    const sinceMs = Date.now();
    const hasWorked = () =>
      this.presses.some(({ what, answer, untilMs }) => what === "START" && answer?.status === 200 && untilMs > sinceMs);
    const pressed: Promise<void>[] = [];
    for (let nth = 0; !hasWorked() && Date.now() - sinceMs < limitMs; nth += 1) {
      // Those that are connected: a robot that is not back yet proves nothing.
      const connected = robots.filter(({ serial }) => this.#system.fleet.truth(serial).connected);
      const robot = connected[nth % connected.length];
      if (robot !== undefined) pressed.push(this.press(robot, "START", nth));
      await pause(RETRY_MS);
    }
    await Promise.all(pressed);
  }

  /** Resolves when every call has its answer. */
  async stop(): Promise<void> {
    this.#working = false;
    await Promise.all(this.#done);
  }

  /** Presses once; a broken connection repeats the press with the same key, at the next server. */
  async press(robot: KnownRobot, command: StartOrStop, nth: number): Promise<void> {
    const { fleet } = this.#system;
    const { motion, connected } = fleet.truth(robot.serial);
    let stood: { atMs: number | null } | null = null;
    if (command === "STOP" && motion === "MOVING" && connected) {
      const noted: { atMs: number | null } = { atMs: null };
      stood = noted;
      void fleet.fleet
        .robot(robot.serial)
        .until((truth) => truth.motion === "STOPPED")
        .then(() => (noted.atMs = Date.now()));
    }
    const body = { robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId, command };
    const call = await this.#call(sendCommand, { body, key: randomUUID(), pressedMs: Date.now() }, nth, Infinity);
    this.presses.push({ what: command, robot, stood, ...call });
  }

  async #call(route: RouteSpec, question: Question, nth: number, mostTries: number): Promise<Omit<Call, "what">> {
    const { places, caller } = this.#system;
    const fromMs = Date.now();
    let answer: Answer | null = null;
    let waitedMs = 0;
    let metFrozen = false;
    let tries = 0;
    for (let turn = 0; turn < mostTries && Date.now() - fromMs < ANSWER_LIMIT_MS; turn += 1) {
      const place = places[(nth + turn) % places.length];
      if (place === undefined) throw new Error("There is no server.");
      const askedMs = Date.now();
      const wasFrozen = place.frozen;
      const { freezes } = place;
      tries += 1;
      answer = await caller.call(place, route, {
        ...question,
        limitMs: wasFrozen ? FROZEN_PATIENCE_MS : ANSWER_LIMIT_MS,
      });
      if (wasFrozen || place.freezes > freezes) metFrozen = true;
      else waitedMs = Math.max(waitedMs, Date.now() - askedMs);
      if (answer !== null) break;
      await pause(RETRY_MS);
    }
    return { fromMs, untilMs: Date.now(), answer, waitedMs, metFrozen, tries };
  }
}
