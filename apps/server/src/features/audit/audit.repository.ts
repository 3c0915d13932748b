import type { AuditOutcome } from "@suncrew/contract/audit/audit.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError } from "../../platform/http/http-error.ts";

/** Who made a change. A viewer is one. */
export interface AuditActor {
  /** Null for the server itself and for a caller that is not signed in. */
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
  readonly outcome: AuditOutcome;
  readonly reason?: string | null;
  /**
   * The thing before and after. If both are given they have the same fields: one that is missing on one side looks like
   * a change.
   */
  readonly before?: object | null;
  readonly after?: object | null;
  readonly at: Date;
}

/** A requested change, whatever its outcome. */
export type AuditedChange = Omit<AuditRecord, "outcome" | "reason">;

/** What a change adds to its record as it goes. */
export interface ChangeDetails {
  entityId?: string | number | null;
  siteId?: number | null;
  before?: object | null;
  after?: object | null;
}

/**
 * Makes a change in one transaction with its audit record. When `work` returns, the change is recorded as DONE, with what
 * `work` has put into `details`. When it throws a refusal (an HttpError of 4xx), everything it wrote is rolled back, the
 * refusal is committed as REFUSED with its message, and then thrown. A 401 or 404 is not recorded: there was nobody to
 * refuse, or nothing to change. Any other error rolls back, and is retried as in `transactionWithRetry`.
 */
export async function auditedChange<T>(
  db: Db,
  change: AuditedChange,
  work: (tx: Tx, details: ChangeDetails) => Promise<T>,
): Promise<T> {
  type Outcome = { readonly result: T } | { readonly refusal: HttpError };
  const outcome = await transactionWithRetry(db, async (tx): Promise<Outcome> => {
    const details: ChangeDetails = {};
    await sql`savepoint audited_change`.execute(tx);
    try {
      const result = await work(tx, details);
      await recordChange(tx, { ...change, ...details }, null);
      return { result };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await sql`rollback to savepoint audited_change`.execute(tx);
      await recordChange(tx, { ...change, ...details }, error);
      return { refusal: error };
    }
  });
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.result;
}

function isRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status < 500 && error.status !== 401 && error.status !== 404;
}

/** Records a change as DONE or, given its refusal, as REFUSED with that reason. */
export async function recordChange(
  db: Executor,
  change: AuditedChange,
  refusal: HttpError | string | null,
): Promise<void> {
  const reason = refusal instanceof HttpError ? refusal.message : refusal;
  await recordAudit(db, { ...change, outcome: reason === null ? "DONE" : "REFUSED", reason });
}

/**
 * Writes one audit row in the caller's transaction, with the current names of its target, its site and whatever the
 * values refer to by id. Secrets never reach the table.
 */
export async function recordAudit(db: Executor, record: AuditRecord): Promise<void> {
  await recordAudits(db, [record]);
}

/** The same for several records, in order. */
export async function recordAudits(db: Executor, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return;
  const clean = (value: object | null | undefined) => (value ? withoutSecrets(value) : null);
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

/** Fields with such a name are never written down. */
const secretName = /password|secret|token|hash|credential|authorization|cookie|api_?key/i;

function withoutSecrets(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !secretName.test(name))
      .map(([name, part]) => [name, cleaned(part)]),
  );
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (value instanceof Date || value === null || typeof value !== "object") return value;
  return withoutSecrets(value);
}
