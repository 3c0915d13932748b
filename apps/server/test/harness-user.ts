import { DEFAULT_MOTION_LIMITS } from "@suncrew/domain/robots/lost-while-moving.ts";
import { deleteGroupOf } from "../src/features/groups/groups.service.ts";
import { saveGroup } from "../src/features/groups/public.ts";
import { forgetState } from "../src/features/robots/robots.service.ts";
import { removeSchedule, type ScheduleBody, saveScheduleChange } from "../src/features/schedules/schedules.service.ts";
import type { Clock } from "../src/platform/clock.ts";
import { HttpError } from "../src/platform/http/http-error.ts";
import type { Viewer } from "../src/platform/sessions.ts";
import type { ScheduleHarness } from "./schedule-harness.ts";

type Group = Awaited<ReturnType<ScheduleHarness["group"]>>;

/** A person who edits the groups and schedules of a test harness. */
export class HarnessUser {
  readonly name = "Anita Rao";
  readonly #harness: ScheduleHarness;
  readonly viewer: Viewer;

  private constructor(harness: ScheduleHarness, userId: number) {
    this.#harness = harness;
    this.viewer = { userId, name: this.name, email: "", role: "SUPER_ADMIN", partnerId: null, sessionId: "" };
  }

  static async at(harness: ScheduleHarness): Promise<HarnessUser> {
    const { id } = await harness.db
      .insertInto("users")
      .values({ username: "anita", name: "Anita Rao", email: "", role: "SUPER_ADMIN", password_hash: "" })
      .returning("id")
      .executeTakeFirstOrThrow();
    return new HarnessUser(harness, id);
  }

  /** Resets the robot's stored state; returns whether that was allowed. */
  async forget(robotId: number): Promise<boolean> {
    const limits = DEFAULT_MOTION_LIMITS;
    const seen = { now: this.#harness.clock.now(), brokerConnected: true, manualRunMs: limits.longestRunMs, limits };
    return forgetState(this.#harness.db, this.viewer, robotId, seen).then(
      () => true,
      (error: unknown) => {
        if (error instanceof HttpError) return false;
        throw error;
      },
    );
  }

  /** `clock` is that of the server that is asked. */
  async edit(
    scheduleId: number,
    group: Group,
    change: Partial<ScheduleBody>,
    clock: Pick<Clock, "now"> = this.#harness.clock,
  ): Promise<void> {
    const stored = await this.#harness.scheduleRow(scheduleId);
    const body: ScheduleBody = {
      site_id: group.siteId,
      group_id: group.groupId,
      action: "START",
      start_time: stored.start_time,
      duration_minutes: stored.duration_minutes,
      frequency: stored.frequency,
      status: "ACTIVE",
      skip_on_rain: stored.skip_on_rain,
      least_days: stored.least_days ?? undefined,
      most_days: stored.most_days ?? undefined,
      ...change,
    };
    await saveScheduleChange(this.#harness.db, this.viewer, scheduleId, body, clock);
  }

  async deleteSchedule(scheduleId: number): Promise<void> {
    const { db, clock } = this.#harness;
    await removeSchedule(db, this.viewer, scheduleId, clock.now());
  }

  /** Saves the group with these robots. */
  async regroup({ siteId, groupId, name }: Group, robotIds: readonly number[]): Promise<void> {
    const body = { site_id: siteId, group_name: name, robot_ids: [...robotIds] };
    const { db, clock } = this.#harness;
    await saveGroup(db, this.viewer, groupId, body, clock.now());
  }

  async deleteGroup({ groupId }: Group): Promise<void> {
    const { db, clock } = this.#harness;
    await deleteGroupOf(db, this.viewer, groupId, clock.now());
  }
}
