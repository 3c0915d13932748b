import { findInvisibleCharacter } from "@suncrew/contract/http/text.ts";
import { type KeepVariable, keptKinds } from "@suncrew/domain/storage/kept-kinds.ts";
import { isIP, isIPv4 } from "node:net";
import { z } from "zod";
import type { SmtpSettings } from "../platform/mailer.ts";

/** One environment variable. Parsing, defaults, errors, help and the table in docs/operating.md all come from these rows. */
interface Variable {
  readonly schema: z.ZodType;
  /** Completes the sentence "NAME must ...". */
  readonly requirement: string;
  /** The value if it is not set, for all modes or for each. */
  readonly default?: string | number | { readonly demo: string; readonly production: string };
  /** What happens if it is not set and has no default, or what to know about the default. */
  readonly unset?: string;
  readonly meaning: string;
  /** Never repeated in an error. */
  readonly isSecret?: boolean;
  /** Leading and trailing blanks are part of it. */
  readonly keepsBlanks?: boolean;
  /** Empty has a meaning of its own; for other variables it counts as not set. */
  readonly mayBeEmpty?: boolean;
}

/** Open-Meteo's calls, and those for customers with a key. */
export const openMeteoUrls = {
  free: {
    forecast: "https://api.open-meteo.com/v1/forecast",
    airQuality: "https://air-quality-api.open-meteo.com/v1/air-quality",
    archive: "https://archive-api.open-meteo.com/v1/archive",
  },
  paid: {
    forecast: "https://customer-api.open-meteo.com/v1/forecast",
    airQuality: "https://customer-air-quality-api.open-meteo.com/v1/air-quality",
    archive: "https://customer-archive-api.open-meteo.com/v1/archive",
  },
};

const wholeNumber = (min: number, max: number, unit?: string) => ({
  schema: z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max),
  requirement: `be a whole number ${unit === undefined ? "" : `of ${unit} `}from ${min} to ${max}`,
});

