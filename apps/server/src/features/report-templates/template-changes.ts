import type { updateReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { TEMPLATE_NAME_TAKEN } from "@suncrew/domain/report-templates/template-name.ts";
import { composeSections } from "@suncrew/domain/report-templates/template-sections.ts";
import { editConflict, conflict, HttpError, invalid } from "../../platform/http/http-error.ts";
import { recordReportChange, type TemplateWork } from "./report-audit.ts";
import { lockSettings } from "./settings-rows.repository.ts";
import {
  changeTemplate,
  insertTemplate,
  isTemplateNameTaken,
  removeTemplate,
  type TemplateContent,
  type TemplateRow,
} from "./template-rows.repository.ts";

export type TemplateBody = BodyOf<typeof updateReportTemplate>;

const inUse = "The monthly reports are made with this template. Choose another one for them in the settings first.";

/** §3 Report template: what a body asks for. Throws 400 with the place named where it breaks a rule. */
export function contentOfBody({ name, description, sections, isActive }: TemplateBody): TemplateContent {
  const composed = composeSections(sections);
  if (composed.kind === "problem") throw invalid(composed.field, composed.message);
  return { name, description: description ?? "", sections: composed.sections, is_active: isActive };
}

/** Adds a template; answers its id, or why not. */
export async function createTemplate(work: TemplateWork, content: TemplateContent): Promise<number | HttpError> {
  const { tx, viewer, now } = work;
  if (await isTemplateNameTaken(tx, content.name, null)) {
    await recordReportChange(work, {
      action: "CREATE_TEMPLATE",
      templateId: null,
      refused: TEMPLATE_NAME_TAKEN,
      after: content,
    });
    return nameTaken();
  }
  const templateId = await insertTemplate(tx, content, viewer, now);
  await recordReportChange(work, { action: "CREATE_TEMPLATE", templateId, after: content });
  return templateId;
}

/** Changes a template; answers why not where it is refused. */
export async function updateTemplate(
  work: TemplateWork,
  template: TemplateRow,
  content: TemplateContent,
  version: number | undefined,
): Promise<HttpError | null> {
  const { tx, now } = work;
  const about = {
    action: "UPDATE_TEMPLATE",
    templateId: template.id,
    before: contentOf(template),
    after: content,
  } as const;
  const refusal = await refusalOf();
  if (refusal !== null) {
    await recordReportChange(work, { ...about, refused: refusal.message });
    return refusal;
  }
  await changeTemplate(tx, template.id, content, now);
  await recordReportChange(work, about);
  return null;

  async function refusalOf(): Promise<HttpError | null> {
    if (version !== undefined && version !== template.version) return editConflict("report template");
    if (await isTemplateNameTaken(tx, content.name, template.id)) return nameTaken();
    if (!content.is_active && template.is_active && (await isUsed(work, template.id))) return conflict(inUse);
    return null;
  }
}

/** Deletes a template that the monthly reports do not use; reports made with it stay. */
export async function deleteTemplate(work: TemplateWork, template: TemplateRow): Promise<HttpError | null> {
  const about = { action: "DELETE_TEMPLATE", templateId: template.id, before: contentOf(template) } as const;
  if (await isUsed(work, template.id)) {
    await recordReportChange(work, { ...about, refused: inUse });
    return conflict(inUse);
  }
  await removeTemplate(work.tx, template.id, work.now);
  await recordReportChange(work, about);
  return null;
}

/** The settings are held, so that nobody chooses the template meanwhile. */
async function isUsed({ tx }: TemplateWork, templateId: number): Promise<boolean> {
  return (await lockSettings(tx)).template_id === templateId;
}

function nameTaken(): HttpError {
  return new HttpError(409, TEMPLATE_NAME_TAKEN, { errors: [{ field: "name", message: TEMPLATE_NAME_TAKEN }] });
}

function contentOf({ name, description, sections, is_active }: TemplateRow): TemplateContent {
  return { name, description, sections, is_active };
}
