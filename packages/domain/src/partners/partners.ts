/** §5 Partner add/edit: certifications are entered and stored as a comma-separated list; blank ones are dropped. */
export function certificationsOf(text: string | null): string[] {
  return (text ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** The stored form; null for none. */
export function certificationsAsText(certifications: readonly string[]): string | null {
  return certifications.length === 0 ? null : certifications.join(", ");
}

/** The username for a partner whose name has no Latin letter or digit. */
const FALLBACK = "partner";
const MAX_LENGTH = 24;
/** Generic words of company names. */
const COMMON = new Set(["and", "co", "company", "inc", "limited", "llp", "ltd", "private", "pvt", "the"]);

/** A free, readable username for a partner: the first two significant words of its name, numbered if that is taken. */
export function usernameFor(name: string, isTaken: (username: string) => boolean): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const significant = words.filter((word) => !COMMON.has(word));
  const joined = (significant.length === 0 ? words : significant).slice(0, 2).join(".").slice(0, MAX_LENGTH);
  const base = joined.replace(/\.$/, "") || FALLBACK;
  for (let number = 1; ; number += 1) {
    const username = number === 1 ? base : `${base}${number}`;
    if (!isTaken(username)) return username;
  }
}

/** A refusal names this many sites and counts the rest. */
const NAMED_SITES = 5;

/** Why a partner with these sites cannot be deleted; null if it has none. */
export function assignedSitesMessage(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const named = names.slice(0, NAMED_SITES).join(", ");
  const more = names.length > NAMED_SITES ? ` and ${names.length - NAMED_SITES} more` : "";
  return names.length === 1
    ? `1 site is assigned to this partner: ${named}. Give it to another partner first.`
    : `${names.length} sites are assigned to this partner: ${named}${more}. Give them to another partner first.`;
}
