import { afterCommit } from "../../platform/database/transactions.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { CommandOutcome } from "../../platform/database/schema.ts";
import type { Command } from "./command-rows.repository.ts";

type Verb = Command["verb"];

export interface SettledCount {
  readonly verb: Verb;
  readonly outcome: CommandOutcome;
  readonly count: number;
}

/** By database, which is one for each server. */
const countsBy = new WeakMap<Db, Map<string, SettledCount>>();

/** Counts what this transaction has settled, once it is committed. */
export function countSettled(tx: Tx, verbs: readonly Verb[], outcome: CommandOutcome): void {
  afterCommit(tx, (db) => {
    const counts = countsBy.get(db) ?? new Map<string, SettledCount>();
    countsBy.set(db, counts);
    for (const verb of verbs) {
      const key = `${verb} ${outcome}`;
      counts.set(key, { verb, outcome, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  });
}

/** The commands that this server has settled since it started. */
export function settledCounts(db: Db): readonly SettledCount[] {
  return [...(countsBy.get(db)?.values() ?? [])];
}
