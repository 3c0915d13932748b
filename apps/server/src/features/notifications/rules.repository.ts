import {
  type RuleFilter,
  ruleFilterSchema,
  type RuleStep,
  ruleStepSchema,
  type RuleTarget,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { sql } from "kysely";
import { z } from "zod";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";

/** A rule of the installation, or a person's subscription. */
export interface StoredRule {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly filter: RuleFilter;
  readonly wait_seconds: number;
  readonly repeat_minutes: number | null;
  readonly tells_cleared: boolean;
  readonly steps: readonly RuleStep[];
  readonly version: number;
}

export type RuleContent = Omit<StoredRule, "id" | "version">;

const stepsSchema = z.array(ruleStepSchema);

function rulesOf(db: Executor, userId: number | null) {
  return db
    .selectFrom("notification_rules")
    .select(["id", "name", "enabled", "filter", "wait_seconds", "repeat_minutes", "tells_cleared", "steps", "version"])
    .where("user_id", userId === null ? "is" : "=", userId)
    .where("deleted_at", "is", null);
}

function parsed(row: Omit<StoredRule, "filter" | "steps"> & { filter: unknown; steps: unknown }): StoredRule {
  return { ...row, filter: ruleFilterSchema.parse(row.filter), steps: stepsSchema.parse(row.steps) };
}

/** A person's subscriptions by name; of null the rules of the installation. */
export async function readRules(db: Executor, userId: number | null): Promise<StoredRule[]> {
  const rows = await rulesOf(db, userId)
    .orderBy(sql`lower(name)`)
    .orderBy("id")
    .execute();
  return rows.map(parsed);
}

/** Locked for this transaction; null if there is none, or it is somebody else's. */
export async function lockRule(tx: Tx, ruleId: number, userId: number | null): Promise<StoredRule | null> {
  const row = await rulesOf(tx, userId).where("id", "=", ruleId).forUpdate().executeTakeFirst();
  return row === undefined ? null : parsed(row);
}

export async function countSubscriptionsOf(tx: Tx, userId: number): Promise<number> {
  // Two at the same moment are counted one after the other.
  await tx.selectFrom("users").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
  return (await rulesOf(tx, userId).execute()).length;
}

const columnsOf = ({ filter, steps, ...rest }: RuleContent) => ({
  ...rest,
  filter: JSON.stringify(filter),
  steps: JSON.stringify(steps),
});

export async function insertRule(tx: Tx, content: RuleContent, userId: number | null, at: Date): Promise<number> {
  const { id } = await tx
    .insertInto("notification_rules")
    .values({ ...columnsOf(content), user_id: userId, created_at: at })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export async function changeRule(tx: Tx, ruleId: number, content: RuleContent): Promise<void> {
  await tx
    .updateTable("notification_rules")
    .set({ ...columnsOf(content), version: sql<number>`version + 1` })
    .where("id", "=", ruleId)
    .execute();
}

/** Whoever was told because of it still hears the end. */
export async function removeRule(tx: Tx, ruleId: number, at: Date): Promise<void> {
  await tx.updateTable("notification_rules").set({ enabled: false, deleted_at: at }).where("id", "=", ruleId).execute();
}

const targetTables = { CONTACT_POINT: "contact_points", PERSON: "users", TEAM: "teams", ROTA: "rotas" } as const;
type NamedKind = keyof typeof targetTables;

/** Names of what targets tell, by kind and id as `targetKey` writes them; without what does not exist any more. */
export async function readTargetNames(
  db: Executor,
  steps: readonly RuleStep[],
  lock: "for share" | "unlocked" = "unlocked",
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const kind of Object.keys(targetTables) as NamedKind[]) {
    const targets = steps.flatMap(({ to }) => to).filter((target) => target.kind === kind);
    const ids = [...new Set(targets.flatMap(({ id }) => (id === undefined ? [] : [id])))].toSorted((a, b) => a - b);
    if (ids.length === 0) continue;
    // In one order, so that two rules lock them one after the other.
    const { rows } = await sql<{ id: number; name: string }>`
      select id, name from ${sql.table(targetTables[kind])} where id = ${anyInt(ids)} and deleted_at is null
      order by id ${sql.raw(lock === "for share" ? "for share" : "")}`.execute(db);
    for (const { id, name } of rows) names.set(targetKey({ kind, id }), name);
  }
  return names;
}

export function targetKey({ kind, id }: Pick<RuleTarget, "kind" | "id">): string {
  return `${kind} ${id ?? ""}`;
}

/** Which of these partners do not exist. */
export async function findMissingPartners(db: Executor, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom("partners")
    .select("id")
    .where("id", "=", anyInt(ids))
    .where("deleted_at", "is", null)
    .execute();
  return ids.filter((id) => !rows.some((row) => row.id === id));
}

/** Which of these are no contact points of this person. */
export async function findOthersContactPoints(db: Executor, ids: readonly number[], userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("contact_points")
    .select("id")
    .where("id", "=", anyInt(ids))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forShare()
    .execute();
  return ids.filter((id) => !rows.some((row) => row.id === id));
}
