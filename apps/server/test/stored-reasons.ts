import { rolloutTexts } from "@suncrew/domain/firmware/rollout-text.ts";
import { reportTexts } from "@suncrew/domain/reports/report-texts.ts";
import type { NestedText } from "@suncrew/contract/http/coded-text.ts";
import { mailTexts } from "../src/platform/mail-texts.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Db } from "../src/platform/database/database.ts";

interface StoredReason extends NestedText {
  readonly about: "rollout" | "mail" | "report";
  readonly text: string;
}

const sentenceOf: Record<StoredReason["about"], (reason: NestedText) => string> = {
  rollout: (reason) => rolloutTexts.sentence(reason),
  report: (reason) => reportTexts.sentence(reason),
  // Of mails in general, or of this kind.
  mail: (reason) => mailTexts.sentence(reason) || reportTexts.sentence(reason),
};

/** Answers the codes of all reasons that are stored, once each is known to say what the sentence beside it says. */
export async function storedReasonCodes(db: Db): Promise<string[]> {
  const { rows } = await sql<StoredReason>`
    select 'rollout' as about, reason as text, reason_code as code, reason_params as params from rollouts
    union all select 'rollout', reason, reason_code, reason_params from rollout_robots
    union all select 'report', reason, reason_code, reason_params from kept_reports
    union all select 'mail', mail_reason, mail_reason_code, mail_reason_params from kept_reports
    union all select 'mail', reason, reason_code, reason_params from outgoing_mails
    order by code`.execute(db);
  const coded = rows.filter(({ code }) => code !== null);
  expect(coded.map((reason) => sentenceOf[reason.about](reason))).toEqual(coded.map(({ text }) => text));
  return [...new Set(coded.map(({ code }) => code))];
}
