import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";

/**
 * `connecting` before the first events, `live` while they arrive, `lost` while reconnecting,
 * `stopped` if nobody is signed in or the tab is hidden.
 */
export type LiveStatus = "connecting" | "live" | "lost" | "stopped";

/** The server's answer to this browser about a robot, shown until the stream has caught up. */
export interface RobotAnswer {
  /** A status reading replaces the one before; a confirmed command also what was read before it. */
  readonly kind: "status" | "command" | "settings";
  /** The answer's position in the stream; null if the server, of an older version, sends none. */
  readonly position: string | null;
  /** The robot as the answer shows it. */
  readonly show: (robot: RobotLive) => RobotLive;
}

const REPLACED: Record<RobotAnswer["kind"], readonly RobotAnswer["kind"][]> = {
  status: ["status"],
  command: ["status", "command"],
  settings: [],
};

/** §9 Simulated fallback status values of a robot that did not respond; made in demo mode only and never stored. */
export interface MockReading {
  readonly batteryPercent: number;
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
  /** Shown in place of the time of the last reading. */
  readonly timestamp: "Mock";
}

/** A call of this browser did not reach a robot; it is offline until the stream shows a newer report. */
export interface Unreachable {
  /** A status call failed, not merely a command. */
  readonly byStatusCall: boolean;
  /** Demo mode after a failed status call; otherwise null. */
  readonly mock: MockReading | null;
  /** The last live report at the time of the failure, ISO 8601. */
  readonly lastReportAt: string | null;
}

/** What this browser's own calls have to do with a robot; never persisted. */
interface RobotCalls {
  readonly unreachable: Unreachable | null;
  /** A START or STOP that has no response yet. */
  readonly sending: "START" | "STOP" | null;
  /** A status call that has no response yet, made by polling or because a person pressed Refresh. */
  readonly refresh: "polled" | "pressed" | null;
  /** When its status was last requested (§9 Status polling). */
  readonly lastQueriedAt: Date | null;
}

/** All that this browser knows about a robot. */
export interface RobotEntry extends RobotCalls {
  /** As last reported by the stream; null until it has named the robot. */
  readonly streamed: RobotLive | null;
  /** What the stream does not show yet, oldest first. */
  readonly answers: readonly RobotAnswer[];
  /** As last reported by the server, through the stream or an answer; null until the stream has named it. */
  readonly robot: RobotLive | null;
}

const NO_CALLS: RobotCalls = { unreachable: null, sending: null, refresh: null, lastQueriedAt: null };

/** A robot about which nothing is known yet. */
export const UNKNOWN_ROBOT: RobotEntry = { ...NO_CALLS, streamed: null, answers: [], robot: null };

type Listener = () => void;

/** What a browser's own calls reveal changes figures over many robots at most this often, in milliseconds. */
const FLUSH_AFTER_MS = 100;

/**
 * The one source of the state of robots and sites: the live stream, and the server's answers to this browser until
 * the stream has caught up with them. A component renders only for what it subscribes to.
 */
