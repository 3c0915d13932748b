import { sql } from "kysely";
import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures } from "./fixtures.ts";

/** The ids of alerts that `insertOpenAlerts` inserts; nothing is written before. */
export const openAlertIds = { own: "920001", foreign: "920002" } as const;

/** Inserts one open, unacknowledged alert about a robot of each partner. */
export async function insertOpenAlerts(db: Db, { ownRobot, foreignRobot }: Fixtures): Promise<void> {
  for (const [id, robot, text] of [
    [openAlertIds.own, ownRobot, "Ownfield dust."],
    [openAlertIds.foreign, foreignRobot, "Farfield dust."],
  ] as const) {
    await sql`
      insert into alerts (id, robot_id, site_id, source, code, severity, text, raised_at) overriding system value
      values (${id}::bigint, ${robot.id}, ${robot.siteId}, 'ROBOT', 'DUST', 'WARNING', ${text}, '2026-01-31T01:00:00Z')
      on conflict (id) do update set cleared_at = null, acknowledged_at = null, acknowledged_by = null,
        acknowledged_by_user_id = null, acknowledgement_comment = null`.execute(db);
  }
}
