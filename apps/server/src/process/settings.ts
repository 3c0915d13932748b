import { isIP, isIPv4 } from "node:net";
import { findInvisibleCharacter } from "@suncrew/contract/http/text.ts";
import { z } from "zod";
import type { WeatherSettings } from "../platform/dependencies.ts";
import type { SmtpSettings } from "../platform/mailer.ts";
import { type BrokerSettings, brokerSettings, isKickAddress, wrongBrokerSettings } from "./broker-settings.ts";
import { missingNames, wrongDatabaseUrl } from "./database-settings.ts";
import { isLoopback } from "../platform/network.ts";
import { isMailServer, mailSettings, senderOf, wrongMailSettings } from "./mail-settings.ts";
import { type VariableName, variables } from "./variables.ts";
import { givesKeyAway, isBareAddress, weatherSettings } from "./weather-settings.ts";

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

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most);
const address = (...protocols: string[]) =>
  z.string().refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, searchParams } = new URL(text);
    // PostgreSQL's socket is named by ?host=/folder instead of a host.
    return protocols.includes(protocol) && (hostname !== "" || searchParams.has("host"));
  });

/** What each variable must be. */
const schema = z.object({
  PORT: whole(0, 65_535).optional(),
  HOST: z
    .string()
    .regex(/^[\w.:%-]{1,255}$/)
    .optional(),
  DATA_DIR: z
    .string()
    .refine((path) => !path.includes("\0"))
    .optional(),
  DATABASE_URL: address("postgres:", "postgresql:").optional(),
  MIGRATION_DATABASE_URL: address("postgres:", "postgresql:").optional(),
  MQTT_URL: address("mqtt:", "mqtts:", "ws:", "wss:").optional(),
  EMBEDDED: z.enum(["yes", "no"]).optional(),
  MQTT_PORT: whole(0, 65_535).optional(),
  BROKER_ACCOUNTS: z.enum(["embedded", "dynamic-security", "http", "manual"]).optional(),
  BROKER_ADMIN_URL: address("mqtt:", "mqtts:", "ws:", "wss:").optional(),
  BROKER_AUTH_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .refine(isStrongKey)
    .optional(),
  BROKER_KICK_URL: z.string().refine(isKickAddress).optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).optional(),
  SECRET_KEY: z.string().refine(isStrongKey).optional(),
  PUBLIC_URL: address("http:", "https:").refine(isBareAddress).optional(),
  HSTS_SUBDOMAINS: z.enum(["yes", "no"]).optional(),
  TOKEN_HOURS: whole(1, 720).optional(),
  MAP_TILE_URL: z
    .string()
    .regex(/^(https?:\/\/[^\s;,'"]+)?$/)
    .refine((url) => url === "" || ["{z}", "{x}", "{y}"].every((part) => url.includes(part)))
    .optional(),
  MAP_TILE_ATTRIBUTION: z.string().max(300).optional(),
  WEATHER_PROVIDER: z.enum(["sample", "open-meteo"]).optional(),
  WEATHER_URL: address("http:", "https:").refine(isBareAddress).optional(),
  WEATHER_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional(),
  ADMIN_USERNAME: z
    .string()
    .regex(/^\S{1,60}$/)
    .refine((text) => findInvisibleCharacter(text, "one line") === null)
    .optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(8)
    .max(200)
    .refine((text) => !["admin@123", "partner@123", "password"].includes(text.trim().toLowerCase()))
    .optional(),
  MANUAL_RUN_MAX_MINUTES: whole(1, 1440).optional(),
  LINK_LOSS_STOP_SECONDS: whole(30, 86_400).optional(),
  MAINTENANCE_INTERVAL_DAYS: whole(1, 3650).optional(),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .refine((proxies) => proxies.every(isAddressOrNetwork))
    .optional(),
  SMTP_URL: z.string().refine(isMailServer).optional(),
  MAIL_FROM: z
    .string()
    .refine((text) => senderOf(text) !== null)
    .optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/)
    .optional(),
} satisfies Record<VariableName, z.ZodType>);

/** The same in words, for the one sentence that a wrong variable gets. */
const musts: Record<VariableName, string> = {
  PORT: "be a whole number from 0 to 65535",
  HOST: "be an address or a host name",
  DATA_DIR: "be the path of a folder",
  DATABASE_URL: "begin with postgres:// and name a host",
  MIGRATION_DATABASE_URL: "begin with postgres:// and name a host",
  MQTT_URL: "begin with mqtt://, mqtts://, ws:// or wss:// and name a host",
  EMBEDDED: "be yes or no",
  MQTT_PORT: "be a whole number from 0 to 65535",
  BROKER_ACCOUNTS: "be embedded, dynamic-security, http or manual",
  BROKER_ADMIN_URL: "begin with mqtt://, mqtts://, ws:// or wss:// and name a host",
  BROKER_AUTH_TOKEN: "be at least 32 characters without spaces and no common word or example",
  BROKER_KICK_URL: "be an http address with {clientid} in its path",
  LOG_LEVEL: "be fatal, error, warn, info, debug, trace or silent",
  SECRET_KEY: "be at least 32 characters long and no common word or example (`openssl rand -base64 48` makes one)",
  PUBLIC_URL: "be an http address without sign-in, query or fragment",
  HSTS_SUBDOMAINS: "be yes or no",
  TOKEN_HOURS: "be a whole number of hours from 1 to 720",
  MAP_TILE_URL: "be an http address with {z}, {x} and {y}, or empty",
  MAP_TILE_ATTRIBUTION: "have at most 300 characters",
  WEATHER_PROVIDER: "be sample or open-meteo",
  WEATHER_URL: "be an http address without sign-in, query or fragment (a key goes into WEATHER_API_KEY)",
  WEATHER_API_KEY: "be 1 to 200 characters without spaces",
  ADMIN_USERNAME: "be 1 to 60 characters that can be seen, without spaces",
  ADMIN_PASSWORD: "have at least 8 characters and be no known password",
  MANUAL_RUN_MAX_MINUTES: "be a whole number from 1 to 1440",
  LINK_LOSS_STOP_SECONDS: "be a whole number of seconds from 30 to 86400",
  MAINTENANCE_INTERVAL_DAYS: "be a whole number of days from 1 to 3650",
  SMTP_URL: "be smtp://user:password@host:port or smtps://, without path or query",
  MAIL_FROM: "be an e-mail address, or a name with one: Suncrew <reports@example.org>",
  METRICS_TOKEN: "be 16 to 200 characters without spaces (`openssl rand -base64 24` makes one)",
  TRUSTED_PROXIES: "be addresses or networks with commas between, such as 10.0.0.5, 10.1.0.0/16",
};

/** Never repeated in a refusal. */
const secrets: readonly string[] = [
  "DATABASE_URL",
  "MIGRATION_DATABASE_URL",
  "MQTT_URL",
  "BROKER_ADMIN_URL",
  "BROKER_AUTH_TOKEN",
  "BROKER_KICK_URL",
  "SECRET_KEY",
  "ADMIN_PASSWORD",
  "WEATHER_URL",
  "WEATHER_API_KEY",
  "SMTP_URL",
  "METRICS_TOKEN",
];

/** Blanks at their ends belong to them. */
const takenAsTheyAre: readonly VariableName[] = ["SECRET_KEY", "ADMIN_PASSWORD"];

/** Empty means something for these; elsewhere it counts as not set. */
const mayBeEmpty: readonly VariableName[] = ["MAP_TILE_URL", "MAP_TILE_ATTRIBUTION"];

function isAddressOrNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const most = isIPv4(address) ? 32 : 128;
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}

