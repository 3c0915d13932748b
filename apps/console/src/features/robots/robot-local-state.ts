import type { CleaningDirection, Motion, RobotLive, RobotStatus } from "@suncrew/contract/robots/robots.ts";

/** A START or STOP that was answered: the robot showed it to the server, and the stream tells so a moment later. */
export interface CommandedOverlay {
  readonly kind: "commanded";
  readonly verb: "START" | "STOP";
  /** When the answer came. */
  readonly at: Date;
  /** The robot as the stream had told it when the button was pressed, and when the answer came. */
  readonly before: RobotLive | null;
  readonly seen: RobotLive | null;
}

/** What this browser learnt of a robot by its own calls; it yields as soon as the stream knows better. */
export type RobotOverlay =
  | CommandedOverlay
  | {
      readonly kind: "answered";
      readonly status: RobotStatus;
      readonly motion: Motion | null;
      /** Null where the answer did not tell (the answer to a command). */
      readonly batteryPercent: number | null;
      readonly direction: CleaningDirection | null;
      readonly at: Date;
      /** The robot as the stream told it when the call was made. */
      readonly seen: RobotLive | null;
    }
  | {
      readonly kind: "unreached";
      /** A status call failed, not merely a command. */
      readonly byStatusCall: boolean;
      /** Demo mode after a failed status call; else null. */
      readonly mock: MockReading | null;
      /** The last live report at the time of the failure, ISO 8601. */
      readonly lastReportAt: string | null;
    };

/** This browser's calls that are under way for a robot. */
export interface CallState {
  readonly sending: "START" | "STOP" | null;
  /** A status call, by itself or because a person pressed Refresh. */
  readonly refresh: "polled" | "pressed" | null;
}

export const NO_CALLS: CallState = { sending: null, refresh: null };

/** §4 Commands: Start success sets status normal, Stop success idle. */
export const commandedLook = {
  START: { status: "normal", motion: "MOVING" },
  STOP: { status: "idle", motion: "STOPPED" },
} as const satisfies Record<CommandedOverlay["verb"], { readonly status: RobotStatus; readonly motion: Motion }>;

/** The stream tells within this time what a robot showed to the server, in milliseconds. */
const TOLD_WITHIN_MS = 5_000;

/**
 * True while the overlay still holds. A status answer yields to any later word of the stream, a command's to one that
 * is as late as its confirmation; "unreached" ends when the stream shows a live report newer than the failure.
 */
export function overlayHolds(overlay: RobotOverlay, live: RobotLive | null, now: Date): boolean {
  if (overlay.kind === "commanded") return commandHolds(overlay, live, now);
  if (overlay.kind === "answered") return overlay.seen === live;
  if (live === null || !live.online || live.last_updated_at === null) return true;
  return overlay.lastReportAt !== null && Date.parse(live.last_updated_at) <= Date.parse(overlay.lastReportAt);
}

/**
 * The stream may still be telling what was before the confirmation: that the command is under way, or another battery
 * level. It is later once it shows what was commanded, a run that has ended since the press, or another condition than
 * when the answer came. Any later word counts once it had the time to tell.
 */
function commandHolds({ verb, at, before, seen }: CommandedOverlay, live: RobotLive | null, now: Date): boolean {
  if (live === null) return true;
  if (live.motion === commandedLook[verb].motion) return false;
  if (live.last_run?.run_id !== before?.last_run?.run_id) return false;
  if (live === seen) return true;
  return !isOtherCondition(live, seen) && now.getTime() - at.getTime() < TOLD_WITHIN_MS;
}

function isOtherCondition(live: RobotLive, seen: RobotLive | null): boolean {
  return (
    live.status !== seen?.status ||
    live.motion !== seen.motion ||
    live.online !== seen.online ||
    live.operating_mode !== seen.operating_mode
  );
}

/** §9 Simulated fallback status values, both ends included. */
const BATTERY_RANGE = [40, 99] as const;
const MAIN_SPEED_RANGE = [40, 79] as const;
const BRUSH_SPEED_RANGE = [30, 59] as const;

/** What stands in for the last reading in place of a time. */
const MOCK_TIMESTAMP = "Mock";

/** Simulated values of a robot that did not answer; demo mode alone makes them and nothing stores them. */
export interface MockReading {
  readonly batteryPercent: number;
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
  readonly timestamp: typeof MOCK_TIMESTAMP;
}

/** `random` answers from 0 up to, not including, 1. */
export function mockReading(random: () => number): MockReading {
  const within = ([low, high]: readonly [number, number]) => low + Math.floor(random() * (high - low + 1));
  return {
    batteryPercent: within(BATTERY_RANGE),
    mainMotorSpeed: within(MAIN_SPEED_RANGE),
    brushMotorSpeed: within(BRUSH_SPEED_RANGE),
    timestamp: MOCK_TIMESTAMP,
  };
}

/** What this browser knows of a robot beside the list and the stream; nothing of it is stored. */
interface RobotNotes {
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
