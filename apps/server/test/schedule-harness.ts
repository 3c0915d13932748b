import { randomUUID } from "node:crypto";
import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import type { WeatherAdvice } from "@suncrew/contract/weather/weather.ts";
import { groupNameKey } from "@suncrew/domain/groups/groups.ts";
import { nextRunAfter } from "@suncrew/domain/schedules/next-run.ts";
import pino from "pino";
import { acceptOrders, Commands } from "../src/features/commands/public.ts";
import { findRobotsWithDueCommands, settleDue } from "../src/features/commands/settle.repository.ts";
import type { WorthOfRobots } from "../src/features/schedules/decisions.repository.ts";
import { Scheduler } from "../src/features/schedules/scheduler.ts";
import { computeEvening } from "../src/features/soiling/soiling-inputs.repository.ts";
import { ChangeSignal } from "../src/platform/change-signal.ts";
import type { ClockCheck } from "../src/platform/clock-watch.ts";
import { ManualClock } from "../src/platform/clock.ts";
import type { Db, OpenDatabase } from "../src/platform/database/database.ts";
import type { Dependencies } from "../src/platform/dependencies.ts";
import { activityRows, addRobot, addSite } from "./fixtures.ts";
import { MemoryBroker } from "./memory-broker.ts";
import { InMemoryRobots } from "./in-memory-robots.ts";
import { testSettings } from "./test-app.ts";
import { createTestDatabase } from "./test-database.ts";

/** One of several servers, as far as schedules need it; nothing in it runs by itself. */
export interface SchedulingServer {
  readonly scheduler: Scheduler;
  readonly commands: Commands;
  readonly broker: MemoryBroker;
}

export interface NewSchedule {
  readonly startTime: string;
  readonly frequency?: Frequency;
  readonly minutes?: number;
  readonly skipOnRain?: boolean;
  readonly status?: "ACTIVE" | "INACTIVE";
  readonly leastDays?: number;
  readonly mostDays?: number;
}

/**
 * Servers, a real database and the simulator's robots with time and messages controlled by the test: time moves only
 * by `pass` and `until`, and everything that it triggers has happened when they resolve.
 */
export class ScheduleHarness {
  readonly clock: ManualClock;
  readonly servers: SchedulingServer[] = [];
  readonly robots: InMemoryRobots;
  /** The weather at every site. */
  advice: WeatherAdvice | null = "recommended";
  adviceRequests = 0;
  /** How late each served schedule was. */
  readonly servedLateMs: number[] = [];
  readonly #database: OpenDatabase;
  #names = 0;

  /** How long it takes to compute what a cleaning is worth. */
  worthTakesMs = 0;
  /** Where what a cleaning is worth cannot be computed. */
  readonly failingSites = new Set<number>();

  private constructor(database: OpenDatabase, now: Date) {
    this.#database = database;
    this.clock = new ManualClock(now);
    this.robots = new InMemoryRobots(database.db, this.clock);
  }

  static async open(now: Date, { servers = 1 } = {}): Promise<ScheduleHarness> {
    const harness = new ScheduleHarness(await createTestDatabase(), now);
    for (let count = servers; count > 0; count -= 1) harness.addServer();
    return harness;
  }

  get db(): Db {
    return this.#database.db;
  }

  /** The settings of a connection to the harness's database. */
  get connection(): OpenDatabase["connection"] {
    return this.#database.connection;
  }

  /**
   * `dispatch` replaces what sends the commands after the commit, `db` is the server's own database connection;
   * `clocks` says whether its clock is reliable; `stopJournalDir` lets it send Stops without their rows.
   */
  addServer(
    dispatch?: Commands["dispatch"],
    broker = new MemoryBroker(),
    db = this.db,
    clocks?: ClockCheck,
    stopJournalDir?: string,
  ): SchedulingServer {
    const { clock } = this;
    const deps: Dependencies = {
      db,
      connection: this.#database.connection,
      broker,
      peerBroker: broker,
      clock,
      ...(clocks && { clocks }),
      log: pino({ level: process.env["SUNCREW_TEST_LOG"] ?? "silent" }),
      settings: { ...testSettings, ...(stopJournalDir !== undefined && { stopJournalDir }) },
      serverId: randomUUID(),
    };
    const commands = new Commands(deps, new ChangeSignal({ ...deps, clock }));
    const forecasts = {
      adviceFor: async () => {
        this.adviceRequests += 1;
        return this.advice;
      },
    };
    const worthOf: WorthOfRobots = async (siteId, ...asked) => {
      if (this.failingSites.has(siteId)) throw new Error("The worker failed");
      this.clock.advance(this.worthTakesMs);
      return computeEvening(db, siteId, ...asked);
    };
    const onServed = (lateMs: number) => void this.servedLateMs.push(lateMs);
    const sender = dispatch
      ? { dispatch, blocksDueStart: (robotId: number) => commands.blocksDueStart(robotId) }
      : commands;
    const scheduler = new Scheduler({ ...deps, commands: sender, forecasts, worthOf, onServed });
    const server = { scheduler, commands, broker };
    this.servers.push(server);
    return server;
  }

