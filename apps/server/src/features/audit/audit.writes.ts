import type { Executor } from "../../platform/database/database.ts";
import { withoutSecrets } from "./secrets.ts";

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
  readonly before?: Record<string, unknown> | null;
  readonly after?: Record<string, unknown> | null;
  readonly at: Date;
}

/** Writes the audit row of a mutation, done or not, in the caller's transaction. Secrets never reach the table. */
export async function recordAudit(db: Executor, record: AuditRecord): Promise<void> {
  await recordAudits(db, [record]);
}

/** Rows of one statement: PostgreSQL takes 65,535 values at once. */
const BATCH = 1_000;

/** The same for many mutations of one transaction, in their order. */
export async function recordAudits(db: Executor, records: readonly AuditRecord[]): Promise<void> {
  for (let from = 0; from < records.length; from += BATCH) {
    await insertRecords(db, records.slice(from, from + BATCH));
  }
}

async function insertRecords(db: Executor, records: readonly AuditRecord[]): Promise<void> {
  const json = (value: Record<string, unknown> | null | undefined) =>
    value ? JSON.stringify(withoutSecrets(value)) : null;
  await db
    .insertInto("audit")
    .values(
      records.map((record) => ({
        at: record.at,
        user_id: record.actor.userId,
        actor: record.actor.name,
        action: record.action,
        entity: record.entity,
        entity_id: record.entityId === undefined || record.entityId === null ? null : String(record.entityId),
        site_id: record.siteId ?? null,
        outcome: record.outcome,
        reason: record.reason ?? null,
        before: json(record.before),
        after: json(record.after),
      })),
    )
    .execute();
}
