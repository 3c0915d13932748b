/** One line of the table of variables; the same rows make the help, the refusals and docs/operating.md. */
export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

export const variables = [
  { name: "PORT", fallback: "3000, or the next free one", meaning: "Port of the console and its calls" },
  { name: "HOST", fallback: "localhost (demo), 0.0.0.0 (production)", meaning: "Address to listen on" },
  {
    name: "DATA_DIR",
    fallback: "/var/lib/suncrew as root, else .data in the repository",
    meaning: "Folder of the embedded database and of everything else Suncrew keeps",
  },
  {
    name: "DATABASE_URL",
    fallback: "the embedded PostgreSQL (demo); needed in production",
    meaning:
      "PostgreSQL 15 or newer, postgres://user:password@host/database?sslmode=verify-full; without TLS on this machine only (production)",
  },
  {
    name: "MIGRATION_DATABASE_URL",
    fallback: "DATABASE_URL",
    meaning:
      "For npm run migrate alone: the same database with the account that owns the tables. The account of DATABASE_URL then gets what servers need, and cannot change the audit",
  },
  {
    name: "MQTT_URL",
    fallback: "the embedded broker (demo); needed in production",
    meaning:
      "Broker with the server's own account, mqtts://user:password@host; without TLS on loopback only (production)",
  },
  {
    name: "EMBEDDED",
    fallback: "no",
    meaning:
      "yes: production, too, uses the embedded PostgreSQL and broker where DATABASE_URL and MQTT_URL name none; for an installation of one server",
  },
  { name: "MQTT_PORT", fallback: "1883, or the next free one", meaning: "Port of the embedded broker, at 127.0.0.1" },
  {
    name: "BROKER_ACCOUNTS",
    fallback: "embedded, with MQTT_URL manual",
    meaning:
      "Who keeps the devices' accounts at the broker of MQTT_URL: dynamic-security (Mosquitto's plugin), http (the broker asks Suncrew), or manual (you)",
  },
  {
    name: "BROKER_ADMIN_URL",
    fallback: "MQTT_URL",
    meaning: "With dynamic-security: the broker with the account that manages accounts, mqtts://user:password@host",
  },
  {
    name: "BROKER_AUTH_TOKEN",
    fallback: "none; needed with http",
    meaning: "With http: what the broker's questions must carry as bearer token; 32 characters or more",
  },
  {
    name: "BROKER_KICK_URL",
    fallback: "none; connections then end by themselves",
    meaning:
      "With http: the broker's call that ends a connection, https://key:secret@host:18084/api/v5/clients/{clientid}",
  },
  {
    name: "LOG_LEVEL",
    fallback: "warn (demo), info (production)",
    meaning: "fatal, error, warn, info, debug, trace or silent",
  },
  {
    name: "SECRET_KEY",
    fallback: "random, kept in DATA_DIR (demo); needed in production",
    meaning: "Signs the sign-in tokens and encrypts generated passwords; 32 characters or more",
  },
  {
    name: "PUBLIC_URL",
    fallback: "opened on this machine or by IP address only; no firmware in production",
    meaning:
      "Address at which people open Suncrew and robots download firmware, https://suncrew.example; requests that name another host are refused",
  },
  {
    name: "HSTS_SUBDOMAINS",
    fallback: "no",
    meaning:
      "yes: production tells browsers to use TLS (HSTS) for every name below PUBLIC_URL's too, not for that name alone",
  },
  { name: "TOKEN_HOURS", fallback: "12", meaning: "Hours until a sign-in expires" },
  {
    name: "MAP_TILE_URL",
    fallback: "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
    meaning: "Map tile service; empty switches tiles off",
  },
  {
    name: "MAP_TILE_ATTRIBUTION",
    fallback: "© OpenStreetMap contributors",
    meaning: "What the map says about its tiles",
  },
  {
    name: "WEATHER_PROVIDER",
    fallback: "sample (demo), open-meteo (production)",
    meaning: "Where forecasts come from: open-meteo, or sample, a fixed one that is shown as such",
  },
  {
    name: "WEATHER_URL",
    fallback: "https://api.open-meteo.com/v1/forecast; with a key https://customer-api.open-meteo.com/v1/forecast",
    meaning: "Forecast call of Open-Meteo, or of a server of your own that answers like it",
  },
  {
    name: "WEATHER_API_KEY",
    fallback: "none",
    meaning: "Key of Open-Meteo's paid service; the free one is for non-commercial use only",
  },
  { name: "ADMIN_USERNAME", fallback: "admin", meaning: "Production's first Super Admin, made while there is no user" },
  {
    name: "ADMIN_PASSWORD",
    fallback: "random, printed once",
    meaning: "Password of production's first Super Admin; 8 characters or more, none that anybody would try",
  },
  {
    name: "MANUAL_RUN_MAX_MINUTES",
    fallback: "480",
    meaning: "A run started by hand is stopped after this many minutes",
  },
  {
    name: "LINK_LOSS_STOP_SECONDS",
    fallback: "300",
    meaning:
      "After so many seconds without their broker your robots stop by themselves, as they are set; Suncrew tells by it when a lost robot must stand",
  },
  {
    name: "MAINTENANCE_INTERVAL_DAYS",
    fallback: "180",
    meaning: "Days after which a robot's maintenance is due again, for reports",
  },
  {
    name: "TRUSTED_PROXIES",
    fallback: "none",
    meaning:
      "Addresses or networks of the proxies in front, with commas between; failed sign-ins then count for the address that X-Forwarded-For tells",
  },
  {
    name: "SMTP_URL",
    fallback: "none; nothing is sent by e-mail",
    meaning:
      "Mail server for the monthly reports, smtp://user:password@host:587 or smtps://...:465; beyond this machine only with TLS",
  },
  {
    name: "MAIL_FROM",
    fallback: "none; needed with SMTP_URL",
    meaning: "Who the mails are from, Suncrew <reports@example.org>",
  },
  {
    name: "METRICS_TOKEN",
    fallback: "/metrics is shown on the machine itself (demo), to nobody (production)",
    meaning: "Token that a Prometheus sends to read /metrics; 16 characters or more",
  },
] as const satisfies readonly Variable[];

export type VariableName = (typeof variables)[number]["name"];

/** The table as docs/operating.md shows it. */
export function variablesAsMarkdown(): string {
  const rows = variables.map(({ name, fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`);
  return ["| Variable | Without it | Meaning |", "|---|---|---|", ...rows].join("\n");
}
