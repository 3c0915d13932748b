import type { CleaningDirection, Motion, RobotLive, RobotStatus } from "@suncrew/contract/robots/robots.ts";

/** This browser's START or STOP that the robot has confirmed to the server; the stream shows it a moment later. */
export interface CommandOverride {
  readonly kind: "command";
  readonly verb: "START" | "STOP";
  /** When the response arrived. */
  readonly at: Date;
  /** The robot in the stream when the button was pressed. */
  readonly liveAtPress: RobotLive | null;
  /** The robot in the stream when the response arrived. */
  readonly liveAtResponse: RobotLive | null;
}

/** What this browser's own calls revealed about a robot; dropped as soon as the stream knows better. */
export type StatusOverride =
  | CommandOverride
  | {
      readonly kind: "status";
      readonly status: RobotStatus;
      readonly motion: Motion | null;
      readonly batteryPercent: number | null;
      readonly direction: CleaningDirection | null;
      readonly at: Date;
      /** The robot in the stream when the call was made. */
      readonly liveAtRequest: RobotLive | null;
    }
  | {
      readonly kind: "unreachable";
      /** A status call failed, not merely a command. */
      readonly byStatusCall: boolean;
      /** Demo mode after a failed status call; else null. */
      readonly mock: MockReading | null;
      /** The last live report at the time of the failure, ISO 8601. */
      readonly lastReportAt: string | null;
    };

/** This browser's unanswered calls to a robot. */
export interface PendingCalls {
  readonly sending: "START" | "STOP" | null;
  /** A status call, made by polling or because a person pressed Refresh. */
  readonly refresh: "polled" | "pressed" | null;
}

export const NO_PENDING_CALLS: PendingCalls = { sending: null, refresh: null };

/** §4 Commands: Start success sets status normal, Stop success idle. */
export const stateAfterCommand = {
  START: { status: "normal", motion: "MOVING" },
  STOP: { status: "idle", motion: "STOPPED" },
} as const satisfies Record<CommandOverride["verb"], { readonly status: RobotStatus; readonly motion: Motion }>;

/** The stream shows within this time what a robot has confirmed to the server, in milliseconds. */
const STREAM_LAG_MS = 5_000;

/**
 * A status response gives way to any later update of the stream, a confirmed command to one that cannot predate the
 * confirmation; "unreachable" ends when the stream shows a live report newer than the failure.
 */
export function overrideApplies(override: StatusOverride, live: RobotLive | null, now: Date): boolean {
  if (override.kind === "command") return commandOverrideApplies(override, live, now);
  if (override.kind === "status") return override.liveAtRequest === live;
  if (live === null || !live.online || live.last_updated_at === null) return true;
  return override.lastReportAt !== null && Date.parse(live.last_updated_at) <= Date.parse(override.lastReportAt);
}

/**
 * The stream may still deliver what was true before the confirmation, such as the open command or another battery
 * level. An update is later for certain once it shows the commanded motion, a run that ended since the press, or a
 * condition other than at the response. After STREAM_LAG_MS any update counts.
 */
function commandOverrideApplies(
  { verb, at, liveAtPress, liveAtResponse }: CommandOverride,
  live: RobotLive | null,
  now: Date,
): boolean {
  if (live === null) return true;
  if (live.motion === stateAfterCommand[verb].motion) return false;
  if (live.last_run?.run_id !== liveAtPress?.last_run?.run_id) return false;
  if (live === liveAtResponse) return true;
  return !hasConditionChanged(live, liveAtResponse) && now.getTime() - at.getTime() < STREAM_LAG_MS;
}

function hasConditionChanged(live: RobotLive, former: RobotLive | null): boolean {
  return (
    live.status !== former?.status ||
    live.motion !== former.motion ||
    live.online !== former.online ||
    live.operating_mode !== former.operating_mode
  );
}

/** §9 Simulated fallback status values, both ends included. */
const BATTERY_RANGE = [40, 99] as const;
const MAIN_SPEED_RANGE = [40, 79] as const;
const BRUSH_SPEED_RANGE = [30, 59] as const;

/** Shown in place of the time of the last reading. */
const MOCK_TIMESTAMP = "Mock";

/** Simulated values for a robot that did not respond; made in demo mode only and never stored. */
export interface MockReading {
  readonly batteryPercent: number;
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
  readonly timestamp: typeof MOCK_TIMESTAMP;
}

/** `random` returns a number from 0 up to, not including, 1. */
export function mockReading(random: () => number): MockReading {
  const within = ([low, high]: readonly [number, number]) => low + Math.floor(random() * (high - low + 1));
  return {
    batteryPercent: within(BATTERY_RANGE),
    mainMotorSpeed: within(MAIN_SPEED_RANGE),
    brushMotorSpeed: within(BRUSH_SPEED_RANGE),
    timestamp: MOCK_TIMESTAMP,
  };
}

/** What this browser knows of a robot besides the list and the stream; never persisted. */
interface RobotLocalState {
  readonly override: StatusOverride | null;
  readonly calls: PendingCalls;
  /** When its status was last requested (§9 Status polling). */
  readonly lastQueriedAt: Date | null;
}

export const NO_LOCAL_STATE: RobotLocalState = { override: null, calls: NO_PENDING_CALLS, lastQueriedAt: null };

type Listener = () => void;

/** Figures over many robots are recomputed at most this often, in milliseconds. */
const FLUSH_AFTER_MS = 100;

/** Local state by robot, with listeners for one robot or for all. */
export class RobotLocalStore {
  readonly #states = new Map<number, RobotLocalState>();
  readonly #byRobot = new Map<number, Set<Listener>>();
  readonly #all = new Set<Listener>();
  #version = 0;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  get(robotId: number): RobotLocalState {
    return this.#states.get(robotId) ?? NO_LOCAL_STATE;
  }

  /** Grows with each flush, for figures over many robots. */
  version(): number {
    return this.#version;
  }

  update(robotId: number, change: Partial<RobotLocalState>): void {
    this.#states.set(robotId, { ...this.get(robotId), ...change });
    for (const listener of this.#byRobot.get(robotId) ?? []) listener();
    if (this.#all.size === 0 || this.#flushTimer !== undefined) return;
    this.#flushTimer = setTimeout(() => this.flush(), FLUSH_AFTER_MS);
  }

  updateCalls(robotId: number, change: Partial<PendingCalls>): void {
    this.update(robotId, { calls: { ...this.get(robotId).calls, ...change } });
  }

  /** Another user must not see any of it. */
  clear(): void {
    for (const robotId of this.#states.keys()) this.update(robotId, NO_LOCAL_STATE);
    this.#states.clear();
  }

  /** Notifies the listeners for all robots now instead of after FLUSH_AFTER_MS. */
  flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#version += 1;
    for (const listener of this.#all) listener();
  }

  /** `robotId` null listens to all robots, throttled; one robot's listener is called at once. Returns the unsubscribe. */
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
