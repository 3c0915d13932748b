import {
  createReportTemplate,
  deleteReportTemplate,
  type ReportTemplate,
  reportTemplates,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import { call } from "../../platform/api/call.ts";
import { ApiError, isEditConflict, serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { type Refusal, refusalOf } from "../../platform/api/refusal.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";
import { bodyOf, type TemplateDraft, type TemplateProblem } from "./template-draft.ts";

export type SaveOutcome =
  | { readonly kind: "saved" }
  /** Nothing is stored; `problems` are what the server objects to. */
  | { readonly kind: "refused"; readonly problems: TemplateProblem }
  /** Somebody else saved first: nothing is stored. */
  | { readonly kind: "conflict"; readonly theirs: ReportTemplate };

/** Creates a template, or changes the given one. Says so in a toast and never throws. */
export async function saveTemplate(
  template: Pick<ReportTemplate, "id" | "version"> | null,
  draft: TemplateDraft,
): Promise<SaveOutcome> {
  const body = bodyOf(draft);
  try {
    if (template === null) await call(createReportTemplate, { body });
    else {
      const params = { templateId: template.id };
      await call(updateReportTemplate, { params, body: { ...body, version: template.version } });
    }
    await readAgain();
    const deed = template === null ? "created" : "updated";
    toast.success({
      title: template === null ? "Template Created" : "Template Updated",
      message: `${body.name} has been ${deed}.`,
    });
    return { kind: "saved" };
  } catch (error) {
    if (error instanceof TokenExpiredError) return { kind: "refused", problems: {} };
    const theirs = template !== null && isEditConflict(error) ? await latestOf(template.id) : null;
    if (theirs !== null) return { kind: "conflict", theirs };
    const deed = template === null ? "create" : "update";
    toast.failure({
      title: template === null ? "Template Creation Failed" : "Template Update Failed",
      message: `Failed to ${deed} template. Please try again.`,
      reason: serverReason(error),
    });
    void readAgain();
    return { kind: "refused", problems: error instanceof ApiError ? problemsOf(error) : {} };
  }
}

/** Switches a template on or off; says so in a toast and never throws. */
export async function setActive(template: ReportTemplate, isActive: boolean): Promise<void> {
  const { id, version, name, description, sections } = template;
  try {
    const body = { ...bodyOf({ name, description, sections, isActive }), version };
    await call(updateReportTemplate, { params: { templateId: id }, body });
    toast.success({ title: "Template Updated", message: `${name} is ${isActive ? "active" : "inactive"} now.` });
  } catch (error) {
    if (error instanceof TokenExpiredError) return;
    const message = "Failed to update template. Please try again.";
    toast.failure({ title: "Template Update Failed", message, reason: serverReason(error) });
  } finally {
    await readAgain();
  }
}

/** Deletes a template; null where it is gone, else why it is not. Tells by toast and never throws. */
export async function removeTemplate({ id, name }: ReportTemplate): Promise<Refusal | null> {
  try {
    await call(deleteReportTemplate, { params: { templateId: id } });
    await readAgain();
    toast.success({ title: "Template Deleted", message: `${name} has been deleted.` });
    return null;
  } catch (error) {
    void readAgain();
    return refusalOf(error, "Failed to delete template. Please try again.");
  }
}

function problemsOf({ errors }: ApiError): TemplateProblem {
  const problems: TemplateProblem = {};
  for (const { field, message } of errors) {
    const [part = ""] = field.split(".");
    if (part === "name" || part === "description" || part === "sections") problems[part] ??= message;
  }
  return problems;
}

async function latestOf(id: number): Promise<ReportTemplate | null> {
  const templates = await queryClient.fetchQuery({ ...routeQuery(reportTemplates, {}), staleTime: 0 }).catch(() => []);
  return templates.find((template) => template.id === id) ?? null;
}

async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeyOf(reportTemplates) });
}
