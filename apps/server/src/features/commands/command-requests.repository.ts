import { errorCodeSchema } from "@suncrew/contract/http/error-codes.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { conflict, HttpError } from "../../platform/http/http-error.ts";

/** A request that carries an Idempotency-Key. */
export interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** The parsed body as text. */
  readonly body: string;
}

/** How long a key is remembered. */
const IDEMPOTENCY_KEY_TTL_MS = 24 * 3_600_000;

/**
 * The command that this request made before; null if it is new. Rethrows the earlier refusal; throws 409 if the key was
 * used with another body.
 */
export async function findEarlier(tx: Tx, request: KeyedRequest): Promise<string | null> {
  const earlier = await tx
    .selectFrom("command_requests")
    .selectAll()
    .where("user_id", "=", request.userId)
    .where("key", "=", request.key)
    .executeTakeFirst();
  if (earlier === undefined) return null;
  if (earlier.body !== request.body)
    throw conflict("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used for another command.");
  if (earlier.command_id !== null) return earlier.command_id;
  // Servers of an older version stored none.
  const code = errorCodeSchema.safeParse(earlier.refused_code).data ?? "COMMAND_REFUSED";
  throw new HttpError(earlier.refused_status ?? 409, code, earlier.refused_message ?? "Refused.");
}

/** What is remembered of the request, without judging it: its command, null for a refusal or another body. */
export async function readRemembered(tx: Tx, request: KeyedRequest): Promise<{ commandId: string | null } | null> {
  const found = await tx
    .selectFrom("command_requests")
    .select(["command_id", "body"])
    .where("user_id", "=", request.userId)
    .where("key", "=", request.key)
    .executeTakeFirst();
  return found === undefined ? null : { commandId: found.body === request.body ? found.command_id : null };
}

/** Remembers the outcome of the request. Rejects with a unique violation if another request with its key was first. */
export async function rememberRequest(
  tx: Tx,
  request: KeyedRequest,
  result: string | HttpError,
  at: Date,
): Promise<void> {
  const { userId: user_id, key, body } = request;
  const outcome =
    typeof result === "string"
      ? { command_id: result }
      : { refused_status: result.status, refused_code: result.code, refused_message: result.message };
  await tx
    .insertInto("command_requests")
    .values({ user_id, key, body, at, ...outcome })
    .execute();
}

export async function forgetOldRequests(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom("command_requests")
    .where("at", "<", new Date(now.getTime() - IDEMPOTENCY_KEY_TTL_MS))
    .execute();
}
