import type { TokenClaims } from "@suncrew/contract/auth/auth.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  type createWallboardLink,
  type openWallboard,
  WALLBOARD_LINKS_PER_USER,
  type WallboardLink,
} from "@suncrew/contract/wallboard/wallboard.ts";
import { createHash, randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import { isSameSecret } from "../../platform/secrets.ts";
import { openWallboardLinks, type Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ThrottledAudit } from "../audit/public.ts";

/**
 * How long a screen stays signed in after its link was opened there: 400 days, the longest that browsers keep a cookie.
 * Idle or not, what ends it before is the link.
 */
export const WALLBOARD_HOURS = 400 * 24;

/** When a link was used last is known this exactly, so that a screen's calls write next to nothing. */
const USE_NOTED_EVERY_MS = 600_000;

interface LinkDependencies extends Pick<Dependencies, "db" | "clock" | "log"> {
  /** Apart from refusals: many of those must not be counted together with an opening. */
  readonly openings: ThrottledAudit;
  readonly refusals: ThrottledAudit;
  readonly sign: (claims: TokenClaims, now: Date) => string;
}

/** 401 to a screen that shows this instead of its board. */
export function wallboardEnded(message = "This wallboard's link was withdrawn."): HttpError {
  return new HttpError(401, "WALLBOARD_ENDED", message);
}

/**
 * Links that sign a screen in to the wallboard (decision 76). Only a hash of the secret in a link is stored; it is
 * random, so that nothing slower than SHA-256 is needed.
 */
export class WallboardLinks {
  readonly #deps: LinkDependencies;
  /** When this server last noted the use of a link, by its session. */
  readonly #notedMs = new Map<string, number>();

  constructor(deps: LinkDependencies) {
    this.#deps = deps;
  }

  /** Those that the viewer may withdraw, the newest first. */
  async list(viewer: Viewer): Promise<WallboardLink[]> {
    const rows = await linksOf(this.#deps.db, viewer)
      .select(["links.id", "links.name", "users.name as made_by", "links.created_at", "links.last_used_at"])
      .orderBy("links.id", "desc")
      .execute();
    return rows.map(({ created_at, last_used_at, ...link }) => ({
      ...link,
      created_at: created_at.toISOString(),
      last_used_at: last_used_at?.toISOString() ?? null,
    }));
  }

  /** Throws 409 for a person who has as many as one may have. */
  async create(viewer: Viewer, name: string): Promise<ResponseOf<typeof createWallboardLink>> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const secret = randomBytes(32).toString("base64url");
    const change = { actor: viewer, action: "CREATE_WALLBOARD_LINK", entity: "wallboard", after: { name }, at };
    return auditedChange(db, change, async (tx, details) => {
      // Two at the same moment are counted one after the other.
      await tx.selectFrom("users").select("id").where("id", "=", viewer.userId).forUpdate().execute();
      if ((await countLinksOf(tx, viewer.userId)) >= WALLBOARD_LINKS_PER_USER) {
        const many = `You have ${WALLBOARD_LINKS_PER_USER} links to wallboards. Withdraw one that is no longer used.`;
        throw conflict("WALLBOARD_LINKS_LIMIT", many);
      }
      const link = {
        session_id: uuidv7(),
        user_id: viewer.userId,
        name,
        secret_sha256: sha256(secret),
        created_at: at,
      };
      const { id } = await tx.insertInto("wallboard_links").values(link).returning("id").executeTakeFirstOrThrow();
      details.entityId = id;
      return { message: `The link to ${name} was made.`, linkId: id, token: `${id}.${secret}` };
    });
  }

  /** Throws 404 for a link that the viewer does not see, or that was withdrawn before. */
  async withdraw(viewer: Viewer, linkId: number): Promise<{ readonly sessionId: string; readonly message: string }> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const change = { actor: viewer, action: "WITHDRAW_WALLBOARD_LINK", entity: "wallboard", entityId: linkId, at };
    return auditedChange(db, change, async (tx, details) => {
      const link = await linksOf(tx, viewer)
        .select(["links.name", "links.session_id", "users.name as made_by"])
        .where("links.id", "=", linkId)
        .forUpdate("links")
        .executeTakeFirst();
      if (link === undefined) throw notFound("Wallboard link");
      await tx.updateTable("wallboard_links").set({ withdrawn_at: at }).where("id", "=", linkId).execute();
      details.before = { name: link.name, made_by: link.made_by };
      return { sessionId: link.session_id, message: `The link to ${link.name} was withdrawn.` };
    });
  }

  /** Signs a screen in; `address` is where it is. Throws 401 for a token of no open link. */
  async open(
    token: string,
    address: string,
  ): Promise<{ readonly sessionId: string; readonly answer: ResponseOf<typeof openWallboard> }> {
    const { db, clock, openings, refusals, sign } = this.#deps;
    const now = clock.now();
    const [id, secret = ""] = token.split(".");
    const link = await openWallboardLinks(db)
      .select(["links.id", "links.session_id", "links.name", "links.secret_sha256"])
      .select(["users.id as user_id", "users.role", "users.partner_id"])
      .where("links.id", "=", Number(id))
      .executeTakeFirst();
    const stored = link?.secret_sha256 ?? Buffer.alloc(32);
    const isRight = isSameSecret(sha256(secret).toString("base64"), stored.toString("base64"));
    if (link === undefined || !isRight) {
      await refusals.record(`wallboard at ${address}`, {
        actor: { userId: null, name: "Unknown screen" },
        action: "OPEN_WALLBOARD",
        entity: "wallboard",
        outcome: "REFUSED",
        reason: "no open link",
        after: { address },
      });
      throw wallboardEnded();
    }
    await openings.record(`${link.id} at ${address}`, {
      actor: { userId: null, name: `Wallboard ${link.name}` },
      action: "OPEN_WALLBOARD",
      entity: "wallboard",
      entityId: link.id,
      outcome: "DONE",
      after: { address },
    });
    await db.updateTable("wallboard_links").set({ last_used_at: now }).where("id", "=", link.id).execute();
    const { user_id, role, session_id: sid, name, partner_id: partnerId } = link;
    const exp = Math.floor(now.getTime() / 1000) + WALLBOARD_HOURS * 3_600;
    const claims = { id: user_id, role, email: "", partnerId, sid, exp, bound: true, wallboard: true };
    const user = { id: user_id, name, email: "", role };
    return { sessionId: sid, answer: { message: `${name} is open.`, token: sign(claims, now), user } };
  }

  /** A screen with this session is at work. */
  noteUse(sessionId: string): void {
    const { db, clock, log } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.#notedMs.get(sessionId) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_EVERY_MS) return;
    this.#notedMs.set(sessionId, nowMs);
    db.updateTable("wallboard_links")
      .set({ last_used_at: clock.now() })
      .where("session_id", "=", sessionId)
      .execute()
      .catch((error: unknown) => log.warn({ error }, "the use of a wallboard's link could not be noted"));
  }
}

/** How many open links a person has made. */
export async function countLinksOf(db: Executor, userId: number): Promise<number> {
  return (await openWallboardLinks(db).select("links.id").where("links.user_id", "=", userId).execute()).length;
}

/** The database does so itself with a reset password and a deleted user, whichever server's version that was. */
export async function withdrawLinksOf(db: Executor, userId: number, now: Date): Promise<void> {
  await db
    .updateTable("wallboard_links")
    .set({ withdrawn_at: now })
    .where("user_id", "=", userId)
    .where("withdrawn_at", "is", null)
    .execute();
}

/** For how long the row of a link that was withdrawn is kept. */
const WITHDRAWN_KEPT_MS = 30 * 86_400_000;

export async function forgetOldLinks(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom("wallboard_links")
    .where("withdrawn_at", "<=", new Date(now.getTime() - WITHDRAWN_KEPT_MS))
    .execute();
}

/** Open links that the viewer may withdraw: a Super Admin all, a partner those of its own people. */
function linksOf(db: Executor, viewer: Viewer) {
  return openWallboardLinks(db).$if(viewer.role !== "SUPER_ADMIN", (query) =>
    query.where("users.partner_id", "=", viewer.partnerId),
  );
}

function sha256(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
