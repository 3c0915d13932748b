import { HttpError, invalid } from "../../platform/http/http-error.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditRecord, type GatheredAudit, recordAudit } from "../audit/public.ts";
import type { PasswordTries } from "./password-tries.ts";
import { tooManyWrongSentence } from "./sign-in-limits.ts";
import type { Account } from "./users.repository.ts";

/** A signed-in person's own password, typed again for something that an open console alone does not allow. */
export interface TypedAgain {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly password: string;
  /** The field of the form that it was typed into, and what is said there of a wrong one. */
  readonly field: string;
  readonly wrong: string;
  readonly address: string;
  /** What is put on record where it is not done. */
  readonly refused: AuditRecord;
}

export interface OwnPasswordDependencies {
  readonly db: Db;
  readonly tries: PasswordTries;
  readonly refusals: GatheredAudit;
}

/**
 * Does what the person asked for where the password is right; `work` answers null where the password was replaced while
 * it was looked at. Throws 400 with the field named where it is wrong (a 401 would sign out), and 429 where too many
 * wrong ones were tried, here or at sign-in.
 */
export async function withOwnPassword<T>(
  { db, tries, refusals }: OwnPasswordDependencies,
  { viewer, account, password, field, wrong, address, refused }: TypedAgain,
  gone: AbortSignal,
  work: () => Promise<T | null>,
): Promise<T> {
  const attempt = { username: account.username, account, password, address, browser: null };
  return tries.run(attempt, gone, async (result) => {
    if (result.kind === "wait") {
      await refusals.record(`password of ${viewer.userId}`, { ...refused, reason: "too many wrong passwords" });
      throw new HttpError(429, tooManyWrongSentence(result.waitMs));
    }
    const done = result.kind === "right" ? await work() : null;
    if (done !== null) return done;
    await recordAudit(db, { ...refused, reason: "wrong password" });
    throw invalid(field, wrong);
  });
}
