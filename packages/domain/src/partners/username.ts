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
