import {
  AT_RISK_LIMIT,
  type Banded,
  type EnergyAtRisk,
  SOILING_STALE_HOURS,
} from "@suncrew/contract/soiling/soiling.ts";
import { factsNeededFor, soilingRateFactorOf } from "@suncrew/domain/sites/site-energy-facts.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/** What not cleaning tonight costs at the viewer's sites, as computed last: those with most energy first. */
export async function readEnergyAtRisk(viewer: Viewer, db: Executor, now: Date): Promise<EnergyAtRisk> {
  const rows = await visibleSites(viewer, db)
    .leftJoin("site_soiling as s", "s.site_id", "sites.id")
    .select(["sites.id as site_id", "sites.name as site_name", "s.source", "s.computed_at", "s.received_at"])
    .select(["s.ratio", "s.ratio_low", "s.ratio_high", "s.gain_kwh", "s.gain_kwh_low", "s.gain_kwh_high"])
    .select("sites.soiling_rate_factor")
    .select(["s.gain_money", "s.gain_money_low", "s.gain_money_high", "s.currency"])
    .select(factsNeededFor.energy.map((fact) => `sites.${fact}` as const))
    .orderBy("s.gain_kwh", (by) => by.desc().nullsLast())
    .orderBy("sites.id")
    .execute();
  const staleBefore = now.getTime() - SOILING_STALE_HOURS * 3_600_000;
  const isStale = ({ received_at }: (typeof rows)[number]) =>
    received_at !== null && received_at.getTime() < staleBefore;
  const known = rows
    .filter((row) => !isStale(row))
    .flatMap(({ site_id, site_name, source, computed_at, currency, ...row }) => {
      const ratio = banded(row.ratio, row.ratio_low, row.ratio_high);
      const gain_kwh = banded(row.gain_kwh, row.gain_kwh_low, row.gain_kwh_high);
      if (ratio === null || gain_kwh === null || source === null || computed_at === null) return [];
      const gain_money = banded(row.gain_money, row.gain_money_low, row.gain_money_high);
      return [
        {
          site_id,
          site_name,
          ratio,
          gain_kwh,
          gain_money,
          currency,
          source,
          soiling_rate_factor: soilingRateFactorOf(row),
          computed_at: computed_at.toISOString(),
        },
      ];
    });
  const stale_sites = rows.filter(isStale).length;
  const unknown = rows.filter((row) => !isStale(row) && row.gain_kwh === null);
  const missesFacts = (row: (typeof rows)[number]) => factsNeededFor.energy.some((fact) => row[fact] === null);
  const factless = unknown.filter(missesFacts);
  const waiting = unknown.filter((row) => !missesFacts(row) && row.source === null);
  const byCurrency = new Map<string, Banded>();
  for (const { currency, gain_money } of known) {
    if (currency !== null && gain_money !== null) byCurrency.set(currency, sum(byCurrency.get(currency), gain_money));
  }
  return {
    sites: known.slice(0, AT_RISK_LIMIT),
    total_kwh:
      known.length === 0 ? null : known.map(({ gain_kwh }) => gain_kwh).reduce((one, other) => sum(one, other)),
    totals_money: [...byCurrency]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, money]) => ({ currency, money })),
    known_sites: known.length,
    unknown_sites: rows.length - stale_sites - known.length,
    missing_facts_sites: factless.length,
    waiting_sites: waiting.length,
    stale_sites,
    factor_sites: known.filter(({ soiling_rate_factor: factor }) => factor !== 1).length,
  };
}

function banded(value: number | null, low: number | null, high: number | null): Banded | null {
  return value === null || low === null || high === null ? null : { value, low, high };
}

/** Sites share their air: where the particles are wrong, they are wrong at many at once, so that the ends add up, too. */
function sum(one: Banded | undefined, other: Banded): Banded {
  if (one === undefined) return other;
  return { value: one.value + other.value, low: one.low + other.low, high: one.high + other.high };
}
