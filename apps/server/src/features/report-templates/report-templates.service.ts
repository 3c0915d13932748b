import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  createReportTemplate,
  deleteReportTemplate,
  reportSettings,
  ReportTemplate,
  updateReportSettings,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import {
  allSections,
  answeredSections,
  composeSections,
  type PrintedSection,
  printedSections,
  TEMPLATE_NAME_TAKEN,
} from "@suncrew/domain/report-templates/template-sections.ts";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import {
  changeSettings,
  changeTemplate,
  insertTemplate,
  isTemplateNameTaken,
  lockSettings,
  lockTemplate,
  readSettingsRow,
  readTemplate,
  removeTemplate,
  type SettingsRow,
  type TemplateContent,
  type TemplateRow,
} from "./report-templates.repository.ts";

/** Report templates and settings; the permission table admits only Super Admins here. */
export class ReportTemplatesService {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Throws 400 with the place named if a rule is broken, and 409 for a name that is taken. */
  async create(viewer: Viewer, body: TemplateBody): Promise<ResponseOf<typeof createReportTemplate>> {
    const content = contentOfBody(body);
    const made = await transactionWithRetry(this.#deps.db, (tx) => createTemplate(this.#work(tx, viewer), content));
    if (made instanceof HttpError) throw made;
    return { message: "Report template created successfully", templateId: made };
  }

  /** Throws the same, 404, and 409 after a concurrent edit or if the monthly reports need it active. */
  async update(
    viewer: Viewer,
    templateId: number,
    body: TemplateBody,
  ): Promise<ResponseOf<typeof updateReportTemplate>> {
    await this.#change(viewer, templateId, (work, template) =>
      updateTemplate(work, template, contentOfBody(body), body.version),
    );
    return { message: "Report template updated successfully" };
  }

  /** Throws 404, and 409 while the monthly reports use it. */
  async delete(viewer: Viewer, templateId: number): Promise<ResponseOf<typeof deleteReportTemplate>> {
    await this.#change(viewer, templateId, deleteTemplate);
    return { message: "Report template deleted successfully" };
  }

