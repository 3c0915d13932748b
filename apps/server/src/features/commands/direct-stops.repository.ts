import { COMMAND_SETTLES_MS } from "@suncrew/domain/commands/limits.ts";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { setLockTimeout, transactionWithRetry } from "../../platform/database/transactions.ts";
import { acceptOrders } from "./accept-orders.ts";
import { settled } from "./command-answers.ts";
import { closeAll, logAll, type OpenCommand } from "./settle.repository.ts";
import type { SentStops } from "./stop-journal.ts";

/** A robot that may be stopped without asking the database, as it was when that last answered. */
export interface KnownRobot {
  readonly id: number;
  readonly serial: string;
  readonly siteId: number;
  /** The partner that maintains its site. */
  readonly partnerId: number | null;
  readonly groupId: number | null;
  readonly session: number;
  /** The highest number that it or its commands had. */
  readonly lastSeq: number;
  readonly params: {
    readonly direction: "FWD" | "REV";
    readonly "main-speed": number;
    readonly "brush-speed": number;
  };
}

/** Every robot in service; retired devices get no commands (protocol rule 9). */
export async function readKnownRobots(db: Db): Promise<KnownRobot[]> {
  const { rows } = await sql<Omit<KnownRobot, "params"> & { forward: boolean; main: number; brush: number }>`
    select r.id, r.serial_number as serial, r.site_id as "siteId", t.maintenance_partner_id as "partnerId",
      m.group_id as "groupId", s.session, greatest(r.last_command_seq, s.last_seq) as "lastSeq",
      r.cleaning_direction = 'FORWARD' as forward, r.main_motor_speed as main, r.brush_motor_speed as brush
    from robots r
    join sites t on t.id = r.site_id and t.deleted_at is null
    join robot_state s on s.robot_id = r.id
    left join robot_group_members m on m.robot_id = r.id
    where r.deleted_at is null
      and not exists (select from devices d where d.serial = r.serial_number and d.retired_at is not null)
    order by r.robot_name, r.id
  `.execute(db);
  return rows.map(({ forward, main, brush, ...robot }) => ({
    ...robot,
    params: { direction: forward ? "FWD" : "REV", "main-speed": main, "brush-speed": brush },
  }));
}

/** Waiting longer for a robot's rows would hold up the other presses. */
const LOCK_LIMIT_MS = 1_000;

/**
 * Puts STOPs on record that their robots were sent before, at the time of their press, and leaves them open until the
 * robots show that they stand. What has its row already is left out, and so are robots that are not at the site any more.
 */
export async function recordSentStops(db: Db, press: SentStops, serverId: string, now: Date): Promise<void> {
  await transactionWithRetry(db, async (tx) => {
    await setLockTimeout(tx, LOCK_LIMIT_MS);
    const ids = press.stops.map(({ id }) => id);
    const found = await tx.selectFrom("commands").select("id").where("id", "in", ids).execute();
    const recorded = new Set(found.map(({ id }) => id));
    const left = new Map(press.stops.filter(({ id }) => !recorded.has(id)).map((stop) => [stop.robotId, stop]));
    if (left.size === 0) return;
    const accepted = await acceptOrders(
      tx,
      press.siteId,
      [...left.keys()],
      ({ id: robotId }) => {
        const stop = left.get(robotId);
        return {
          verb: "STOP",
          by: press.by,
          mode: press.mode,
          maxDurationS: 0,
          ...(stop && { params: stop.params, pressed: { id: stop.id, seq: stop.seq, wasSent: true } }),
        };
      },
      press.at,
    );
    const stored = accepted.flatMap(({ robot, accepted: each }): OpenCommand[] =>
      each.kind === "stored" && each.command.id === left.get(robot.id)?.id ? [{ robot, command: each.command }] : [],
    );
    if (stored.length === 0) return;
    await tx
      .updateTable("commands")
      .set({ claimed_by: serverId, claimed_at: press.at, published_at: press.at })
      // The time that the robots have to show it begins now, that somebody can see it.
      .set({ settle_by: new Date(now.getTime() + COMMAND_SETTLES_MS) })
      .where(
        "id",
        "in",
        stored.map(({ command }) => command.id),
      )
      .execute();
    const restarted = await findRestarted(tx, stored);
    const told = stored.map((each) => ({
      ...each,
      status: "FAILED" as const,
      details: restarted.has(each.robot.id) ? settled.sentBeforeStart(now) : settled.sentUnrecorded(now),
    }));
    await logAll(tx, told, press.at);
    await closeAll(
      tx,
      stored.filter(({ robot }) => restarted.has(robot.id)),
      "UNCONFIRMED",
      now,
    );
  });
}

/** Robots that were started after their Stop was pressed: it must not be sent to them any more. */
async function findRestarted(tx: Tx, stored: readonly OpenCommand[]): Promise<Set<number>> {
  const { rows } = await sql<{ robot_id: number }>`
    select distinct c.robot_id
    from unnest(${stored.map(({ robot }) => robot.id)}::int[], ${stored.map(({ command }) => command.seq)}::bigint[])
      s (robot_id, seq)
    join commands c on c.robot_id = s.robot_id and c.seq > s.seq and c.verb = 'START'
  `.execute(tx);
  return new Set(rows.map(({ robot_id }) => robot_id));
}
