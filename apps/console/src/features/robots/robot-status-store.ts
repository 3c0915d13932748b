import { NO_CALLS } from "./robot-overlay.ts";
import type { CallState, RobotOverlay } from "./robot-overlay.ts";

/** What this browser knows of a robot beside the list and the stream; nothing of it is stored. */
export interface RobotNotes {
  readonly overlay: RobotOverlay | null;
  readonly calls: CallState;
  /** When its status was last asked for (§9 Status polling). */
  readonly lastQueriedAt: Date | null;
}

export const NO_NOTES: RobotNotes = { overlay: null, calls: NO_CALLS, lastQueriedAt: null };

type Listener = () => void;

/** Figures over many robots are computed this often at the most, in milliseconds. */
const GATHER_MS = 100;

/** Notes by robot; a card renders for its own robot alone. */
export class RobotStatusStore {
  readonly #notes = new Map<number, RobotNotes>();
  readonly #byRobot = new Map<number, Set<Listener>>();
  readonly #all = new Set<Listener>();
  #version = 0;
  #gathering: ReturnType<typeof setTimeout> | undefined;

  notes(robotId: number): RobotNotes {
    return this.#notes.get(robotId) ?? NO_NOTES;
  }

  /** Counts the rounds of changes, for figures over many robots. */
  version(): number {
    return this.#version;
  }

  update(robotId: number, change: Partial<RobotNotes>): void {
    this.#notes.set(robotId, { ...this.notes(robotId), ...change });
    for (const listener of this.#byRobot.get(robotId) ?? []) listener();
    if (this.#all.size === 0 || this.#gathering !== undefined) return;
    this.#gathering = setTimeout(() => this.tellAll(), GATHER_MS);
  }

  updateCalls(robotId: number, change: Partial<CallState>): void {
    this.update(robotId, { calls: { ...this.notes(robotId).calls, ...change } });
  }

  /** Forgets everything: another user must not see it. */
  clear(): void {
    for (const robotId of this.#notes.keys()) this.update(robotId, NO_NOTES);
    this.#notes.clear();
  }

  /** Tells now what is gathered for figures over many robots. */
  tellAll(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#version += 1;
    for (const listener of this.#all) listener();
  }

  /** Hears of one robot at once, or of all, gathered, where `robotId` is null; the answer ends it. */
  subscribe(robotId: number | null, listener: Listener): () => void {
    if (robotId === null) {
      this.#all.add(listener);
      return () => this.#all.delete(listener);
    }
    const set = this.#byRobot.get(robotId) ?? new Set<Listener>();
    this.#byRobot.set(robotId, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#byRobot.get(robotId) === set) this.#byRobot.delete(robotId);
    };
  }
}
