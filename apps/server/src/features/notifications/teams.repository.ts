import { type Insertable, sql } from "kysely";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export interface Member {
  readonly user_id: number;
  readonly name: string;
}

/** Members that still exist, as a JSON array by name; of a rota in the order of their turns, null for the others. */
const teamMembers = sql<Member[]>`(select coalesce(jsonb_agg(jsonb_build_object('user_id', u.id, 'name', u.name)
  order by lower(u.name), u.id), '[]') from team_members m join users u on u.id = m.user_id
  where m.team_id = teams.id and u.deleted_at is null)`;
const rotaMembers = sql<(Member | null)[]>`(select coalesce(jsonb_agg(
  case when u.deleted_at is null then jsonb_build_object('user_id', u.id, 'name', u.name) end
  order by m.position), '[]') from rota_members m join users u on u.id = m.user_id where m.rota_id = rotas.id)`;

function teams(db: Executor) {
  return db
    .selectFrom("teams")
    .select(["id", "name", "version", teamMembers.as("members")])
    .where("deleted_at", "is", null);
}

function rotas(db: Executor) {
  return db
    .selectFrom("rotas")
    .select(["id", "name", "timezone", "starts_on", "handover_at", "weeks", "version", rotaMembers.as("members")])
    .where("deleted_at", "is", null);
}

export type TeamRow = Awaited<ReturnType<typeof readTeams>>[number];
export type RotaRow = Awaited<ReturnType<typeof readRotas>>[number];

export async function readTeams(db: Executor) {
  return await teams(db)
    .orderBy(sql`lower(name)`)
    .execute();
}

export async function readRotas(db: Executor) {
  return await rotas(db)
    .orderBy(sql`lower(name)`)
    .execute();
}

/** Locked for this transaction; null if there is none. */
export async function lockTeam(tx: Tx, id: number): Promise<TeamRow | null> {
  return (await teams(tx).where("id", "=", id).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

export async function lockRota(tx: Tx, id: number): Promise<RotaRow | null> {
  return (await rotas(tx).where("id", "=", id).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** Compared trimmed, in any case. */
export async function isNameTaken(
  tx: Tx,
  table: "teams" | "rotas",
  name: string,
  exceptId: number | null,
): Promise<boolean> {
  const other = await tx
    .selectFrom(table)
    .select("id")
    .where(sql<string>`lower(btrim(name))`, "=", sql<string>`lower(btrim(${name}))`)
    .where("deleted_at", "is", null)
    .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId ?? 0))
    .executeTakeFirst();
  return other !== undefined;
}

/** Their names in this order; null if somebody does not exist. */
export async function readMembers(tx: Tx, userIds: readonly number[]): Promise<Member[] | null> {
  const rows = await tx
    .selectFrom("users")
    .select(["id", "name"])
    .where("id", "=", anyInt(userIds))
    .where("deleted_at", "is", null)
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  if (names.size !== userIds.length) return null;
  return userIds.map((id) => ({ user_id: id, name: names.get(id) ?? "" }));
}

type RotaColumns = Omit<Insertable<Tables["rotas"]>, "created_at">;

export async function insertTeam(tx: Tx, name: string, at: Date): Promise<number> {
  const row = { name, created_at: at };
  return (await tx.insertInto("teams").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

export async function insertRota(tx: Tx, columns: RotaColumns, at: Date): Promise<number> {
  const row = { ...columns, created_at: at };
  return (await tx.insertInto("rotas").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

export async function changeTeam(tx: Tx, id: number, name: string): Promise<void> {
  await tx
    .updateTable("teams")
    .set({ name, version: sql<number>`version + 1` })
    .where("id", "=", id)
    .execute();
}

export async function changeRota(tx: Tx, id: number, columns: RotaColumns): Promise<void> {
  await tx
    .updateTable("rotas")
    .set({ ...columns, version: sql<number>`version + 1` })
    .where("id", "=", id)
    .execute();
}

export async function storeTeamMembers(tx: Tx, teamId: number, members: readonly Member[]): Promise<void> {
  await tx.deleteFrom("team_members").where("team_id", "=", teamId).execute();
  const rows = members.map(({ user_id }) => ({ team_id: teamId, user_id }));
  await tx.insertInto("team_members").values(rows).execute();
}

export async function storeRotaMembers(tx: Tx, rotaId: number, members: readonly Member[]): Promise<void> {
  await tx.deleteFrom("rota_members").where("rota_id", "=", rotaId).execute();
  const rows = members.map(({ user_id }, position) => ({ rota_id: rotaId, position, user_id }));
  await tx.insertInto("rota_members").values(rows).execute();
}

export async function remove(tx: Tx, table: "teams" | "rotas", id: number, at: Date): Promise<void> {
  await tx.updateTable(table).set({ deleted_at: at }).where("id", "=", id).execute();
}
