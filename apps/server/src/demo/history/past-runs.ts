import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { lockRobots, readOpenCommands, type Requester } from "../../features/commands/public.ts";
import { saveGroup } from "../../features/groups/public.ts";
import { acceptLocks, acceptReleases } from "../../features/maintenance/public.ts";
import { findStopsDue } from "../../features/runs/public.ts";
import { runDue, stopRuns, saveNewSchedule } from "../../features/schedules/public.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { seededRandom } from "../../platform/seeded-random.ts";
import { after, HOUR_MS, MINUTE_MS, type PastFleet, type Reaction, SECOND_MS } from "./past-fleet.ts";
import {
  type DemoGroup,
  scenarioOf,
  type PastGroupPress,
  type PastLock,
  type PastPress,
  type RunScenario,
} from "./past-incidents.ts";
import { type PastRobot, LINK_LOSS_STOP_MS } from "./past-robot.ts";

interface Circumstances {
  /** When Suncrew could handle what was due then: later if it was not running. */
  servedAt(due: Date): Date;
  tooWet(at: Date): boolean;
}

interface PlannedGroup {
  readonly scheduleId: number;
  readonly robotIds: readonly number[];
  readonly timezone: string;
}

/** The demo's groups and schedules, and their runs, by the scheduler's own code. */
export class PastSchedules {
  readonly #fleet: PastFleet;
  readonly #runs: PastRuns;
  readonly #circumstances: Circumstances;
  readonly #due = new Map<number, (PlannedGroup & { readonly end: Date })[]>();
  readonly #ends = new Map<number, number[][]>();

  constructor(fleet: PastFleet, runs: PastRuns, circumstances: Circumstances) {
    this.#fleet = fleet;
    this.#runs = runs;
    this.#circumstances = circumstances;
  }

