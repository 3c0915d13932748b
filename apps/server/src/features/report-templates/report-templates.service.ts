import type {
  createReportTemplate,
  deleteReportTemplate,
  reportSettings,
  updateReportSettings,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { TemplateWork } from "./report-audit.ts";
import { readReportSettings, updateSettings } from "./report-settings.ts";
import {
  contentOfBody,
  createTemplate,
  deleteTemplate,
  type TemplateBody,
  updateTemplate,
} from "./template-changes.ts";
import { lockTemplate, type TemplateRow } from "./template-rows.repository.ts";

/** Report templates and settings; the permission table has let only Super Admins come here. */
export class ReportTemplatesService {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Throws 400 with the place named where a rule is broken, and 409 for a name that is taken. */
  async create(viewer: Viewer, body: TemplateBody): Promise<ResponseOf<typeof createReportTemplate>> {
    const content = contentOfBody(body);
    const made = await transactionWithRetry(this.#deps.db, (tx) => createTemplate(this.#work(tx, viewer), content));
    if (made instanceof HttpError) throw made;
    return { message: "Report template created successfully", templateId: made };
  }

  /** Throws the same, 404, and 409 where another edit came between or the monthly reports need it active. */
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

  /** Throws 404, and 409 while the monthly reports are made with it. */
  async delete(viewer: Viewer, templateId: number): Promise<ResponseOf<typeof deleteReportTemplate>> {
    await this.#change(viewer, templateId, deleteTemplate);
    return { message: "Report template deleted successfully" };
  }

  async settings(): Promise<ResponseOf<typeof reportSettings>> {
    return readReportSettings(this.#deps.db, this.#deps.mailer !== undefined);
  }

  /** Throws 404 and 400 for a template that cannot be chosen, and 409 where another edit came between. */
  async updateSettings(
    viewer: Viewer,
    body: BodyOf<typeof updateReportSettings>,
  ): Promise<ResponseOf<typeof updateReportSettings>> {
    const refusal = await transactionWithRetry(this.#deps.db, (tx) => updateSettings(this.#work(tx, viewer), body));
    if (refusal !== null) throw refusal;
    return { message: "Report settings updated successfully" };
  }

  /** Runs a change of a template that is there. What it refuses it has put on record, so that is thrown after the commit. */
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
