import { sql } from "kysely";
import type { Tx } from "./database.ts";

/** PostgreSQL's code for a lock that was not to be had within `lock_timeout`. */
const LOCK_NOT_AVAILABLE = "55P03";

/** From here on this transaction waits for no lock longer than this; then it fails, as `isLockTaken` tells. */
export async function setLockTimeout(tx: Tx, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${Math.ceil(ms)}ms`}, true)`.execute(tx);
}

/** True where a transaction failed because somebody else kept what it wanted to lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE;
}
