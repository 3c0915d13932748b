import { groupNameKey } from "@suncrew/domain/groups/groups.ts";
import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures, TestRobot } from "./fixtures.ts";

export interface TestGroup {
  readonly groupId: number;
  readonly scheduleId: number;
}

/** Nobody has changed them since anything was due. */
const LONG_AGO = new Date(0);

/** The state of the fixtures' groups: with robot and schedule, without schedule, or absent. */
export type GroupSeed = "planned" | "unplanned" | "free";

/** The ids of a group that `seedGroups` inserts; nothing is written yet. */
export function reserveGroup(nth: number): TestGroup {
  return { groupId: 900_000 + nth, scheduleId: 910_000 + nth };
}

/** Restores exactly the fixture groups that a test needs: one robot each, scheduled far in the future. */
export async function seedGroups(db: Db, fixtures: Fixtures, stand: GroupSeed): Promise<void> {
  await db.deleteFrom("schedules").execute();
  await db.deleteFrom("robot_group_members").execute();
  await db
    .updateTable("robot_groups")
    .set({ deleted_at: new Date(0) })
    .execute();
  if (stand === "free") return;
  await seedGroup(db, fixtures.ownGroup, [fixtures.ownRobot], "Ownfield East", stand);
  await seedGroup(db, fixtures.foreignGroup, [fixtures.foreignRobot], "Farfield East", stand);
}

async function seedGroup(
  db: Db,
  { groupId, scheduleId }: TestGroup,
  robots: readonly TestRobot[],
  name: string,
  stand: GroupSeed,
): Promise<void> {
  const site_id = robots[0]?.siteId ?? 0;
  await db
    .insertInto("robot_groups")
    .values({ id: groupId, site_id, group_name: name, name_key: groupNameKey(name), updated_at: LONG_AGO })
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet({ deleted_at: null, group_name: name, name_key: groupNameKey(name), updated_at: LONG_AGO }),
    )
    .execute();
  for (const { id } of robots) {
    await db.insertInto("robot_group_members").values({ robot_id: id, group_id: groupId, site_id }).execute();
  }
  if (stand !== "planned") return;
  await db
    .insertInto("schedules")
    .values({
      id: scheduleId,
      group_id: groupId,
      site_id,
      frequency: "MONTHLY",
      start_time: "2099-01-31 06:30:00",
      duration_minutes: 30,
      status: "ACTIVE",
      next_run_at: new Date("2099-01-31T01:00:00Z"),
      updated_at: LONG_AGO,
    })
    .execute();
}
