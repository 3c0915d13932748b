import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { storedMailServer } from "../features/mail-server/public.ts";
import { openDatabase } from "../platform/database/database.ts";
import { findRunningPostgres } from "../platform/embedded/postgres.ts";
import { errorText } from "../platform/errors.ts";
import { MailRefused, type SmtpSettings, tryMailServer } from "../platform/mailer.ts";
import { isLoopback } from "../platform/network.ts";
import { builtConsole } from "./console-build.ts";
import { databaseName, defaultDataFolder } from "./data-folder.ts";
import { checkBroker, checkBrokerAccounts } from "./doctor-broker.ts";
import { checkDatabase } from "./doctor-database.ts";
import { check, type Finding, type Found, ok, problem, warning } from "./doctor-findings.ts";
import { type ProcessSettings, readSettings } from "./settings.ts";

export interface DoctorOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sends a mail there; null sends none. */
  readonly sendMailTo: string | null;
  /** Servers are started without a console. */
  readonly noConsole: boolean;
}

/** Looks at everything that production needs, with a time limit for each part, and changes nothing. */
export async function examine({ environment, sendMailTo, noConsole }: DoctorOptions): Promise<readonly Finding[]> {
  const production = readSettings("production", environment);
  const wrong = "errors" in production ? production.errors : [];
  const findings: Finding[] = [
    ...(await check("Node", async () => [node(process.versions.node)])),
    ...(await check("settings", async () => settingsFound(wrong))),
  ];
  const settings = "errors" in production ? withoutWrong(environment, production.errors) : production;
  if (settings === null) return findings;
  const { databaseUrl, mqttUrl, mail } = settings;
  const mayEmbed = environment["EMBEDDED"]?.trim() === "yes";
  const usedDatabase = async () => databaseUrl ?? (mayEmbed ? runningEmbedded(settings) : null);
  const parts = await Promise.all([
    check("console", async () => (noConsole ? [] : [await consoleBuilt()])),
    check("data folder", () => dataFolder(settings.dataDir)),
    check("database", async () => {
      const used = await usedDatabase();
      if (used !== null) return checkDatabase(used);
      return mayEmbed ? [ok("The embedded one starts with the server, which migrates it")] : [];
    }),
    check("broker", async () => {
      if (mqttUrl !== null) return checkBroker(mqttUrl);
      return mayEmbed ? [ok("The embedded one starts with the server")] : [];
    }),
    check("devices' accounts", () => checkBrokerAccounts(settings.brokerAccounts)),
    check("mail", async () => {
      const stored = { secretKey: settings.secretKey, usedDatabase: await usedDatabase() };
      return mailServer(mail ?? stored, sendMailTo);
    }),
    check("weather", () => weather(settings.weather)),
    check("address", () => publicUrl(settings)),
    check("clock", clock),
  ]);
  return [...findings, ...parts.flat()];
}

/** The settings of the variables that are right, so that the other parts can be looked at; null if they fit nothing. */
function withoutWrong(environment: DoctorOptions["environment"], errors: readonly string[]): ProcessSettings | null {
  const wrong = new Set(errors.map((error) => error.split(" ")[0]));
  const rest = Object.entries(environment).filter(([name]) => !wrong.has(name));
  // Whatever else production requires is among the errors already.
  const settings = readSettings("demo", Object.fromEntries(rest));
  return "errors" in settings ? null : settings;
}

export function node(version: string): Found {
  return Number.parseInt(version, 10) >= 24
    ? ok(`Node ${version}`)
    : problem(`Node ${version} runs this`, "Use npm, which runs Suncrew with its own Node 24: `npm run doctor`.");
}

function settingsFound(errors: readonly string[]): Found[] {
  if (errors.length === 0) return [ok("Every variable is right")];
  return errors.map((error) => problem(error.replace(/\.$/, ""), "Set it where the servers' environment is kept."));
}

async function consoleBuilt(): Promise<Found> {
  try {
    await builtConsole();
    return ok("It is built, from the sources beside it");
  } catch (error) {
    return problem(error instanceof Error ? errorText(error) : String(error), "Run `npm run build` in this folder.");
  }
}

