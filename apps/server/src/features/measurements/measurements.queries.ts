import { type DayRange, instantsOf, type Measurement } from "@suncrew/domain/measurements/measurement-rows.ts";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

export interface SiteOfMeasurements {
  readonly id: number;
  readonly timezone: string;
  readonly dc_capacity_kwp: number | null;
  readonly control_capacity_kwp: number | null;
  readonly performance_ratio_percent: number | null;
  readonly soiling_rate_factor: number | null;
}

/** Throws 404 if the site does not exist or is not the viewer's. */
export async function readMeasuredSite(viewer: Viewer, db: Executor, siteId: number): Promise<SiteOfMeasurements> {
  const site = await visibleSites(viewer, db)
    .select(["sites.id", "sites.timezone", "sites.dc_capacity_kwp", "sites.control_capacity_kwp"])
    .select(["sites.performance_ratio_percent", "sites.soiling_rate_factor"])
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (site === undefined) throw notFound("Site");
  return site;
}

/** What was measured at a site on these days, in order; nothing where it is not the viewer's. */
export async function readMeasurements(
  viewer: Viewer,
  db: Executor,
  { id, timezone }: Pick<SiteOfMeasurements, "id" | "timezone">,
  days: DayRange,
): Promise<readonly Measurement[]> {
  const { from, before } = instantsOf(days, timezone);
  return visibleSites(viewer, db)
    .innerJoin("site_measurements as m", "m.site_id", "sites.id")
    .select(["m.resolution", "m.starts_at", "m.inverter_energy_kwh", "m.meter_energy_kwh"])
    .select(["m.control_energy_kwh", "m.soiling_ratio", "m.curtailed"])
    .where("sites.id", "=", id)
    .where("m.starts_at", ">=", from)
    .where("m.starts_at", "<", before)
    .orderBy("m.starts_at")
    .orderBy("m.resolution")
    .execute();
}

/** When the first and the last measurement of a site begin; null if there are none. */
export async function readMeasuredSpan(
  viewer: Viewer,
  db: Executor,
  siteId: number,
): Promise<{ readonly first: Date; readonly last: Date } | null> {
  const span = await visibleSites(viewer, db)
    .innerJoin("site_measurements as m", "m.site_id", "sites.id")
    .select((eb) => [eb.fn.min("m.starts_at").as("first"), eb.fn.max("m.starts_at").as("last")])
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  return span?.first && span.last ? { first: span.first, last: span.last } : null;
}
