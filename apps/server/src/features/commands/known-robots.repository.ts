import { type StoredSettings, storedParams } from "@suncrew/domain/commands/stored-params.ts";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { deviceRetired } from "./commands.repository.ts";

/** A robot that may be stopped without the database, as last read from it. */
export interface KnownRobot {
  readonly id: number;
  readonly serial: string;
  readonly siteId: number;
  readonly siteName: string;
  /** The state of its site. */
  readonly state: string;
  /** The partner that maintains its site. */
  readonly partnerId: number | null;
  readonly groupId: number | null;
  readonly session: number;
  /** Last seen moving. */
  readonly wasMoving: boolean;
  /** The highest number of its commands, or that it reported. */
  readonly lastSeq: number;
  readonly params: ReturnType<typeof storedParams>;
}

/** So many at a time: the answer for a large fleet at once would hold up everything else that this server does. */
const ROBOTS_AT_A_TIME = 500;

/** Every robot in service; retired devices get no commands (protocol rule 9). */
export async function readKnownRobots(db: Db): Promise<KnownRobot[]> {
  return db.transaction().execute(async (tx) => {
    await declareKnownRobots(tx);
    const known: KnownRobot[] = [];
    for (;;) {
      const { rows } = await sql<Omit<KnownRobot, "params"> & StoredSettings>`
        fetch ${sql.lit(ROBOTS_AT_A_TIME)} from known_robots`.execute(tx);
      for (const { cleaning_direction, main_motor_speed, brush_motor_speed, ...robot } of rows) {
        known.push({ ...robot, params: storedParams({ cleaning_direction, main_motor_speed, brush_motor_speed }) });
      }
      if (rows.length < ROBOTS_AT_A_TIME) return known;
    }
  });
}

async function declareKnownRobots(tx: Tx): Promise<void> {
  await sql`
    declare known_robots no scroll cursor for
    select r.id, r.serial_number as serial, r.site_id as "siteId", t.name as "siteName", t.state,
      t.maintenance_partner_id as "partnerId", m.group_id as "groupId", s.session,
      s.motion is not distinct from 'MOVING' as "wasMoving", greatest(r.last_command_seq, s.last_seq) as "lastSeq",
      r.cleaning_direction, r.main_motor_speed, r.brush_motor_speed
    from robots r
    join sites t on t.id = r.site_id and t.deleted_at is null
    join robot_state s on s.robot_id = r.id
    left join robot_group_members m on m.robot_id = r.id
    where r.deleted_at is null and not ${deviceRetired}
    order by r.robot_name, r.id
  `.execute(tx);
}
