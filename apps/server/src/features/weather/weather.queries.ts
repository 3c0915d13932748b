import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import type { WeatherSite } from "./conditions.ts";

/** The site's location. Throws 404 if it does not exist or is not the viewer's. */
export async function readWeatherSite(viewer: Viewer, db: Executor, siteId: number): Promise<WeatherSite> {
  const site = await visibleSites(viewer, db)
    .select(["sites.id as siteId", "sites.latitude", "sites.longitude", "sites.timezone"])
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!site) throw notFound("Site");
  return site;
}
