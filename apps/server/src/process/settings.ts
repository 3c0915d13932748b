import { type KeepDays, keepDaysOf, keptKinds, keptTooShort } from "@suncrew/domain/storage/kept-kinds.ts";
import pg from "pg";
import { SAMPLE_DELAY_MS } from "../features/weather/public.ts";
import type { WeatherSettings } from "../platform/dependencies.ts";
import type { SmtpSettings } from "../platform/mailer.ts";
import { isLoopback } from "../platform/network.ts";
import type { z } from "zod";
import {
  openMeteoUrls,
  senderOf,
  variable,
  type VariableName,
  variableNames,
  variables,
  variablesSchema,
  type VariableValues,
} from "./environment-variables.ts";

export type Mode = "demo" | "production";

/** What the environment configures, checked. */
export type ProcessSettings = Readonly<ReturnType<typeof settingsOf>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks every variable; returns the settings, or one message for each wrong one. */
export function readSettings(mode: Mode, environment: Environment): ProcessSettings | { readonly errors: string[] } {
  const input = readEnvironment(environment);
  const parsed = variablesSchema.safeParse(input);
  const errors = [
    ...(parsed.success ? [] : requirementErrors(parsed.error, input)),
    ...(mode === "production" ? productionErrors(input) : []),
    ...(parsed.success
      ? [...brokerErrors(parsed.data), ...mailErrors(parsed.data), ...retentionErrors(parsed.data)]
      : []),
  ];
  return parsed.success && errors.length === 0 ? settingsOf(parsed.data, mode) : { errors };
}

function settingsOf(set: VariableValues, mode: Mode) {
  const tileUrl = set.MAP_TILE_URL ?? variables.MAP_TILE_URL.default;
  return {
    mode,
    port: set.PORT ?? variables.PORT.default,
    portIsSet: set.PORT !== undefined,
    host: set.HOST ?? variables.HOST.default[mode],
    dataDir: set.DATA_DIR ?? null,
    databaseUrl: set.DATABASE_URL ?? null,
    /** The account that owns the tables; null if it is that of `databaseUrl`. */
    migrationDatabaseUrl: set.MIGRATION_DATABASE_URL ?? null,
    mqttUrl: set.MQTT_URL ?? null,
    mqttPort: set.MQTT_PORT ?? variables.MQTT_PORT.default,
    mqttPortIsSet: set.MQTT_PORT !== undefined,
    brokerAccounts: brokerSettings(set),
    logLevel: set.LOG_LEVEL ?? variables.LOG_LEVEL.default[mode],
    /** Null in a demo that generates its own. */
    secretKey: set.SECRET_KEY ?? null,
    /** Null if not set: then production offers robots no firmware, and people use an IP address. */
    publicUrl: set.PUBLIC_URL ?? null,
    hstsSubdomains: (set.HSTS_SUBDOMAINS ?? variables.HSTS_SUBDOMAINS.default) === "yes",
    tokenHours: set.TOKEN_HOURS ?? variables.TOKEN_HOURS.default,
    mapTiles:
      tileUrl === ""
        ? null
        : { url: tileUrl, attribution: set.MAP_TILE_ATTRIBUTION ?? variables.MAP_TILE_ATTRIBUTION.default },
    weather: weatherSettings(set, mode),
    adminUsername: set.ADMIN_USERNAME ?? variables.ADMIN_USERNAME.default,
    adminPassword: set.ADMIN_PASSWORD ?? null,
    manualRunMaxMinutes: set.MANUAL_RUN_MAX_MINUTES ?? variables.MANUAL_RUN_MAX_MINUTES.default,
    linkLossStopSeconds: set.LINK_LOSS_STOP_SECONDS ?? variables.LINK_LOSS_STOP_SECONDS.default,
    maintenanceIntervalDays: set.MAINTENANCE_INTERVAL_DAYS ?? variables.MAINTENANCE_INTERVAL_DAYS.default,
    trustedProxies: set.TRUSTED_PROXIES ?? [],
    outgoingPrivateAddresses: set.OUTGOING_PRIVATE_ADDRESSES ?? [],
    /** Null: those of Telegram and Meta, or in a demo its own. */
    telegramApiUrl: set.TELEGRAM_API_URL ?? null,
    whatsappApiUrl: set.WHATSAPP_API_URL ?? null,
    keepDays: keepDays(set),
    databaseDiskBytes: set.DATABASE_DISK_GB === undefined ? null : set.DATABASE_DISK_GB * 1024 ** 3,
    backupAlertDays: set.BACKUP_ALERT_DAYS ?? variables.BACKUP_ALERT_DAYS.default,
    mail: mailSettings(set),
    metricsToken: set.METRICS_TOKEN ?? null,
  };
}

/** The variables that are set, trimmed. */
type Input = Readonly<Partial<Record<VariableName, string>>>;

