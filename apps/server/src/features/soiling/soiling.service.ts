import { type SiteSoiling, siteSoiling, SOILING_STALE_HOURS } from "@suncrew/contract/soiling/soiling.ts";
import type { SiteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { notFound } from "../../platform/http/http-error.ts";
import { serializeAnswer, SerializedAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { requireSite } from "../sites/public.ts";
import { readExactBasis } from "./soiling-basis.repository.ts";
import { type ComputedSoiling, computeSoilingTask } from "./soiling-inputs.repository.ts";
import { compareStrategiesTask, readStrategiesBasis } from "./soiling-strategies.repository.ts";

/** Results kept in memory; the one that was not asked for the longest goes first. */
const MAX_SITES = 200;
/** Hours end and, wherever a site is, days begin at multiples of this. */
const QUARTER_MS = 15 * 60_000;

interface KeptSoiling {
  /** What it was computed from. */
  readonly basis: string;
  /** From this time on it is another, even from the same; while it is being computed, it is not known. */
  untilMs: number;
  readonly computed: Promise<ComputedSoiling | null>;
  answer: SerializedAnswer<typeof siteSoiling> | null;
}

/**
 * The soiling of sites as of now, computed once for all who ask while what it is computed from stays the same. Each call
 * asks the database for that, so that servers side by side need not know of each other.
 */
export class SoilingOfSites {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  readonly #workers: Workers;
  readonly #kept = new Map<number, KeptSoiling>();

  constructor(deps: Pick<Dependencies, "db" | "clock">, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** Throws 404 if the site does not exist or is not the viewer's. */
  async of(viewer: Viewer, siteId: number): Promise<SiteSoiling> {
    return soilingOf(siteId, (await this.#keep(viewer, siteId)).computed);
  }

  /** The same as it is sent. Throws 404. */
  async answer(viewer: Viewer, siteId: number): Promise<SerializedAnswer<typeof siteSoiling>> {
    const { kept, computed } = await this.#keep(viewer, siteId);
    kept.answer ??= new SerializedAnswer(siteSoiling, serializeAnswer(siteSoiling, soilingOf(siteId, computed)));
    return kept.answer;
  }

  async #keep(viewer: Viewer, siteId: number) {
    const { db, clock } = this.#deps;
    await requireSite(viewer, db, siteId);
    const now = clock.now();
    const basis = await readExactBasis(db, siteId, now);
    if (basis === null) throw notFound("Site");
    const known = this.#kept.get(siteId);
    const isCurrent = known !== undefined && known.basis === basis && now.getTime() < known.untilMs;
    const kept = isCurrent ? known : this.#begin(viewer, siteId, basis, now);
    // A map keeps insertion order.
    this.#kept.delete(siteId);
    this.#kept.set(siteId, kept);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_SITES && oldest.done !== true) this.#kept.delete(oldest.value);
    const computed = await kept.computed;
    if (computed === null) throw notFound("Site");
    return { kept, computed };
  }

  #begin(viewer: Viewer, siteId: number, basis: string, now: Date): KeptSoiling {
    const quarterMs = (Math.floor(now.getTime() / QUARTER_MS) + 1) * QUARTER_MS;
    // Others wait for it, too: nobody's leaving ends it.
    const { signal } = new AbortController();
    const computed = this.#workers.run(computeSoilingTask, { siteId, now }, { owner: workOwnerOf(viewer), signal });
    const kept: KeptSoiling = { basis, untilMs: quarterMs, computed, answer: null };
    computed.then(
      (soiling) => (kept.untilMs = Math.min(quarterMs, becomesStaleMs(soiling))),
      () => {
        if (this.#kept.get(siteId) === kept) this.#kept.delete(siteId);
      },
    );
    return kept;
  }
}

function becomesStaleMs(computed: ComputedSoiling | null): number {
  if (computed === null || computed.receivedAt === null || computed.isStale) return Infinity;
  return computed.receivedAt.getTime() + SOILING_STALE_HOURS * 3_600_000 + 1;
}

function soilingOf(siteId: number, computed: ComputedSoiling): SiteSoiling {
  const { missing, source, receivedAt, isStale, uncountedRuns, corrections, modelled } = computed;
  return {
    site_id: siteId,
    basis: "modelled",
    missing: [...missing],
    source,
    received_at: receivedAt?.toISOString() ?? null,
    is_stale: isStale,
    uncounted_runs: uncountedRuns,
    corrections: [...corrections],
    ...modelled,
  };
}

/** What cleaning by need would have cost at sites: kept like their soiling, for it takes as long. */
export class StrategiesOfSites {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  readonly #workers: Workers;
  readonly #kept = new Map<number, { readonly basis: string; readonly compared: Promise<SiteStrategies | null> }>();

  constructor(deps: Pick<Dependencies, "db" | "clock">, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** Throws 404 if the site does not exist or is not the viewer's. */
  async of(viewer: Viewer, siteId: number): Promise<SiteStrategies> {
    const { db, clock } = this.#deps;
    await requireSite(viewer, db, siteId);
    const now = clock.now();
    const basis = await readStrategiesBasis(db, siteId, now);
    if (basis === null) throw notFound("Site");
    const known = this.#kept.get(siteId);
    const kept = known?.basis === basis ? known : { basis, compared: this.#compare(viewer, siteId, now) };
    this.#kept.delete(siteId);
    this.#kept.set(siteId, kept);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_SITES && oldest.done !== true) this.#kept.delete(oldest.value);
    try {
      const compared = await kept.compared;
      if (compared === null) throw notFound("Site");
      return compared;
    } catch (error) {
      if (this.#kept.get(siteId) === kept) this.#kept.delete(siteId);
      throw error;
    }
  }

  #compare(viewer: Viewer, siteId: number, now: Date): Promise<SiteStrategies | null> {
    // Others wait for it, too: nobody's leaving ends it.
    const { signal } = new AbortController();
    return this.#workers.run(compareStrategiesTask, { siteId, now }, { owner: workOwnerOf(viewer), signal });
  }
}
