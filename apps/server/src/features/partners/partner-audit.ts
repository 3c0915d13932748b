import { recordAudit } from "../audit/public.ts";
import type { PartnerRow } from "./partner-rows.repository.ts";
import type { PartnerWork } from "./partners.service.ts";

interface PartnerRecord {
  readonly action: "CREATE_PARTNER" | "UPDATE_PARTNER" | "DELETE_PARTNER" | "RESET_PASSWORD";
  readonly partnerId: number;
  /** Why nothing was done; left out where it was. */
  readonly refused?: string;
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
}

/** Puts a change of a partner on record, done or refused. */
export async function recordPartner({ tx, viewer, now }: PartnerWork, record: PartnerRecord): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: record.action,
    entity: "partner",
    entityId: record.partnerId,
    outcome: record.refused === undefined ? "DONE" : "REFUSED",
    reason: record.refused ?? null,
    before: record.before ?? null,
    after: record.after ?? null,
    at: now,
  });
}

/** What people type about a partner, to be kept as it was. */
export function contentOf(partner: PartnerRow) {
  const { name, contact_person, email, contact_info, address, city, state, zip_code, country } = partner;
  const { registration, tax_id, certifications, status } = partner;
  const place = { address, city, state, zip_code, country };
  return { name, contact_person, email, contact_info, ...place, registration, tax_id, certifications, status };
}
