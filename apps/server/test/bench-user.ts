import { DEFAULT_MOTION_LIMITS } from "@suncrew/domain/robots/lost-while-moving.ts";
import { deleteGroupOf } from "../src/features/groups/groups.service.ts";
import { saveGroup } from "../src/features/groups/public.ts";
import { forgetState } from "../src/features/robots/robots.service.ts";
import { deleteSchedule, type ScheduleBody, saveScheduleChange } from "../src/features/schedules/schedules.service.ts";
import type { Tx } from "../src/platform/database/database.ts";
import { transactionWithRetry } from "../src/platform/database/transactions.ts";
import { HttpError } from "../src/platform/http/http-error.ts";
import type { Viewer } from "../src/platform/sessions.ts";
import type { ScheduleBench } from "./schedule-bench.ts";

type Group = Awaited<ReturnType<ScheduleBench["group"]>>;

/** A person who edits the groups and schedules of a test bench. */
export class BenchUser {
  readonly name = "Anita Rao";
  readonly #bench: ScheduleBench;
  readonly #viewer: Viewer;

  private constructor(bench: ScheduleBench, userId: number) {
    this.#bench = bench;
    this.#viewer = { userId, name: this.name, email: "", role: "SUPER_ADMIN", partnerId: null, sessionId: "" };
  }

  static async at(bench: ScheduleBench): Promise<BenchUser> {
    const { id } = await bench.db
      .insertInto("users")
      .values({ username: "anita", name: "Anita Rao", email: "", role: "SUPER_ADMIN", password_hash: "" })
      .returning("id")
      .executeTakeFirstOrThrow();
    return new BenchUser(bench, id);
  }

  /** Resets the robot's stored state; returns whether that was allowed. */
  async forget(robotId: number): Promise<boolean> {
    const seen = { now: this.#bench.clock.now(), brokerConnected: true, limits: DEFAULT_MOTION_LIMITS };
    const result = await transactionWithRetry(this.#bench.db, (tx) => forgetState(tx, this.#viewer, robotId, seen));
    return !(result instanceof HttpError);
  }

  async edit(scheduleId: number, group: Group, change: Partial<ScheduleBody>): Promise<void> {
    const stored = await this.#bench.scheduleRow(scheduleId);
    const body: ScheduleBody = {
      site_id: group.siteId,
      group_id: group.groupId,
      action: "START",
      start_time: stored.start_time,
      duration_minutes: stored.duration_minutes,
      frequency: stored.frequency,
      status: "ACTIVE",
      skip_on_rain: stored.skip_on_rain,
      ...change,
    };
    const saved = await this.#decide((tx, now) => saveScheduleChange(tx, this.#viewer, scheduleId, body, now));
    if (saved.kind === "refused") throw saved.error;
  }

  async deleteSchedule(scheduleId: number): Promise<void> {
    await this.#decide((tx, now) => deleteSchedule(tx, this.#viewer, scheduleId, now));
  }

  /** Saves the group with these robots. */
  async regroup({ siteId, groupId, name }: Group, robotIds: readonly number[]): Promise<void> {
    const body = { site_id: siteId, group_name: name, robot_ids: [...robotIds] };
    const saved = await this.#decide((tx, now) => saveGroup(tx, this.#viewer, groupId, body, now));
    if (saved.kind === "refused") throw saved.error;
  }

  async deleteGroup({ groupId }: Group): Promise<void> {
    await this.#decide((tx, now) => deleteGroupOf(tx, this.#viewer, groupId, now));
  }

  #decide<T>(work: (tx: Tx, now: Date) => Promise<T>): Promise<T> {
    return transactionWithRetry(this.#bench.db, (tx) => work(tx, this.#bench.clock.now()));
  }
}
