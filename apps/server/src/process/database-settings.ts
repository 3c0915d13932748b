import pg from "pg";
import { isLoopback } from "../platform/network.ts";

/**
 * Why production refuses this DATABASE_URL, or the one of that name, or null: beyond this machine it takes a TLS that proves who the database is.
 * Null too for what is no address at all.
 */
export function wrongDatabaseUrl(
  text: string,
  name: "DATABASE_URL" | "MIGRATION_DATABASE_URL" = "DATABASE_URL",
): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // The driver takes the last of several.
  const last = (name: string) => url.searchParams.getAll(name).at(-1);
  const host = last("host") ?? decodeURIComponent(url.hostname);
  if (host.startsWith("/") || isLoopback(host) || isProven(last)) return null;
  return (
    `${name} names a PostgreSQL beyond this machine without TLS that proves who it is: add ?sslmode=verify-full ` +
    "(NODE_EXTRA_CA_CERTS names the authority of certificates of your own)."
  );
}

/** The account and the database that the driver takes from an address, with whatever it takes for granted. */
export function accountAndDatabaseOf(databaseUrl: string): {
  account: string | undefined;
  database: string | undefined;
} {
  const { user, database } = new pg.Client({ connectionString: databaseUrl });
  return { account: user, database };
}

/** By the driver `require` proves as much as `verify-full` does, unless it is told to be as lenient as libpq. */
function isProven(last: (name: string) => string | undefined): boolean {
  const mode = last("sslmode");
  if (mode === undefined) return last("ssl") === "true" || last("ssl") === "1";
  if (last("uselibpqcompat") === "true") return mode === "verify-full";
  return ["require", "verify-ca", "verify-full"].includes(mode);
}

const missing = (name: string, what: string): string =>
  `${name} is missing: name your ${what}, or set EMBEDDED=yes for the embedded one, which one server alone can use.`;

export function missingDatabase(embedded: string | undefined): string | null {
  return embedded?.trim() === "yes" ? null : missing("DATABASE_URL", "PostgreSQL");
}

/** What production misses where it is not told to run on what is embedded. */
export function missingNames(given: {
  readonly DATABASE_URL?: string | undefined;
  readonly MQTT_URL?: string | undefined;
  readonly EMBEDDED?: string | undefined;
}): string[] {
  const wrong: string[] = [];
  if (given.EMBEDDED === "yes") return wrong;
  if (given.DATABASE_URL === undefined) wrong.push(missing("DATABASE_URL", "PostgreSQL"));
  if (given.MQTT_URL === undefined) wrong.push(missing("MQTT_URL", "MQTT broker"));
  return wrong;
}
