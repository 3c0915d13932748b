import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { ROBOT_COLUMNS } from "@suncrew/domain/csv/import-columns.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/** The robots of the viewer's sites as a file that can be imported again, where their serial numbers are free. */
export async function robotFileOf(viewer: Viewer, db: Executor): Promise<string> {
  const robots = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .select(["sites.name as site", "r.serial_number", "r.robot_name", "r.motor_type", "r.control_type"])
    .select("r.installation_date")
    .where("r.deleted_at", "is", null)
    .orderBy("sites.name")
    .orderBy("r.robot_name")
    .orderBy("r.id")
    .execute();
  return writeCsv(
    ROBOT_COLUMNS,
    robots.map((robot) => ROBOT_COLUMNS.map((column) => robot[column])),
  );
}

/** The viewer's sites by their names as they are compared, for files that name them. */
export async function siteIdsByName(
  viewer: Viewer,
  db: Executor,
  keyOf: (name: string) => string,
): Promise<ReadonlyMap<string, number>> {
  const sites = await visibleSites(viewer, db).select(["sites.id", "sites.name"]).execute();
  return new Map(sites.map(({ id, name }) => [keyOf(name), id]));
}
