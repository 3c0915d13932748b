import { spawn } from "node:child_process";
import { chmod, chown } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderWhole } from "./files.ts";
import { signalAtExit } from "./process-table.ts";
import type { Owner } from "./postgres-owner.ts";
import { StartError } from "./start-error.ts";

/** The database role Suncrew uses in its own PostgreSQL. */
export const EMBEDDED_ROLE = "suncrew";

export interface ClusterParts {
  programs: string;
  databaseFolder: string;
  owner: Owner | null;
  durable: boolean;
}

/** Makes an empty database cluster, whole or not at all. Returns false where there is one already. */
export async function makeCluster(parts: ClusterParts): Promise<boolean> {
  const { owner } = parts;
  return await makeFolderWhole(parts.databaseFolder, async (temporary) => {
    await chmod(temporary, 0o700);
    if (owner !== null) await chown(temporary, owner.uid, owner.gid);
    await runInitdb(parts, temporary);
  });
}

async function runInitdb({ programs, owner, durable }: ClusterParts, folder: string): Promise<void> {
  const child = spawn(
    join(programs, "bin", "initdb"),
    [
      `--pgdata=${folder}`,
      `--username=${EMBEDDED_ROLE}`,
      "--auth=trust",
      "--encoding=UTF8",
      "--no-instructions",
      // The locale C alone would leave É unchanged by lower(); this one needs nothing from the machine.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      ...(durable ? [] : ["--no-sync"]),
    ],
    {
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], LC_ALL: "C", LANG: "C" },
      ...(owner === null ? {} : { uid: owner.uid, gid: owner.gid }),
    },
  );
  const takeBack = signalAtExit(child.pid ?? 0, "SIGKILL");
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (exitCode) => resolve(exitCode ?? "killed"));
  });
  takeBack();
  if (code !== 0)
    throw new StartError(`The embedded database could not be made (initdb: ${code}). ${complaint.trim()}`);
}
