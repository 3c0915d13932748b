import type { Insertable, Selectable } from "kysely";
import { sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type MailServerRow = Selectable<Tables["mail_settings"]>;

/** What was set up in the console; null if nothing was. */
export async function readMailServer(db: Executor): Promise<MailServerRow | null> {
  return (await db.selectFrom("mail_settings").selectAll().executeTakeFirst()) ?? null;
}

/** The same, locked for this transaction, as is adding one. */
export async function lockMailServer(tx: Tx): Promise<MailServerRow | null> {
  await sql`lock table mail_settings in share row exclusive mode`.execute(tx);
  return readMailServer(tx);
}

/** Adds or replaces it. */
export async function storeMailServer(
  tx: Tx,
  row: Omit<Insertable<Tables["mail_settings"]>, "id" | "version">,
): Promise<void> {
  await tx
    .insertInto("mail_settings")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ ...row, version: sql<number>`mail_settings.version + 1` }),
    )
    .execute();
}

export async function removeMailServer(tx: Tx): Promise<void> {
  await tx.deleteFrom("mail_settings").execute();
}
