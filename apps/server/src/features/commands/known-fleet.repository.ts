import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

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
