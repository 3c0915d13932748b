import {
  createReportTemplate,
  deleteReportTemplate,
  type ReportTemplate,
  reportTemplates,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import { call } from "../../platform/api/call.ts";
import { change, type Refusal, refusalIn } from "../../platform/api/change.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { bodyOf, type TemplateDraft } from "./report-drafts.ts";

const invalidates = [queryKeyOf(reportTemplates)];
const UPDATE_FAILED = {
  title: "Template Update Failed",
  message: "Failed to update template. Please try again.",
};

/** Creates a template, or changes the given one. */
export function saveTemplate(edited: Pick<ReportTemplate, "id" | "version"> | null, draft: TemplateDraft) {
  const body = bodyOf(draft);
  return change<unknown>({
    send: () =>
      edited === null
        ? call(createReportTemplate, { body })
        : call(updateReportTemplate, { params: { templateId: edited.id }, body: { ...body, version: edited.version } }),
    invalidates,
    hasConflictForm: true,
    success: {
      title: edited === null ? "Template Created" : "Template Updated",
      message: `${body.name} has been ${edited === null ? "created" : "updated"}.`,
    },
    failure:
      edited === null
        ? { title: "Template Creation Failed", message: "Failed to create template. Please try again." }
        : UPDATE_FAILED,
  });
}

/** Activates or deactivates a template. */
export async function setActive(template: ReportTemplate, isActive: boolean): Promise<void> {
  const { id, version, name, description, sections } = template;
  const body = { ...bodyOf({ name, description, sections, isActive }), version };
  await change({
    send: () => call(updateReportTemplate, { params: { templateId: id }, body }),
    invalidates,
    success: { title: "Template Updated", message: `${name} is ${isActive ? "active" : "inactive"} now.` },
    failure: UPDATE_FAILED,
  });
}

/** Deletes a template; returns why it was refused, or null once it is deleted. */
export async function removeTemplate({ id, name }: ReportTemplate): Promise<Refusal | null> {
  const outcome = await change({
    send: () => call(deleteReportTemplate, { params: { templateId: id } }),
    invalidates,
    success: { title: "Template Deleted", message: `${name} has been deleted.` },
    failure: null,
  });
  return refusalIn(outcome, "Failed to delete template. Please try again.");
}
