import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export interface AuditActor {
  /** Null for the server's own doing and for who is not signed in. */
  readonly userId: number | null;
  readonly name: string;
}

export interface AuditRecord {
  readonly actor: AuditActor;
  /** A verb in capitals, such as SIGN_IN or UPDATE_SETTINGS. */
  readonly action: string;
  /** The kind of thing, such as session or robot. */
  readonly entity: string;
  readonly entityId?: string | number | null;
  readonly siteId?: number | null;
  readonly outcome: "DONE" | "REFUSED" | "FAILED";
  readonly reason?: string | null;
  /** The thing before and after. Where both are told they have the same fields: what only one has looks like a change. */
  readonly before?: Record<string, unknown> | null;
  readonly after?: Record<string, unknown> | null;
  readonly at: Date;
}

/**
 * Writes the audit row of a mutation, done or not, in the caller's transaction, with the names that what it is about and
 * the site have now, and those of what the values name by id. Secrets never reach the table.
 */
export async function recordAudit(db: Executor, record: AuditRecord): Promise<void> {
  await recordAudits(db, [record]);
}

/** The same for many mutations of one transaction, in their order. */
export async function recordAudits(db: Executor, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return;
  const clean = (value: Record<string, unknown> | null | undefined) => (value ? withoutSecrets(value) : null);
  const rows = records.map(({ actor, entityId, siteId, before, after, ...record }) => ({
    ...record,
    user_id: actor.userId,
    actor: actor.name,
    entity_id: entityId === undefined || entityId === null ? null : String(entityId),
    site_id: siteId ?? null,
    before: clean(before),
    after: clean(after),
  }));
  await sql`
    insert into audit (at, user_id, actor, action, entity, entity_id, site_id, outcome, reason, before, after,
      target_name, site_name)
    select n.at, n.user_id, n.actor, n.action, n.entity, n.entity_id, n.site_id, n.outcome, n.reason,
      audit_with_names(n.before), audit_with_names(n.after),
      coalesce(audit_told_name(n.entity, n.entity_id, n.before, n.after),
        audit_known_name(n.entity, n.entity_id, n.before, n.after)),
      (select name from sites where id = n.site_id)
    from json_populate_recordset(null::audit, ${JSON.stringify(rows)}::json) n`.execute(db);
}

/** Part of the name of a field that is never written down. */
const secretName = /password|secret|token|hash|credential|authorization|cookie|api_?key/i;

/** The same value without the fields whose names say that they are secret, at any depth. */
function withoutSecrets(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !secretName.test(name))
      .map(([name, part]) => [name, cleaned(part)]),
  );
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (value instanceof Date || value === null || typeof value !== "object") return value;
  return withoutSecrets(Object.fromEntries(Object.entries(value)));
}
