import { isIP, isIPv4 } from "node:net";
import { findInvisibleCharacter } from "@suncrew/contract/http/text.ts";
import { z } from "zod";
import type { SmtpSettings } from "../platform/mailer.ts";

/** One environment variable. Parsing, refusals, the help and the table of docs/operating.md all come from these rows. */
interface Variable {
  readonly schema: z.ZodType;
  /** Completes the sentence "NAME must ...". */
  readonly requirement: string;
  /** What applies without it, in words; settings.ts takes it as the value where it is one, such as "480". */
  readonly fallback: string;
  readonly meaning: string;
  /** Never repeated in a refusal. */
  readonly isSecret?: boolean;
  /** Blanks at its ends belong to it. */
  readonly keepsBlanks?: boolean;
  /** Empty has a meaning; elsewhere it counts as not set. */
  readonly mayBeEmpty?: boolean;
}

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

const address = (...protocols: string[]) =>
  z.string().refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, searchParams } = new URL(text);
    // PostgreSQL's socket is named by ?host=/folder instead of a host.
    return protocols.includes(protocol) && (hostname !== "" || searchParams.has("host"));
  });

/** In the order of the documentation. */
export const variables = {
  PORT: {
    ...wholeNumber(0, 65_535),
    fallback: "3000, or the next free one",
    meaning: "Port of the console and its calls",
  },
  HOST: {
    schema: z.string().regex(/^[\w.:%-]{1,255}$/),
    requirement: "be an address or a host name",
    fallback: "localhost (demo), 0.0.0.0 (production)",
    meaning: "Address to listen on",
  },
  DATA_DIR: {
    schema: z.string().refine((path) => !path.includes("\0")),
    requirement: "be the path of a folder",
    fallback: "/var/lib/suncrew as root, else .data in the repository",
    meaning: "Folder of the embedded database and of everything else Suncrew keeps",
  },
  DATABASE_URL: {
    schema: address("postgres:", "postgresql:"),
    requirement: "begin with postgres:// and name a host",
    fallback: "the embedded PostgreSQL (demo); needed in production",
    meaning:
      "PostgreSQL 15 or newer, postgres://user:password@host/database?sslmode=verify-full; without TLS on this machine only (production)",
    isSecret: true,
  },
  MIGRATION_DATABASE_URL: {
    schema: address("postgres:", "postgresql:"),
    requirement: "begin with postgres:// and name a host",
    fallback: "DATABASE_URL",
    meaning:
      "For npm run migrate alone: the same database with the account that owns the tables. The account of DATABASE_URL then gets what servers need, and cannot change the audit",
    isSecret: true,
  },
  MQTT_URL: {
    schema: address("mqtt:", "mqtts:", "ws:", "wss:"),
    requirement: "begin with mqtt://, mqtts://, ws:// or wss:// and name a host",
    fallback: "the embedded broker (demo); needed in production",
    meaning:
      "Broker with the server's own account, mqtts://user:password@host; without TLS on loopback only (production)",
    isSecret: true,
  },
  EMBEDDED: {
    ...oneOf("yes", "no"),
    fallback: "no",
    meaning:
      "yes: production, too, uses the embedded PostgreSQL and broker where DATABASE_URL and MQTT_URL name none; for an installation of one server",
  },
  MQTT_PORT: {
    ...wholeNumber(0, 65_535),
    fallback: "1883, or the next free one",
    meaning: "Port of the embedded broker, at 127.0.0.1",
  },
  BROKER_ACCOUNTS: {
    ...oneOf("embedded", "dynamic-security", "http", "manual"),
    fallback: "embedded, with MQTT_URL manual",
    meaning:
      "Who keeps the devices' accounts at the broker of MQTT_URL: dynamic-security (Mosquitto's plugin), http (the broker asks Suncrew), or manual (you)",
  },
  BROKER_ADMIN_URL: {
    schema: address("mqtt:", "mqtts:", "ws:", "wss:"),
    requirement: "begin with mqtt://, mqtts://, ws:// or wss:// and name a host",
    fallback: "MQTT_URL",
    meaning: "With dynamic-security: the broker with the account that manages accounts, mqtts://user:password@host",
    isSecret: true,
  },
  BROKER_AUTH_TOKEN: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .refine(isStrongKey),
    requirement: "be at least 32 characters without spaces and no common word or example",
    fallback: "none; needed with http",
    meaning: "With http: what the broker's questions must carry as bearer token; 32 characters or more",
    isSecret: true,
  },
  BROKER_KICK_URL: {
    schema: z.string().refine(isKickAddress),
    requirement: "be an http address with {clientid} in its path",
    fallback: "none; connections then end by themselves",
    meaning:
      "With http: the broker's call that ends a connection, https://key:secret@host:18084/api/v5/clients/{clientid}",
    isSecret: true,
  },
  LOG_LEVEL: {
    ...oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    fallback: "warn (demo), info (production)",
    meaning: "fatal, error, warn, info, debug, trace or silent",
  },
  SECRET_KEY: {
    schema: z.string().refine(isStrongKey),
    requirement: "be at least 32 characters long and no common word or example (`openssl rand -base64 48` makes one)",
    fallback: "random, kept in DATA_DIR (demo); needed in production",
    meaning: "Signs the sign-in tokens and encrypts generated passwords; 32 characters or more",
    isSecret: true,
    keepsBlanks: true,
  },
  PUBLIC_URL: {
    schema: address("http:", "https:").refine(isBareAddress),
    requirement: "be an http address without sign-in, query or fragment",
    fallback: "opened on this machine or by IP address only; no firmware in production",
    meaning:
      "Address at which people open Suncrew and robots download firmware, https://suncrew.example; requests that name another host are refused",
  },
  HSTS_SUBDOMAINS: {
    ...oneOf("yes", "no"),
    fallback: "no",
    meaning:
      "yes: production tells browsers to use TLS (HSTS) for every name below PUBLIC_URL's too, not for that name alone",
  },
  TOKEN_HOURS: { ...wholeNumber(1, 720, "hours"), fallback: "12", meaning: "Hours until a sign-in expires" },
  MAP_TILE_URL: {
    schema: z
      .string()
      .regex(/^(https?:\/\/[^\s;,'"]+)?$/)
      .refine((url) => url === "" || ["{z}", "{x}", "{y}"].every((part) => url.includes(part))),
    requirement: "be an http address with {z}, {x} and {y}, or empty",
    fallback: "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
    meaning: "Map tile service; empty switches tiles off",
    mayBeEmpty: true,
  },
  MAP_TILE_ATTRIBUTION: {
    schema: z.string().max(300),
    requirement: "have at most 300 characters",
    fallback: "© OpenStreetMap contributors",
    meaning: "What the map says about its tiles",
    mayBeEmpty: true,
  },
  WEATHER_PROVIDER: {
    ...oneOf("sample", "open-meteo"),
    fallback: "sample (demo), open-meteo (production)",
    meaning: "Where forecasts come from: open-meteo, or sample, a fixed one that is shown as such",
  },
  WEATHER_URL: {
    schema: address("http:", "https:").refine(isBareAddress),
    requirement: "be an http address without sign-in, query or fragment (a key goes into WEATHER_API_KEY)",
    fallback: "https://api.open-meteo.com/v1/forecast; with a key https://customer-api.open-meteo.com/v1/forecast",
    meaning: "Forecast call of Open-Meteo, or of a server of your own that answers like it",
    isSecret: true,
  },
  WEATHER_API_KEY: {
    schema: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    requirement: "be 1 to 200 characters without spaces",
    fallback: "none",
    meaning: "Key of Open-Meteo's paid service; the free one is for non-commercial use only",
    isSecret: true,
  },
  ADMIN_USERNAME: {
    schema: z
      .string()
      .regex(/^\S{1,60}$/)
      .refine((text) => findInvisibleCharacter(text, "one line") === null),
    requirement: "be 1 to 60 characters that can be seen, without spaces",
    fallback: "admin",
    meaning: "Production's first Super Admin, made while there is no user",
  },
  ADMIN_PASSWORD: {
    schema: z
      .string()
      .min(8)
      .max(200)
      .refine((text) => !["admin@123", "partner@123", "password"].includes(text.trim().toLowerCase())),
    requirement: "have at least 8 characters and be no known password",
    fallback: "random, printed once",
    meaning: "Password of production's first Super Admin; 8 characters or more, none that anybody would try",
    isSecret: true,
    keepsBlanks: true,
  },
  MANUAL_RUN_MAX_MINUTES: {
    ...wholeNumber(1, 1440),
    fallback: "480",
    meaning: "A run started by hand is stopped after this many minutes",
  },
  LINK_LOSS_STOP_SECONDS: {
    ...wholeNumber(30, 86_400, "seconds"),
    fallback: "300",
    meaning:
      "After so many seconds without their broker your robots stop by themselves, as they are set; Suncrew tells by it when a lost robot must stand",
  },
  MAINTENANCE_INTERVAL_DAYS: {
    ...wholeNumber(1, 3650, "days"),
    fallback: "180",
    meaning: "Days after which a robot's maintenance is due again, for reports",
  },
  TRUSTED_PROXIES: {
    schema: z
      .string()
      .transform((text) => text.split(",").map((part) => part.trim()))
      .refine((proxies) => proxies.every(isAddressOrNetwork)),
    requirement: "be addresses or networks with commas between, such as 10.0.0.5, 10.1.0.0/16",
    fallback: "none",
    meaning:
      "Addresses or networks of the proxies in front, with commas between; failed sign-ins then count for the address that X-Forwarded-For tells",
  },
  SMTP_URL: {
    schema: z.string().refine(isMailServer),
    requirement: "be smtp://user:password@host:port or smtps://, without path or query",
    fallback: "none; nothing is sent by e-mail",
    meaning:
      "Mail server for the monthly reports, smtp://user:password@host:587 or smtps://...:465; beyond this machine only with TLS",
    isSecret: true,
  },
  MAIL_FROM: {
    schema: z.string().refine((text) => senderOf(text) !== null),
    requirement: "be an e-mail address, or a name with one: Suncrew <reports@example.org>",
    fallback: "none; needed with SMTP_URL",
    meaning: "Who the mails are from, Suncrew <reports@example.org>",
  },
  METRICS_TOKEN: {
    schema: z.string().regex(/^[\x21-\x7e]{16,200}$/),
    requirement: "be 16 to 200 characters without spaces (`openssl rand -base64 24` makes one)",
    fallback: "/metrics is shown on the machine itself (demo), to nobody (production)",
    meaning: "Token that a Prometheus sends to read /metrics; 16 characters or more",
    isSecret: true,
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof variables;

/** The names in the order of the table. */
export const variableNames = Object.keys(variables).filter((name): name is VariableName =>
  Object.hasOwn(variables, name),
);

/** The row of a variable, whichever it is. */
export function variable(name: VariableName): Variable {
  return variables[name];
}

type Shape = { [N in VariableName]: z.ZodOptional<(typeof variables)[N]["schema"]> };

// Each name comes with its own row's schema, which is what the type says.
export const variablesSchema = z.object(
  Object.fromEntries(variableNames.map((name) => [name, variable(name).schema.optional()])) as Shape,
);
export type VariableValues = z.output<typeof variablesSchema>;

/** The table as docs/operating.md shows it. */
export function variablesAsMarkdown(): string {
  const rows = Object.entries(variables).map(
    ([name, { fallback, meaning }]) => `| \`${name}\` | ${fallback} | ${meaning} |`,
  );
  return ["| Variable | Without it | Meaning |", "|---|---|---|", ...rows].join("\n");
}

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

/** An http address with the device's place in its path. */
function isKickAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return ["http:", "https:"].includes(protocol) && decodeURIComponent(pathname).includes("{clientid}");
}

/** True for an address to which question and key can be added: what stands in it already could end in a log. */
function isBareAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === "");
}

const mailAddress = z.email().max(254);

/** 'reports@example.org' or 'Suncrew <reports@example.org>'; null where it is neither. */
export function senderOf(text: string): SmtpSettings["from"] | null {
  const [, name = "", inside = text] = /^([^<>"\p{Cc}]{0,100}?)\s*<([^<>]+)>$/u.exec(text) ?? [];
  const parsed = mailAddress.safeParse(inside);
  return parsed.success ? { name, address: parsed.data } : null;
}

/** An smtp or smtps address that names a server and nothing more: a path or a query would mean nothing. */
function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isBare = pathname.replace(/^\/$/, "") === "" && search === "" && hash === "";
  return ["smtp:", "smtps:"].includes(protocol) && hostname !== "" && isBare && readsUser(text);
}

function readsUser(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user !== "" || secret === "";
  } catch {
    return false;
  }
}
