import type { EnergyAtRisk, SiteSoiling, SoilingGap } from "@suncrew/contract/soiling/soiling.ts";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/** What nothing is known of yet at any site. */
const unknownEverywhere: readonly SoilingGap[] = [
  "dc_capacity_kwp",
  "tilt_degrees",
  "azimuth_degrees",
  "performance_ratio_percent",
  "tariff_per_kwh",
  "currency",
  "cleaning_price",
];

/** Soiling of a site. Throws 404 if it does not exist or is not the viewer's. */
export async function readSiteSoiling(viewer: Viewer, db: Executor, siteId: number): Promise<SiteSoiling> {
  const site = await visibleSites(viewer, db)
    .select("sites.id")
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom("robots")
            .whereRef("robots.site_id", "=", "sites.id")
            .where("robots.deleted_at", "is", null)
            .select("robots.id"),
        )
        .as("hasRobots"),
    )
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!site) throw notFound("Site");
  return {
    site_id: site.id,
    basis: "modelled",
    model: null,
    missing: [...unknownEverywhere, ...(site.hasRobots ? [] : ["robots" as const]), "particles", "rain", "irradiation"],
    source: null,
    received_at: null,
    is_stale: false,
    coverage_percent: 0,
    ratio: null,
    second_opinion: null,
    last_cleaning: null,
    lost_kwh: null,
    lost_money: null,
    currency: null,
    cleaning_price: null,
    tonight_gain_kwh: null,
    tonight_gain_money: null,
    next_night: {
      date: null,
      is_extrapolated: false,
      reason: "UNKNOWN",
      reason_params: {},
      text: "Not known: what it is computed from is missing.",
    },
    worth_from_percent: null,
    best_interval_days: null,
    uncounted_runs: 0,
    days: [],
  };
}

/** What not cleaning tonight costs at the viewer's sites. */
export async function readEnergyAtRisk(viewer: Viewer, db: Executor): Promise<EnergyAtRisk> {
  const { unknown_sites } = await visibleSites(viewer, db)
    .select((eb) => eb.fn.countAll<number>().as("unknown_sites"))
    .executeTakeFirstOrThrow();
  return { sites: [], total_kwh: null, totals_money: [], known_sites: 0, unknown_sites, stale_sites: 0 };
}
