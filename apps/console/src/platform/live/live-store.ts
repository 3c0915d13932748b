import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";

type LiveUpdate = Extract<LiveEvent, { readonly type: "update" }>;

/** An update that tells this and nothing else. */
export function liveUpdate(told: Partial<LiveUpdate> & Pick<LiveUpdate, "at">): LiveUpdate {
  return {
    type: "update",
    robots: [],
    sites: [],
    activity: [],
    groups_changed: [],
    runs_changed: [],
    rollouts_changed: [],
    alerts_changed: [],
    ...told,
  };
}

/**
 * `connecting` before the first events, `live` while they arrive, `lost` while trying again,
 * `stopped` where nobody is signed in or the tab is hidden.
 */
export type LiveStatus = "connecting" | "live" | "lost" | "stopped";

type Listener = () => void;

/** What the live stream last said, by robot and by site; a component renders for its own key alone. */
export class LiveStore {
  readonly #robots = new Map<number, RobotLive>();
  readonly #sites = new Map<number, Site>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #status: LiveStatus = "stopped";
  #version = 0;

  robot(id: number): RobotLive | undefined {
    return this.#robots.get(id);
  }

  site(id: number): Site | undefined {
    return this.#sites.get(id);
  }

  status(): LiveStatus {
    return this.#status;
  }

  /** Counts the flushes, for views that are computed from many robots. */
  version(): number {
    return this.#version;
  }

  robots(): Iterable<RobotLive> {
    return this.#robots.values();
  }

  sites(): Iterable<Site> {
    return this.#sites.values();
  }

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
  }

  /** Takes events in the order they came and tells each watcher once. */
  apply(events: readonly LiveEvent[]): void {
    const touched = new Set<string>();
    for (const event of events) {
      if (event.type === "end") continue;
      if (event.type === "snapshot") this.#forgetAll(touched);
      for (const robot of event.robots) {
        this.#robots.set(robot.robot_id, robot);
        touched.add(`robot:${robot.robot_id}`);
      }
      for (const site of event.sites) {
        this.#sites.set(site.id, site);
        touched.add(`site:${site.id}`);
      }
    }
    this.#version += 1;
    for (const key of touched) this.#tell(key);
    this.#tell("any");
  }

  /** Forgets everything: another user must not see it. */
  clear(): void {
    const touched = new Set<string>();
    this.#forgetAll(touched);
    this.#version += 1;
    for (const key of touched) this.#tell(key);
    this.#tell("any");
  }

  #forgetAll(touched: Set<string>): void {
    for (const id of this.#robots.keys()) touched.add(`robot:${id}`);
    for (const id of this.#sites.keys()) touched.add(`site:${id}`);
    this.#robots.clear();
    this.#sites.clear();
  }

  #tell(key: string): void {
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }
}
