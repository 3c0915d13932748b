import pg from "pg";
import { SAMPLE_DELAY_MS } from "../features/weather/public.ts";
import type { WeatherSettings } from "../platform/dependencies.ts";
import type { SmtpSettings } from "../platform/mailer.ts";
import { isLoopback } from "../platform/network.ts";
import type { z } from "zod";
import {
  senderOf,
  variable,
  type VariableName,
  variableNames,
  variables,
  variablesSchema,
  type VariableValues,
} from "./variables.ts";

export type Mode = "demo" | "production";

/** What a person may set from outside, checked. */
export interface ProcessSettings {
  readonly mode: Mode;
  readonly port: number;
  readonly portIsSet: boolean;
  /** Null where it was not set. */
  readonly host: string | null;
  readonly dataDir: string | null;
  readonly databaseUrl: string | null;
  /** The account that owns the tables; null where it is that of `databaseUrl`. */
  readonly migrationDatabaseUrl: string | null;
  readonly mqttUrl: string | null;
  readonly mqttPort: number;
  readonly mqttPortIsSet: boolean;
  readonly brokerAccounts: BrokerSettings;
  readonly logLevel: string;
  /** Null in a demo that may make its own. */
  readonly secretKey: string | null;
  /** Null where it is not told: then robots are offered no firmware, unless a demo finds it out, and people come by IP address. */
  readonly publicUrl: string | null;
  readonly hstsSubdomains: boolean;
  readonly tokenHours: number;
  readonly mapTiles: { readonly url: string; readonly attribution: string } | null;
  readonly weather: WeatherSettings;
  /** Null where no mail is sent. */
  readonly mail: SmtpSettings | null;
  readonly adminUsername: string;
  readonly adminPassword: string | null;
  readonly manualRunMaxMinutes: number;
  readonly linkLossStopSeconds: number;
  readonly maintenanceIntervalDays: number;
  readonly trustedProxies: readonly string[];
  readonly metricsToken: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks every variable; answers the settings, or one sentence for each wrong one. */
export function readSettings(mode: Mode, environment: Environment): ProcessSettings | { readonly wrong: string[] } {
  const given = whatIsSet(environment);
  const parsed = variablesSchema.safeParse(given);
  const wrong = [
    ...(parsed.success ? [] : sentences(parsed.error, given)),
    ...(mode === "production" ? whatProductionRefuses(given) : []),
    ...(parsed.success ? [...wrongBrokerSettings(parsed.data), ...wrongMailSettings(parsed.data)] : []),
  ];
  if (!parsed.success || wrong.length > 0) return { wrong };
  const set = parsed.data;
  const tileUrl = set.MAP_TILE_URL ?? variables.MAP_TILE_URL.fallback;
  return {
    mode,
    port: set.PORT ?? 3000,
    portIsSet: set.PORT !== undefined,
    host: set.HOST ?? null,
    dataDir: set.DATA_DIR ?? null,
    databaseUrl: set.DATABASE_URL ?? null,
    migrationDatabaseUrl: set.MIGRATION_DATABASE_URL ?? null,
    mqttUrl: set.MQTT_URL ?? null,
    mqttPort: set.MQTT_PORT ?? 1883,
    mqttPortIsSet: set.MQTT_PORT !== undefined,
    brokerAccounts: brokerSettings(set),
    logLevel: set.LOG_LEVEL ?? (mode === "demo" ? "warn" : "info"),
    secretKey: set.SECRET_KEY ?? null,
    publicUrl: set.PUBLIC_URL ?? null,
    hstsSubdomains: set.HSTS_SUBDOMAINS === "yes",
    tokenHours: set.TOKEN_HOURS ?? Number(variables.TOKEN_HOURS.fallback),
    mapTiles:
      tileUrl === ""
        ? null
        : { url: tileUrl, attribution: set.MAP_TILE_ATTRIBUTION ?? variables.MAP_TILE_ATTRIBUTION.fallback },
    weather: weatherSettings({
      provider: set.WEATHER_PROVIDER ?? (mode === "demo" ? "sample" : "open-meteo"),
      url: set.WEATHER_URL ?? null,
      apiKey: set.WEATHER_API_KEY ?? null,
    }),
    adminUsername: set.ADMIN_USERNAME ?? variables.ADMIN_USERNAME.fallback,
    adminPassword: set.ADMIN_PASSWORD ?? null,
    manualRunMaxMinutes: set.MANUAL_RUN_MAX_MINUTES ?? Number(variables.MANUAL_RUN_MAX_MINUTES.fallback),
    linkLossStopSeconds: set.LINK_LOSS_STOP_SECONDS ?? Number(variables.LINK_LOSS_STOP_SECONDS.fallback),
    maintenanceIntervalDays: set.MAINTENANCE_INTERVAL_DAYS ?? Number(variables.MAINTENANCE_INTERVAL_DAYS.fallback),
    trustedProxies: set.TRUSTED_PROXIES ?? [],
    mail: mailSettings(set),
    metricsToken: set.METRICS_TOKEN ?? null,
  };
}

type Given = Readonly<Partial<Record<VariableName, string>>>;

function whatIsSet(environment: Environment): Given {
  const set = variableNames.flatMap((name) => {
    const { keepsBlanks, mayBeEmpty } = variable(name);
    const given = environment[name];
    const text = keepsBlanks === true ? given : given?.trim();
    return text === undefined || (text === "" && mayBeEmpty !== true) ? [] : [[name, text] as const];
  });
  return Object.fromEntries(set);
}

function sentences(error: z.ZodError, given: Given): string[] {
  const wrong = new Set(error.issues.map((issue) => issue.path[0]));
  return variableNames
    .filter((name) => wrong.has(name))
    .map((name) => {
      const { requirement, isSecret } = variable(name);
      return `${name} must ${requirement}${isSecret === true ? "" : `; it is "${given[name]}"`}.`;
    });
}

function whatProductionRefuses(given: Given): string[] {
  const refusals: string[] = [];
  if (given.SECRET_KEY === undefined) {
    refusals.push(
      "SECRET_KEY is missing: production signs its sign-ins with a key of your own (`openssl rand -base64 48` makes one).",
    );
  }
  refusals.push(...missingNames(given));
  const insecure = given.DATABASE_URL === undefined ? null : wrongDatabaseUrl(given.DATABASE_URL);
  if (insecure !== null) refusals.push(insecure);
  for (const name of ["MQTT_URL", "BROKER_ADMIN_URL"] as const) {
    const url = given[name];
    if (url === undefined || !URL.canParse(url)) continue;
    const { protocol, hostname } = new URL(url);
    if ((protocol === "mqtt:" || protocol === "ws:") && !isLoopback(hostname)) {
      refusals.push(`${name} names a broker beyond this machine without TLS: use mqtts:// or wss://.`);
    }
  }
  if (given.BROKER_KICK_URL !== undefined && givesKeyAway(given.BROKER_KICK_URL)) {
    refusals.push("BROKER_KICK_URL would take its key beyond this machine without TLS: use https://.");
  }
  if (given.WEATHER_API_KEY !== undefined && given.WEATHER_URL !== undefined && givesKeyAway(given.WEATHER_URL)) {
    refusals.push("WEATHER_URL would take WEATHER_API_KEY beyond this machine without TLS: use https://.");
  }
  return refusals;
}

/** Which way the devices' accounts at the broker are kept. */
export type BrokerSettings =
  | { readonly form: "embedded" | "manual" }
  /** `adminUrl` is the broker with the account that manages accounts. */
  | { readonly form: "dynamic-security"; readonly adminUrl: string }
  | { readonly form: "http"; readonly token: string; readonly kickUrl: string | null };

/** The settings of variables in which nothing is wrong. */
function brokerSettings(set: VariableValues): BrokerSettings {
  const adminUrl = set.BROKER_ADMIN_URL ?? set.MQTT_URL;
  if (adminUrl === undefined) return { form: "embedded" };
  if (set.BROKER_ACCOUNTS === "dynamic-security") return { form: "dynamic-security", adminUrl };
  if (set.BROKER_ACCOUNTS === "http" && set.BROKER_AUTH_TOKEN !== undefined) {
    return { form: "http", token: set.BROKER_AUTH_TOKEN, kickUrl: set.BROKER_KICK_URL ?? null };
  }
  return { form: "manual" };
}

/** What does not fit together, one sentence each. */
function wrongBrokerSettings(set: VariableValues): string[] {
  const { MQTT_URL: url, BROKER_ACCOUNTS: form = url === undefined ? "embedded" : "manual" } = set;
  const wrong: string[] = [];
  if (form === "embedded" && url !== undefined) {
    wrong.push("BROKER_ACCOUNTS is embedded, but MQTT_URL names a broker: choose dynamic-security, http or manual.");
  }
  if (form !== "embedded" && url === undefined) {
    wrong.push(`BROKER_ACCOUNTS is ${form}, but MQTT_URL names no broker: the embedded one keeps its own accounts.`);
  }
  if (form === "http" && set.BROKER_AUTH_TOKEN === undefined) {
    wrong.push("BROKER_AUTH_TOKEN is missing: with BROKER_ACCOUNTS=http the broker proves itself with it.");
  }
  const only = [
    ["BROKER_ADMIN_URL", "dynamic-security"],
    ["BROKER_AUTH_TOKEN", "http"],
    ["BROKER_KICK_URL", "http"],
  ] as const;
  for (const [name, needed] of only) {
    if (set[name] !== undefined && form !== needed) wrong.push(`${name} is for BROKER_ACCOUNTS=${needed} only.`);
  }
  return wrong;
}

/** The settings of variables in which nothing is wrong; null where no mail is sent. */
function mailSettings({ SMTP_URL: url, MAIL_FROM: sender }: VariableValues): SmtpSettings | null {
  const from = sender === undefined ? null : senderOf(sender);
  if (url === undefined || from === null) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // A report and a sign-in leave this machine encrypted or not at all.
    requireTls: !secure && !isLoopback(hostname),
    user: username === "" ? null : decodeURIComponent(username),
    password: username === "" ? null : decodeURIComponent(password),
    from,
  };
}

/** What does not fit together, one sentence each. */
function wrongMailSettings({ SMTP_URL: url, MAIL_FROM: sender }: VariableValues): string[] {
  if (url !== undefined && sender === undefined) return ["MAIL_FROM is missing: mails sent by SMTP_URL need a sender."];
  if (url === undefined && sender !== undefined)
    return ["SMTP_URL is missing: without it nothing is sent from MAIL_FROM."];
  return [];
}

const OPEN_METEO = "https://api.open-meteo.com/v1/forecast";
/** Where Open-Meteo takes a key. */
const OPEN_METEO_PAID = "https://customer-api.open-meteo.com/v1/forecast";

interface WeatherChoice {
  readonly provider: WeatherSettings["provider"];
  /** Null where they were not set. */
  readonly url: string | null;
  readonly apiKey: string | null;
}

function weatherSettings({ provider, url, apiKey }: WeatherChoice): WeatherSettings {
  if (provider === "sample") return { provider, delayMs: SAMPLE_DELAY_MS };
  return { provider, url: url ?? (apiKey === null ? OPEN_METEO : OPEN_METEO_PAID), apiKey };
}

/** True where the key would travel unencrypted beyond this machine. */
function givesKeyAway(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname);
}

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
