/** Whether one of the texts contains the search, ignoring case and surrounding spaces. */
export function matchesSearch(search: string, texts: readonly (string | null | undefined)[]): boolean {
  const wanted = search.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

/** Whether the texts together contain every word of the search, each in any of them. */
export function matchesEveryWord(search: string, texts: readonly string[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