function readEnvironment(environment: Environment): Input {
  const set = variableNames.flatMap((name) => {
    const { keepsBlanks, mayBeEmpty } = variable(name);
    const raw = environment[name];
    const text = keepsBlanks === true ? raw : raw?.trim();
    return text === undefined || (text === "" && mayBeEmpty !== true) ? [] : [[name, text] as const];
  });
  return Object.fromEntries(set);
}

function requirementErrors(error: z.ZodError, input: Input): string[] {
  const invalid = new Set(error.issues.map((issue) => issue.path[0]));
  return variableNames
    .filter((name) => invalid.has(name))
    .map((name) => {
      const { requirement, isSecret } = variable(name);
      return `${name} must ${requirement}${isSecret === true ? "" : `; it is "${input[name]}"`}.`;
    });
}

function productionErrors(input: Input): string[] {
  const errors: string[] = [];
  if (input.SECRET_KEY === undefined) {
    errors.push(
      "SECRET_KEY is missing: production signs its sign-ins with a key of your own (`openssl rand -base64 48` makes one).",
    );
  }
  errors.push(...missingNames(input));
  const insecure = input.DATABASE_URL === undefined ? null : databaseUrlError(input.DATABASE_URL);
  if (insecure !== null) errors.push(insecure);
  for (const name of ["MQTT_URL", "BROKER_ADMIN_URL"] as const) {
    const url = input[name];
    if (url === undefined || !URL.canParse(url)) continue;
    const { protocol, hostname } = new URL(url);
    if ((protocol === "mqtt:" || protocol === "ws:") && !isLoopback(hostname)) {
      errors.push(`${name} names a broker on another machine without TLS: use mqtts:// or wss://.`);
    }
  }
  if (input.BROKER_KICK_URL !== undefined && leaksKey(input.BROKER_KICK_URL)) {
    errors.push("BROKER_KICK_URL would send its key to another machine without TLS: use https://.");
  }
  for (const name of ["WEATHER_URL", "AIR_QUALITY_URL", "WEATHER_ARCHIVE_URL"] as const) {
    const url = input[name];
    if (input.WEATHER_API_KEY !== undefined && url !== undefined && leaksKey(url)) {
      errors.push(`${name} would send WEATHER_API_KEY to another machine without TLS: use https://.`);
    }
  }
  for (const name of ["TELEGRAM_API_URL", "WHATSAPP_API_URL"] as const) {
    const url = input[name];
    if (url !== undefined && leaksKey(url)) {
      errors.push(`${name} would send tokens to another machine without TLS: use https://.`);
    }
  }
  return errors;
}

export type BrokerSettings =
  | { readonly form: "embedded" | "manual" }
  /** `adminUrl` is the broker with the account that manages accounts. */
  | { readonly form: "dynamic-security"; readonly adminUrl: string }
  | { readonly form: "http"; readonly token: string; readonly kickUrl: string | null };

/** Expects variables without errors. */
function brokerSettings(set: VariableValues): BrokerSettings {
  const adminUrl = set.BROKER_ADMIN_URL ?? set.MQTT_URL;
  if (adminUrl === undefined) return { form: "embedded" };
  if (set.BROKER_ACCOUNTS === "dynamic-security") return { form: "dynamic-security", adminUrl };
  if (set.BROKER_ACCOUNTS === "http" && set.BROKER_AUTH_TOKEN !== undefined) {
    return { form: "http", token: set.BROKER_AUTH_TOKEN, kickUrl: set.BROKER_KICK_URL ?? null };
  }
  return { form: "manual" };
}

function brokerErrors(set: VariableValues): string[] {
  const { MQTT_URL: url, BROKER_ACCOUNTS: form = url === undefined ? "embedded" : "manual" } = set;
  const errors: string[] = [];
  if (form === "embedded" && url !== undefined) {
    errors.push("BROKER_ACCOUNTS is embedded, but MQTT_URL names a broker: choose dynamic-security, http or manual.");
  }
  if (form !== "embedded" && url === undefined) {
    errors.push(`BROKER_ACCOUNTS is ${form}, but MQTT_URL names no broker: the embedded one manages its own accounts.`);
  }
  if (form === "http" && set.BROKER_AUTH_TOKEN === undefined) {
    errors.push("BROKER_AUTH_TOKEN is missing: with BROKER_ACCOUNTS=http the broker proves itself with it.");
  }
  const only = [
    ["BROKER_ADMIN_URL", "dynamic-security"],
    ["BROKER_AUTH_TOKEN", "http"],
    ["BROKER_KICK_URL", "http"],
  ] as const;
  for (const [name, needed] of only) {
    if (set[name] !== undefined && form !== needed) errors.push(`${name} is for BROKER_ACCOUNTS=${needed} only.`);
  }
  return errors;
}

