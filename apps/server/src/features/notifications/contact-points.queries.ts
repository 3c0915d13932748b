import { type ContactPoint, whatsappOptionsSchema } from "@suncrew/contract/notifications/contact-points.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/**
 * Contact points that the viewer sees and may change: a Super Admin all, a partner's user the own, those of the partner,
 * and those of its sites. Those of people, partners, sites and teams that were deleted are nobody's. Selects nothing yet.
 */
export function visibleContactPoints(viewer: Viewer, db: Executor) {
  const siteIds = visibleSites(viewer, db).select("sites.id");
  const isAdmin = viewer.role === "SUPER_ADMIN";
  return db
    .selectFrom("contact_points as c")
    .leftJoin("users as u", "u.id", "c.user_id")
    .leftJoin("partners as p", "p.id", "c.partner_id")
    .leftJoin("sites as s", "s.id", "c.site_id")
    .leftJoin("teams as t", "t.id", "c.team_id")
    .where("c.deleted_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("c.site_id", "in", siteIds),
        eb.and([eb("u.deleted_at", "is", null), isAdmin ? eb("u.id", "is not", null) : eb("u.id", "=", viewer.userId)]),
        eb.and([
          eb("p.deleted_at", "is", null),
          isAdmin ? eb("p.id", "is not", null) : eb("p.id", "=", viewer.partnerId),
        ]),
        ...(isAdmin ? [eb.and([eb("t.id", "is not", null), eb("t.deleted_at", "is", null)])] : []),
      ]),
    );
}

const ownerId = sql<number>`coalesce(c.user_id, c.partner_id, c.site_id, c.team_id)`;
export const ownerName = sql<string>`coalesce(u.name, p.name, s.name, t.name)`;

/** By owner and name. */
export async function readContactPoints(
  viewer: Viewer,
  db: Executor,
  filter: { readonly siteId?: number | undefined; readonly mine?: boolean | undefined },
): Promise<ContactPoint[]> {
  const rows = await visibleContactPoints(viewer, db)
    .$if(filter.siteId !== undefined, (query) => query.where("c.site_id", "=", filter.siteId ?? 0))
    .$if(filter.mine === true, (query) => query.where("c.user_id", "=", viewer.userId))
    .selectAll("c")
    .select([ownerId.as("owner_id"), ownerName.as("owner_name")])
    .orderBy(sql`lower(${ownerName})`)
    .orderBy(sql`lower(c.name)`)
    .orderBy("c.id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    owner: { kind: row.owner_kind, id: row.owner_id, name: row.owner_name, role: row.site_role },
    channel: row.channel,
    address: row.address,
    whatsapp: row.options === null ? null : whatsappOptionsSchema.parse(row.options),
    timezone: row.timezone,
    quiet_from: row.quiet_from,
    quiet_to: row.quiet_to,
    days_off: row.days_off,
    critical_pierces: row.critical_pierces,
    digest_at: row.digest_at,
    summary_at: row.summary_at,
    language: row.language,
    gets_reports: row.gets_reports,
    // Its recipient may have switched it off by unsubscribing.
    enabled: row.enabled && row.unsubscribed_at === null,
    unsubscribed_at: row.unsubscribed_at?.toISOString() ?? null,
    last_sent_at: row.last_sent_at?.toISOString() ?? null,
    failure: failureOf(row),
    version: row.version,
  }));
}

interface FailedRow {
  readonly failed_at: Date | null;
  readonly failure_reason: string | null;
  readonly failure_reason_code: string | null;
  readonly last_sent_at: Date | null;
}

/** The last failure, unless something was sent since. */
function failureOf({ failed_at, failure_reason, failure_reason_code, last_sent_at }: FailedRow) {
  if (failed_at === null || failure_reason === null || failure_reason_code === null) return null;
  if (last_sent_at !== null && last_sent_at > failed_at) return null;
  return { at: failed_at.toISOString(), reason: failure_reason, reason_code: failure_reason_code };
}

/** The row with its owner's name, locked for this transaction; null if the viewer does not see it. */
export async function lockContactPoint(viewer: Viewer, db: Executor, contactPointId: number) {
  const row = await visibleContactPoints(viewer, db)
    .where("c.id", "=", contactPointId)
    .selectAll("c")
    .select(ownerName.as("owner_name"))
    .forNoKeyUpdate("c")
    .executeTakeFirst();
  return row ?? null;
}
