import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { LockedRobot } from "../commands/public.ts";
import type { Occurrence } from "../runs/public.ts";
import { readMemberIds } from "./due-schedules.repository.ts";
import { scheduled } from "./scheduler-sentences.ts";

/** Of a robot's stops and locks by people, those that can matter: older ones are settled long since. */
const NEWEST = 10;

/**
 * Those of the robots, which this transaction has locked, that must not be started any more because a person acted
 * since the run was due, each with the reason: what a person did last decides, and not the scheduler. A robot that
 * left the group has none and is not among `still`.
 */
export async function readRuledOut(
  tx: Tx,
  { groupId, dueAt }: Occurrence,
  robots: readonly LockedRobot[],
): Promise<{ readonly still: readonly number[]; readonly reasons: ReadonlyMap<number, string> }> {
  const members = new Set(await readMemberIds(tx, groupId));
  const here = robots.filter(({ id }) => members.has(id));
  const still = here.map(({ id }) => id);
  if (await isGroupChanged(tx, groupId, dueAt)) {
    return { still, reasons: new Map(still.map((robotId) => [robotId, scheduled.groupChanged])) };
  }
  return { still, reasons: await readHandled(tx, dueAt, here) };
}

/** Why robots, which this transaction has locked, stay where they are: what people did to them since the due time. */
export async function readHandled(tx: Tx, dueAt: Date, robots: readonly LockedRobot[]): Promise<Map<number, string>> {
  const left = robots.filter(({ state: { goodbye_at } }) => goodbye_at !== null && goodbye_at >= dueAt);
  return new Map([
    ...left.map(({ id, serial_number }) => [id, scheduled.saidGoodbye(serial_number)] as const),
    ...(await readStoppedByPeople(
      tx,
      dueAt,
      robots.map(({ id }) => id),
    )),
  ]);
}

/** Who is in it may be another since: nobody planned for a robot that was put in afterwards to move at once. */
async function isGroupChanged(tx: Tx, groupId: number, dueAt: Date): Promise<boolean> {
  const changed = await tx
    .selectFrom("robot_groups")
    .select("id")
    .where("id", "=", groupId)
    .where("updated_at", ">", dueAt)
    .executeTakeFirst();
  return changed !== undefined;
}

/** Stops, locks and releases that people gave since, and those given before that were under way at the due time. */
async function readStoppedByPeople(tx: Tx, dueAt: Date, robotIds: readonly number[]): Promise<Map<number, string>> {
  if (robotIds.length === 0) return new Map();
  const { rows } = await sql<{
    robot_id: number;
    verb: keyof typeof scheduled.byPerson;
    requested_by: string;
  }>`
    select distinct on (c.robot_id) c.robot_id, c.verb, c.requested_by
    from unnest(${[...robotIds]}::int[]) as r (id)
    cross join lateral (
      select robot_id, seq, verb, requested_by, issued_at, settled_at from commands
      where robot_id = r.id and verb in ('STOP', 'MAINTENANCE_ON', 'MAINTENANCE_OFF')
        and action_type in ('MANUAL', 'GROUP')
      order by seq desc limit ${NEWEST}
    ) c
    where c.issued_at >= ${dueAt} or c.settled_at is null or c.settled_at >= ${dueAt}
    order by c.robot_id, c.seq desc
  `.execute(tx);
  return new Map(rows.map(({ robot_id, verb, requested_by }) => [robot_id, scheduled.byPerson[verb](requested_by)]));
}