function isStrongKey(key: string): boolean {
  return key.length >= 32 && new Set(key).size >= 10 && !/change.?me|example|replace|secret.?key|your.?key/i.test(key);
}

/** Checks every variable; answers the settings, or one sentence for each wrong one. */
export function readSettings(mode: Mode, environment: Environment): ProcessSettings | { readonly wrong: string[] } {
  const given = whatIsSet(environment);
  const parsed = schema.safeParse(given);
  const wrong = [
    ...(parsed.success ? [] : sentences(parsed.error, given)),
    ...(mode === "production" ? whatProductionRefuses(given) : []),
    ...(parsed.success ? [...wrongBrokerSettings(parsed.data), ...wrongMailSettings(parsed.data)] : []),
  ];
  if (!parsed.success || wrong.length > 0) return { wrong };
  const set = parsed.data;
  const tileUrl = set.MAP_TILE_URL ?? fallbackOf("MAP_TILE_URL");
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
    tokenHours: set.TOKEN_HOURS ?? 12,
    mapTiles:
      tileUrl === ""
        ? null
        : { url: tileUrl, attribution: set.MAP_TILE_ATTRIBUTION ?? fallbackOf("MAP_TILE_ATTRIBUTION") },
    weather: weatherSettings({
      provider: set.WEATHER_PROVIDER ?? (mode === "demo" ? "sample" : "open-meteo"),
      url: set.WEATHER_URL ?? null,
      apiKey: set.WEATHER_API_KEY ?? null,
    }),
    adminUsername: set.ADMIN_USERNAME ?? "admin",
    adminPassword: set.ADMIN_PASSWORD ?? null,
    manualRunMaxMinutes: set.MANUAL_RUN_MAX_MINUTES ?? 480,
    linkLossStopSeconds: set.LINK_LOSS_STOP_SECONDS ?? 300,
    maintenanceIntervalDays: set.MAINTENANCE_INTERVAL_DAYS ?? 180,
    trustedProxies: set.TRUSTED_PROXIES ?? [],
    mail: mailSettings(set),
    metricsToken: set.METRICS_TOKEN ?? null,
  };
}

type Given = Readonly<Partial<Record<VariableName, string>>>;

function whatIsSet(environment: Environment): Given {
  const set = variables.flatMap(({ name }) => {
    const given = environment[name];
    const text = takenAsTheyAre.includes(name) ? given : given?.trim();
    return text === undefined || (text === "" && !mayBeEmpty.includes(name)) ? [] : [[name, text] as const];
  });
  return Object.fromEntries(set);
}

function sentences(error: z.ZodError, given: Given): string[] {
  const names = new Set(error.issues.map((issue) => issue.path[0]));
  return variables
    .filter(({ name }) => names.has(name))
    .map(({ name }) => `${name} must ${musts[name]}${secrets.includes(name) ? "" : `; it is "${given[name]}"`}.`);
}

function fallbackOf(name: VariableName): string {
  return variables.find((variable) => variable.name === name)?.fallback ?? "";
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
