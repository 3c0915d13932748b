import type { ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import { answeredSections } from "@suncrew/domain/report-templates/template-sections.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";

/** Every template for a Super Admin, oldest first; a PARTNER has the active ones, to make reports with. */
export async function readTemplates(viewer: Viewer, db: Executor): Promise<ReportTemplate[]> {
  const rows = await db
    .selectFrom("report_templates")
    .select(["id", "name", "description", "sections", "created_by", "created_at", "updated_at", "is_active", "version"])
    .where("deleted_at", "is", null)
    .$if(viewer.role !== "SUPER_ADMIN", (query) => query.where("is_active", "=", true))
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    sections: answeredSections(row.sections),
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    isActive: row.is_active,
    version: row.version,
  }));
}
