import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { SerializedAnswer, versionOf } from "../../platform/http/register.ts";
import { KeyedMutex } from "../../platform/keyed-mutex.ts";
import { scopeOf, type Viewer } from "../../platform/sessions.ts";
import { seenAt } from "./last-seen.ts";
import { readSitesAndLost } from "./sites.queries.ts";

/** Sites whose robots may still be moving unseen are read again after this time, since only time changes them. */
const LOST_AGE_MS = 1_000;
/** Above this share of the sites, all are read, which is one query without a list of ids. */
const MOST_CHANGED = 0.25;
/** Answers kept in memory; the one that was not asked for the longest goes first. */
const MAX_SCOPES = 200;

const siteSchema = siteDetails.response.element;

interface KeptSite {
  readonly name: string;
  readonly json: string;
  readonly hasLost: boolean;
}

/** The answer of one scope, and up to where the database's changes are in it. */
interface KeptAnswer {
  readonly sites: Map<number, KeptSite>;
  readonly changes: ReachedChanges;
  readonly lostReadMs: number;
  readonly answer: SerializedAnswer<typeof siteDetails>;
}

interface ReachedChanges {
  /** The oldest transaction that was still open. */
  readonly oldest: string;
  /** Rows changed by it or a later one that the answer has already. */
  readonly seen: ReadonlySet<string>;
}

/**
 * Answers of `GET api/sites/details`, one per scope. Each call asks the database which sites have changed since the
 * last one, reads these again, and leaves the rest as it was serialized; so an answer has everything committed before
 * its call. Calls that arrive together share one such check, and those with the ETag of an unchanged answer get none.
 */
export class SiteDetails {
  readonly #deps: Dependencies;
  readonly #kept = new Map<string, KeptAnswer>();
  readonly #turns = new KeyedMutex();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async answer(viewer: Viewer): Promise<SerializedAnswer<typeof siteDetails>> {
    const scope = scopeOf(viewer);
    // Begins after this call, so that it sees what was committed before.
    await this.#turns.runShared(scope, () => this.#refresh(viewer, scope));
    return this.#kept.get(scope)?.answer ?? this.answer(viewer);
  }

  async #refresh(viewer: Viewer, scope: string): Promise<void> {
    const kept = this.#kept.get(scope) ?? null;
    const current = kept === null ? await this.#readAll(viewer) : await this.#update(viewer, kept);
    this.#kept.delete(scope);
    this.#kept.set(scope, current);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_SCOPES && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #readAll(viewer: Viewer): Promise<KeptAnswer> {
    const { db, clock } = this.#deps;
    const { changes } = await readChanges(db, null);
    const lostReadMs = clock.monotonicMs();
    const sites = await this.#read(viewer);
    return { sites, changes, lostReadMs, answer: answerOf(sites) };
  }

  async #update(viewer: Viewer, kept: KeptAnswer): Promise<KeptAnswer> {
    const { db, clock } = this.#deps;
    const { changes, rows } = await readChanges(db, kept.changes);
    // A site that is not in the answer concerns it only once the site itself has changed, to another partner for example.
    const relevant = rows.filter(({ kind, site_id }) => kind === "site" || kept.sites.has(site_id));
    const siteIds = new Set(relevant.map(({ site_id }) => site_id));
    const isLostDue = clock.monotonicMs() - kept.lostReadMs >= LOST_AGE_MS;
    const lostReadMs = isLostDue ? clock.monotonicMs() : kept.lostReadMs;
    if (isLostDue) for (const [id, { hasLost }] of kept.sites) if (hasLost) siteIds.add(id);
    if (siteIds.size === 0) return { ...kept, changes, lostReadMs };
    if (siteIds.size > kept.sites.size * MOST_CHANGED) return this.#readAll(viewer);
    const current = await this.#read(viewer, [...siteIds]);
    // The database sorts names, so a new name or site changes the order in a way only it knows.
    const isInPlace = [...current].every(([id, { name }]) => kept.sites.get(id)?.name === name);
    if (!isInPlace) return this.#readAll(viewer);
    let isChanged = false;
    const { sites } = kept;
    for (const id of siteIds) {
      const before = sites.get(id);
      const after = current.get(id);
      isChanged ||= before?.json !== after?.json;
      if (after === undefined) sites.delete(id);
      else sites.set(id, after);
    }
    return { sites, changes, lostReadMs, answer: isChanged ? answerOf(sites) : kept.answer };
  }

  async #read(viewer: Viewer, ids?: readonly number[]): Promise<Map<number, KeptSite>> {
    const { db } = this.#deps;
    const rows = await readSitesAndLost(viewer, db, seenAt(this.#deps), ids === undefined ? {} : { ids });
    return new Map(
      rows.map(({ site, lostRobots }): [number, KeptSite] => [
        site.id,
        { name: site.name, json: JSON.stringify(siteSchema.parse(site)), hasLost: lostRobots > 0 },
      ]),
    );
  }
}

interface ChangedRow {
  readonly kind: "site" | "robot";
  readonly id: number;
  readonly site_id: number;
  readonly change_no: string;
}

/**
 * The rows of all tenants that changed since `reached`, and how far that is; without it no rows. As in the live stream
 * (decision 4), it begins at the oldest transaction that the last check could not see.
 */
async function readChanges(
  db: Db,
  reached: ReachedChanges | null,
): Promise<{ changes: ReachedChanges; rows: ChangedRow[] }> {
  const found = await sql<{ oldest: string } & (ChangedRow | { kind: null })>`
    with snapshot as materialized (select pg_snapshot_xmin(pg_current_snapshot())::text as oldest),
    changed as (
      select 'robot' as kind, robot_id as id, site_id, change_no::text from robot_state
        where change_no >= ${reached?.oldest ?? null}::xid8
      union all
      select 'site', id, id, change_no::text from sites where change_no >= ${reached?.oldest ?? null}::xid8)
    select snapshot.oldest, changed.* from snapshot left join changed on true`.execute(db);
  const rows = found.rows.flatMap((row) => (row.kind === null ? [] : [row]));
  const keyOf = ({ kind, id, change_no }: ChangedRow) => `${kind}:${id}:${change_no}`;
  const changes = { oldest: found.rows[0]?.oldest ?? "0", seen: new Set(rows.map(keyOf)) };
  return { changes, rows: rows.filter((row) => reached?.seen.has(keyOf(row)) !== true) };
}

function answerOf(sites: ReadonlyMap<number, KeptSite>): SerializedAnswer<typeof siteDetails> {
  const json = `[${[...sites.values()].map((site) => site.json).join(",")}]`;
  return new SerializedAnswer(siteDetails, json, versionOf(json));
}
