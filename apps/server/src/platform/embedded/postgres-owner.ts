import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StartError } from "./start-error.ts";

/** The account that PostgreSQL runs as. It refuses to run as root. */
export interface Owner {
  name: string;
  uid: number;
  gid: number;
}

const preferredAccounts = ["suncrew", "postgres", "nobody"];

/**
 * Who PostgreSQL shall run as: null means as ourselves. Root lends it another account: the one that owns an existing
 * database, else the first of suncrew, postgres, nobody that the machine knows.
 */
export async function chooseOwner(databaseFolder: string, passwdFile = "/etc/passwd"): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = parseAccounts(await readFile(passwdFile, "utf8").catch(() => ""));
  const there = await stat(databaseFolder).catch(() => null);
  if (there !== null && there.uid !== 0) {
    const known = accounts.find((account) => account.uid === there.uid);
    if (known !== undefined) return { ...known, gid: there.gid };
  }
  for (const name of preferredAccounts) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account !== undefined) return account;
  }
  throw new StartError(
    "PostgreSQL does not run as root and this machine knows none of the users suncrew, postgres and nobody: add one with `useradd --system suncrew`, or start Suncrew as an ordinary user.",
  );
}

function parseAccounts(passwd: string): Owner[] {
  return passwd.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name !== undefined && uid !== undefined && gid !== undefined
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : [];
  });
}

/**
 * Refuses a data folder below a folder that the database's account cannot enter, naming that folder; checks the mode
 * bits of each folder above, as the kernel does.
 */
export async function checkReachable(dataDir: string, owner: Owner | null): Promise<void> {
  if (owner === null) return;
  const above: string[] = [];
  for (let path = dirname(resolve(dataDir)); above.at(-1) !== path; path = dirname(path)) above.push(path);
  for (const path of above.toReversed()) {
    const folder = await stat(path).catch(() => null);
    if (folder === null) return;
    const bit = folder.uid === owner.uid ? 0o100 : folder.gid === owner.gid ? 0o010 : 0o001;
    if ((folder.mode & bit) === 0) {
      throw new StartError(
        `PostgreSQL runs as the user ${owner.name} (never as root), who may not enter ${path}: choose a DATA_DIR outside ${path}, for example /var/lib/suncrew.`,
      );
    }
  }
}
