import type { Partner } from "@suncrew/contract/partners/partners.ts";

const SEARCHED = [
  "name",
  "contact_person",
  "email",
  "contact_info",
  "city",
  "state",
  "registration",
  "username",
] as const;

type Searched = Pick<Partner, (typeof SEARCHED)[number]>;

/**
 * §2 Partner Management page, search box: what a card shows, in any case. A phone number is found however its digits
 * are set apart.
 */
export function searchPartners<P extends Searched>(partners: readonly P[], words: string): readonly P[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return partners;
  const digits = /^[+\d()\s.-]+$/.test(wanted) ? digitsOf(wanted) : "";
  return partners.filter(
    (partner) =>
      SEARCHED.some((field) => partner[field]?.toLowerCase().includes(wanted) ?? false) ||
      (digits !== "" && digitsOf(partner.contact_info ?? "").includes(digits)),
  );
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, "");
}
