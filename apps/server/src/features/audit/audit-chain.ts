import { createHash } from "node:crypto";

/** Everything of an audit row that is sealed, as PostgreSQL writes it as text. */
export interface SealedContent {
  readonly id: string;
  /** UTC, to the microsecond. */
  readonly at: string;
  readonly user_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly entity: string;
  readonly entity_id: string | null;
  readonly site_id: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** As they were called then; null in rows from before the audit kept names. */
  readonly target_name: string | null;
  readonly site_name: string | null;
}

/** What the first row is chained to. */
export const CHAIN_BEGIN = Buffer.alloc(32);

/**
 * The hash of the row with this number: SHA-256 over the hash of the row before and the row's content as JSON text,
 * so that another order, a changed value and a missing row each change every hash after it. Names are part of it where
 * there are any, so that a row from before they were kept has the hash that it was sealed with.
 */
export function chainHash(before: Uint8Array, number: number, row: SealedContent): Buffer {
  const content = [
    number,
    row.id,
    row.at,
    row.user_id,
    row.actor,
    row.action,
    row.entity,
    row.entity_id,
    row.site_id,
    row.outcome,
    row.reason,
    row.before,
    row.after,
    ...(row.target_name === null && row.site_name === null ? [] : [row.target_name, row.site_name]),
  ];
  return createHash("sha256").update(before).update(JSON.stringify(content)).digest();
}
