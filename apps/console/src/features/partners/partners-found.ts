import type { Partner } from "@suncrew/contract/partners/partners.ts";

type Named = Pick<Partner, "name" | "contact_person" | "city">;

/** The partners whose name, contact person or city has these words, in any case. */
export function partnersFound<P extends Named>(partners: readonly P[], words: string): readonly P[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return partners;
  return partners.filter((partner) =>
    [partner.name, partner.contact_person, partner.city].some((text) => text?.toLowerCase().includes(wanted) ?? false),
  );
}
