import {
  createReportTemplate,
  deleteReportLogo,
  deleteReportTemplate,
  reportSettings,
  reportTemplates,
  updateReportLogo,
  updateReportSettings,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { readTemplates, ReportTemplatesService } from "./report-templates.service.ts";

export function reportTemplatesRoutes(app: FastifyInstance, deps: Dependencies): void {
  const templates = new ReportTemplatesService(deps);
  register(app, reportTemplates, ({ viewer }) => readTemplates(viewer, deps.db));
  register(app, createReportTemplate, ({ viewer, body }) => templates.create(viewer, body));
  register(app, updateReportTemplate, ({ viewer, params, body }) => templates.update(viewer, params.templateId, body));
  register(app, deleteReportTemplate, ({ viewer, params }) => templates.delete(viewer, params.templateId));
  register(app, reportSettings, () => templates.settings());
  register(app, updateReportSettings, ({ viewer, body }) => templates.updateSettings(viewer, body));
  register(app, updateReportLogo, ({ viewer, body }) => templates.updateLogo(viewer, body));
  register(app, deleteReportLogo, ({ viewer }) => templates.deleteLogo(viewer));
}
