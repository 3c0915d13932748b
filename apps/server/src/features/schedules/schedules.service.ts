import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { removeStored, type Saved, type ScheduleBody, storeChanged, storeNew } from "./save-schedule.ts";
import { scheduleOf } from "./schedule-answer.ts";

/** What people do with schedules. Each throws 404 out of scope, and 400 or 409 where it must not be. */
export class Schedules {
  readonly #deps: Pick<Dependencies, "db" | "clock">;

  constructor(deps: Pick<Dependencies, "db" | "clock">) {
    this.#deps = deps;
  }

  async create(viewer: Viewer, body: ScheduleBody): Promise<Schedule> {
    return this.#saved((tx) => storeNew(tx, viewer, body, this.#deps.clock.now()));
  }

  async update(viewer: Viewer, scheduleId: number, body: ScheduleBody): Promise<Schedule> {
    return this.#saved((tx) => storeChanged(tx, viewer, scheduleId, body, this.#deps.clock.now()));
  }

  async remove(viewer: Viewer, scheduleId: number): Promise<void> {
    const { db, clock } = this.#deps;
    await transactionWithRetry(db, (tx) => removeStored(tx, viewer, scheduleId, clock.now()));
  }

  /** A refusal is on record by then, so it is thrown after the commit. */
  async #saved(save: (tx: Tx) => Promise<Saved>): Promise<Schedule> {
    const result = await transactionWithRetry(this.#deps.db, save);
    if (result.kind === "refused") throw result.error;
    return scheduleOf(result.schedule);
  }
}
