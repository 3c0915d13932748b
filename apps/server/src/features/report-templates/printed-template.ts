import {
  allSections,
  type PrintedSection,
  printedSections,
} from "@suncrew/domain/report-templates/template-sections.ts";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import { readTemplate } from "./template-rows.repository.ts";

/** What a report shows. */
export interface PrintedTemplate {
  /** Null: no template, so every section. */
  readonly name: string | null;
  /** Those that are on, in their order, with the fields that are on. */
  readonly sections: readonly PrintedSection[];
}

/** What a report made with the template shows; everything without one. Throws 404 for one that is away or inactive. */
export async function readPrintedTemplate(
  db: Executor,
  templateId: number | null | undefined,
): Promise<PrintedTemplate> {
  if (templateId === null || templateId === undefined) return { name: null, sections: allSections };
  const template = await readTemplate(db, templateId);
  if (template === null || !template.is_active) throw notFound("Report template");
  return { name: template.name, sections: printedSections(template.sections) };
}
