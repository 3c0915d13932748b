import { sql } from "kysely";
import { NIL, v7 as uuidv7 } from "uuid";
import { anyInt, type Executor } from "./database/database.ts";

/** Whose request it is: decides which sites exist for a query. Read from the session row on every request. */
export interface Viewer {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
  readonly role: "SUPER_ADMIN" | "PARTNER";
  /** Null for a Super Admin. */
  readonly partnerId: number | null;
  readonly sessionId: string;
  /** A screen that a wallboard's link signed in: it sees what the link's maker sees, without people, and can only read. */
  readonly isWallboard?: boolean;
}

/** What decides what a viewer sees. */
export type Scope = Pick<Viewer, "role" | "partnerId" | "isWallboard">;

/** Viewers with the same scope share what is read for one of them. */
export function scopeOf(viewer: Scope): string {
  return `${viewer.isWallboard === true ? "WALLBOARD:" : ""}${viewer.role}:${viewer.partnerId ?? ""}`;
}

/** Opens a session for a user and returns its id; it ends at `expiresAt` at the latest. */
export async function openSession(
  db: Executor,
  session: { userId: number; now: Date; expiresAt: Date },
): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto("sessions")
    .values({ id, user_id: session.userId, created_at: session.now, expires_at: session.expiresAt, ended_at: null })
    .execute();
  return id;
}

/** All open sessions of people who still exist, with these. */
export function openSessions(db: Executor, now: Date) {
  return db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .leftJoin("partners", "partners.id", "users.partner_id")
    .where("sessions.ended_at", "is", null)
    .where("sessions.expires_at", ">", now)
    .where("users.deleted_at", "is", null)
    .where("partners.deleted_at", "is", null);
}

/** The open links to wallboards whose makers still exist, with these. */
export function openWallboardLinks(db: Executor) {
  return db
    .selectFrom("wallboard_links as links")
    .innerJoin("users", "users.id", "links.user_id")
    .leftJoin("partners", "partners.id", "users.partner_id")
    .where("links.withdrawn_at", "is", null)
    .where("users.deleted_at", "is", null)
    .where("partners.deleted_at", "is", null);
}

/** People and wallboards. */
function viewersOf(db: Executor, now: Date) {
  const people = openSessions(db, now)
    .select(["sessions.id as sessionId", "users.id as userId", "users.name", "users.email", "users.role"])
    .select(["users.partner_id as partnerId", sql<boolean>`false`.as("isWallboard")]);
  const wallboards = openWallboardLinks(db)
    .select(["links.session_id as sessionId", "users.id as userId", sql<string>`'Wallboard ' || links.name`.as("name")])
    .select([sql<string>`''`.as("email"), "users.role", "users.partner_id as partnerId"])
    .select(sql<boolean>`true`.as("isWallboard"));
  return db.selectFrom(people.unionAll(wallboards).as("viewer")).selectAll();
}

/** Whose session it is; null once it has ended, or its user or the user's partner is deleted. Never cached. */
export async function readSession(db: Executor, sessionId: string, now: Date): Promise<Viewer | null> {
  return (await viewersOf(db, now).where("sessionId", "=", sessionId).executeTakeFirst()) ?? null;
}

/** So many at a time: the answer for thousands at once would hold up everything else that this server does. */
const SESSIONS_AT_A_TIME = 500;

/** The viewers of all open sessions, by session. */
export async function readOpenSessions(db: Executor, now: Date): Promise<Map<string, Viewer>> {
  const open = new Map<string, Viewer>();
  for (let after: string = NIL; ;) {
    const viewers = await viewersOf(db, now)
      .where("sessionId", ">", after)
      .orderBy("sessionId")
      .limit(SESSIONS_AT_A_TIME)
      .execute();
    for (const viewer of viewers) open.set(viewer.sessionId, viewer);
    const last = viewers.at(-1);
    if (last === undefined || viewers.length < SESSIONS_AT_A_TIME) return open;
    after = last.sessionId;
  }
}

/**
 * Those of these viewers' sessions that have ended, as null, or whose user has another role or partner now, with these. Each
 * is looked up by its key, whatever the planner expects: with statistics from before a thousand people signed in, joining
 * them would compare each session with each user.
 */
export async function readChangedSessions(
  db: Executor,
  now: Date,
  viewers: readonly Viewer[],
): Promise<Map<string, Scope | null>> {
  if (viewers.length === 0) return new Map();
  const known = sql`unnest(${viewers.map(({ sessionId }) => sessionId)}::uuid[],
    ${viewers.map(({ role }) => role)}::text[], ${viewers.map(({ partnerId }) => partnerId)}::int[])`;
  const viewer = viewersOf(db, now).where("sessionId", "=", sql.ref<string>("known.id")).offset(0).as("viewer");
  const changed = await db
    .selectFrom(known.as<"known">(sql`known(id, role, partner_id)`))
    .leftJoinLateral(viewer, (join) => join.onTrue())
    .select([sql.ref<string>("known.id").as("sessionId"), "viewer.role", "viewer.partnerId"])
    .where(sql<boolean>`(viewer.role, viewer."partnerId") is distinct from (known.role, known.partner_id)`)
    .execute();
  return new Map(
    changed.map(({ sessionId, role, partnerId }) => [sessionId, role === null ? null : { role, partnerId }]),
  );
}

/** True if this call ended the session, false if it had ended before. */
export async function endSession(db: Executor, sessionId: string, now: Date): Promise<boolean> {
  const ended = await db
    .updateTable("sessions")
    .set({ ended_at: now })
    .where("id", "=", sessionId)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return ended.numUpdatedRows > 0n;
}

/** Ends every open session of these users except `exceptId`, and returns how many there were. */
export async function endSessionsOf(
  db: Executor,
  userIds: readonly number[],
  now: Date,
  exceptId: string | null = null,
): Promise<number> {
  const ended = await db
    .updateTable("sessions")
    .set({ ended_at: now })
    .where("user_id", "=", anyInt(userIds))
    .where("ended_at", "is", null)
    .where("expires_at", ">", now)
    .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId))
    .executeTakeFirst();
  return Number(ended.numUpdatedRows);
}
