import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { chown, mkdir } from "node:fs/promises";
import { takePort } from "../../apps/server/test/suncrew-process.ts";
import { chooseOwner, type Owner } from "../../apps/server/src/platform/embedded/postgres-setup.ts";

/** Neither PostgreSQL nor Mosquitto runs as root: root lends them another account, null means our own. */
export type Account = Owner | null;

export const chooseAccount = (): Promise<Account> => chooseOwner("");

/** Where Debian puts programs that are not in the usual PATH; the newest PostgreSQL first. */
function folders(): string[] {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const newestFirst = versions.filter((name) => /^\d+$/.test(name)).toSorted((a, b) => Number(b) - Number(a));
  return [...newestFirst.map((version) => `/usr/lib/postgresql/${version}/bin`), "/usr/sbin", "/usr/bin"];
}

/** The path of one of Debian's programs. Throws a sentence that names the package if it is not installed. */
export function debianProgram(name: string, debianPackage: string): string {
  const path = folders()
    .map((folder) => `${folder}/${name}`)
    .find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
  if (path === undefined) throw new Error(`There is no ${name}: install Debian's package ${debianPackage}.`);
  return path;
}

/** Creates a folder that belongs to the account. */
export async function makeFolderFor(account: Account, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (account !== null) await chown(folder, account.uid, account.gid);
}

/** Runs a program to its end. Throws with what it printed if it fails. */
export function runProgram(account: Account, program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", ...identity(account) });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} failed (${status}): ${stdout}${stderr}`);
  return stdout;
}

/** Starts a program that keeps running, in its own process group so that a Ctrl-C reaches only us. */
export function launch(
  account: Account,
  program: string,
  args: readonly string[],
  log: number,
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const { env, ...as } = identity(account);
  return spawn(program, args, { detached: true, stdio: ["ignore", log, log], ...as, env: { ...env, ...environment } });
}

function identity(account: Account) {
  return {
    cwd: "/",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    ...(account !== null && { uid: account.uid, gid: account.gid }),
  };
}

/** Sends the signal, and if that is not enough one that cannot be ignored, and waits for the end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const limit = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  child.kill(signal);
  await ended;
  clearTimeout(limit);
}

/** A port at 127.0.0.1 that nothing is listening on at the moment. */
export async function freePort(): Promise<number> {
  const taken = await takePort();
  await taken.release();
  return taken.port;
}
