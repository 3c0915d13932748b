import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/** A schedule that will run again, with how many robots its group has now. */
export interface ComingSchedule {
  readonly id: number;
  readonly group_id: number;
  readonly group_name: string;
  readonly timezone: string;
  readonly frequency: Frequency;
  readonly start_time: string;
  readonly duration_minutes: number;
  readonly next_run_at: Date;
  readonly robots: number;
}

/** The viewer's schedules whose next run comes before `to`, those of one site or all. */
export async function readComing(
  viewer: Viewer,
  db: Executor,
  { to, siteId }: { readonly to: Date; readonly siteId?: number },
): Promise<ComingSchedule[]> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("schedules as s", "s.site_id", "sites.id")
    .innerJoin("robot_groups as g", "g.id", "s.group_id")
    .select(["s.id", "s.group_id", "g.group_name", "sites.timezone", "s.frequency", "s.start_time"])
    .select(["s.duration_minutes", "s.next_run_at"])
    .select((eb) =>
      eb
        .selectFrom("robot_group_members as m")
        .innerJoin("robots as r", "r.id", "m.robot_id")
        .whereRef("m.group_id", "=", "g.id")
        .where("r.deleted_at", "is", null)
        .select(eb.fn.countAll<number>().as("robots"))
        .as("robots"),
    )
    .where("g.deleted_at", "is", null)
    .where("s.next_run_at", "<", to)
    .$if(siteId !== undefined, (query) => query.where("sites.id", "=", siteId ?? 0))
    .orderBy("s.next_run_at")
    .orderBy("s.id")
    .execute();
  return rows.flatMap(({ next_run_at, robots, ...row }) =>
    next_run_at === null ? [] : [{ ...row, next_run_at, robots: robots ?? 0 }],
  );
}
