import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { matchesSearch } from "../../../ui/matches-search.ts";

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
  if (words.trim() === "") return partners;
  const digits = /^[+\d()\s.-]+$/.test(words) ? digitsOf(words) : "";
  return partners.filter(
    (partner) =>
      matchesSearch(
        words,
        SEARCHED.map((field) => partner[field]),
      ) ||
      (digits !== "" && digitsOf(partner.contact_info ?? "").includes(digits)),
  );
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, "");
}
