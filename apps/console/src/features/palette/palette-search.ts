/** What can be found, in the order in which kinds of equally good results are shown. */
export const KINDS = ["robot", "site", "group", "partner", "page", "action"] as const;
export type Kind = (typeof KINDS)[number];

/** Something to jump to, or to do. */
export interface Entry {
  /** Names it among the recent ones. */
  readonly key: string;
  readonly kind: Kind;
  readonly name: string;
  /** Where it belongs. */
  readonly detail: string;
  /** What a search looks in: the name and everything else, in lower case. */
  readonly nameText: string;
  readonly text: string;
  /** The address that it leads to, or what it does. */
  readonly leads: string | (() => void);
  /** Of a robot or a site, whose state is shown. */
  readonly id?: number;
}

export interface FoundKind {
  readonly kind: Kind;
  /** The best first, at most `SHOWN_OF_A_KIND`. */
  readonly entries: readonly Entry[];
  readonly count: number;
}

export const SHOWN_OF_A_KIND = 8;

/** How well it matches, the best is 0; null if it does not. Both are in lower case, without surrounding spaces. */
function rankOf({ nameText, text }: Entry, sought: string, words: readonly string[]): number | null {
  const at = nameText.indexOf(sought);
  if (at === 0) return nameText.length === sought.length ? 0 : 1;
  if (at > 0) return isWordStart(nameText, sought, at) ? 2 : 3;
  return words.every((word) => text.includes(word)) ? 4 : null;
}

function isWordStart(text: string, sought: string, first: number): boolean {
  for (let at = first; at >= 0; at = text.indexOf(sought, at + 1)) {
    const before = text[at - 1];
    if (before !== undefined && !/[\p{L}\p{N}]/u.test(before)) return true;
  }
  return false;
}

/** An exact name first, then those that begin with it, have a word that does, or contain it; then by all they say. */
export function searchEntries(entries: Iterable<Entry>, query: string): readonly FoundKind[] {
  const sought = query.trim().toLowerCase();
  const words = sought.split(/\s+/);
  const kinds = new Map<Kind, { ranked: Entry[][]; count: number; best: number }>();
  for (const entry of entries) {
    const rank = rankOf(entry, sought, words);
    if (rank === null) continue;
    const of = kinds.get(entry.kind) ?? { ranked: [], count: 0, best: rank };
    kinds.set(entry.kind, of);
    of.count += 1;
    of.best = Math.min(of.best, rank);
    const equals = (of.ranked[rank] ??= []);
    if (equals.length < SHOWN_OF_A_KIND) equals.push(entry);
  }
  return KINDS.flatMap((kind) => {
    const of = kinds.get(kind);
    return of === undefined ? [] : [{ kind, ...of }];
  })
    .toSorted((one, other) => one.best - other.best)
    .map(({ kind, ranked, count }) => ({ kind, count, entries: ranked.flat().slice(0, SHOWN_OF_A_KIND) }));
}

/** What "stop 1004" asks to be stopped, and "start 1004" is about; null for any other search. */
export function verbOf(query: string): { readonly verb: "start" | "stop"; readonly of: string } | null {
  const [, verb, of] = /^\s*(start|stop)\s+(\S.*)$/i.exec(query) ?? [];
  if (verb === undefined || of === undefined) return null;
  return { verb: verb.toLowerCase() === "stop" ? "stop" : "start", of };
}

export const RECENT_MAX = 6;

/** With this one first; as many as are kept. */
export function withRecent(keys: readonly string[], key: string): readonly string[] {
  return [key, ...keys.filter((one) => one !== key)].slice(0, RECENT_MAX);
}

/** The recent ones first, the latest of them at the top; the others as they were. */
export function recentFirst(entries: readonly Entry[], recent: readonly string[]): readonly Entry[] {
  const found = recentOf(entries, recent);
  return found.length === 0 ? entries : [...found, ...entries.filter((entry) => !found.includes(entry))];
}

/** The recent ones that still exist. */
export function recentOf(entries: readonly Entry[], recent: readonly string[]): readonly Entry[] {
  const wanted = new Set(recent);
  const found = new Map(entries.flatMap((entry) => (wanted.has(entry.key) ? [[entry.key, entry] as const] : [])));
  return recent.flatMap((key) => found.get(key) ?? []);
}