  /** From now on it does nothing, and what it has not sent is lost. */
  removeServer(server: SchedulingServer): void {
    this.servers.splice(this.servers.indexOf(server), 1);
  }

  /** A group of this many robots, all online, at a new site in that zone. */
  async group(robots: number, timezone = "Asia/Kolkata") {
    this.#names += 1;
    const name = `Group ${this.#names}`;
    const siteId = await addSite(this.db, `Park ${this.#names}`, null);
    await this.db.updateTable("sites").set({ timezone }).where("id", "=", siteId).execute();
    const stamps = { created_at: this.clock.now(), updated_at: this.clock.now() };
    const { id: groupId } = await this.db
      .insertInto("robot_groups")
      .values({ site_id: siteId, group_name: name, name_key: groupNameKey(name), ...stamps })
      .returning("id")
      .executeTakeFirstOrThrow();
    const robotIds: number[] = [];
    for (let nth = 1; nth <= robots; nth += 1) {
      const robot = await addRobot(this.db, siteId, `S${this.#names}-${nth}`);
      await this.db
        .insertInto("robot_group_members")
        .values({ robot_id: robot.id, group_id: groupId, site_id: siteId })
        .execute();
      await this.robots.add(robot);
      robotIds.push(robot.id);
    }
    return { siteId, groupId, timezone, robotIds, name };
  }

  /** Returns the schedule's id. */
  async schedule(
    group: { readonly groupId: number; readonly siteId: number; readonly timezone: string },
    {
      startTime,
      frequency = "ONCE",
      minutes = 30,
      skipOnRain = false,
      status = "ACTIVE",
      leastDays = 1,
      mostDays = 14,
    }: NewSchedule,
  ): Promise<number> {
    const next = nextRunAfter({ startTime, frequency }, group.timezone, this.clock.now());
    const { id } = await this.db
      .insertInto("schedules")
      .values({
        group_id: group.groupId,
        site_id: group.siteId,
        frequency,
        start_time: startTime,
        duration_minutes: minutes,
        skip_on_rain: skipOnRain,
        ...(frequency === "WHEN_WORTH_IT" && { least_days: leastDays, most_days: mostDays }),
        status,
        next_run_at: status === "ACTIVE" ? next : null,
        created_at: this.clock.now(),
        updated_at: this.clock.now(),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A person's command, stored and sent like a button press; with `lost` it never reaches the robot. */
  async press(verb: "START" | "STOP", robotId: number, siteId: number, { lost = false } = {}): Promise<void> {
    const by = { userId: null, name: "Anita Rao", actionType: "MANUAL" } as const;
    const order = { verb, by, mode: "AUTO", maxDurationS: 3_600 } as const;
    const [one] = await this.db
      .transaction()
      .execute((tx) => acceptOrders(tx, siteId, [robotId], order, this.clock.now()));
    if (one?.accepted.kind !== "stored") throw new Error(`The ${verb} was refused.`);
    await this.servers[0]?.commands.dispatch([one.accepted.command.id]);
    if (lost) this.servers[0]?.broker.published.splice(0);
    await this.deliver();
  }

  /** Advances time, with everything that this triggers. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.work();
  }

  async until(at: Date | string): Promise<void> {
    await this.pass(new Date(at).getTime() - this.clock.now().getTime());
  }

  /** Every server does its due work, and the robots receive the commands. */
  async poll(): Promise<void> {
    await Promise.all(this.servers.map(({ scheduler }) => scheduler.runOnce()));
    await this.deliver();
  }

  /** Everything that servers and robots do at this moment. */
  async work(): Promise<void> {
    await this.robots.tick();
    await this.poll();
    const now = this.clock.now();
    const due = await findRobotsWithDueCommands(this.db, now);
    await settleDue(this.db, due, this.clock, { skipLocked: false });
    await this.servers[0]?.commands.resendPending(due);
    await this.deliver();
  }

  /** Exchanges messages among servers and robots until there are none left. */
  async deliver(): Promise<void> {
    for (;;) {
      const published = this.servers.flatMap(({ broker }) => broker.published.splice(0));
      if (published.length === 0) return;
      for (const { topic, payload } of published)
        for (const { broker } of this.servers) broker.receive(topic, payload && JSON.parse(payload));
      await this.robots.receive(published);
    }
  }

  runs(scheduleId?: number) {
    return this.db
      .selectFrom("runs")
      .selectAll()
      .$if(scheduleId !== undefined, (query) => query.where("schedule_id", "=", scheduleId ?? 0))
      .orderBy("at")
      .orderBy("robot_id")
      .execute();
  }

  commands(robotId: number) {
    return this.db.selectFrom("commands").selectAll().where("robot_id", "=", robotId).orderBy("seq").execute();
  }

  activity() {
    return activityRows(this.db).execute();
  }

  scheduleRow(scheduleId: number) {
    return this.db.selectFrom("schedules").selectAll().where("id", "=", scheduleId).executeTakeFirstOrThrow();
  }

  async close(): Promise<void> {
    for (const { commands } of this.servers) await commands.stop();
    await this.#database.close();
  }
}