export class LiveStore {
  readonly #robots = new Map<number, RobotEntry>();
  readonly #sites = new Map<number, Site>();
  readonly #listeners = new Map<string, Set<Listener>>();
  /** The stream that was being opened when each answer came: one opened later begins with the answer's result. */
  readonly #answeredIn = new WeakMap<RobotAnswer, number>();
  readonly #answered = new Set<number>();
  #streams = 0;
  /** How far the snapshot and the last update had come. Either counts: an update may have been found before it. */
  #reached: readonly (string | undefined)[] = [];
  #hasSnapshot = false;
  #status: LiveStatus = "stopped";
  #version = 0;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  entry(id: number): RobotEntry {
    return this.#robots.get(id) ?? UNKNOWN_ROBOT;
  }

  robot(id: number): RobotLive | undefined {
    return this.entry(id).robot ?? undefined;
  }

  *robots(): Iterable<RobotLive> {
    for (const { robot } of this.#robots.values()) if (robot !== null) yield robot;
  }

  sites(): Iterable<Site> {
    return this.#sites.values();
  }

  site(id: number): Site | undefined {
    return this.#sites.get(id);
  }

  status(): LiveStatus {
    return this.#status;
  }

  /** False before the first snapshot: then the robots are unknown, rather than none. */
  hasSnapshot(): boolean {
    return this.#hasSnapshot;
  }

  /** Grows with each notification of `any`, for values computed from many robots. */
  version(): number {
    return this.#version;
  }

  /**
   * `key` is `robot:<id>`, notified at once; `any`, notified once for each flush; or `status`. Returns the unsubscribe.
   */
  subscribe(key: string, listener: Listener): () => void {
    const set = this.#listeners.get(key) ?? new Set<Listener>();
    this.#listeners.set(key, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(key) === set) this.#listeners.delete(key);
    };
  }

  setStatus(status: LiveStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#tell("status");
    this.flush();
  }

  /** A stream is requested now: its snapshot is newer than every answer until now. */
  noteOpening(): void {
    this.#streams += 1;
  }

  /** Applies events in the order they came and notifies each subscriber once. */
  apply(events: readonly LiveEvent[]): void {
    const touched = new Set<number>();
    let isNewStream = false;
    for (const event of events) {
      if (event.type === "end") continue;
      if (event.type === "snapshot") {
        isNewStream = true;
        this.#hasSnapshot = true;
        this.#reached = [event.reached];
        this.#forgetStreamed(touched);
      } else {
        this.#reached = [this.#reached[0], event.reached];
      }
      for (const robot of event.robots) {
        this.#robots.set(robot.robot_id, { ...this.entry(robot.robot_id), streamed: robot });
        touched.add(robot.robot_id);
      }
      for (const site of event.sites) this.#sites.set(site.id, site);
    }
    for (const id of this.#answered) this.#endAnswers(id, touched, isNewStream);
    for (const id of touched) this.#robots.set(id, shown(this.entry(id)));
    for (const id of touched) this.#tell(`robot:${id}`);
    this.flush();
  }

  /** The server has answered about a robot. Whatever it says, the robot was reached. */
  answer(id: number, answer: RobotAnswer): void {
    const { answers } = this.entry(id);
    // If the stream is lost the answer is newer, even if it says the same.
    const isShown = this.#status === "live" && this.#hasReached(answer.position);
    const others = answers.filter(({ kind }) => !REPLACED[answer.kind].includes(kind));
    this.#answeredIn.set(answer, this.#streams);
    this.#answered.add(id);
    this.update(id, { unreachable: null, answers: isShown ? others : [...others, answer] });
  }

  /** Records the outcome of a call of this browser; one that did not reach its robot replaces earlier answers. */
  update(id: number, change: Partial<RobotCalls & Pick<RobotEntry, "answers">>): void {
    const failed = change.unreachable === undefined || change.unreachable === null ? {} : { answers: [] };
    this.#robots.set(id, shown({ ...this.entry(id), ...failed, ...change }));
    this.#tell(`robot:${id}`);
    this.#flushTimer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS);
  }

  /** Notifies the subscribers of all robots now instead of after FLUSH_AFTER_MS. */
  flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#version += 1;
    this.#tell("any");
  }

  /** Discards what this browser's calls revealed: another user must not see it. */
  forgetCalls(): void {
    this.#answered.clear();
    for (const id of this.#robots.keys()) this.update(id, { ...NO_CALLS, answers: [] });
  }

  /** Discards everything: another user must not see it. */
  clear(): void {
    const ids = [...this.#robots.keys()];
    this.#robots.clear();
    this.#sites.clear();
    this.#answered.clear();
    this.#hasSnapshot = false;
    this.#reached = [];
    for (const id of ids) this.#tell(`robot:${id}`);
    this.flush();
  }

  #forgetStreamed(touched: Set<number>): void {
    for (const [id, entry] of this.#robots) {
      touched.add(id);
      this.#robots.set(id, { ...entry, streamed: null });
    }
    this.#sites.clear();
  }

  #endAnswers(id: number, touched: Set<number>, isNewStream: boolean): void {
    const entry = this.entry(id);
    const isOpen = (answer: RobotAnswer) => {
      if (isNewStream && (this.#answeredIn.get(answer) ?? 0) < this.#streams) return false;
      const isComparable = answer.position !== null && this.#reached.some((reached) => reached !== undefined);
      return isComparable ? !this.#hasReached(answer.position) : !touched.has(id);
    };
    const answers = entry.answers.filter(isOpen);
    if (answers.length === 0) this.#answered.delete(id);
    if (answers.length === entry.answers.length) return;
    this.#robots.set(id, { ...entry, answers });
    touched.add(id);
  }

  #hasReached(position: string | null): boolean {
    return position !== null && this.#reached.some((reached) => reached !== undefined && includes(reached, position));
  }

  #tell(key: string): void {
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }
}

/** Whether a stream that has come this far shows what the answer names: a transaction in a PostgreSQL snapshot. */
function includes(reached: string, position: string): boolean {
  const [xmin = "", xmax = "", open = ""] = reached.split(":");
  const change = BigInt(position);
  return change < BigInt(xmin) || (change < BigInt(xmax) && !open.split(",").includes(position));
}

/** With the robot as it is shown, and without a failure that the stream has disproved. */
function shown(entry: RobotEntry): RobotEntry {
  const { streamed, answers, unreachable } = entry;
  return {
    ...entry,
    unreachable: unreachable !== null && isReachedSince(unreachable, streamed) ? null : unreachable,
    robot: streamed && answers.reduce((robot, { show }) => show(robot), streamed),
  };
}

function isReachedSince({ lastReportAt }: Unreachable, streamed: RobotLive | null): boolean {
  if (streamed === null || !streamed.online || streamed.last_updated_at === null) return false;
  return lastReportAt === null || Date.parse(streamed.last_updated_at) > Date.parse(lastReportAt);
}
