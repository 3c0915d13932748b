import { createSite, deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { exportSites, importSites } from "@suncrew/contract/sites/site-files.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Workers } from "../../platform/workers/workers.ts";
import { SiteManagement } from "./site-management.service.ts";

export function siteManagementRoutes(app: FastifyInstance, deps: Dependencies, workers: Workers): void {
  const sites = new SiteManagement(deps, workers);

  register(app, createSite, async ({ viewer, body }) => ({
    siteId: await sites.create(viewer, body),
    message: "Site created successfully",
  }));

  register(app, updateSite, async ({ viewer, params, body }) => {
    await sites.update(viewer, params.id, body);
    return { message: "Site updated successfully" };
  });

  register(app, deleteSite, async ({ viewer, params }) => {
    await sites.delete(viewer, params.id);
    return { message: "Site deleted successfully" };
  });

  register(app, exportSites, ({ viewer, reply, signal }) => {
    void reply.header("content-disposition", 'attachment; filename="sites.csv"');
    return sites.export(viewer, signal);
  });

  register(app, importSites, ({ viewer, body, signal }) => sites.import(viewer, body, signal));
}
