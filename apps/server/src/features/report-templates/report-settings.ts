import type { reportSettings, updateReportSettings } from "@suncrew/contract/report-templates/report-templates.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Executor } from "../../platform/database/database.ts";
import { editConflict, type HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import { recordReportChange, type TemplateWork } from "./report-audit.ts";
import { changeSettings, lockSettings, readSettingsRow, type SettingsRow } from "./settings-rows.repository.ts";
import { lockTemplate } from "./template-rows.repository.ts";

type SettingsBody = BodyOf<typeof updateReportSettings>;

/** The settings as they are told. */
export async function readReportSettings(
  db: Executor,
  emailConfigured: boolean,
): Promise<ResponseOf<typeof reportSettings>> {
  const { version, ...row } = await readSettingsRow(db);
  return { ...fieldsOf(row), email_configured: emailConfigured, version };
}

/**
 * Changes what is named and leaves the rest. Switched on, the monthly reports begin with the next first day of a month:
 * months that are over get none. Throws 404 for a template that is not there and 400 for one that is inactive.
 */
export async function updateSettings(
  work: TemplateWork,
  { version, ...edit }: SettingsBody,
): Promise<HttpError | null> {
  const { tx, now } = work;
  if (edit.template_id !== undefined && edit.template_id !== null) {
    const template = await lockTemplate(tx, edit.template_id);
    if (template === null) throw notFound("Report template");
    if (!template.is_active) throw invalid("template_id", `The report template "${template.name}" is inactive.`);
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

/** Without addresses that are there already, in any case. */
function once(addresses: readonly string[]): string[] {
  const seen = new Map(addresses.toReversed().map((address) => [address.toLowerCase(), address]));
  return addresses.filter(
    (address) => seen.get(address.toLowerCase()) === address && seen.delete(address.toLowerCase()),
  );
}
