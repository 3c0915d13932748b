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
  /** What a search looks in: its names and everything else, in lower case. */
  readonly names: readonly string[];
  readonly text: string;
  /** The address that it leads to, or what it does. */
  readonly leads: string | (() => void);
  /** Of a robot or a site, whose state is shown. */
  readonly id?: number;
  /** It stops robots. */
  readonly isStop?: boolean;
}

export interface FoundKind {
  readonly kind: Kind;
  /** The best first, at most `SHOWN_OF_A_KIND`. */
  readonly entries: readonly Entry[];
  readonly count: number;
}

export const SHOWN_OF_A_KIND = 8;

/** How well an entry matches; the ranks before `OTHER` are of its name. */
const EXACT = 0;
const WHOLE_WORDS = 1;
const PREFIX = 2;
const WORD_START = 3;
const PART = 4;
const OTHER = 5;

/** Null if it does not match. */
function rankOf({ names, text }: Entry, { sought, words }: Sought): number | null {
  const rank = Math.min(...names.map((name) => nameRank(name, sought)));
  if (rank < OTHER) return rank;
  return words.every((word) => text.includes(word)) ? OTHER : null;
}

function nameRank(name: string, sought: string): number {
  if (name === sought) return EXACT;
  let rank = OTHER;
  for (let at = name.indexOf(sought); at >= 0; at = name.indexOf(sought, at + 1)) {
    if (isInWord(name[at - 1])) rank = Math.min(rank, PART);
    else if (!isInWord(name[at + sought.length])) return WHOLE_WORDS;
    else rank = Math.min(rank, at === 0 ? PREFIX : WORD_START);
  }
  return rank;
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character);
}

interface Sought {
  /** In lower case, with single spaces; never empty. */
  readonly sought: string;
  readonly words: readonly string[];
}

function soughtBy(query: string): Sought {
  const words = query.trim().toLowerCase().split(/\s+/);
  return { sought: words.join(" "), words };
}

/** An exact name first, then those with it as whole words, that begin with it, have a word that does, or contain it. */
export function searchEntries(entries: Iterable<Entry>, query: string): readonly FoundKind[] {
  const sought = soughtBy(query);
  const kinds = new Map<Kind, { ranked: Entry[][]; count: number; best: number }>();
  for (const entry of entries) {
    const rank = rankOf(entry, sought);
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

interface Verb {
  readonly verb: "start" | "stop";
  readonly of: string;
  /** "all at": only a site is meant. */
  readonly isOfSite: boolean;
}

/** What "stop 1004" asks to be stopped, and "start 1004" is about; null for any other search. */
export function verbOf(query: string): Verb | null {
  const [, verb, allAt, of] = /^\s*(start|stop)\s+(all\s+at\s+(?=\S))?(\S.*)$/i.exec(query) ?? [];
  if (verb === undefined || of === undefined) return null;
  return { verb: verb.toLowerCase() === "stop" ? "stop" : "start", of, isOfSite: allAt !== undefined };
}

/** What can be stopped. */
export interface Stoppable {
  readonly places: readonly Entry[];
  readonly actions: readonly Entry[];
  /** The Stop of a place; null if it has none. */
  readonly stopOf: (place: Entry) => Entry | null;
}

export interface FoundStops {
  /** The best first. */
  readonly stops: readonly Entry[];
  /** The one that Enter may send without a choice, because nothing else can be meant. */
  readonly meant: Entry | null;
}

/** The Stops that "stop …" asks for, by the names of what they stop and by their own. */
export function searchStops({ places, actions, stopOf }: Stoppable, query: string): FoundStops {
  const verb = verbOf(query);
  if (verb?.verb !== "stop") return { stops: [], meant: null };
  const ranked = new Map<string, { readonly stop: Entry; readonly rank: number }>();
  const add = (entries: readonly Entry[], text: string, toStop: (entry: Entry) => Entry | null) => {
    const sought = soughtBy(text);
    for (const entry of searchEntries(entries, text).flatMap((kind) => kind.entries)) {
      const rank = rankOf(entry, sought) ?? OTHER;
      const stop = rank < OTHER ? toStop(entry) : null;
      if (stop !== null && rank < (ranked.get(stop.key)?.rank ?? OTHER)) ranked.set(stop.key, { stop, rank });
    }
  };
  add(actions, query, (action) => (action.isStop ? action : null));
  add(verb.isOfSite ? places.filter(({ kind }) => kind === "site") : places, verb.of, stopOf);
  const found = [...ranked.values()].toSorted((one, other) => one.rank - other.rank);
  const [first, second] = found;
  // "Stop all" may be the beginning of any of them.
  const isUnclear = /^all\b/i.test(verb.of) && !verb.isOfSite;
  const isOnly = first !== undefined && first.rank <= WHOLE_WORDS && second?.rank !== first.rank;
  return {
    stops: found.map(({ stop }) => stop),
    meant: isOnly && !isUnclear ? first.stop : null,
  };
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
