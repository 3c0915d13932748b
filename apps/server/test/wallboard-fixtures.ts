import type { FastifyInstance } from "fastify";
import { createHash } from "node:crypto";
import { signToken } from "../src/features/auth/tokens.ts";
import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures } from "./fixtures.ts";

/** Ids of the links of the partners `owner` and `stranger`, and of one of `owner` that has signed in a screen. */
export const wallboardLinkIds = { own: 901, foreign: 902, screen: 903 } as const;
type Whose = keyof typeof wallboardLinkIds;

const SECRET = "s".repeat(43);
const sessionIdOf = (whose: Whose) => `00000000-0000-7000-8000-000000000${wallboardLinkIds[whose]}`;

/** What follows `/wall#` in the link. */
export const wallboardTokenOf = (whose: Whose) => `${wallboardLinkIds[whose]}.${SECRET}`;

/** These links, as if never opened, whatever was made or withdrawn before. */
export async function seedWallboardLinks(db: Db, { userIds }: Fixtures): Promise<void> {
  await db.deleteFrom("wallboard_links").execute();
  const link = (whose: Whose, user_id: number, name: string) => ({
    id: wallboardLinkIds[whose],
    session_id: sessionIdOf(whose),
    user_id,
    name,
    secret_sha256: createHash("sha256").update(SECRET).digest(),
    created_at: new Date("2026-06-01T00:00:00Z"),
  });
  const links = [
    link("own", userIds.owner, "West wall"),
    link("foreign", userIds.stranger, "East wall"),
    link("screen", userIds.owner, "North wall"),
  ];
  await db.insertInto("wallboard_links").values(links).execute();
}

/** The token of the screen, like that of a program: bound to no browser. */
export function wallboardSessionOf(http: FastifyInstance, { userIds, ownerPartnerId }: Fixtures): string {
  const claims = { id: userIds.owner, role: "PARTNER", email: "", partnerId: ownerPartnerId } as const;
  const now = new Date("2026-06-15T00:00:00Z");
  const exp = Math.floor(now.getTime() / 1000) + 86_400;
  return signToken(http, { ...claims, sid: sessionIdOf("screen"), exp, wallboard: true }, now);
}
