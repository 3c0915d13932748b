import { randomBytes } from "node:crypto";
import { openSync } from "node:fs";
import { chown, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { until } from "./moments.ts";
import { type Account, debianProgram, end, freePort, launch, makeFolderFor, runProgram } from "./private-part.ts";

export interface PrivatePostgres {
  readonly version: string;
  /** The address of a database there, with user and password; made where it is not there yet. */
  database(name: string): Promise<string>;
  /** The address of the database that may make others. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 20_000;

/** A PostgreSQL of Debian's on a free port at 127.0.0.1, with passwords; production is durable, throw-away tests need not be. */
export async function startPostgres(
  folder: string,
  account: Account,
  { durable }: { readonly durable: boolean },
): Promise<PrivatePostgres> {
  const data = join(folder, "postgres");
  const passwordFile = join(folder, "postgres-password");
  const password = randomBytes(18).toString("base64url");
  await makeFolderFor(account, data);
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== null) await chown(passwordFile, account.uid, account.gid);
  const program = (name: string) => debianProgram(name, "postgresql");
  const initial = ["-D", data, "-U", "suncrew", "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--encoding=UTF8"];
  runProgram(account, program("initdb"), [...initial, "--locale=C.UTF-8", "--no-instructions"]);
  await rm(passwordFile);

  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=200",
    "shared_buffers=128MB",
    ...(durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]),
  ];
  const log = openSync(join(folder, "postgres.log"), "a", 0o600);
  const child = launch(account, program("postgres"), ["-D", data, ...settings.flatMap((one) => ["-c", one])], log);
  const adminUrl = `postgres://suncrew:${password}@127.0.0.1:${port}/postgres`;
  try {
    await until(() => answers(adminUrl), START_LIMIT_MS, "PostgreSQL did not start");
  } catch (error) {
    await end(child, "SIGQUIT", 2_000);
    throw error;
  }
  return {
    version: await ask(adminUrl, "show server_version"),
    adminUrl,
    async database(name) {
      await ask(adminUrl, `create database ${name}`);
      return adminUrl.replace(/postgres$/, name);
    },
    stop: () => end(child, "SIGINT", 5_000),
  };
}

async function answers(url: string): Promise<boolean> {
  return ask(url, "select 1").then(
    () => true,
    () => false,
  );
}

async function ask(url: string, question: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text: question, rowMode: "array" });
    return rows[0]?.[0] ?? "";
  } finally {
    await client.end();
  }
}
