import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** What of the log's texts has the words in it: rows that name one of these match. */
export interface FoundTexts {
  /** 64-bit hashes, as text. */
  readonly places: readonly string[];
  readonly outcomes: readonly string[];
  readonly people: readonly string[];
}

/** Words that are in more texts than this are compared row by row instead: they match so often that few rows are read. */
const MAX_TEXTS = 5_000;

/** The words as a pattern of `like` for folded text. */
export function patternOf(words: string) {
  return sql<string>`('%' || search_fold(${words.replaceAll(/[\\%_]/g, String.raw`\$&`)}::text) || '%')`;
}

/** Texts of the activity log that have these words in them, in any case; null where there are too many. */
export async function findTexts(db: Executor, words: string): Promise<FoundTexts | null> {
  // A line ends a text: what reaches over it is in none.
  if (words.includes("\n")) return { places: [], outcomes: [], people: [] };
  const { rows } = await sql<{ kind: string; key: string; user_name: string | null }>`
    select kind, key::text as key, user_name from activity_texts where words like ${patternOf(words)} limit ${MAX_TEXTS + 1}
  `.execute(db);
  if (rows.length > MAX_TEXTS) return null;
  const keys = (kind: string) => [...new Set(rows.filter((row) => row.kind === kind).map(({ key }) => key))];
  return {
    places: keys("PLACE"),
    outcomes: keys("OUTCOME"),
    people: [...new Set(rows.flatMap(({ user_name }) => user_name ?? []))],
  };
}
