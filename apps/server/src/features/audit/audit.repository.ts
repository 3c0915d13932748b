import type { AuditOutcome } from "@suncrew/contract/audit/audit.ts";
import { sql, Transaction } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError } from "../../platform/http/http-error.ts";

/** Who made a change. A viewer is one. */
export interface AuditActor {
  /** Null for the server itself and for a caller that is not signed in. */
  readonly userId: number | null;
  readonly name: string;
}

export const suncrew: AuditActor = { userId: null, name: "Suncrew" };

/** A change that somebody asks for, whatever becomes of it. */
export interface AuditedChange {
  readonly actor: AuditActor;
  /** A verb in capitals, such as SIGN_IN or UPDATE_SETTINGS. */
  readonly action: string;
  /** The kind of thing, such as session or robot. */
  readonly entity: string;
  readonly entityId?: string | number | null;
  readonly siteId?: number | null;
  /** The thing before and after. Where both are given they have the same fields: one that only one has looks like a change. */
  readonly before?: object | null;
  readonly after?: object | null;
  readonly at: Date;
}

export interface AuditRecord extends AuditedChange {
  readonly outcome: AuditOutcome;
  readonly reason?: string | null;
}

/** A row to write: done unless it says otherwise. */
type NewRecord = AuditedChange & Partial<Pick<AuditRecord, "outcome" | "reason">>;

/** What a change adds to its record as it goes. */
export interface ChangeDetails {
  entityId?: string | number | null;
  siteId?: number | null;
  /** Why, where it is not refused: a refusal has its message. */
  reason?: string;
  before?: object | null;
  after?: object | null;
  /** Recorded in place of the one row: a row for each thing, or none where there is nothing to change. */
  rows?: readonly NewRecord[];
}

/**
 * Makes a change in one transaction with its audit record. When `work` returns, the change is recorded as DONE, with what
 * `work` has put into `details`. When it throws a refusal (an HttpError of 4xx), everything it wrote is rolled back, the
 * refusal is committed as REFUSED with its message, and then thrown. A 401 or 404 is not recorded: there was nobody to
 * refuse, or nothing to change. Any other error rolls back, and is retried as in `transactionWithRetry`. Given a
 * transaction, the change becomes a part of that, and a refusal stays on record only if its caller commits it.
 */
export async function auditedChange<T>(
  db: Executor,
  change: AuditedChange,
  work: (tx: Tx, details: ChangeDetails) => Promise<T>,
): Promise<T> {
  type Outcome = { readonly result: T } | { readonly refusal: HttpError };
  const attempt = async (tx: Tx): Promise<Outcome> => {
    const details: ChangeDetails = {};
    await sql`savepoint audited_change`.execute(tx);
    try {
      const result = await work(tx, details);
      await recordChanges(tx, rowsOf(change, details));
      return { result };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await sql`rollback to savepoint audited_change`.execute(tx);
      const refused = { outcome: "REFUSED", reason: error.message } as const;
      const rows = rowsOf(change, details).map((row) => ({ ...row, ...refused }));
      await recordChanges(tx, rows);
      return { refusal: error };
    }
  };
  const outcome = await (db instanceof Transaction ? attempt(db) : transactionWithRetry(db, attempt));
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.result;
}

function rowsOf(change: AuditedChange, { rows, ...details }: ChangeDetails): readonly NewRecord[] {
  return rows ?? [{ ...change, ...details }];
}

function isRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status < 500 && error.status !== 401 && error.status !== 404;
}

/** Records a change in the caller's transaction, and as REFUSED given the reason. */
export async function recordChange(
  db: Executor,
  change: NewRecord,
  refusal: HttpError | string | null = null,
): Promise<void> {
  const reason = refusal instanceof HttpError ? refusal.message : refusal;
  await recordChanges(db, [reason === null ? change : { ...change, outcome: "REFUSED", reason }]);
}

/**
 * Records several changes, in their order, with the names that their targets, their sites and whatever the values refer
 * to by id have at this moment. Secrets never reach the table.
 */
export async function recordChanges(db: Executor, records: readonly NewRecord[]): Promise<void> {
  if (records.length === 0) return;
  const clean = (value: object | null | undefined) => (value ? withoutSecrets(value) : null);
  const rows = records.map(({ actor, action, entity, entityId, siteId, outcome, reason, before, after, at }) => ({
    at,
    user_id: actor.userId,
    actor: actor.name,
    action,
    entity,
    entity_id: entityId === undefined || entityId === null ? null : String(entityId),
    site_id: siteId ?? null,
    outcome: outcome ?? "DONE",
    reason: reason ?? null,
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
