import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { saveGroup } from "../../features/groups/public.ts";
import { findStopsDue } from "../../features/runs/public.ts";
import { runDue, stopRuns, storeNew } from "../../features/schedules/public.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { DemoGroup } from "./demo-groups.ts";
import type { PastFleet } from "./past-fleet.ts";
import type { RunFate } from "./past-incidents.ts";
import { type PastRuns, reactionTo } from "./past-runs.ts";
import { after, MINUTE_MS, SECOND_MS } from "./timeline.ts";

/** What was special about a time. */
export interface Weather {
  /** When Suncrew could serve what was due then: later where it was not running. */
  servedAt(due: Date): Date;
  tooWet(at: Date): boolean;
}

interface PlannedGroup {
  readonly scheduleId: number;
  readonly robotIds: readonly number[];
  readonly timezone: string;
}

/** The demo's groups and schedules, and the runs that came of them, by the scheduler's own code. */
export class PastSchedules {
  readonly #fleet: PastFleet;
  readonly #runs: PastRuns;
  readonly #weather: Weather;
  readonly #due = new Map<number, (PlannedGroup & { readonly end: Date })[]>();
  readonly #ends = new Map<number, number[][]>();

  constructor(fleet: PastFleet, runs: PastRuns, weather: Weather) {
    this.#fleet = fleet;
    this.#runs = runs;
    this.#weather = weather;
  }

  /** Makes a group with its schedule as a person did then, of those of its robots that are there. */
  async begin(viewer: Viewer, demo: DemoGroup, timezone: string, at: Date): Promise<void> {
    const robots = demo.serials.flatMap((serial) => this.#fleet.bySerial(serial) ?? []);
    const [first] = robots;
    if (first === undefined) return;
    const robotIds = robots.map(({ of }) => of.id);
    const site_id = first.of.siteId;
    const today = localTimeOf(at, timezone).date;
    const date =
      demo.dayOfMonth === undefined ? today : `${today.slice(0, 8)}${String(demo.dayOfMonth).padStart(2, "0")}`;
    const scheduleId = await this.#fleet.db.transaction().execute(async (tx) => {
      const group = await saveGroup(tx, viewer, null, { site_id, group_name: demo.name, robot_ids: robotIds }, at);
      if (group.kind === "refused") throw group.error;
      const stored = await storeNew(
        tx,
        viewer,
        {
          site_id,
          group_id: group.groupId,
          action: "START",
          start_time: `${date} ${demo.time}:00`,
          duration_minutes: demo.minutes,
          frequency: demo.frequency,
          status: "ACTIVE",
          skip_on_rain: demo.skipOnRain,
        },
        at,
      );
      if (stored.kind === "refused") throw stored.error;
      return stored.schedule.id;
    });
    await this.#planNext({ scheduleId, robotIds, timezone });
  }

  async #planNext(group: PlannedGroup): Promise<void> {
    const schedule = await this.#fleet.db
      .selectFrom("schedules")
      .select(["next_run_at", "duration_minutes"])
      .where("id", "=", group.scheduleId)
      .executeTakeFirstOrThrow();
    const due = schedule.next_run_at;
    if (due === null) return;
    const end = after(due, schedule.duration_minutes * MINUTE_MS);
    this.#planWith(this.#due, this.#weather.servedAt(due), { ...group, end }, (at, all) => this.#serve(all, at));
  }

  /** Everything of the same moment is one act, as the scheduler looks once a second for all. */
  #planWith<T>(planned: Map<number, T[]>, at: Date, what: T, act: (at: Date, all: T[]) => Promise<void>): void {
    const together = planned.get(at.getTime());
    if (together !== undefined) {
      together.push(what);
      return;
    }
    planned.set(at.getTime(), [what]);
    this.#fleet.timeline.plan(at, async (now) => {
      const all = planned.get(now.getTime()) ?? [];
      planned.delete(now.getTime());
      await act(now, all);
    });
  }

  async #serve(groups: readonly (PlannedGroup & { readonly end: Date })[], at: Date): Promise<void> {
    const robotIds = groups.flatMap((group) => group.robotIds);
    await this.#fleet.report(robotIds, at);
    const now = after(at, SECOND_MS);
    const circumstances = { now, canSend: true, hearsSince: new Date(0), tooWet: this.#weather.tooWet(at) };
    for (const { scheduleId } of groups) {
      await this.#fleet.db.transaction().execute((tx) => runDue(tx, scheduleId, circumstances));
    }
    const fates = new Map<number, RunFate>();
    for (const group of groups) {
      for (const id of group.robotIds) {
        const robot = this.#fleet.robot(id);
        if (robot !== undefined) fates.set(id, this.#runs.fateAt(robot, at, group.timezone));
      }
    }
    const started = await this.#fleet.deliver(robotIds, after(now, 100), ({ of }) =>
      reactionTo(fates.get(of.id) ?? { kind: "well" }),
    );
    const startedIds = new Set(started.map((command) => command.robot_id));
    for (const group of groups) {
      const moving = group.robotIds.filter((id) => startedIds.has(id));
      for (const id of moving) {
        const robot = this.#fleet.robot(id);
        const fate = fates.get(id);
        if (robot !== undefined && fate !== undefined) this.#runs.meet(robot, fate, now, group.end);
      }
      if (moving.length > 0)
        this.#planWith(this.#ends, group.end, moving, (end, all) => this.#stopDue(all.flat(), end));
      await this.#planNext(group);
    }
  }

  async #stopDue(robotIds: readonly number[], at: Date): Promise<void> {
    await this.#fleet.store(at);
    const now = after(at, SECOND_MS);
    const due = await findStopsDue(this.#fleet.db, now);
    await this.#fleet.db.transaction().execute((tx) => stopRuns(tx, due, now));
    await this.#fleet.deliver(robotIds, after(now, 100));
  }
}
