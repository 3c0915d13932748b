import type { FastifyInstance } from "fastify";
import { signToken } from "../src/features/auth/tokens.ts";
import type { Db } from "../src/platform/database/database.ts";
import { openSession } from "../src/platform/sessions.ts";
import { type Person, usernames } from "./fixtures.ts";

/** A token of a new session of this person, without the work that a password takes. */
export async function openToken(http: FastifyInstance, db: Db, person: Person, now: Date): Promise<string> {
  const { id, role, email, partner_id } = await db
    .selectFrom("users")
    .select(["id", "role", "email", "partner_id"])
    .where("username", "=", usernames[person])
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  const expiresAt = new Date(now.getTime() + 43_200_000);
  const sid = await openSession(db, { userId: id, now, expiresAt });
  const exp = Math.floor(expiresAt.getTime() / 1000);
  return signToken(http, { id, role, email, partnerId: partner_id, sid, exp }, now);
}
