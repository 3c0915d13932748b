import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  createReportTemplate,
  deleteReportLogo,
  deleteReportTemplate,
  reportSettings,
  ReportTemplate,
  updateReportLogo,
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
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import { canSendMail } from "../../platform/mailer.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ChangeDetails } from "../audit/public.ts";
import { readLogoImage } from "./logo-image.ts";
import {
  changeLogo,
  changeSettings,
  changeTemplate,
  insertTemplate,
  isTemplateNameTaken,
  lockSettings,
  lockTemplate,
  type LogoRow,
  readLogoRow,
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
    const change = { actor: viewer, action: "CREATE_TEMPLATE", entity: "report_template", after: content };
    const at = this.#deps.clock.now();
    const templateId = await auditedChange(this.#deps.db, { ...change, at }, async (tx, details) => {
      if (await isTemplateNameTaken(tx, content.name, null)) throw nameTaken();
      const id = await insertTemplate(tx, content, viewer, at);
      details.entityId = id;
      return id;
    });
    return { message: "Report template created successfully", templateId };
  }

  /** Throws the same, 404, and 409 after a concurrent edit or if the monthly reports need it active. */
  async update(
    viewer: Viewer,
    templateId: number,
    body: TemplateBody,
  ): Promise<ResponseOf<typeof updateReportTemplate>> {
    const after = contentOfBody(body);
    await this.#change(viewer, "UPDATE_TEMPLATE", templateId, async ({ tx, template, details, at }) => {
      details.after = after;
      if (body.version !== undefined && body.version !== template.version) throw editConflict("report template");
      if (await isTemplateNameTaken(tx, after.name, templateId)) throw nameTaken();
      if (!after.is_active && template.is_active) await refuseIfUsed(tx, templateId);
      await changeTemplate(tx, templateId, after, at);
    });
    return { message: "Report template updated successfully" };
  }

  /** Throws 404, and 409 while the monthly reports are made with it; reports made with it stay. */
  async delete(viewer: Viewer, templateId: number): Promise<ResponseOf<typeof deleteReportTemplate>> {
    await this.#change(viewer, "DELETE_TEMPLATE", templateId, async ({ tx, at }) => {
      await refuseIfUsed(tx, templateId);
      await removeTemplate(tx, templateId, at);
    });
    return { message: "Report template deleted successfully" };
  }

  async settings(): Promise<ResponseOf<typeof reportSettings>> {
    const { version, ...row } = await readSettingsRow(this.#deps.db);
    const logo = await readLogoRow(this.#deps.db);
    return {
      ...fieldsOf(row),
      email_configured: await canSendMail(this.#deps.mailer),
      logo: logo && { ...auditedLogo(logo), base64: logo.content.toString("base64") },
      version,
    };
  }

  /** Sets the logo of site reports. Throws 400 for what is not a PNG or JPEG of a logo's size. */
  async updateLogo(viewer: Viewer, file: unknown): Promise<ResponseOf<typeof updateReportLogo>> {
    if (!Buffer.isBuffer(file)) throw invalid("file", "The file itself is the body, as application/octet-stream");
    const { mediaType, ...image } = readLogoImage(file);
    const logo = { ...image, media_type: mediaType, changed_at: this.#deps.clock.now() };
    await this.#changeLogo(viewer, "UPDATE_REPORT_LOGO", logo);
    return { message: "Report logo updated successfully" };
  }

  /** Throws 404 where there is none. */
  async deleteLogo(viewer: Viewer): Promise<ResponseOf<typeof deleteReportLogo>> {
    await this.#changeLogo(viewer, "DELETE_REPORT_LOGO", null);
    return { message: "Report logo removed successfully" };
  }

  async #changeLogo(viewer: Viewer, action: string, logo: Omit<LogoRow, "is_only"> | null): Promise<void> {
    const change = { actor: viewer, action, entity: "report_settings", at: this.#deps.clock.now() };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      await lockSettings(tx);
      const before = await readLogoRow(tx);
      if (before === null && logo === null) throw notFound("Report logo");
      details.before = before && auditedLogo(before);
      details.after = logo && auditedLogo(logo);
      await changeLogo(tx, logo);
    });
  }

  /**
   * Changes what is named and leaves the rest. Switched on, the monthly reports begin with the next first day of a month:
   * months that are over get none. Throws 404 and 400 for a template that cannot be chosen, and 409 where another edit
   * came between.
   */
  async updateSettings(
    viewer: Viewer,
    { version, ...edit }: BodyOf<typeof updateReportSettings>,
  ): Promise<ResponseOf<typeof updateReportSettings>> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "UPDATE_REPORT_SETTINGS", entity: "report_settings", at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const chosen = edit.template_id ?? null;
      const template = chosen === null ? null : await lockTemplate(tx, chosen);
      const stored = await lockSettings(tx);
      const before = fieldsOf(stored);
      const after = { ...before, ...edit, ...(edit.recipients && { recipients: distinctAddresses(edit.recipients) }) };
      details.before = before;
      details.after = after;
      if (template === null && chosen !== null) throw notFound("Report template");
      if (template?.is_active === false) {
        throw invalid("template_id", `The report template "${template.name}" is inactive.`, "TEMPLATE_INACTIVE");
      }
      if (version !== undefined && version !== stored.version) throw editConflict("page's settings");
      await changeSettings(tx, {
        ...after,
        auto_since: after.auto_generate_monthly ? (stored.auto_since ?? at) : null,
      });
    });
    return { message: "Report settings updated successfully" };
  }

  /** Throws 404. */
  async #change(
    viewer: Viewer,
    action: string,
    templateId: number,
    work: (change: TemplateChange) => Promise<void>,
  ): Promise<void> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action, entity: "report_template", entityId: templateId, at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const template = await lockTemplate(tx, templateId);
      if (template === null) throw notFound("Report template");
      const { name, description, sections, is_active } = template;
      details.before = { name, description, sections, is_active };
      await work({ tx, template, details, at });
    });
  }
}

