import { hash } from "node:crypto";
import { errorCodeSchema } from "@suncrew/contract/http/error-codes.ts";
import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { conflict, HttpError } from "../../platform/http/http-error.ts";

/** A request that carries an Idempotency-Key. */
export interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** The parsed body as text. */
  readonly body: string;
  /** For many robots: the outcome is remembered for each of them. */
  readonly forMany?: boolean | undefined;
}

/** Undefined for a call without a key. */
export function requestOf(viewer: Viewer, body: object, key: string | null): KeyedRequest | undefined {
  return key === null ? undefined : { userId: viewer.userId, key, body: JSON.stringify(body) };
}

/** The same of a call for many robots. */
export function requestForMany(viewer: Viewer, body: object, key: string | null): KeyedRequest | undefined {
  const request = requestOf(viewer, body, key);
  return request && { ...request, forMany: true };
}

/** How long a key is remembered. */
const IDEMPOTENCY_KEY_TTL_MS = 24 * 3_600_000;

/** What this request has done before. */
interface Earlier {
  readonly isNew: boolean;
  /** The key was used with another body: nothing is remembered of this one. */
  readonly hasOtherBody: boolean;
  /** When it was made first; null if it is new. What is remembered later expires with it. */
  readonly at: Date | null;
  /** By robot: its command's id, or its refusal. */
  readonly results: ReadonlyMap<number, string | HttpError>;
}

/**
 * Under which key the outcome of a robot is remembered. A request for many has a row under its own key, which says that
 * it was made, and one for each robot.
 */
function robotKeysOf({ key, forMany }: KeyedRequest): (robotId: number) => string {
  if (forMany !== true) return () => key;
  const prefix = hash("sha256", key);
  return (robotId) => `${prefix}:${robotId}`;
}

/** What is remembered of the request about these robots, without judging it. */
export async function readEarlier(tx: Tx, request: KeyedRequest, robotIds: readonly number[]): Promise<Earlier> {
  const keyOf = robotKeysOf(request);
  const found = await tx
    .selectFrom("command_requests")
    .selectAll()
    .where("user_id", "=", request.userId)
    .where("key", "=", sql<string>`any(${[...new Set([request.key, ...robotIds.map(keyOf)])]}::text[])`)
    .execute();
  const byKey = new Map(found.map((row) => [row.key, row]));
  const own = byKey.get(request.key);
  if (own === undefined || own.body !== request.body) {
    return { isNew: own === undefined, hasOtherBody: own !== undefined, at: null, results: new Map() };
  }
  const results = robotIds.flatMap((robotId): [number, string | HttpError][] => {
    const row = byKey.get(keyOf(robotId));
    return row === undefined ? [] : [[robotId, row.command_id ?? refusalIn(row)]];
  });
  return { isNew: false, hasOtherBody: false, at: own.at, results: new Map(results) };
}

/** The same, but throws 409 if the key was used with another body. */
export async function findEarlier(tx: Tx, request: KeyedRequest, robotIds: readonly number[]): Promise<Earlier> {
  const earlier = await readEarlier(tx, request, robotIds);
  if (earlier.hasOtherBody)
    throw conflict("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used for another command.");
  return earlier;
}

function refusalIn(row: Selectable<Tables["command_requests"]>): HttpError {
  // Servers of an older version stored no code.
  const code = errorCodeSchema.safeParse(row.refused_code).data ?? "COMMAND_REFUSED";
  return new HttpError(row.refused_status ?? 409, code, row.refused_message ?? "Refused.");
}

/**
 * Remembers the outcomes of the request that are not remembered yet. Rejects with a unique violation if another request
 * with its key was first.
 */
export async function rememberRequest(
  tx: Tx,
  request: KeyedRequest,
  earlier: Earlier,
  results: ReadonlyMap<number, string | HttpError>,
  at: Date,
): Promise<void> {
  const [first] = results.values();
  if (earlier.hasOtherBody || first === undefined) return;
  const rowOf = (key: string, body: string, result: string | HttpError) => {
    const outcome =
      typeof result === "string"
        ? { command_id: result }
        : { refused_status: result.status, refused_code: result.code, refused_message: result.message };
    return { user_id: request.userId, key, body, at: earlier.at ?? at, ...outcome };
  };
  const keyOf = robotKeysOf(request);
  const each = request.forMany === true ? [...results].filter(([robotId]) => !earlier.results.has(robotId)) : [];
  const rows = [
    ...(earlier.isNew ? [rowOf(request.key, request.body, first)] : []),
    ...each.map(([robotId, result]) => rowOf(keyOf(robotId), "", result)),
  ];
  if (rows.length > 0) await tx.insertInto("command_requests").values(rows).execute();
}

export async function forgetOldRequests(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom("command_requests")
    .where("at", "<", new Date(now.getTime() - IDEMPOTENCY_KEY_TTL_MS))
    .execute();
}
