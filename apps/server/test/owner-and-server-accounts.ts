import { randomBytes } from "node:crypto";
import pg from "pg";

/** A database with one account that owns the tables and another for the servers, see docs/operating.md. */
export interface OwnerAndServerAccounts {
  readonly ownerUrl: string;
  readonly serverUrl: string;
  /** The URL of the PostgreSQL superuser. */
  readonly adminUrl: string;
  /** Removes the database and both accounts. */
  drop(): Promise<void>;
}

/** Creates a database of that name with its two accounts; `admin` must be allowed to. */
export async function createOwnerAndServerAccounts(
  admin: pg.ClientConfig,
  name: string,
): Promise<OwnerAndServerAccounts> {
  const address = new URL(databaseUrl(admin));
  address.pathname = `/${name}`;
  const adminUrl = address.href;
  const account = (role: string) => {
    const url = new URL(adminUrl);
    url.username = `${name}_${role}`;
    url.password = randomBytes(12).toString("base64url");
    return url;
  };
  const [owner, server] = [account("owner"), account("server")];
  await asAdmin(admin, [
    ...[owner, server].map(({ username, password }) => `create role ${username} login password '${password}'`),
    `create database ${name} owner ${owner.username}`,
  ]);
  return {
    ownerUrl: owner.href,
    serverUrl: server.href,
    adminUrl,
    drop: () =>
      asAdmin(admin, [
        `drop database if exists ${name} with (force)`,
        ...[owner, server].map(({ username }) => `drop role if exists ${username}`),
      ]),
  };
}

/** For a process of its own. */
export function databaseUrl({ connectionString, host = "", port, user, database }: pg.ClientConfig): string {
  return connectionString ?? `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

async function asAdmin(admin: pg.ClientConfig, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(admin);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
