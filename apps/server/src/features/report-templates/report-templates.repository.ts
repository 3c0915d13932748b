import { type StoredSection, templateNameKey } from "@suncrew/domain/report-templates/template-sections.ts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type TemplateRow = Selectable<Tables["report_templates"]>;

export interface TemplateContent {
  readonly name: string;
  readonly description: string;
  readonly sections: readonly StoredSection[];
  readonly is_active: boolean;
}

function templateWith(db: Executor, templateId: number) {
  return db.selectFrom("report_templates").selectAll().where("id", "=", templateId).where("deleted_at", "is", null);
}

/** The template, locked for this transaction before the settings that refer to it; null if it does not exist. */
export async function lockTemplate(tx: Tx, templateId: number): Promise<TemplateRow | null> {
  return (await templateWith(tx, templateId).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** The current template; null if it does not exist. */
export async function readTemplate(db: Executor, templateId: number): Promise<TemplateRow | null> {
  return (await templateWith(db, templateId).executeTakeFirst()) ?? null;
}

/** Whether another template has that name, compared trimmed, in any case. */
export async function isTemplateNameTaken(tx: Tx, name: string, exceptId: number | null): Promise<boolean> {
  const other = await tx
    .selectFrom("report_templates")
    .select("id")
    .where(sql<string>`lower(btrim(normalize(name, NFC)))`, "=", templateNameKey(name))
    .where("deleted_at", "is", null)
    .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId ?? 0))
    .executeTakeFirst();
  return other !== undefined;
}

export async function insertTemplate(
  tx: Tx,
  { sections, ...content }: TemplateContent,
  by: { readonly userId: number; readonly name: string },
  now: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto("report_templates")
    .values({
      ...content,
      sections: JSON.stringify(sections),
      created_by_user_id: by.userId,
      created_by: by.name,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export async function changeTemplate(
  tx: Tx,
  templateId: number,
  { sections, ...content }: TemplateContent,
  now: Date,
): Promise<void> {
  await tx
    .updateTable("report_templates")
    .set({ ...content, sections: JSON.stringify(sections), updated_at: now, version: sql<number>`version + 1` })
    .where("id", "=", templateId)
    .execute();
}

export async function removeTemplate(tx: Tx, templateId: number, now: Date): Promise<void> {
  await tx.updateTable("report_templates").set({ deleted_at: now }).where("id", "=", templateId).execute();
}

export type SettingsRow = Selectable<Tables["report_settings"]>;

/** Whether monthly reports are generated and mailed automatically. */
export async function readSettingsRow(db: Executor): Promise<SettingsRow> {
  return db.selectFrom("report_settings").selectAll().executeTakeFirstOrThrow();
}

/** The same, locked for this transaction. Locked after a template's row. */
export async function lockSettings(tx: Tx): Promise<SettingsRow> {
  return tx.selectFrom("report_settings").selectAll().forNoKeyUpdate().executeTakeFirstOrThrow();
}

export async function changeSettings(tx: Tx, change: Updateable<Tables["report_settings"]>): Promise<void> {
  await tx
    .updateTable("report_settings")
    .set({ ...change, version: sql<number>`version + 1` })
    .execute();
}

export type LogoRow = Selectable<Tables["report_logo"]>;

/** The logo of site reports; null if there is none. */
export async function readLogoRow(db: Executor): Promise<LogoRow | null> {
  return (await db.selectFrom("report_logo").selectAll().executeTakeFirst()) ?? null;
}

/** Stores the logo, or removes it. Call it with the settings locked. */
export async function changeLogo(tx: Tx, logo: Insertable<Tables["report_logo"]> | null): Promise<void> {
  await tx.deleteFrom("report_logo").execute();
  if (logo !== null) await tx.insertInto("report_logo").values(logo).execute();
}
