import type { Tx } from "../../platform/database/database.ts";

/** The name of the group that a robot, which this transaction has locked, is in; null where it is in none. */
export async function groupNameOf(tx: Tx, robotId: number): Promise<string | null> {
  const group = await tx
    .selectFrom("robot_group_members as m")
    .innerJoin("robot_groups as g", "g.id", "m.group_id")
    .select("g.group_name")
    .where("m.robot_id", "=", robotId)
    .executeTakeFirst();
  return group?.group_name ?? null;
}
