import type { Role } from "@suncrew/contract/auth/auth.ts";
import { sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { MessageLink } from "./message-links.ts";
import { teamSights } from "./recipients.repository.ts";

/** The delivery and its contact point; null if the delivery is not stored any more. Locked where `lock` says so. */
export async function readLinked(db: Executor, { deliveryId, contactPointId }: MessageLink, lock = false) {
  const row = await db
    .selectFrom(
      db
        .selectFrom("deliveries")
        .select(["id", "contact_point_id", "title", "told"])
        .unionAll(
          // Contacts of sites unsubscribe from monthly reports, too.
          db
            .selectFrom("report_deliveries as r")
            .innerJoin("kept_reports as k", "k.id", "r.report_id")
            .innerJoin("sites as s", "s.id", "k.site_id")
            .innerJoin("contact_points as told", "told.id", "r.contact_point_id")
            .select(["r.message_id as id", "told.id as contact_point_id"])
            .select([sql<string>`'Monthly report of ' || s.name`.as("title"), "s.name as told"]),
        )
        .as("d"),
    )
    .innerJoin("contact_points as c", "c.id", "d.contact_point_id")
    .leftJoin("users as u", "u.id", "c.user_id")
    .leftJoin("partners as owner", "owner.id", "c.partner_id")
    .leftJoin("partners as p", "p.id", "u.partner_id")
    .where("d.id", "=", deliveryId)
    .where("c.id", "=", contactPointId)
    .select([
      "d.title",
      "d.told",
      "c.id",
      "c.name",
      "c.owner_kind",
      "c.user_id",
      "c.partner_id",
      "c.site_id",
      "c.team_id",
    ])
    .select(["c.deleted_at", "c.unsubscribed_at", "u.name as user_name", "u.role", "u.partner_id as user_partner_id"])
    .select(
      sql<boolean>`u.deleted_at is not null or p.deleted_at is not null or owner.deleted_at is not null`.as(
        "owner_deleted",
      ),
    )
    .$if(lock, (query) => query.forUpdate("c"))
    .executeTakeFirst();
  return row ?? null;
}
export type Linked = NonNullable<Awaited<ReturnType<typeof readLinked>>>;

/** The alerts that the delivery told, the worst and newest first. */
export function readToldAlerts(db: Executor, deliveryId: string) {
  return db
    .selectFrom("delivery_alerts as t")
    .innerJoin("alerts as a", "a.id", "t.alert_id")
    .leftJoin("sites as s", "s.id", "a.site_id")
    .leftJoin("robots as r", "r.id", "a.robot_id")
    .where("t.delivery_id", "=", deliveryId)
    .select([sql<string>`a.id::text`.as("id"), "a.severity", "a.text", "a.site_id", "s.name as site_name"])
    .select(["a.robot_name", "r.serial_number", "a.raised_at", "a.cleared_at", "a.acknowledged_by"])
    .select(["s.maintenance_partner_id", sql<boolean>`s.deleted_at is not null`.as("site_deleted")])
    .orderBy(sql`array_position(array['CRITICAL', 'WARNING', 'INFO'], a.severity)`)
    .orderBy("a.raised_at", "desc")
    .execute();
}

/** What its members of now may all see; nothing of a team without any. */
export async function readTeamScopes(db: Executor, teamId: number) {
  const { rows } = await sql<{ role: Role; partnerId: number | null }>`
    select case when v.sees_all then 'SUPER_ADMIN' else 'PARTNER' end as role, v.partner_id as "partnerId"
    from ${teamSights} v where v.team_id = ${teamId}`.execute(db);
  return rows;
}

/** A form that was opened before does not subscribe again: it is out of date. */
export async function storeUnsubscribed(tx: Tx, contactPointId: number, now: Date): Promise<void> {
  await tx
    .updateTable("contact_points")
    .set({ unsubscribed_at: now, version: sql<number>`version + 1` })
    .where("id", "=", contactPointId)
    .execute();
}
