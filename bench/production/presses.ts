import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { Db } from "../../apps/server/src/platform/database/database.ts";
import { type Answer, type Caller, someAnswering } from "./caller.ts";
import type { KnownRobot, RecordedFleet } from "./fleet.ts";
import type { ServerPlace } from "./killed-servers.ts";
import type { SeededRandom } from "./wait-and-random.ts";

const RETRY_MS = 250;
/** A press is repeated, with the same key, until some server answers it. */
const GIVE_UP_MS = 60_000;

export interface PressesParts {
  readonly db: Db;
  readonly places: readonly ServerPlace[];
  readonly caller: Caller;
  readonly fleet: RecordedFleet;
  readonly robots: readonly KnownRobot[];
  readonly random: SeededRandom;
}

/** People who start and stop robots manually while servers are killed or replaced. */
export class Presses {
  readonly #parts: PressesParts;
  readonly problems: string[] = [];
  /** Presses of Start and Stop by how they were answered. */
  readonly answers = new Map<string, number>();
  presses = 0;
  /** Repetitions after a connection that broke. */
  repeated = 0;
  /** Answers of servers that had been asked to stop. */
  byStopping = 0;

  constructor(parts: PressesParts) {
    this.#parts = parts;
  }

  /** Presses while `keepGoing` says so, then stops every robot; resolves when all of that is answered. */
  async work(keepGoing: () => boolean): Promise<void> {
    const { robots, random } = this.#parts;
    await Promise.all(
      robots.map(async (robot) => {
        while (keepGoing()) {
          await this.#press(robot, "START");
          await pause(random.between(500, 4_000));
          await this.#press(robot, "STOP");
          await pause(random.between(500, 3_000));
        }
      }),
    );
  }

  async #press(robot: KnownRobot, command: "START" | "STOP"): Promise<void> {
    const { places, caller, random, fleet } = this.#parts;
    const body = { robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId, command };
    const key = randomUUID();
    const endMs = Date.now() + GIVE_UP_MS;
    let answer: Answer | null = null;
    this.presses += 1;
    for (let tries = 0; answer === null && Date.now() < endMs; tries += 1) {
      if (tries > 0) await pause(RETRY_MS);
      const place = someAnswering(places, (from) => random.pick(from));
      if (place === null) continue;
      if (tries > 0) this.repeated += 1;
      answer = await caller.call(place, sendCommand, { body, key });
      if (answer !== null && place.retiring) this.byStopping += 1;
    }
    const named = `${command} ${answer?.status ?? "without an answer"}`;
    this.answers.set(named, (this.answers.get(named) ?? 0) + 1);
    if (answer === null || (answer.status >= 500 && ![502, 503, 504].includes(answer.status))) {
      this.problems.push(`${robot.serial}: ${named}: ${JSON.stringify(answer?.body)}`);
    }
    const shown = fleet.truth(robot.serial).motion;
    // Nobody else presses for this robot, so what was confirmed still holds.
    const isConfirmed = answer?.status === 200 && !isPending(answer.body);
    if (command === "STOP" && isConfirmed && shown !== "STOPPED") {
      this.problems.push(`${robot.serial} moves although its STOP was confirmed.`);
    }
    if (command === "START" && isConfirmed && shown !== "MOVING") {
      this.problems.push(`${robot.serial} stands although its START was confirmed.`);
    }
  }

  /** Compares what was stored with what the robots did. Call it when all is over. */
  async check(): Promise<string[]> {
    const { db, fleet, robots } = this.#parts;
    const problems = [...this.problems];
    const commands = await db
      .selectFrom("commands")
      .where(
        "robot_id",
        "in",
        robots.map(({ id }) => id),
      )
      .select(["id", "serial_number as serial", "verb", "outcome", "run_id as runId"])
      .execute();
    const starts = new Set(commands.filter(({ verb }) => verb === "START").map(({ id }) => id));
    for (const command of commands) {
      if (command.outcome === null) problems.push(`${command.serial}: a ${command.verb} is still open.`);
      if (command.verb === "STOP" && command.outcome !== null && command.outcome !== "CONFIRMED") {
        problems.push(`${command.serial}: a STOP ended ${command.outcome}.`);
      }
    }
    for (const { serial } of robots) {
      const { startsTaken, motion } = fleet.truth(serial);
      if (motion !== "STOPPED") problems.push(`${serial} still moves.`);
      if (new Set(startsTaken).size < startsTaken.length) problems.push(`${serial} took a START twice.`);
      const unknown = startsTaken.filter((id) => !starts.has(id));
      if (unknown.length > 0) problems.push(`${serial} took a START that no server stored: ${unknown.join(", ")}.`);
    }
    return problems;
  }

  /** Answers by frequency. */
  describe(): string {
    const all = [...this.answers].map(([what, times]) => `${what}: ${times}`);
    return all.toSorted((a, b) => a.localeCompare(b)).join(", ");
  }

  /** How many STARTs robots accepted. */
  get taken(): number {
    const { fleet, robots } = this.#parts;
    return robots.reduce((sum, { serial }) => sum + fleet.truth(serial).startsTaken.length, 0);
  }
}

/** Sent to the robot at once, and confirmed later. */
function isPending(body: unknown): boolean {
  return typeof body === "object" && body !== null && "pending" in body && body.pending === true;
}
