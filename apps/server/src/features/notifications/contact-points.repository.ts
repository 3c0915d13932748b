import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import type { ContactOwnerInput } from "@suncrew/contract/notifications/contact-points.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { recordChange, suncrew } from "../audit/public.ts";

export type ContactPointRow = Selectable<Tables["contact_points"]>;

/** Whose contact point it is, as its row has it. */
export type OwnerColumns = Pick<
  ContactPointRow,
  "owner_kind" | "user_id" | "partner_id" | "site_id" | "team_id" | "site_role"
>;

const ownerTables = { PERSON: "users", PARTNER: "partners", SITE: "sites", TEAM: "teams" } as const;
const ownerColumn = { PERSON: "user_id", PARTNER: "partner_id", SITE: "site_id", TEAM: "team_id" } as const;

/** The owner's name, locked for this transaction so that its contact points can be counted; null if it does not exist. */
export async function lockOwner(tx: Tx, kind: ContactOwnerInput["kind"], id: number): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(ownerTables[kind])} where id = ${id} and deleted_at is null for no key update`.execute(
    tx,
  );
  return rows[0]?.name ?? null;
}

export async function countContactPointsOf(tx: Tx, kind: ContactOwnerInput["kind"], id: number): Promise<number> {
  const { count } = await tx
    .selectFrom("contact_points")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where(ownerColumn[kind], "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertContactPoint(tx: Tx, row: Insertable<Tables["contact_points"]>): Promise<number> {
  const { id } = await tx.insertInto("contact_points").values(row).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** An edit by a person, which counts as a new version. */
export async function changeContactPoint(
  tx: Tx,
  id: number,
  change: Updateable<Tables["contact_points"]>,
): Promise<void> {
  await tx
    .updateTable("contact_points")
    .set({ ...change, version: sql<number>`version + 1` })
    .where("id", "=", id)
    .execute();
}

/** Its secrets are forgotten; the row stays for what was sent to it. */
export async function removeContactPoint(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.updateTable("contact_points").set({ deleted_at: at, secret: null }).where("id", "=", id).execute();
}

const WEBHOOK_GONE = deliveryTexts.text("WEBHOOK_GONE", {}).code;

/**
 * A webhook whose receiver says that it is gone for good is called no more: it is switched off, on record. Any other
 * reason changes nothing; a form that was opened before does not switch it on again.
 */
export async function switchOffGone(tx: Tx, id: number, reason: CodedText, at: Date): Promise<void> {
  if (reason.code !== WEBHOOK_GONE) return;
  const switched = await tx
    .updateTable("contact_points")
    .set({ enabled: false, version: sql<number>`version + 1` })
    .where("id", "=", id)
    .where("enabled", "=", true)
    .where("deleted_at", "is", null)
    .returning(["name", "site_id"])
    .executeTakeFirst();
  if (switched === undefined) return;
  await recordChange(tx, {
    actor: suncrew,
    action: "UPDATE_CONTACT_POINT",
    entity: "contact_point",
    entityId: id,
    siteId: switched.site_id,
    before: { name: switched.name, enabled: true },
    after: { name: switched.name, enabled: false },
    reason: reason.text,
    at,
  });
}

export async function storeSecret(tx: Tx, id: number, secret: string): Promise<void> {
  await tx.updateTable("contact_points").set({ secret }).where("id", "=", id).execute();
}

/** The delivery of a test and what the contact point shows of it. A failed test counts as none of the failures in a row. */
export async function storeTest(
  tx: Tx,
  delivery: Insertable<Tables["deliveries"]>,
  reason: CodedText | null,
  at: Date,
): Promise<void> {
  await tx
    .insertInto("deliveries")
    .values({ ...delivery, ...reasonColumns(reason) })
    .execute();
  const { reason: text, reason_code, reason_params } = reasonColumns(reason);
  await tx
    .updateTable("contact_points")
    .set(reason === null ? { last_sent_at: at, failures: 0 } : {})
    .set({ failed_at: reason === null ? null : at, failure_reason: text, failure_reason_code: reason_code })
    .set({ failure_reason_params: reason_params })
    .where("id", "=", delivery.contact_point_id)
    .execute();
}

/** Everybody who signs in, or only this user, by name. */
export async function readPeople(db: Executor, only: number | null) {
  return await db
    .selectFrom("users")
    .leftJoin("partners", "partners.id", "users.partner_id")
    .select(["users.id", "users.name", "users.role", "partners.name as partner_name"])
    .select(
      sql<number>`(select count(*) from contact_points c where c.user_id = users.id and c.deleted_at is null)`.as(
        "contact_points",
      ),
    )
    .where("users.deleted_at", "is", null)
    .$if(only !== null, (query) => query.where("users.id", "=", only ?? 0))
    .orderBy(sql`lower(users.name)`)
    .orderBy("users.id")
    .execute();
}

type Named = "CONTACT_POINT" | "TEAM" | "ROTA";

/** A rule or subscription that tells this; null if none does. Whoever asks has locked it, as a new rule does. */
export async function findRuleNaming(
  tx: Tx,
  kind: Named,
  id: number,
): Promise<{ readonly name: string; readonly isSubscription: boolean } | null> {
  const target = JSON.stringify([{ to: [{ kind, id }] }]);
  const rule = await tx
    .selectFrom("notification_rules as r")
    .leftJoin("users as u", "u.id", "r.user_id")
    .select(["r.name", "r.user_id"])
    // What a deleted user subscribed to counts no more.
    .where("u.deleted_at", "is", null)
    .where("r.deleted_at", "is", null)
    .where(sql<boolean>`r.steps @> ${target}::jsonb`)
    .orderBy("r.id")
    .executeTakeFirst();
  return rule === undefined ? null : { name: rule.name, isSubscription: rule.user_id !== null };
}