const GB = 1_000_000_000;

/** A folder that does not exist yet is made by the first start: then what is above it counts. */
async function dataFolder(dataDir: string | null): Promise<Found[]> {
  const folder = resolve(dataDir ?? defaultDataFolder());
  let existing = folder;
  while ((await stat(existing).catch(() => null)) === null && existing !== dirname(existing))
    existing = dirname(existing);
  const todo = "Set DATA_DIR to a folder that the servers' account can write to.";
  if (!(await stat(existing)).isDirectory()) return [problem(`${existing} is no folder`, todo)];
  const writable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return [problem(`${existing} cannot be written to by this account`, todo)];
  const says = existing === folder ? `${folder} can be written to` : `${folder} will be made by the first start`;
  const { bavail, bsize } = await statfs(existing);
  const free = (bavail * bsize) / GB;
  const space = `${free.toFixed(1)} GB are free there`;
  const more = "Make room on this disk: Stops are kept on it while the database is away.";
  if (free < 0.5) return [ok(says), problem(space, more)];
  return [ok(says), free < 5 ? warning(space, more) : ok(space)];
}

/** Its address; null while no server has started it. */
async function runningEmbedded(settings: ProcessSettings): Promise<string | null> {
  const folder = resolve(settings.dataDir ?? defaultDataFolder());
  const running = await findRunningPostgres(folder, databaseName("production"));
  if (running === null) return null;
  const { host, user, database } = running;
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
}

interface StoredMail {
  readonly usedDatabase: string | null;
  readonly secretKey: string | null;
}

const MAIL_IN_CONSOLE = "in the console (Report Management, Settings)";

/** That of the variables, else the one that was set up in the console. */
async function mailServer(mail: SmtpSettings | StoredMail, to: string | null): Promise<Found[]> {
  if ("host" in mail) {
    const todo = "Correct SMTP_URL; another machine must offer TLS with a certificate that is trusted here.";
    return [await triedMailServer(mail, "", to, todo)];
  }
  const isNeeded = to !== null;
  const unset = `Set one up ${MAIL_IN_CONSOLE}, or in SMTP_URL and MAIL_FROM, unless nobody is to get mails.`;
  const stored = await readStoredMail(mail);
  switch (stored) {
    case null:
      return [(isNeeded ? problem : warning)("None is set: nothing is sent by email", unset)];
    case "unknown": {
      const says = "The variables name none, and whether the console does cannot be read from the database";
      return [(isNeeded ? problem : warning)(says, "Correct what is said about the database, then look again.")];
    }
    case "unreadable": {
      const todo = `Enter it again ${MAIL_IN_CONSOLE}, or set the SECRET_KEY with which it was entered.`;
      return [problem("The password that was entered in the console cannot be read with this SECRET_KEY", todo)];
    }
    default:
      return [await triedMailServer(stored, ", set up in the console,", to, `Correct it ${MAIL_IN_CONSOLE}.`)];
  }
}

async function readStoredMail({ usedDatabase, secretKey }: StoredMail) {
  if (usedDatabase === null) return null;
  const database = openDatabase({ connectionString: usedDatabase }, { poolSize: 1 });
  try {
    return await storedMailServer({ db: database.db, settings: { secretKey: secretKey ?? "" } });
  } catch (error) {
    // The database's own part says why.
    return error instanceof MailRefused ? "unreadable" : "unknown";
  } finally {
    await database.close();
  }
}

async function triedMailServer(mail: SmtpSettings, source: string, to: string | null, todo: string): Promise<Found> {
  const place = `${mail.host}:${mail.port}${source}`;
  try {
    await tryMailServer(mail, to);
    const sent = to === null ? "" : `, and took a mail to ${to}`;
    return ok(`${place} lets Suncrew in${mail.secure || mail.requireTls ? ", encrypted" : ""}${sent}`);
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    return problem(`${mail.host}:${mail.port}: ${error.message.replace(/\.$/, "")}`, todo);
  }
}

const ANSWER_MS = 5_000;

