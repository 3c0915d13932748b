import { type AppliedCorrection, type CorrectedFact } from "@suncrew/contract/soiling/soiling.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import type { Executor, Tx } from "../../platform/database/database.ts";

/** The corrections of a site that are in force: whoever has changed the fact since has ended them. */
export async function readCorrections(
  db: Executor,
  siteId: number,
  facts: Pick<EnergyFacts, CorrectedFact>,
): Promise<AppliedCorrection[]> {
  const rows = await db
    .selectFrom("site_corrections")
    .select(["fact", "entered", "corrected", "corrected_at", "corrected_by"])
    .where("site_id", "=", siteId)
    .orderBy("fact")
    .execute();
  return (
    rows
      // One that changes nothing, as servers before could store it, is none.
      .filter(({ fact, entered, corrected }) => facts[fact] === corrected && corrected !== (entered ?? 1))
      .map(({ fact, entered, corrected, corrected_at, corrected_by }) => {
        return { fact, from: entered, to: corrected, by: corrected_by, at: corrected_at.toISOString() };
      })
  );
}

/** Stored in place of the one before. */
export async function storeCorrection(tx: Tx, siteId: number, applied: AppliedCorrection): Promise<void> {
  const { fact, from, to, by, at } = applied;
  const values = { entered: from, corrected: to, corrected_at: new Date(at), corrected_by: by };
  await tx
    .insertInto("site_corrections")
    .values({ site_id: siteId, fact, ...values })
    .onConflict((on) => on.columns(["site_id", "fact"]).doUpdateSet(values))
    .execute();
}

/** Ends those of facts that an edit sets to something else, so that they do not revive when it is set again. */
export async function endCorrections(tx: Tx, siteId: number, edited: Pick<EnergyFacts, CorrectedFact>): Promise<void> {
  const rows = await tx
    .selectFrom("site_corrections")
    .select(["fact", "corrected"])
    .where("site_id", "=", siteId)
    .execute();
  for (const { fact, corrected } of rows) {
    if (edited[fact] !== corrected) await removeCorrection(tx, siteId, fact);
  }
}

export async function removeCorrection(tx: Tx, siteId: number, fact: CorrectedFact): Promise<void> {
  await tx.deleteFrom("site_corrections").where("site_id", "=", siteId).where("fact", "=", fact).execute();
}
