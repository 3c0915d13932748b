import { setTimeout as pause } from "node:timers/promises";
import { createGroup } from "@suncrew/contract/groups/groups.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { createSchedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { someAnswering } from "./caller.ts";
import type { KnownRobot } from "./fleet.ts";
import { until } from "./wait-and-random.ts";
import type { TestSystem } from "./test-system.ts";

/** One due time of a group, as its schedule was stored. */
export interface PlannedRun {
  readonly scheduleId: number;
  readonly group: Group;
  readonly dueMs: number;
  readonly endMs: number;
}

export interface Group {
  readonly id: number;
  readonly name: string;
  readonly robots: readonly KnownRobot[];
}

const DURATION_MINUTES = 1;
/** From one due time of a group to its next: it runs, is stopped for a moment, and runs again. */
const CYCLE_MS = 72_000;
/** After a due time its run must be recorded by then, or the group is left alone and the check reports it. */
const ON_RECORD_MS = 20_000;
/** A schedule is not changed to a time that is nearer than this. */
const AHEAD_MS = 6_000;
const RETRY_MS = 300;

/** Groups whose schedules keep falling due one after the other, and are changed while servers are killed. */
export class ScheduleLoad {
  readonly #system: TestSystem;
  readonly planned: PlannedRun[] = [];
  /** Changes of a schedule whose answer was lost with its server. */
  unanswered = 0;
  #groups: Group[] = [];

  constructor(system: TestSystem) {
    this.#system = system;
  }

  /** Creates the groups. */
  async prepare(robots: readonly KnownRobot[], perGroup: number): Promise<void> {
    for (let at = 0; at < robots.length; at += perGroup) {
      const members = robots.slice(at, at + perGroup);
      const name = `Rows ${at / perGroup + 1}`;
      const siteId = members[0]?.siteId ?? 0;
      const body = { site_id: siteId, group_name: name, robot_ids: members.map(({ id }) => id) };
      const { groupId } = createGroup.response.parse(await this.#send(createGroup, { body }));
      this.#groups.push({ id: groupId, name, robots: members });
    }
  }

  /** Gives every group its schedule, due one after the other from `firstMs` on. */
  async store(firstMs: number, lastMs: number): Promise<void> {
    await Promise.all(
      this.#groups.map(async (group, index) => {
        const dueMs = Math.ceil((firstMs + (index * CYCLE_MS) / this.#groups.length) / 1000) * 1000;
        if (dueMs > lastMs) return;
        const body = this.#schedule(group, dueMs);
        const { scheduleId } = createSchedule.response.parse(await this.#send(createSchedule, { body }));
        this.#add(group, scheduleId, dueMs);
      }),
    );
  }

  /** Moves each schedule to one cycle later once it has run, if that is not after `lastMs`. */
  async setAnew(lastMs: number): Promise<void> {
    await Promise.all(
      [...this.planned].map(async ({ group, scheduleId, dueMs }) => {
        if (dueMs + CYCLE_MS > lastMs) return;
        await pause(dueMs - Date.now());
        const haveBegun = () => this.#haveBegun(scheduleId, dueMs, group.robots.length);
        await until(haveBegun, ON_RECORD_MS, "no run").then(
          () => this.#change(group, scheduleId, dueMs + CYCLE_MS),
          () => undefined,
        );
      }),
    );
  }

  /** While the first run lasts and servers are killed, the schedule is changed to its next time. */
  async #change(group: Group, scheduleId: number, dueMs: number): Promise<void> {
    const system = this.#system;
    const { random } = system;
    await pause(random.between(0, dueMs - 2 * AHEAD_MS - Date.now()));
    const question = { params: { scheduleId }, body: this.#schedule(group, dueMs) };
    for (let tries = 0; dueMs - Date.now() > AHEAD_MS; tries += 1) {
      if (tries > 0) await pause(RETRY_MS);
      const place = someAnswering(system.places, (from) => random.pick(from));
      if (place === null) continue;
      const answer = await system.caller.call(place, updateSchedule, question);
      if (answer === null) this.unanswered += 1;
      else if (answer.status !== 200) throw new Error(`A schedule was refused: ${JSON.stringify(answer)}`);
      // Even if the answer was lost: what counts is what was stored.
      if (await this.#isStored(scheduleId, dueMs)) return this.#add(group, scheduleId, dueMs);
    }
  }

  #add(group: Group, scheduleId: number, dueMs: number): void {
    const endMs = dueMs + DURATION_MINUTES * 60_000;
    this.planned.push({ scheduleId, group, dueMs, endMs });
  }

  #schedule({ id, robots }: Group, dueMs: number) {
    return {
      site_id: robots[0]?.siteId,
      group_id: id,
      action: "START",
      start_time: localTime(dueMs, this.#system.timezone),
      duration_minutes: DURATION_MINUTES,
      frequency: "ONCE",
      status: "ACTIVE",
    };
  }

  async #isStored(scheduleId: number, dueMs: number): Promise<boolean> {
    const row = await this.#system.db
      .selectFrom("schedules")
      .where("id", "=", scheduleId)
      .select("next_run_at")
      .executeTakeFirst();
    return row?.next_run_at?.getTime() === dueMs;
  }

  /** A schedule that is changed retries nothing, so a START that failed must have been retried by then. */
  async #haveBegun(scheduleId: number, dueMs: number, robots: number): Promise<boolean> {
    const rows = await this.#system.db
      .selectFrom("runs")
      .where("schedule_id", "=", scheduleId)
      .where("due_at", "=", new Date(dueMs))
      .where("began_at", "is not", null)
      .select("id")
      .execute();
    return rows.length === robots;
  }

  /** A call while all servers are up. */
  async #send(route: RouteSpec, question: { readonly body: unknown }): Promise<unknown> {
    const place = someAnswering(this.#system.places, (from) => this.#system.random.pick(from));
    const answer = place && (await this.#system.caller.call(place, route, question));
    if (answer?.status !== 201) throw new Error(`${route.path} answered ${JSON.stringify(answer)}`);
    return answer.body;
  }
}

/** `YYYY-MM-DD HH:MM:SS` at the site. */
export function localTime(ms: number, timeZone: string): string {
  return new Date(ms).toLocaleString("sv-SE", { timeZone });
}
