import { type reportSettings, reportSettingsFields } from "@suncrew/contract/report-templates/report-templates.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";

export type ReportSettings = ResponseOf<typeof reportSettings>;

const address = reportSettingsFields.shape.recipients.element;

/** E-mail addresses out of what was typed: one a line, or with commas between. */
export function recipientsOf(text: string): { readonly recipients: string[]; readonly wrong: string | null } {
  const recipients = [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ""))];
  const bad = recipients.find((part) => !address.safeParse(part).success);
  if (bad !== undefined) return { recipients, wrong: `${bad} is not an e-mail address` };
  return { recipients, wrong: recipients.length > 50 ? "There can be at most 50 recipients" : null };
}
