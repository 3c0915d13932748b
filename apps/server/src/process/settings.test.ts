import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryDir } from "./data-folder.ts";
import { helpText, readOptions } from "./options.ts";
import { readSettings } from "./settings.ts";
import { variableNames, variablesAsEnvironmentFile, variablesAsMarkdown } from "./environment-variables.ts";

const KEY = "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG";

function errorsIn(mode: "demo" | "production", environment: Record<string, string>): string[] {
  const settings = readSettings(mode, environment);
  return "errors" in settings ? settings.errors : [];
}

describe("set-up: configuration by environment", () => {
  test("an empty environment is a demo with the documented defaults", () => {
    expect(readSettings("demo", {})).toMatchObject({
      port: 3000,
      portIsSet: false,
      mqttPort: 1883,
      tokenHours: 12,
      manualRunMaxMinutes: 480,
      maintenanceIntervalDays: 180,
      mapTiles: { url: "https://tile.openstreetmap.org/{z}/{x}/{y}.png", attribution: "© OpenStreetMap contributors" },
    });
  });

  test("an empty variable counts as not set, but an empty MAP_TILE_URL switches tiles off", () => {
    const settings = readSettings("demo", { PORT: "", HOST: " ", MAP_TILE_URL: "" });
    expect(settings).toMatchObject({ port: 3000, portIsSet: false, host: "localhost", mapTiles: null });
  });

  test.each([
    ["PORT", "abc"],
    ["PORT", "70000"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["HOST", "two words"],
    ["DATABASE_URL", "mysql://u@h/d"],
    ["DATABASE_URL", "nonsense"],
    ["MQTT_URL", "http://broker"],
    ["MQTT_PORT", "1e3"],
    ["LOG_LEVEL", "loud"],
    ["SECRET_KEY", "short"],
    ["SECRET_KEY", "a".repeat(64)],
    ["SECRET_KEY", "please-change-me-please-change-me-please"],
    ["PUBLIC_URL", "suncrew.example"],
    ["PUBLIC_URL", "https://user:password@suncrew.example"],
    ["PUBLIC_URL", "https://suncrew.example/?x=1"],
    ["TOKEN_HOURS", "0"],
    ["TOKEN_HOURS", "twelve"],
    ["MAP_TILE_URL", "ftp://tiles/{z}/{x}/{y}"],
    ["MAP_TILE_URL", "https://tiles.example/{z}.png"],
    ["MAP_TILE_URL", "https://tiles.example/{z}/{x}/{y}; script-src *"],
    ["WEATHER_PROVIDER", "the frog"],
    ["WEATHER_URL", "ftp://weather.example/v1"],
    ["WEATHER_URL", "https://weather.example/v1/forecast?apikey=1"],
    ["WEATHER_URL", "https://user:password@weather.example/v1/forecast"],
    ["AIR_QUALITY_URL", "ftp://weather.example/v1"],
    ["AIR_QUALITY_URL", "https://weather.example/v1/air-quality?apikey=1"],
    ["WEATHER_ARCHIVE_URL", "https://user:password@weather.example/v1/archive"],
    ["WEATHER_API_KEY", "two words"],
    ["ADMIN_USERNAME", "two words"],
    ["ADMIN_PASSWORD", "admin@123"],
    ["ADMIN_PASSWORD", "Admin@123"],
    ["ADMIN_PASSWORD", "PASSWORD"],
    ["ADMIN_PASSWORD", "1234567"],
    ["MANUAL_RUN_MAX_MINUTES", "1441"],
    ["MAINTENANCE_INTERVAL_DAYS", "0"],
    ["SMTP_URL", "mail.example.org"],
    ["SMTP_URL", "https://mail.example.org"],
    ["SMTP_URL", "smtp://mail.example.org/?x=1"],
    ["SMTP_URL", "smtp://user:%zz@mail.example.org"],
    ["MAIL_FROM", "Suncrew"],
    ["MAIL_FROM", "Suncrew <reports>"],
    ["MAIL_FROM", "a@b.example, c@d.example"],
    ["METRICS_TOKEN", "short"],
    ["METRICS_TOKEN", "long enough but with spaces"],
    ["TRUSTED_PROXIES", "the proxy"],
    ["TRUSTED_PROXIES", "10.0.0.5,"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["OUTGOING_PRIVATE_ADDRESSES", "intranet.example"],
    ["TELEGRAM_API_URL", "api.telegram.org"],
    ["WHATSAPP_API_URL", "https://graph.facebook.com/?access_token=1"],
  ])("one message for a wrong %s: %s", (name, value) => {
    const errors = errorsIn("demo", { [name]: value });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(new RegExp(`^${name} must .*\\.$`));
    expect(errors[0]).not.toContain("\n");
  });

  test("a secret keeps leading and trailing spaces, everything else is trimmed", () => {
    const set = {
      EMBEDDED: "yes",
      SECRET_KEY: ` ${KEY} `,
      ADMIN_PASSWORD: " a pass phrase ",
      ADMIN_USERNAME: " owner ",
    };
    expect(readSettings("production", set)).toMatchObject({
      secretKey: ` ${KEY} `,
      adminPassword: " a pass phrase ",
      adminUsername: "owner",
    });
  });

  test("tokens of Telegram and WhatsApp reach other machines with TLS only", () => {
    const set = { SECRET_KEY: KEY, EMBEDDED: "yes", TELEGRAM_API_URL: "http://telegram.example" };
    expect(errorsIn("production", set)).toEqual([
      "TELEGRAM_API_URL would send tokens to another machine without TLS: use https://.",
    ]);
    const own = { ...set, TELEGRAM_API_URL: "http://localhost:8081", OUTGOING_PRIVATE_ADDRESSES: "10.0.0.0/8" };
    expect(readSettings("production", own)).toMatchObject({
      telegramApiUrl: "http://localhost:8081",
      whatsappApiUrl: null,
      outgoingPrivateAddresses: ["10.0.0.0/8"],
    });
  });

  test("proxies are a list of addresses and networks", () => {
    expect(readSettings("demo", { TRUSTED_PROXIES: "10.0.0.5, fd00::/8" })).toMatchObject({
      trustedProxies: ["10.0.0.5", "fd00::/8"],
    });
  });

  test("every invalid variable is named, and no secret is repeated", () => {
    const errors = errorsIn("demo", { PORT: "x", LOG_LEVEL: "y", SECRET_KEY: "hush", DATABASE_URL: "postgres:hush" });
    expect(errors.map((message) => message.split(" ")[0])).toEqual(["PORT", "DATABASE_URL", "LOG_LEVEL", "SECRET_KEY"]);
    expect(errors.join("\n")).not.toContain("hush");
  });

  test("production refuses a missing key, and a broker on another machine without TLS", () => {
    expect(errorsIn("production", {}).join()).toContain("SECRET_KEY is missing");
    for (const url of ["mqtt://broker.example", "ws://10.0.0.7:9001", "mqtt://u:p@127.0.0.1.example"]) {
      expect(errorsIn("production", { SECRET_KEY: KEY, MQTT_URL: url }).join()).toContain("without TLS");
    }
    for (const url of ["mqtts://broker.example", "wss://broker.example", "mqtt://localhost", "mqtt://[::1]:1883"]) {
      expect(errorsIn("production", { SECRET_KEY: KEY, EMBEDDED: "yes", MQTT_URL: url })).toEqual([]);
    }
  });

  test("production refuses to use the embedded services unless configured to", () => {
    const named = { SECRET_KEY: KEY, DATABASE_URL: "postgres://u@localhost/d", MQTT_URL: "mqtt://localhost" };
    expect(errorsIn("production", named)).toEqual([]);
    for (const [name, what] of [
      ["DATABASE_URL", "PostgreSQL"],
      ["MQTT_URL", "MQTT broker"],
    ] as const) {
      for (const EMBEDDED of ["", "no"]) {
        expect(errorsIn("production", { ...named, [name]: "  ", EMBEDDED })).toEqual([
          `${name} is missing: name your ${what}, or set EMBEDDED=yes for the embedded one, which only one server can use.`,
        ]);
      }
      expect(errorsIn("production", { ...named, [name]: "", EMBEDDED: "yes" })).toEqual([]);
    }
    expect(errorsIn("production", { ...named, EMBEDDED: "true" })).toEqual([
      'EMBEDDED must be yes or no; it is "true".',
    ]);
    expect(errorsIn("demo", {})).toEqual([]);
  });

  test.each([
    ["postgres://u:hush@db.example/d", false],
    ["postgres://u:hush@10.0.0.5/d?sslmode=disable", false],
    ["postgres://u:hush@db.example/d?sslmode=prefer", false],
    ["postgres://u:hush@db.example/d?sslmode=no-verify", false],
    ["postgres://u:hush@db.example/d?sslmode=require&uselibpqcompat=true", false],
    ["postgres://u:hush@db.example/d?sslmode=verify-full&sslmode=disable", false],
    ["postgres://u:hush@localhost/d?host=db.example", false],
    ["postgres://u:hush@db.example/d?sslmode=verify-full", true],
    ["postgres://u:hush@db.example/d?sslmode=require", true],
    ["postgres://u:hush@db.example/d?ssl=true", true],
    ["postgres://u:hush@localhost/d", true],
    ["postgres://u:hush@[::1]:5433/d", true],
    ["postgres://u:hush@db.example/d?host=/run/postgresql", true],
  ])("production accepts a PostgreSQL on another machine with TLS only: %s", (url, isAccepted) => {
    const errors = errorsIn("production", { SECRET_KEY: KEY, MQTT_URL: "mqtt://localhost", DATABASE_URL: url });
    expect(errors.map((message) => message.split(":")[0])).toEqual(
      isAccepted ? [] : ["DATABASE_URL names a PostgreSQL on another machine without TLS that proves its identity"],
    );
    expect(errors.join()).not.toContain("hush");
    expect(errorsIn("demo", { DATABASE_URL: url })).toEqual([]);
  });

  test("the weather is a sample in a demo and Open-Meteo's in production, whose paid service has another URL", () => {
    const weatherIn = (mode: "demo" | "production", set: Record<string, string> = {}) => {
      const settings = readSettings(mode, { EMBEDDED: "yes", SECRET_KEY: KEY, ...set });
      return "errors" in settings ? settings.errors : settings.weather;
    };
    expect(weatherIn("demo")).toEqual({ provider: "sample", delayMs: 500 });
    expect(weatherIn("production", { WEATHER_PROVIDER: "sample" })).toEqual({ provider: "sample", delayMs: 500 });
    const free = {
      provider: "open-meteo",
      url: "https://api.open-meteo.com/v1/forecast",
      airQualityUrl: "https://air-quality-api.open-meteo.com/v1/air-quality",
      archiveUrl: "https://archive-api.open-meteo.com/v1/archive",
      apiKey: null,
    };
    expect(weatherIn("production")).toEqual(free);
    expect(weatherIn("demo", { WEATHER_PROVIDER: "open-meteo" })).toEqual(free);
    expect(weatherIn("production", { WEATHER_API_KEY: "k" })).toEqual({
      provider: "open-meteo",
      url: "https://customer-api.open-meteo.com/v1/forecast",
      airQualityUrl: "https://customer-air-quality-api.open-meteo.com/v1/air-quality",
      archiveUrl: "https://customer-archive-api.open-meteo.com/v1/archive",
      apiKey: "k",
    });
    const own = { WEATHER_API_KEY: "k", WEATHER_URL: "http://127.0.0.1:8080/v1/forecast" };
    const asked = { provider: "open-meteo", url: own.WEATHER_URL, apiKey: "k" };
    // The key of a server of one's own is sent to nobody else.
    expect(weatherIn("production", own)).toEqual({ ...asked, airQualityUrl: null, archiveUrl: null });
    const [airQualityUrl, archiveUrl] = ["https://air.example/v1/air-quality", "https://past.example/v1/archive"];
    expect(
      weatherIn("production", { ...own, AIR_QUALITY_URL: airQualityUrl, WEATHER_ARCHIVE_URL: archiveUrl }),
    ).toEqual({ ...asked, airQualityUrl, archiveUrl });
  });

  test("a weather key is never sent without TLS, and appears in no error", () => {
    const remote = {
      EMBEDDED: "yes",
      SECRET_KEY: KEY,
      WEATHER_API_KEY: "hush",
      WEATHER_URL: "http://weather.example/v1/forecast",
    };
    expect(errorsIn("production", remote)).toEqual([
      "WEATHER_URL would send WEATHER_API_KEY to another machine without TLS: use https://.",
    ]);
    const others = {
      ...remote,
      WEATHER_URL: "https://weather.example/v1/forecast",
      AIR_QUALITY_URL: "http://air.example/v1",
      WEATHER_ARCHIVE_URL: "http://past.example/v1",
    };
    expect(errorsIn("production", others).map((message) => message.split(" ")[0])).toEqual([
      "AIR_QUALITY_URL",
      "WEATHER_ARCHIVE_URL",
    ]);
    const errors = errorsIn("demo", {
      WEATHER_API_KEY: "hush hush",
      WEATHER_URL: "https://weather.example/?apikey=hush",
    });
    expect(errors).toHaveLength(2);
    expect(errors.join()).not.toContain("hush");
  });

  test("how long data is kept: whole days with a least, 0 for good, and nothing that reports need for a shorter time", () => {
    const days = (environment: Record<string, string>) => {
      const read = readSettings("demo", environment);
      return "errors" in read ? read.errors : read.keepDays;
    };
    expect(days({})).toMatchObject({ readings: 92, runs: 1095, robot_days: 0, audit: 0 });
    expect(days({ KEEP_READINGS_DAYS: "35", KEEP_RUNS_DAYS: "0" })).toMatchObject({ readings: 35, runs: 0 });
    expect(days({ KEEP_READINGS_DAYS: "34" })).toEqual([
      'KEEP_READINGS_DAYS must be a whole number of days from 35 to 36500, or 0 for good; it is "34".',
    ]);
    expect(days({ KEEP_AUDIT_DAYS: "90" })).toHaveLength(1);
    expect(days({ KEEP_ALERTS_DAYS: "400" })).toEqual([
      "KEEP_ALERTS_DAYS must be at least 1095 or 0, as KEEP_ACTIVITY_DAYS is 1095: reports of months with activity need it; it is 400.",
    ]);
    expect(days({ KEEP_ALERTS_DAYS: "400", KEEP_ACTIVITY_DAYS: "400" })).toMatchObject({ alerts: 400 });
  });

  test("docs/operating.md has the table of all variables", () => {
    const page = readFileSync(join(repositoryDir, "docs/operating.md"), "utf8");
    expect(page).toContain(variablesAsMarkdown());
  });

  test(".env.example names every variable with its meaning and default, and sets none", () => {
    const text = readFileSync(join(repositoryDir, ".env.example"), "utf8");
    expect(text).toBe(variablesAsEnvironmentFile());
    expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
    const defaults: Record<string, string> = {};
    for (const [, name = "", value = ""] of text.matchAll(/^#([A-Z_]+)=(.+)$/gm)) defaults[name] = value;
    const production = { ...defaults, SECRET_KEY: KEY, EMBEDDED: "yes" };
    expect(readSettings("production", production)).toMatchObject({ tokenHours: 12, host: "0.0.0.0" });
  });
});

describe("set-up: command line", () => {
  test("--help lists every option and variable", () => {
    const text = helpText("demo");
    for (const word of ["--reset", "--help", "--no-console", ...variableNames]) {
      expect(text).toContain(word);
    }
    expect(readOptions(["demo", "--help"]).help).toBe(true);
  });

  test("an unknown option is refused with the hint; production knows no --reset", () => {
    expect(() => readOptions(["demo", "--rest"])).toThrow("There is no option --rest: `npm start -- --help`");
    expect(() => readOptions(["production", "--reset"])).toThrow("--reset");
    expect(() => readOptions([])).toThrow("npm start");
  });
});

describe("protocol rule 9: how the devices' broker accounts are managed", () => {
  const MQTT_URL = "mqtts://suncrew:secret@broker.example";
  const BROKER_AUTH_TOKEN = "w8Kq2ZtN5rYx0LmB7vEj3HsDfG6uPaCi";
  const formOf = (environment: Record<string, string>) => {
    const settings = readSettings("demo", environment);
    return "errors" in settings ? settings.errors : settings.brokerAccounts;
  };

  test("the embedded broker manages its own; accounts of a configured broker are manual by default", () => {
    expect(formOf({})).toEqual({ form: "embedded" });
    expect(formOf({ MQTT_URL })).toEqual({ form: "manual" });
    const dynamic = { MQTT_URL, BROKER_ACCOUNTS: "dynamic-security" };
    expect(formOf(dynamic)).toEqual({ form: "dynamic-security", adminUrl: MQTT_URL });
    const BROKER_ADMIN_URL = "mqtts://accounts:secret@broker.example";
    expect(formOf({ ...dynamic, BROKER_ADMIN_URL })).toEqual({ form: "dynamic-security", adminUrl: BROKER_ADMIN_URL });
    expect(formOf({ MQTT_URL, BROKER_ACCOUNTS: "http", BROKER_AUTH_TOKEN })).toEqual({
      form: "http",
      token: BROKER_AUTH_TOKEN,
      kickUrl: null,
    });
  });

  const http = { MQTT_URL, BROKER_ACCOUNTS: "http", BROKER_AUTH_TOKEN };
  test.each<[Record<string, string>, string]>([
    [{ BROKER_ACCOUNTS: "cloud" }, "BROKER_ACCOUNTS must be"],
    [{ BROKER_ACCOUNTS: "manual" }, "MQTT_URL names no broker"],
    [{ MQTT_URL, BROKER_ACCOUNTS: "embedded" }, "MQTT_URL names a broker"],
    [{ MQTT_URL, BROKER_ACCOUNTS: "http" }, "BROKER_AUTH_TOKEN is missing"],
    [{ ...http, BROKER_AUTH_TOKEN: "short" }, "BROKER_AUTH_TOKEN must be"],
    [{ MQTT_URL, BROKER_AUTH_TOKEN }, "BROKER_AUTH_TOKEN is for BROKER_ACCOUNTS=http only"],
    [{ ...http, BROKER_KICK_URL: "https://key:s3cret@emqx/clients" }, "BROKER_KICK_URL must be"],
  ])("%j is refused, and no secret is repeated", (environment, text) => {
    const errors = errorsIn("demo", environment).join(" ");
    expect(errors).toContain(text);
    for (const secret of ["secret@", "s3cret", BROKER_AUTH_TOKEN]) expect(errors).not.toContain(secret);
  });

  test("production sends no secret to another machine without TLS", () => {
    const far = {
      EMBEDDED: "yes",
      SECRET_KEY: KEY,
      MQTT_URL,
      BROKER_ACCOUNTS: "dynamic-security",
      BROKER_ADMIN_URL: "mqtt://a:b@far",
    };
    expect(errorsIn("production", far)).toEqual([
      "BROKER_ADMIN_URL names a broker on another machine without TLS: use mqtts:// or wss://.",
    ]);
    expect(
      errorsIn("production", {
        SECRET_KEY: KEY,
        EMBEDDED: "yes",
        ...http,
        BROKER_KICK_URL: "http://k:s@far/c/{clientid}",
      }),
    ).toEqual(["BROKER_KICK_URL would send its key to another machine without TLS: use https://."]);
  });
});