  /** Creates a group with its schedule as a person would have, from those of its robots that exist. */
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
      const group = { site_id, group_name: demo.name, robot_ids: robotIds };
      const schedule = {
        site_id,
        group_id: await saveGroup(tx, viewer, null, group, at),
        action: "START",
        start_time: `${date} ${demo.time}:00`,
        duration_minutes: demo.minutes,
        frequency: demo.frequency,
        status: "ACTIVE",
        skip_on_rain: demo.skipOnRain,
      } as const;
      return (await saveNewSchedule(tx, viewer, schedule, at)).id;
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
    this.#planWith(this.#due, this.#circumstances.servedAt(due), { ...group, end }, (at, all) => this.#serve(all, at));
  }

  /** Everything due at the same moment is one event, because the scheduler polls once a second. */
  #planWith<T>(planned: Map<number, T[]>, at: Date, what: T, act: (at: Date, all: T[]) => Promise<void>): void {
    const batch = planned.get(at.getTime());
    if (batch !== undefined) return void batch.push(what);
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
    const tooWet = this.#circumstances.tooWet(at);
    const context = { now, canSend: true, listeningSince: new Date(0), isStopUnrecorded: () => false, tooWet };
    for (const { scheduleId } of groups) {
      await this.#fleet.db.transaction().execute((tx) => runDue(tx, scheduleId, context));
    }
    const scenarios = new Map<number, RunScenario>();
    for (const group of groups) {
      const { date, time } = localTimeOf(at, group.timezone);
      for (const id of group.robotIds) {
        const robot = this.#fleet.robot(id);
        if (robot !== undefined) scenarios.set(id, scenarioOf(robot.of.serial, date, time));
      }
    }
    const started = await this.#fleet.deliver(robotIds, after(now, 100), ({ of }) =>
      reactionTo(scenarios.get(of.id) ?? { kind: "normal" }),
    );
    const startedIds = new Set(started.map((command) => command.robot_id));
    for (const group of groups) {
      const moving = group.robotIds.filter((id) => startedIds.has(id));
      for (const id of moving) {
        const robot = this.#fleet.robot(id);
        const scenario = scenarios.get(id);
        if (robot !== undefined && scenario !== undefined) this.#runs.applyScenario(robot, scenario, now, group.end);
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

/** What ends a run, with the robot's alert and how long that is open. */
const breakdowns = {
  battery: {
    alert: { code: "LOW_BATTERY", severity: "WARNING", text: "The battery is low." },
    reason: "BATTERY",
    lastsMs: 40 * MINUTE_MS,
  },
  jam: {
    alert: { code: "JAMMED", severity: "CRITICAL", text: "The brush is jammed and the robot has stopped." },
    reason: "FAULT",
    lastsMs: 95 * MINUTE_MS,
  },
} as const;
const LINK_LOSS_DURATION_MS = 25 * MINUTE_MS;
/** Maximum duration of a manual run (the default of MANUAL_RUN_MAX_MINUTES). */
const MANUAL_MAX_S = 480 * 60;

function reactionTo(scenario: RunScenario): Reaction {
  if (scenario.kind === "rejected") return "rejects";
  return scenario.kind === "silent" ? "silent" : "accepts";
}

export type Person = Requester & { readonly userId: number };

/** What happens to robots during their runs, and what people do with robots and groups. */
export class PastRuns {
  readonly #fleet: PastFleet;
  readonly #personAt: (siteId: number) => Person;

  constructor(fleet: PastFleet, personAt: (siteId: number) => Person) {
    this.#fleet = fleet;
    this.#personAt = personAt;
  }

  /** Plans what interrupts a robot's run. */
  applyScenario(robot: PastRobot, scenario: RunScenario, began: Date, end: Date): void {
    if (!("share" in scenario)) return;
    const at = after(began, scenario.share * (end.getTime() - began.getTime()));
    this.#fleet.timeline.plan(at, async (now) => {
      if (!robot.isMoving || !robot.online) return;
      if (scenario.kind === "stopped") await this.stop(robot, now);
      else if (scenario.kind === "link-lost") await this.#loseLink(robot, now);
      else await this.#breakDown(robot, scenario.kind, now);
    });
  }

  /** A person's Stop of one robot. */
  async stop(robot: PastRobot, at: Date): Promise<void> {
    const { id, siteId } = robot.of;
    const order = { verb: "STOP", by: this.#personAt(siteId), mode: "AUTO", maxDurationS: 1 } as const;
    await this.#fleet.order(siteId, [id], order, at);
    await this.#fleet.deliver([id], after(at, 1_200));
  }

  async #breakDown(robot: PastRobot, kind: keyof typeof breakdowns, at: Date): Promise<void> {
    const { alert, reason, lastsMs } = breakdowns[kind];
    if (kind === "battery") robot.battery = 10;
    robot.setAlert(alert);
    robot.endRun(reason, at);
    await this.#fleet.report([robot.of.id], at);
    this.#fleet.timeline.plan(after(at, lastsMs), async (now) => {
      robot.clearAlert(alert.code);
      await this.#fleet.report([robot.of.id], now);
    });
  }

  /** Protocol rule 4: it stops 300 s after its connection broke, and reports so when it is back. */
  async #loseLink(robot: PastRobot, at: Date): Promise<void> {
    const { timeline } = this.#fleet;
    robot.disconnect(at, "CONNECTION_BROKEN");
    await this.#fleet.store(after(at, 500));
    timeline.plan(after(at, LINK_LOSS_STOP_MS), (now) => robot.endRun("LINK_LOST", now));
    timeline.plan(after(at, LINK_LOSS_DURATION_MS), (now) => this.comeBack(robot, now));
  }

  /** A robot is back online; pending commands are delivered. */
  async comeBack(robot: PastRobot, at: Date): Promise<void> {
    robot.connect(at);
    await this.#fleet.store(after(at, 500));
    await this.#fleet.deliver([robot.of.id], after(at, 1_000));
  }

  /** Starts one robot, unless that is refused; a person or the robot itself ends the run. */
  async press(press: PastPress, robot: PastRobot, at: Date): Promise<void> {
    const { id, siteId } = robot.of;
    const by = this.#personAt(siteId);
    const order = { verb: "START", by, mode: robot.of.mode, maxDurationS: MANUAL_MAX_S } as const;
    await this.#fleet.order(siteId, [id], order, at);
    const accepted = await this.#fleet.deliver([id], after(at, 1_200));
    if (accepted.length === 0) return;
    const minutes = press.minutes ?? 40 + Math.floor(seededRandom(`${press.serial} ${press.daysAgo}`)() * 50);
    this.#fleet.timeline.plan(after(at, minutes * MINUTE_MS), async (now) => {
      if (!robot.isMoving) return;
      if (press.minutes !== null) return this.stop(robot, now);
      robot.endRun("FINISHED", now);
      await this.#fleet.report([id], now);
    });
  }

  async pressGroup({ minutes }: PastGroupPress, robots: readonly PastRobot[], at: Date): Promise<void> {
    await this.#orderAll("START", robots, at);
    this.#fleet.timeline.plan(after(at, minutes * MINUTE_MS), (now) => this.#orderAll("STOP", robots, now));
  }

  async #orderAll(verb: "START" | "STOP", robots: readonly PastRobot[], at: Date): Promise<void> {
    const [first] = robots;
    if (first === undefined) return;
    const ids = robots.map(({ of }) => of.id);
    const by = { ...this.#personAt(first.of.siteId), actionType: "GROUP" } as const;
    const order = { verb, by, mode: "AUTO", maxDurationS: MANUAL_MAX_S } as const;
    await this.#fleet.order(first.of.siteId, ids, order, at);
    await this.#fleet.deliver(ids, after(at, 1_200));
  }

  /** Locks a robot for maintenance, and releases it when the work is done. */
  async lock({ reason, hours }: PastLock, robot: PastRobot, at: Date): Promise<void> {
    await this.#maintain(robot, reason, at);
    this.#fleet.timeline.plan(after(at, hours * HOUR_MS), (now) => this.#maintain(robot, null, now));
  }

  /** A reason locks, null releases. */
  async #maintain(robot: PastRobot, reason: string | null, at: Date): Promise<void> {
    const { id, siteId } = robot.of;
    await this.#fleet.report([id], at);
    const now = after(at, SECOND_MS);
    const by = this.#personAt(siteId);
    await this.#fleet.db.transaction().execute(async (tx) => {
      const locked = (await lockRobots(tx, [id])).get(id);
      if (locked === undefined) return;
      const open = await readOpenCommands(tx, [id]);
      if (reason === null) await acceptReleases(tx, [{ robot: locked, open }], by, now);
      else await acceptLocks(tx, [{ robot: locked, open }], by, reason, now);
    });
    await this.#fleet.deliver([id], after(now, 200));
  }
}
