/** §5 Partner add/edit: certifications are typed and stored with commas between; each is trimmed, blank ones left out. */
export function certificationsOf(text: string | null): string[] {
  return (text ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** As they are stored; null where there is none. */
export function certificationsAsText(certifications: readonly string[]): string | null {
  return certifications.length === 0 ? null : certifications.join(", ");
}

/** What a partner's name gives for a username where it has no letter that a keyboard anywhere types. */
const FALLBACK = "partner";
const MAX_LENGTH = 24;
/** Words that most companies have say little. */
const COMMON = new Set(["and", "co", "company", "inc", "limited", "llp", "ltd", "private", "pvt", "the"]);

/**
 * A readable username for a partner, in small letters and digits, that `isTaken` does not know yet: the first words of
 * its name, with a number behind where that is taken.
 */
export function usernameFor(name: string, isTaken: (username: string) => boolean): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const telling = words.filter((word) => !COMMON.has(word));
  const joined = (telling.length === 0 ? words : telling).slice(0, 2).join(".").slice(0, MAX_LENGTH);
  const base = joined.replace(/\.$/, "") || FALLBACK;
  for (let number = 1; ; number += 1) {
    const username = number === 1 ? base : `${base}${number}`;
    if (!isTaken(username)) return username;
  }
}

/** Sites named in a refusal; more are counted. */
const NAMED_SITES = 5;

/** Why a partner with these sites is not deleted; null where it has none. */
export function assignedSitesSentence(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const named = names.slice(0, NAMED_SITES).join(", ");
  const more = names.length > NAMED_SITES ? ` and ${names.length - NAMED_SITES} more` : "";
  return names.length === 1
    ? `1 site is assigned to this partner: ${named}. Give it to another partner first.`
    : `${names.length} sites are assigned to this partner: ${named}${more}. Give them to another partner first.`;
}