/** Expects variables without errors; null if no mail is sent. */
function mailSettings({ SMTP_URL: url, MAIL_FROM: sender }: VariableValues): SmtpSettings | null {
  const from = sender === undefined ? null : senderOf(sender);
  if (url === undefined || from === null) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // Reports and credentials leave this machine encrypted or not at all.
    requireTls: !secure && !isLoopback(hostname),
    user: username === "" ? null : decodeURIComponent(username),
    password: username === "" ? null : decodeURIComponent(password),
    from,
  };
}

function mailErrors({ SMTP_URL: url, MAIL_FROM: sender }: VariableValues): string[] {
  if (url !== undefined && sender === undefined) return ["MAIL_FROM is missing: mails sent by SMTP_URL need a sender."];
  if (url === undefined && sender !== undefined)
    return ["SMTP_URL is missing: without it nothing is sent from MAIL_FROM."];
  return [];
}

function keepDays(set: VariableValues): KeepDays {
  return keepDaysOf(({ variable: name, defaultDays }) => (name === null ? undefined : set[name]) ?? defaultDays);
}

function retentionErrors(set: VariableValues): string[] {
  const days = keepDays(set);
  const least = days.activity === 0 ? "0" : `at least ${days.activity} or 0`;
  return keptTooShort(days).map(
    (kind) =>
      `${keptKinds[kind].variable} must be ${least}, as KEEP_ACTIVITY_DAYS is ${days.activity}: reports of months with activity need it; it is ${days[kind]}.`,
  );
}

function weatherSettings(set: VariableValues, mode: Mode): WeatherSettings {
  const provider = set.WEATHER_PROVIDER ?? variables.WEATHER_PROVIDER.default[mode];
  if (provider === "sample") return { provider, delayMs: SAMPLE_DELAY_MS };
  const { WEATHER_API_KEY: apiKey = null } = set;
  const { forecast, airQuality, archive } = openMeteoUrls[apiKey === null ? "free" : "paid"];
  // Whoever asks a server of their own for the weather has not agreed to ask others.
  const isOwn = set.WEATHER_URL !== undefined;
  return {
    provider,
    url: set.WEATHER_URL ?? forecast,
    airQualityUrl: set.AIR_QUALITY_URL ?? (isOwn ? null : airQuality),
    archiveUrl: set.WEATHER_ARCHIVE_URL ?? (isOwn ? null : archive),
    apiKey,
  };
}

/** True if the key would leave this machine unencrypted. */
function leaksKey(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname);
}

/**
 * Why production refuses this DATABASE_URL, or the variable of that name: on another machine, the database must prove its
 * identity by TLS. Null if it is accepted, and for what is no address at all.
 */
export function databaseUrlError(
  text: string,
  name: "DATABASE_URL" | "MIGRATION_DATABASE_URL" = "DATABASE_URL",
): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // The driver uses the last of several.
  const last = (name: string) => url.searchParams.getAll(name).at(-1);
  const host = last("host") ?? decodeURIComponent(url.hostname);
  if (host.startsWith("/") || isLoopback(host) || verifiesServer(last)) return null;
  return (
    `${name} names a PostgreSQL on another machine without TLS that proves its identity: add ?sslmode=verify-full ` +
    "(NODE_EXTRA_CA_CERTS adds your own certificate authority)."
  );
}

/** The account and the database that the driver reads from an address, including its defaults. */
export function accountAndDatabaseOf(databaseUrl: string): {
  account: string | undefined;
  database: string | undefined;
} {
  const { user, database } = new pg.Client({ connectionString: databaseUrl });
  return { account: user, database };
}

/** To this driver `require` means `verify-full`, unless it is told to be as lenient as libpq. */
function verifiesServer(last: (name: string) => string | undefined): boolean {
  const mode = last("sslmode");
  if (mode === undefined) return last("ssl") === "true" || last("ssl") === "1";
  if (last("uselibpqcompat") === "true") return mode === "verify-full";
  return ["require", "verify-ca", "verify-full"].includes(mode);
}

const missing = (name: string, what: string): string =>
  `${name} is missing: name your ${what}, or set EMBEDDED=yes for the embedded one, which only one server can use.`;

export function missingDatabaseError(embedded: string | undefined): string | null {
  return embedded?.trim() === "yes" ? null : missing("DATABASE_URL", "PostgreSQL");
}

/** What production lacks if it may not use the embedded services. */
function missingNames(input: Input): string[] {
  const errors: string[] = [];
  if (input.EMBEDDED === "yes") return errors;
  if (input.DATABASE_URL === undefined) errors.push(missing("DATABASE_URL", "PostgreSQL"));
  if (input.MQTT_URL === undefined) errors.push(missing("MQTT_URL", "MQTT broker"));
  return errors;
}