async function weather(settings: ProcessSettings["weather"]): Promise<Found[]> {
  if (settings.provider === "sample") {
    const says = "A fixed forecast, which is labelled as such and holds up no run";
    return [warning(says, "Set WEATHER_PROVIDER=open-meteo, unless there is no way to the internet.")];
  }
  const { url, airQualityUrl = null, archiveUrl = null, apiKey } = settings;
  const day = "2024-01-01";
  const calls = [
    [url, { current: "temperature_2m" }, "Schedules run as if no rain were forecast."],
    [airQualityUrl, { current: "pm10" }, "Nobody knows the particles that soil panels."],
    [
      archiveUrl,
      { hourly: "temperature_2m", start_date: day, end_date: day },
      "Nobody knows the weather of days before the last three months.",
    ],
  ] as const;
  return Promise.all(
    calls.flatMap(([address, parameters, otherwise]) =>
      address === null ? [] : [answers(address, parameters, apiKey, otherwise)],
    ),
  );
}

/** `otherwise` says what follows if it does not. */
async function answers(
  address: string,
  parameters: Readonly<Record<string, string>>,
  apiKey: string | null,
  otherwise: string,
): Promise<Found> {
  const url = new URL(address);
  const key: Record<string, string> = apiKey === null ? {} : { apikey: apiKey };
  for (const [name, value] of Object.entries({ latitude: "0", longitude: "0", ...parameters, ...key })) {
    url.searchParams.set(name, value);
  }
  const todo = `Let servers reach it, or set WEATHER_PROVIDER=sample. ${otherwise}`;
  try {
    const { status } = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    if (status === 200) return ok(`${url.host} answers`);
    return warning(`${url.host} answers ${status}${apiKey === null ? "" : ", to the key as well"}`, todo);
  } catch {
    return warning(`${url.host} cannot be reached`, todo);
  }
}

async function publicUrl({ publicUrl: address, trustedProxies }: ProcessSettings): Promise<Found[]> {
  if (address === null) {
    const says = "PUBLIC_URL is not set: people use an IP address, and robots get no firmware";
    return [warning(says, "Set it to the address at which people open Suncrew.")];
  }
  const { hostname, protocol } = new URL(address);
  const found: Found[] = [];
  if (protocol === "http:" && !isLoopback(hostname)) {
    found.push(
      warning("PUBLIC_URL has no TLS: passwords cross the network as they are", "Put a proxy with TLS in front."),
    );
  }
  if (protocol === "https:" && trustedProxies.length === 0) {
    const says = "TRUSTED_PROXIES is not set: behind a proxy everybody comes from one address";
    found.push(warning(says, "Name the proxy's address, or one person's failed sign-ins hold up all others."));
  }
  try {
    await lookup(hostname.replace(/^\[|\]$/g, ""));
  } catch {
    return [...found, warning(`${hostname} has no address`, "Enter the name in your DNS, or correct PUBLIC_URL.")];
  }
  try {
    const health = new URL("api/health", address.endsWith("/") ? address : `${address}/`);
    const answer = await fetch(health, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    const says = `${address} answers ${answer.status}`;
    if (answer.status === 200) return [...found, ok(`${address} reaches a server`)];
    return [...found, warning(says, "If a server runs, look at the proxy in front: `/api/health` should answer 200.")];
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? errorText(error.cause) : "no answer";
    return [
      ...found,
      warning(`${address} does not answer (${reason})`, "That is right while no server runs; else look at the proxy."),
    ];
  }
}

/** As systemd knows it; elsewhere only the comparison with the database tells. */
async function clock(): Promise<Found[]> {
  const child = spawn("timedatectl", ["show", "--property=NTPSynchronized", "--value"], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 2_000,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await new Promise<void>((done) => {
    child.once("error", () => done());
    child.once("close", () => done());
  });
  if (printed.trim() === "yes") return [ok("This machine's clock is synchronised")];
  if (printed.trim() !== "no") return [];
  return [warning("This machine's clock is not synchronised", "Switch NTP on: `timedatectl set-ntp true`.")];
}
