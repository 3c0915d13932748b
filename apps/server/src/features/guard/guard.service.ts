import { GUARD_FIELDS, type siteGuard, type updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { guardStateOf, hasLimits, hoursThatCount } from "@suncrew/domain/guard/weather-guard.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { editConflict } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { clearSiteAlerts } from "../alerts/public.ts";
import { auditedChange } from "../audit/public.ts";
import { requireSite } from "../sites/public.ts";
import { changeGuard, lockGuard, readGuard, type ReadHours, type StoredGuard } from "./guard.repository.ts";

/** The weather limits of sites, as people see and change them. */
export class SiteGuards {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  readonly #readHours: ReadHours;

  constructor(deps: Pick<Dependencies, "db" | "clock">, readHours: ReadHours) {
    this.#deps = deps;
    this.#readHours = readHours;
  }

  /** Throws 404. */
  async read(viewer: Viewer, siteId: number): Promise<ResponseOf<typeof siteGuard>> {
    const { db, clock } = this.#deps;
    await requireSite(viewer, db, siteId);
    const now = clock.now();
    const { from, to } = hoursThatCount(now);
    const guard = await readGuard(db, siteId);
    const hours = (await this.#readHours(db, [siteId], from, to)).get(siteId) ?? [];
    const limits = limitsOf(guard);
    const judged = { verdict: guard?.verdict ?? null, judgedAt: guard?.judged_at ?? null };
    const received = hours.flatMap(({ weather_received_at: at }) => at ?? []);
    return {
      site_id: siteId,
      ...limits,
      version: guard?.version ?? 0,
      state: hasLimits(limits) ? guardStateOf({ ...judged, passed: guard?.passed ?? null }, now) : null,
      judged_at: judged.judgedAt?.toISOString() ?? null,
      forecast_at:
        received
          .toSorted((one, other) => one.getTime() - other.getTime())
          .at(-1)
          ?.toISOString() ?? null,
    };
  }

  /** Throws 404, and 409 if somebody else has changed them since. */
  async update(viewer: Viewer, siteId: number, body: BodyOf<typeof updateSiteGuard>): Promise<void> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "UPDATE_WEATHER_LIMITS", entity: "site", entityId: siteId, siteId, at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      await requireSite(viewer, tx, siteId);
      const stored = await lockGuard(tx, siteId);
      const [before, after] = [limitsOf(stored), limitsOf(body)];
      details.before = before;
      details.after = after;
      if (body.version !== undefined && body.version !== (stored?.version ?? 0)) throw editConflict("site");
      if (GUARD_FIELDS.every((field) => before[field] === after[field])) {
        details.rows = [];
        return;
      }
      await changeGuard(tx, siteId, after);
      // Nobody judges a site without limits.
      if (!hasLimits(after)) await clearSiteAlerts(tx, [siteId], "WEATHER_LIMIT", at);
    });
  }
}

type Limits = Pick<StoredGuard, (typeof GUARD_FIELDS)[number]>;

function limitsOf(guard: Limits | null): Limits {
  return {
    max_gust_kmh: guard?.max_gust_kmh ?? null,
    max_rain_mm: guard?.max_rain_mm ?? null,
    min_temperature_c: guard?.min_temperature_c ?? null,
    max_temperature_c: guard?.max_temperature_c ?? null,
  };
}
