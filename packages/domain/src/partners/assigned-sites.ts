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