const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) => ({
  schema: z.enum(values),
  requirement: `be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
});

const DAYS_MAX = 36_500;

/** How long one kind of stored data is kept. */
function keepDays(name: KeepVariable) {
  const keeping = Object.values(keptKinds).find(({ variable: its }) => its === name) ?? keptKinds.audit;
  const { minimumDays, defaultDays, what } = keeping;
  return {
    schema: z
      .string()
      .regex(/^\d{1,5}$/)
      .transform(Number)
      .refine((days) => days === 0 || (days >= minimumDays && days <= DAYS_MAX)),
    requirement: `be a whole number of days from ${minimumDays} to ${DAYS_MAX}, or 0 for good`,
    default: defaultDays,
    ...(defaultDays === 0 && { unset: "for good" }),
    meaning: `Days that ${what}. At least ${minimumDays}; 0: for good`,
  };
}

const address = (...protocols: string[]) =>
  z.string().refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, searchParams } = new URL(text);
    // A PostgreSQL socket is given as ?host=/folder instead of a host.
    return protocols.includes(protocol) && (hostname !== "" || searchParams.has("host"));
  });

/** A call of Open-Meteo, or of a server of one's own. */
const openMeteoCall = (call: keyof typeof openMeteoUrls.free) => ({
  schema: address("http:", "https:").refine(isBareAddress),
  requirement: "be an http address without sign-in, query or fragment (a key goes into WEATHER_API_KEY)",
  unset: `${openMeteoUrls.free[call]}; with a key ${openMeteoUrls.paid[call]}${call === "forecast" ? "" : "; none where WEATHER_URL is set"}`,
  isSecret: true,
});

const addressesAndNetworks = {
  schema: z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .refine((each) => each.every(isAddressOrNetwork)),
  requirement: "be addresses or networks separated by commas, such as 10.0.0.5, 10.1.0.0/16",
};

/** A service that others can stand in for. */
const serviceAddress = {
  schema: address("http:", "https:").refine(isBareAddress),
  requirement: "be an http address without sign-in, query or fragment",
};

const ENVIRONMENT_FILE_HEAD = `# All settings of a Suncrew server; docs/operating.md says more. Copy this file to /etc/suncrew/environment for systemd
# (chmod 600), or to deploy/.env for compose, and remove the # in front of what you set. Values are taken as they are:
# no quotes, no comments behind them.`;

/** In the order of the documentation. */
export const variables = {
  PORT: {
    ...wholeNumber(0, 65_535),
    default: 3000,
    unset: "or the next free one",
    meaning: "Port of the console and its calls",
  },
  HOST: {
    schema: z.string().regex(/^[\w.:%-]{1,255}$/),
    requirement: "be an address or a host name",
    default: { demo: "localhost", production: "0.0.0.0" },
    meaning: "Address to listen on",
  },
  DATA_DIR: {
    schema: z.string().refine((path) => !path.includes("\0")),
    requirement: "be the path of a folder",
    unset: "/var/lib/suncrew as root, else .data in the repository",
    meaning: "Folder of the embedded database and of everything else that Suncrew stores",
  },
  DATABASE_URL: {
    schema: address("postgres:", "postgresql:"),
    requirement: "begin with postgres:// and name a host",
    unset: "the embedded PostgreSQL (demo); required in production",
    meaning:
      "PostgreSQL 15 or newer, postgres://user:password@host/database?sslmode=verify-full; production allows it without TLS on this machine only",
    isSecret: true,
  },
  MIGRATION_DATABASE_URL: {
    schema: address("postgres:", "postgresql:"),
    requirement: "begin with postgres:// and name a host",
    unset: "DATABASE_URL",
    meaning:
      "For npm run migrate only: the same database with the account that owns the tables. The account of DATABASE_URL then gets what servers need, and cannot change the audit",
    isSecret: true,
  },
  MQTT_URL: {
    schema: address("mqtt:", "mqtts:", "ws:", "wss:"),
    requirement: "begin with mqtt://, mqtts://, ws:// or wss:// and name a host",
    unset: "the embedded broker (demo); required in production",
    meaning:
      "Broker with the server's own account, mqtts://user:password@host; production allows it without TLS on this machine only",
    isSecret: true,
  },
  EMBEDDED: {
    ...oneOf("yes", "no"),
    default: "no",
    meaning:
      "yes: production also uses the embedded PostgreSQL and broker if DATABASE_URL and MQTT_URL are not set; for installations with one server",
  },
  MQTT_PORT: {
    ...wholeNumber(0, 65_535),
    default: 1883,
    unset: "or the next free one",
    meaning: "Port of the embedded broker, at 127.0.0.1",
  },
  BROKER_ACCOUNTS: {
    ...oneOf("embedded", "dynamic-security", "http", "manual"),
    unset: "embedded, with MQTT_URL manual",
    meaning:
      "How the devices' accounts at the broker of MQTT_URL are managed: dynamic-security (Mosquitto's plugin), http (the broker asks Suncrew), or manual (by you)",
  },
  BROKER_ADMIN_URL: {
    schema: address("mqtt:", "mqtts:", "ws:", "wss:"),
    requirement: "begin with mqtt://, mqtts://, ws:// or wss:// and name a host",
    unset: "MQTT_URL",
    meaning: "With dynamic-security: the broker with the account that manages accounts, mqtts://user:password@host",
    isSecret: true,
  },
  BROKER_AUTH_TOKEN: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .refine(isStrongKey),
    requirement: "be at least 32 characters without spaces and no common word or example",
    unset: "none; required with http",
    meaning: "With http: the bearer token that the broker's requests must carry; 32 characters or more",
    isSecret: true,
  },
  BROKER_KICK_URL: {
    schema: z.string().refine(isKickAddress),
    requirement: "be an http address with {clientid} in its path",
    unset: "none; connections are then not closed",
    meaning:
      "With http: the broker's call that closes a connection, https://key:secret@host:18084/api/v5/clients/{clientid}",
    isSecret: true,
  },
  LOG_LEVEL: {
    ...oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    default: { demo: "warn", production: "info" },
    meaning: "fatal, error, warn, info, debug, trace or silent",
  },
  SECRET_KEY: {
    schema: z.string().refine(isStrongKey),
    requirement: "be at least 32 characters long and no common word or example (`openssl rand -base64 48` makes one)",
    unset: "random, stored in DATA_DIR (demo); required in production",
    meaning: "Signs the sign-in tokens and encrypts generated passwords; 32 characters or more",
    isSecret: true,
    keepsBlanks: true,
  },
  PUBLIC_URL: {
    schema: address("http:", "https:").refine(isBareAddress),
    requirement: "be an http address without sign-in, query or fragment",
    unset: "reachable on this machine or by IP address only; no firmware in production",
    meaning:
      "Address at which people open Suncrew and robots download firmware, https://suncrew.example; requests that name another host are refused",
  },
  HSTS_SUBDOMAINS: {
    ...oneOf("yes", "no"),
    default: "no",
    meaning: "yes: production's HSTS header covers the subdomains of PUBLIC_URL, too",
  },
  TOKEN_HOURS: { ...wholeNumber(1, 720, "hours"), default: 12, meaning: "Hours until a sign-in expires" },
  MAP_TILE_URL: {
    schema: z
      .string()
      .regex(/^(https?:\/\/[^\s;,'"]+)?$/)
      .refine((url) => url === "" || ["{z}", "{x}", "{y}"].every((part) => url.includes(part))),
    requirement: "be an http address with {z}, {x} and {y}, or empty",
    default: "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
    meaning: "Map tile service; empty switches tiles off",
    mayBeEmpty: true,
  },
  MAP_TILE_ATTRIBUTION: {
    schema: z.string().max(300),
    requirement: "have at most 300 characters",
    default: "© OpenStreetMap contributors",
    meaning: "What the map says about its tiles",
    mayBeEmpty: true,
  },
  WEATHER_PROVIDER: {
    ...oneOf("sample", "open-meteo"),
    default: { demo: "sample", production: "open-meteo" },
    meaning: "Where forecasts come from: open-meteo, or sample, a fixed one that is labelled as such",
  },
  WEATHER_URL: {
    ...openMeteoCall("forecast"),
    meaning: "Forecast call of Open-Meteo, or of a server of your own that answers like it",
  },
  AIR_QUALITY_URL: {
    ...openMeteoCall("airQuality"),
    meaning: "Air-quality call of Open-Meteo, or of a server of your own: particles in the air, which soil panels",
  },
  WEATHER_ARCHIVE_URL: {
    ...openMeteoCall("archive"),
    meaning: "Archive call of Open-Meteo, or of a server of your own: the weather of days that are missing",
  },
  WEATHER_API_KEY: {
    schema: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    requirement: "be 1 to 200 characters without spaces",
    unset: "none",
    meaning: "Key of Open-Meteo's paid service; the free one is for non-commercial use only",
    isSecret: true,
  },
  ADMIN_USERNAME: {
    schema: z
      .string()
      .regex(/^\S{1,60}$/)
      .refine((text) => findInvisibleCharacter(text, "one line") === null),
    requirement: "be 1 to 60 characters that can be seen, without spaces",
    default: "admin",
    meaning: "Production's first Super Admin, created if there is none",
  },
  ADMIN_PASSWORD: {
    schema: z
      .string()
      .min(8)
      .max(200)
      .refine((text) => !["admin@123", "partner@123", "password"].includes(text.trim().toLowerCase())),
    requirement: "have at least 8 characters and be no known password",
    unset: "random, printed once",
    meaning: "Password of production's first Super Admin; 8 characters or more, and no common one",
    isSecret: true,
    keepsBlanks: true,
  },
  MANUAL_RUN_MAX_MINUTES: {
    ...wholeNumber(1, 1440),
    default: 480,
    meaning: "A manually started run is stopped after this many minutes",
  },
  LINK_LOSS_STOP_SECONDS: {
    ...wholeNumber(30, 86_400, "seconds"),
    default: 300,
    meaning:
      "Seconds without the broker after which your robots are configured to stop by themselves; from it Suncrew knows when a lost robot must have stopped",
  },
  MAINTENANCE_INTERVAL_DAYS: {
    ...wholeNumber(1, 3650, "days"),
    default: 180,
    meaning: "Days until a robot's maintenance is due again, for reports",
  },
  TRUSTED_PROXIES: {
    ...addressesAndNetworks,
    unset: "none",
    meaning:
      "Addresses or networks of the proxies in front, separated by commas; failed sign-ins then count for the address in X-Forwarded-For",
  },
  SMTP_URL: {
    schema: z.string().refine(isMailServer),
    requirement: "be smtp://user:password@host:port or smtps://, without path or query",
    unset: "none; nothing is sent by email",
    meaning:
      "Mail server for monthly reports and messages of alerts, smtp://user:password@host:587 or smtps://...:465; to other machines with TLS only",
    isSecret: true,
  },
  MAIL_FROM: {
    schema: z.string().refine((text) => senderOf(text) !== null),
    requirement: "be an email address, or a name with one: Suncrew <reports@example.org>",
    unset: "none; required with SMTP_URL",
    meaning: "Sender of the mails, Suncrew <reports@example.org>",
  },
  OUTGOING_PRIVATE_ADDRESSES: {
    ...addressesAndNetworks,
    unset: "none",
    meaning:
      "Private addresses or networks, separated by commas, that webhooks and the like may call; Suncrew refuses all others that are not on the internet",
  },
  TELEGRAM_API_URL: {
    ...serviceAddress,
    default: "https://api.telegram.org",
    meaning: "Telegram's Bot API, or a server of your own that answers like it",
  },
  WHATSAPP_API_URL: {
    ...serviceAddress,
    default: "https://graph.facebook.com/v23.0",
    meaning: "WhatsApp's Cloud API with its version, or a server of your own that answers like it",
  },
  KEEP_READINGS_DAYS: keepDays("KEEP_READINGS_DAYS"),
  KEEP_ROBOT_EVENTS_DAYS: keepDays("KEEP_ROBOT_EVENTS_DAYS"),
  KEEP_PRESENCE_DAYS: keepDays("KEEP_PRESENCE_DAYS"),
  KEEP_RUNS_DAYS: keepDays("KEEP_RUNS_DAYS"),
  KEEP_COMMANDS_DAYS: keepDays("KEEP_COMMANDS_DAYS"),
  KEEP_ACTIVITY_DAYS: keepDays("KEEP_ACTIVITY_DAYS"),
  KEEP_ALERTS_DAYS: keepDays("KEEP_ALERTS_DAYS"),
  KEEP_DAILY_FIGURES_DAYS: keepDays("KEEP_DAILY_FIGURES_DAYS"),
  KEEP_WEATHER_DAYS: keepDays("KEEP_WEATHER_DAYS"),
  KEEP_REPORTS_DAYS: keepDays("KEEP_REPORTS_DAYS"),
  KEEP_MAILS_DAYS: keepDays("KEEP_MAILS_DAYS"),
  KEEP_MESSAGES_DAYS: keepDays("KEEP_MESSAGES_DAYS"),
  KEEP_WEBHOOK_EVENTS_DAYS: keepDays("KEEP_WEBHOOK_EVENTS_DAYS"),
  KEEP_FIRMWARE_DAYS: keepDays("KEEP_FIRMWARE_DAYS"),
  KEEP_SESSIONS_DAYS: keepDays("KEEP_SESSIONS_DAYS"),
  KEEP_AUDIT_DAYS: keepDays("KEEP_AUDIT_DAYS"),
  DATABASE_DISK_GB: {
    ...wholeNumber(1, 999_999, "gigabytes"),
    unset: "not known; the embedded database's disk is measured",
    meaning: "Size of the disk of the PostgreSQL of DATABASE_URL, for the alert before it is full; SQL cannot see it",
  },
  BACKUP_ALERT_DAYS: {
    ...wholeNumber(0, 3_650, "days"),
    default: 8,
    meaning:
      "Days after the last `npm run backup` at which an alert says that the next is overdue; only once there was one. 0: never",
  },
  METRICS_TOKEN: {
    schema: z.string().regex(/^[\x21-\x7e]{16,200}$/),
    requirement: "be 16 to 200 characters without spaces (`openssl rand -base64 24` makes one)",
    unset: "/metrics is open to the machine itself (demo) or closed (production)",
    meaning: "Token that Prometheus sends to read /metrics; 16 characters or more",
    isSecret: true,
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof variables;

/** The names in the order of the table. */
export const variableNames = Object.keys(variables).filter((name): name is VariableName =>
  Object.hasOwn(variables, name),
);

/** The row of a variable, without its literal types. */
export function variable(name: VariableName): Variable {
  return variables[name];
}

type Shape = { [N in VariableName]: z.ZodOptional<(typeof variables)[N]["schema"]> };

// Each name has its own row's schema, as the type says.
export const variablesSchema = z.object(
  Object.fromEntries(variableNames.map((name) => [name, variable(name).schema.optional()])) as Shape,
);
export type VariableValues = z.output<typeof variablesSchema>;

/** What applies if a variable is not set, in words. */
export function defaultText(name: VariableName): string {
  const { default: value, unset } = variable(name);
  const text = typeof value === "object" ? `${value.demo} (demo), ${value.production} (production)` : value;
  return [text, unset].filter((part) => part !== undefined).join(", ");
}

/** The table in docs/operating.md. */
export function variablesAsMarkdown(): string {
  const rows = variableNames.map((name) => `| \`${name}\` | ${defaultText(name)} | ${variables[name].meaning} |`);
  return ["| Variable | Default | Meaning |", "|---|---|---|", ...rows].join("\n");
}

/** `.env.example`: every variable with its meaning, and production's default where it has one. No value is a secret. */
export function variablesAsEnvironmentFile(): string {
  const parts = variableNames.map((name) => {
    const { default: value, meaning } = variable(name);
    const example = typeof value === "object" ? value.production : (value ?? "");
    return [`# ${meaning}.`, `# Default: ${defaultText(name)}.`, `#${name}=${example}`].join("\n");
  });
  return `${[ENVIRONMENT_FILE_HEAD, ...parts].join("\n\n")}\n`;
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const maxBits = isIPv4(address) ? 32 : 128;
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
}

function isStrongKey(key: string): boolean {
  return key.length >= 32 && new Set(key).size >= 10 && !/change.?me|example|replace|secret.?key|your.?key/i.test(key);
}

function isKickAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return ["http:", "https:"].includes(protocol) && decodeURIComponent(pathname).includes("{clientid}");
}

/** True for an address to which query and key can be added; credentials in it could end up in a log. */
function isBareAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === "");
}

const mailAddress = z.email().max(254);

/** 'reports@example.org' or 'Suncrew <reports@example.org>'; null if it is neither. */
export function senderOf(text: string): SmtpSettings["from"] | null {
  const [, name = "", inside = text] = /^([^<>"\p{Cc}]{0,100}?)\s*<([^<>]+)>$/u.exec(text) ?? [];
  const parsed = mailAddress.safeParse(inside);
  return parsed.success ? { name, address: parsed.data } : null;
}

/** An smtp or smtps address of a server; a path or a query would have no meaning. */
function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isBare = pathname.replace(/^\/$/, "") === "" && search === "" && hash === "";
  return ["smtp:", "smtps:"].includes(protocol) && hostname !== "" && isBare && hasValidUser(text);
}

function hasValidUser(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user !== "" || secret === "";
  } catch {
    return false;
  }
}
