import type { Db, Tx } from "../../platform/database/database.ts";
import { conflict, HttpError } from "../../platform/http/http-error.ts";

/** A press that carries an Idempotency-Key. */
export interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** The parsed body as text. */
  readonly body: string;
}

/** A key is remembered this long. */
const KEPT_MS = 24 * 3_600_000;

/**
 * The command that this request made before, or null where it is new. Throws what it was refused with, or 409
 * where the key came with another body.
 */
export async function findEarlier(tx: Tx, request: KeyedRequest): Promise<string | null> {
  const earlier = await tx
    .selectFrom("command_requests")
    .selectAll()
    .where("user_id", "=", request.userId)
    .where("key", "=", request.key)
    .executeTakeFirst();
  if (earlier === undefined) return null;
  if (earlier.body !== request.body) throw conflict("This Idempotency-Key was used for another command.");
  if (earlier.command_id === null)
    throw new HttpError(earlier.refused_status ?? 409, earlier.refused_message ?? "Refused.");
  return earlier.command_id;
}

/** Remembers what the request came to. Rejects with a unique violation where another one with its key was first. */
export async function rememberRequest(
  tx: Tx,
  request: KeyedRequest,
  result: string | HttpError,
  at: Date,
): Promise<void> {
  const isCommand = typeof result === "string";
  await tx
    .insertInto("command_requests")
    .values({
      user_id: request.userId,
      key: request.key,
      body: request.body,
      at,
      command_id: isCommand ? result : null,
      refused_status: isCommand ? null : result.status,
      refused_message: isCommand ? null : result.message,
    })
    .execute();
}

export async function forgetOldRequests(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom("command_requests")
    .where("at", "<", new Date(now.getTime() - KEPT_MS))
    .execute();
}
