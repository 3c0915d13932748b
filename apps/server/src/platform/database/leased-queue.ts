import { type RawBuilder, sql } from "kysely";

const LEASE_MS = 10 * 60_000;

export interface LeasedQueueColumns {
  /** Counts the claims of a row. */
  readonly attempts: string;
  /** When the row is due, or its lease ends. */
  readonly dueAt: string;
  /** Which rows have work left. */
  readonly isOpen: RawBuilder<boolean>;
  /**
   * A server that has not reported back after this long has lost its claim, and another server does the work; ten
   * minutes by default.
   */
  readonly leaseMs?: number;
}

/** A row that this server works on. */
export interface Claim<Id extends number | string = number> {
  readonly id: Id;
  /** A result counts only while nobody has claimed the row again. */
  readonly attempt: number;
}

/**
 * A work queue in the rows of a table, shared by all servers. Claiming a row moves its due time by the lease, so work
 * that dies with its server becomes due again by itself. These are the parts of SQL that make up that protocol.
 */
export class LeasedQueue<Id extends number | string = number> {
  readonly #table;
  readonly #attempts;
  readonly #dueAt;
  readonly #isOpen;
  readonly #leaseMs;

  constructor(table: string, { attempts, dueAt, isOpen, leaseMs = LEASE_MS }: LeasedQueueColumns) {
    this.#table = sql.table(table);
    this.#attempts = sql.ref(attempts);
    this.#dueAt = sql.ref(dueAt);
    this.#isOpen = isOpen;
    this.#leaseMs = leaseMs;
  }

  /** The id of the row that has been due the longest, locked; none while every due row is locked by another server. */
  nextDue(now: Date): RawBuilder<Id> {
    return sql`(select id from ${this.#table} where ${this.#isOpen} and ${this.#dueAt} <= ${now}
      order by ${this.#dueAt}, id limit 1 for update skip locked)`;
  }

  /** Assignments of an update of `alias` that claim its row until the lease ends. */
  claiming(alias: string, now: Date): RawBuilder<unknown> {
    const leaseEnd = new Date(now.getTime() + this.#leaseMs);
    return sql`${this.#attempts} = ${sql.ref(alias)}.${this.#attempts} + 1, ${this.#dueAt} = ${leaseEnd}`;
  }

  /** Matches the row of a claim while it is open and nobody has claimed it since. */
  isHeld({ id, attempt }: Claim<Id>): RawBuilder<boolean> {
    return sql`(id = ${id} and ${this.#attempts} = ${attempt} and ${this.#isOpen})`;
  }
}
