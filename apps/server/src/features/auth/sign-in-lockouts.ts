import {
  LOCK_TOLD_MS,
  type LockedAccount,
  type ServerAlertCode,
  signInLockedAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { z } from "zod";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { keepServerAlert, newestServerAlert } from "../alerts/public.ts";
import { AttemptKeys, readLocked } from "./sign-in-attempts.repository.ts";
import { readAdminNames } from "./users.repository.ts";

const CHECK_EVERY_MS = 10_000;
const CODE = "SIGN_IN_LOCKED" satisfies ServerAlertCode;

const toldSchema = z.object({ accounts: z.array(z.object({ username: z.string(), until: z.iso.datetime() })) });

/**
 * Raises the alert about Super Admins' accounts at which sign-in is locked. Apart from the attempts themselves: what
 * takes longer at an account that exists would tell which ones do. Failures are counted by keyed hashes of names, so
 * the names are those of the accounts, never what somebody typed.
 */
export class SignInLockouts extends PeriodicTasks {
  constructor(deps: Pick<Dependencies, "db" | "clock" | "log" | "settings">) {
    const { db, clock, settings } = deps;
    const work = () => {
      const now = clock.now();
      return keepServerAlert(db, CODE, (tx) => readAlert(tx, settings.secretKey, now), now);
    };
    super(deps, [{ name: "sign-in alert", everyMs: CHECK_EVERY_MS, work }]);
  }
}

/** What was told stays for an hour after the lock; what was acknowledged in this time is not told again. */
async function readAlert(db: Executor, secretKey: string, now: Date) {
  const newest = await newestServerAlert(db, CODE);
  const known = toldSchema.safeParse(newest?.params);
  const isTold = ({ until }: LockedAccount) => now.getTime() <= Date.parse(until) + LOCK_TOLD_MS;
  const told = known.success ? known.data.accounts.filter(isTold) : [];
  const locked = await readLockedAdmins(db, secretKey, now);
  const added = locked.filter(({ username }) => told.every((account) => account.username !== username));
  // Once it is over, what it told is past.
  const accounts = [...(newest?.cleared_at === null ? told : []), ...added];
  return accounts.length === 0 ? null : signInLockedAlert(accounts);
}

async function readLockedAdmins(db: Executor, secretKey: string, now: Date): Promise<LockedAccount[]> {
  const rows = await readLocked(db, now);
  if (rows.length === 0) return [];
  return (await readAdminNames(db)).flatMap((username) => {
    const { account, callers } = new AttemptKeys(secretKey, username);
    const until = rows
      .filter(({ key }) => key === account || key.startsWith(callers))
      .map((row) => row.until.getTime());
    return until.length === 0 ? [] : [{ username, until: new Date(Math.max(...until)).toISOString() }];
  });
}
