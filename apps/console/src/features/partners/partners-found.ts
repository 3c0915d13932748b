import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { matchesSearch } from "../../ui/matches-search.ts";

type Named = Pick<Partner, "name" | "contact_person" | "city">;

/** The partners whose name, contact person or city has these words, in any case. */
export function partnersFound<P extends Named>(partners: readonly P[], words: string): readonly P[] {
  if (words.trim() === "") return partners;
  return partners.filter(({ name, contact_person, city }) => matchesSearch(words, [name, contact_person, city]));
}
