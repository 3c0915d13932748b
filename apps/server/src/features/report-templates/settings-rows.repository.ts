import { type Selectable, sql, type Updateable } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { ReportSettingsTable } from "../../platform/database/report-tables.ts";

export type SettingsRow = Selectable<ReportSettingsTable>;

/** Whether reports are made and sent by themselves. */
export async function readSettingsRow(db: Executor): Promise<SettingsRow> {
  return db.selectFrom("report_settings").selectAll().executeTakeFirstOrThrow();
}

/** The same, for this transaction alone. Taken after a template's row. */
export async function lockSettings(tx: Tx): Promise<SettingsRow> {
  return tx.selectFrom("report_settings").selectAll().forNoKeyUpdate().executeTakeFirstOrThrow();
}

export async function changeSettings(tx: Tx, change: Updateable<ReportSettingsTable>): Promise<void> {
  await tx
    .updateTable("report_settings")
    .set({ ...change, version: sql<number>`version + 1` })
    .execute();
}
