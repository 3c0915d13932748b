/** Whether one of the texts has what was searched for, in any case; blanks around it do not count. */
export function matchesSearch(search: string, texts: readonly (string | null | undefined)[]): boolean {
  const wanted = search.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

/** Whether the texts have every word of the search together, each in any of them. */
export function matchesEveryWord(search: string, texts: readonly string[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