  async settings(): Promise<ResponseOf<typeof reportSettings>> {
    return readReportSettings(this.#deps.db, this.#deps.mailer !== undefined);
  }

  /** Throws 404 and 400 for a template that cannot be chosen, and 409 after a concurrent edit. */
  async updateSettings(
    viewer: Viewer,
    body: BodyOf<typeof updateReportSettings>,
  ): Promise<ResponseOf<typeof updateReportSettings>> {
    const refusal = await transactionWithRetry(this.#deps.db, (tx) => updateSettings(this.#work(tx, viewer), body));
    if (refusal !== null) throw refusal;
    return { message: "Report settings updated successfully" };
  }

  /** Changes an existing template. Its refusals are recorded, so they are thrown after the commit. */
  async #change(
    viewer: Viewer,
    templateId: number,
    work: (work: TemplateWork, template: TemplateRow) => Promise<HttpError | null>,
  ): Promise<void> {
    const refusal = await transactionWithRetry(this.#deps.db, async (tx) => {
      const template = await lockTemplate(tx, templateId);
      if (template === null) throw notFound("Report template");
      return work(this.#work(tx, viewer), template);
    });
    if (refusal !== null) throw refusal;
  }

  #work(tx: Tx, viewer: Viewer): TemplateWork {
    return { tx, viewer, now: this.#deps.clock.now() };
  }
}

type TemplateBody = BodyOf<typeof updateReportTemplate>;

const inUse = "The monthly reports use this template. Choose another one for them in the settings first.";

/** §3 Report template: parses a body. Throws 400 with the field that breaks a rule. */
function contentOfBody({ name, description, sections, isActive }: TemplateBody): TemplateContent {
  const composed = composeSections(sections);
  if (composed.kind === "problem") throw invalid(composed.field, composed.message);
  return { name, description: description ?? "", sections: composed.sections, is_active: isActive };
}

/** Adds a template; returns its id, or the refusal. */
async function createTemplate(work: TemplateWork, content: TemplateContent): Promise<number | HttpError> {
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

/** Changes a template; returns the refusal, if any. */
async function updateTemplate(
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
    if (!content.is_active && template.is_active && (await isUsed(work, template.id)))
      return conflict("TEMPLATE_IN_USE", inUse);
    return null;
  }
}

/** Deletes a template that the monthly reports do not use; reports made with it stay. */
async function deleteTemplate(work: TemplateWork, template: TemplateRow): Promise<HttpError | null> {
  const about = { action: "DELETE_TEMPLATE", templateId: template.id, before: contentOf(template) } as const;
  if (await isUsed(work, template.id)) {
    await recordReportChange(work, { ...about, refused: inUse });
    return conflict("TEMPLATE_IN_USE", inUse);
  }
  await removeTemplate(work.tx, template.id, work.now);
  await recordReportChange(work, about);
  return null;
}

/** The settings are locked, so that nobody can choose the template concurrently. */
async function isUsed({ tx }: TemplateWork, templateId: number): Promise<boolean> {
  return (await lockSettings(tx)).template_id === templateId;
}

function nameTaken(): HttpError {
  return new HttpError(409, "TEMPLATE_NAME_TAKEN", TEMPLATE_NAME_TAKEN, {
    errors: [{ field: "name", message: TEMPLATE_NAME_TAKEN }],
  });
}

function contentOf({ name, description, sections, is_active }: TemplateRow): TemplateContent {
  return { name, description, sections, is_active };
}

type SettingsBody = BodyOf<typeof updateReportSettings>;

/** The settings, for responses. */
async function readReportSettings(db: Executor, emailConfigured: boolean): Promise<ResponseOf<typeof reportSettings>> {
  const { version, ...row } = await readSettingsRow(db);
  return { ...fieldsOf(row), email_configured: emailConfigured, version };
}

/**
 * Changes the named settings and leaves the rest. When switched on, the monthly reports begin with the next first day
 * of a month: past months get none. Throws 404 for a nonexistent template and 400 for an inactive one.
 */
async function updateSettings(work: TemplateWork, { version, ...edit }: SettingsBody): Promise<HttpError | null> {
  const { tx, now } = work;
  if (edit.template_id !== undefined && edit.template_id !== null) {
    const template = await lockTemplate(tx, edit.template_id);
    if (template === null) throw notFound("Report template");
    if (!template.is_active)
      throw invalid("template_id", `The report template "${template.name}" is inactive.`, "TEMPLATE_INACTIVE");
  }
  const before = await lockSettings(tx);
  const after = { ...fieldsOf(before), ...edit, ...(edit.recipients && { recipients: once(edit.recipients) }) };
  const about = { action: "UPDATE_REPORT_SETTINGS", templateId: null, before: fieldsOf(before), after } as const;
  if (version !== undefined && version !== before.version) {
    const refusal = editConflict("page's settings");
    await recordReportChange(work, { ...about, refused: refusal.message });
    return refusal;
  }
  await changeSettings(tx, { ...after, auto_since: after.auto_generate_monthly ? (before.auto_since ?? now) : null });
  await recordReportChange(work, about);
  return null;
}

function fieldsOf(row: Omit<SettingsRow, "version">) {
  const { auto_generate_monthly, email_notifications, template_id, recipients, send_to_partners } = row;
  return { auto_generate_monthly, email_notifications, template_id, recipients, send_to_partners };
}

/** Each address once, ignoring case. */
function once(addresses: readonly string[]): string[] {
  const seen = new Map(addresses.toReversed().map((address) => [address.toLowerCase(), address]));
  return addresses.filter(
    (address) => seen.get(address.toLowerCase()) === address && seen.delete(address.toLowerCase()),
  );
}

/** What every change of templates and settings works with. */
interface TemplateWork {
  readonly tx: Tx;
  readonly viewer: Viewer;
  readonly now: Date;
}

interface ReportRecord {
  readonly action: "CREATE_TEMPLATE" | "UPDATE_TEMPLATE" | "DELETE_TEMPLATE" | "UPDATE_REPORT_SETTINGS";
  /** Null for the settings, and for a template that was not created. */
  readonly templateId: number | null;
  /** Why nothing was done; omitted if it was. */
  readonly refused?: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** Records a change of a template or of the settings, done or refused. */
async function recordReportChange({ tx, viewer, now }: TemplateWork, record: ReportRecord): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: record.action,
    entity: record.action === "UPDATE_REPORT_SETTINGS" ? "report_settings" : "report_template",
    entityId: record.templateId,
    outcome: record.refused === undefined ? "DONE" : "REFUSED",
    reason: record.refused ?? null,
    before: record.before ? { ...record.before } : null,
    after: record.after ? { ...record.after } : null,
    at: now,
  });
}

/** What a report shows. */
export interface PrintedTemplate {
  /** Null without a template, which means every section. */
  readonly name: string | null;
  /** Those that are enabled, in order, with the fields that are enabled. */
  readonly sections: readonly PrintedSection[];
}

/** What a report made with the template shows; everything without one. Throws 404 for a deleted or inactive one. */
export async function readPrintedTemplate(
  db: Executor,
  templateId: number | null | undefined,
): Promise<PrintedTemplate> {
  if (templateId === null || templateId === undefined) return { name: null, sections: allSections };
  const template = await readTemplate(db, templateId);
  if (template === null || !template.is_active) throw notFound("Report template");
  return { name: template.name, sections: printedSections(template.sections) };
}

/** Every template for a Super Admin, oldest first; a PARTNER gets the active ones, to make reports with. */
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