/** Without the image itself. */
function auditedLogo({ media_type, width, height }: Pick<LogoRow, "media_type" | "width" | "height">) {
  return { media_type, width, height };
}

interface TemplateChange {
  readonly tx: Tx;
  readonly template: TemplateRow;
  readonly details: ChangeDetails;
  readonly at: Date;
}

type TemplateBody = BodyOf<typeof updateReportTemplate>;

/** §3 Report template: parses a body. Throws 400 with the field that breaks a rule. */
function contentOfBody({ name, description, sections, isActive }: TemplateBody): TemplateContent {
  const composed = composeSections(sections);
  if (composed.kind === "problem") throw invalid(composed.field, composed.message);
  return { name, description: description ?? "", sections: composed.sections, is_active: isActive };
}

/** The settings are locked, so that nobody can choose the template concurrently. */
async function refuseIfUsed(tx: Tx, templateId: number): Promise<void> {
  if ((await lockSettings(tx)).template_id !== templateId) return;
  const message = "The monthly reports use this template. Choose another one for them in the settings first.";
  throw conflict("TEMPLATE_IN_USE", message);
}

function nameTaken(): HttpError {
  return new HttpError(409, "TEMPLATE_NAME_TAKEN", TEMPLATE_NAME_TAKEN, {
    errors: [{ field: "name", message: TEMPLATE_NAME_TAKEN }],
  });
}

function fieldsOf(row: Omit<SettingsRow, "version">) {
  const { auto_generate_monthly, email_notifications, template_id, recipients, send_to_partners } = row;
  return { auto_generate_monthly, email_notifications, template_id, recipients, send_to_partners };
}

/** Each address once, as it is written first, ignoring case. */
export function distinctAddresses(addresses: readonly string[]): string[] {
  const keys = addresses.map((address) => address.toLowerCase());
  return addresses.filter((_address, nth) => keys.indexOf(keys[nth] ?? "") === nth);
}

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
    .select(["id", "name", "description", "sections", "created_by as createdBy", "is_active as isActive", "version"])
    .select(["created_at", "updated_at"])
    .where("deleted_at", "is", null)
    .$if(viewer.role !== "SUPER_ADMIN", (query) => query.where("is_active", "=", true))
    .orderBy("id")
    .execute();
  return rows.map(({ sections, created_at, updated_at, ...row }) => ({
    ...row,
    sections: answeredSections(sections),
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  }));
}
