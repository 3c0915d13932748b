import { type ServerAlertCode, serverClockAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { inTransaction, setLockTimeout } from "../../platform/database/transactions.ts";
import {
  bringServerAlert,
  isCurrentAlert,
  openServerAlert,
  type OpenServerAlert,
} from "./server-conditions.repository.ts";

const CLOCK = "SERVER_CLOCK" satisfies ServerAlertCode;
/** An arbitrary number that all servers share. Only this update waits for it. */
const SERVER_CLOCKS_LOCK = 7_305_012;
const LOCK_WAIT_MS = 1_000;
/**
 * A row that has not changed over this many polls after the first belongs to a dead server. Polls are counted instead of
 * time, which is what the servers disagree about, and none counts while the database is unreachable.
 */
const STALE_AFTER_POLLS = 15;

interface ServerRow {
  readonly server_id: string;
  readonly name: string;
  readonly words: string;
  /** Changes whenever the server confirms its row. */
  readonly mark: string;
}

interface ClockRecords {
  readonly servers: readonly ServerRow[];
  readonly alert: OpenServerAlert | null;
}

/**
 * Protocol rule 12: one server's part in the alert about servers whose clocks disagree. Each such server has a row, and
 * every server brings the one alert into line with the rows. An advisory lock serializes them, so that the alert is
 * open once and no server clears it while another still disagrees; no other work waits for that lock.
 */
export class ServerClockAlert {
  readonly #db: Db;
  readonly #own: { readonly id: string; readonly name: string };
  #hasRow = false;
  /** The other servers' rows as last seen, and over how many polls after the first they have not changed. */
  #others = new Map<string, { readonly mark: string; readonly unchangedPolls: number }>();

  constructor(db: Db, own: { readonly id: string; readonly name: string }) {
    this.#db = db;
    this.#own = own;
  }

  /** Whether this server's disagreement is stored. */
  get hasRow(): boolean {
    return this.#hasRow;
  }

  /** `text` says how this server's clock disagrees; null if it agrees. */
  async update(words: string | null, now: Date): Promise<void> {
    const records = await readClockRecords(this.#db);
    const stale = this.#staleServers(records.servers);
    const isStored = records.servers.some(({ server_id }) => server_id === this.#own.id);
    if (words === null && !isStored && stale.length === 0 && isAlertCurrent(records)) return;
    // Set before the commit: a failure may leave it unknown whether the row was stored.
    this.#hasRow ||= words !== null;
    await inTransaction(this.#db, async (tx) => {
      await setLockTimeout(tx, LOCK_WAIT_MS);
      await sql`select pg_advisory_xact_lock(${SERVER_CLOCKS_LOCK})`.execute(tx);
      if (words === null) await tx.deleteFrom("server_clocks").where("server_id", "=", this.#own.id).execute();
      else await storeServer(tx, this.#own, words);
      for (const { server_id, mark } of stale) {
        await tx.deleteFrom("server_clocks").where("server_id", "=", server_id).where(markOfRow, "=", mark).execute();
      }
      // The advisory lock keeps the rows unchanged.
      await bringServerAlert(tx, alertOf(await readClockRecords(tx)), CLOCK, now);
    });
    this.#hasRow = words !== null;
  }

  #staleServers(servers: readonly ServerRow[]): ServerRow[] {
    const before = this.#others;
    const others = servers.filter(({ server_id }) => server_id !== this.#own.id);
    this.#others = new Map(
      others.map(({ server_id, mark }) => {
        const was = before.get(server_id);
        return [server_id, { mark, unchangedPolls: was?.mark === mark ? was.unchangedPolls + 1 : 0 }];
      }),
    );
    return others.filter(({ server_id }) => (this.#others.get(server_id)?.unchangedPolls ?? 0) >= STALE_AFTER_POLLS);
  }
}

/** With microseconds. */
const markOfRow = sql<string>`extract(epoch from seen_at)::text`;

async function readClockRecords(db: Executor): Promise<ClockRecords> {
  const servers = await db
    .selectFrom("server_clocks")
    .select(["server_id", "name", "words", markOfRow.as("mark")])
    .execute();
  return { servers, alert: await openServerAlert(db, CLOCK) };
}

const alertOf = ({ servers }: ClockRecords) => (servers.length === 0 ? null : serverClockAlert(servers));
const isAlertCurrent = (records: ClockRecords): boolean => isCurrentAlert(alertOf(records), records.alert);

async function storeServer(tx: Tx, { id, name }: { readonly id: string; readonly name: string }, words: string) {
  const seen_at = sql<Date>`clock_timestamp()`;
  await tx
    .insertInto("server_clocks")
    .values({ server_id: id, name, words, seen_at })
    .onConflict((conflict) => conflict.column("server_id").doUpdateSet({ words, seen_at }))
    .execute();
}
