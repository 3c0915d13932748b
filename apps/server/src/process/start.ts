import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { buildApp, CALLS_LIMIT_MS } from "../app.ts";
import { type DemoSignIn, WorkingDemoSignIns } from "../features/config/public.ts";
import { type Db, probeWrite } from "../platform/database/database.ts";
import { shownMailServer, smtpMailer } from "../platform/mailer.ts";
import type { Outages } from "../platform/outages.ts";
import { choosePort, portError, urlHost } from "../platform/network.ts";
import { StartError } from "../platform/errors.ts";
import { builtConsole, ensureConsoleBuilt } from "./console-build.ts";
import { demoSecretKey, openDataFolder } from "./data-folder.ts";
import { type FirstAdmin, holdsDemoData, createFirstAdmin } from "./installation.repository.ts";
import { openServerBroker } from "./open-broker.ts";
import { openClock, openMigratedDatabase, openReserved, type StartContext } from "./open-database.ts";
import type { Options } from "./options.ts";
import type { ProcessSettings } from "./settings.ts";
import type { StopList } from "./stop-list.ts";

export interface StartOptions {
  readonly settings: ProcessSettings;
  readonly options: Options;
  readonly log: Logger;
  readonly outages: Outages;
  readonly stops: StopList;
  readonly say: (line: string) => void;
  readonly fail: (message: string) => void;
}

/** What was started, for the message at the end. */
export type Started = NonNullable<Awaited<ReturnType<typeof start>>>;

/**
 * Starts everything in order: console, data folder, database, broker, server, simulated robots. Whatever has started is
 * in `stops` at any time. Returns null if it was told to stop before it was done.
 */
export async function start(input: StartOptions) {
  const { settings, options, log, outages, stops, say, fail } = input;
  const isDemo = settings.mode === "demo";
  if (options.reset && settings.databaseUrl !== null) {
    throw new StartError("--reset deletes only the embedded database: empty the one of DATABASE_URL yourself.", 2);
  }
  // Before anything is touched: production does not start without its console.
  const consoleBuilt = isDemo || options.noConsole ? null : await builtConsole();
  const dataDir = await openDataFolder(settings);
  // Only a demo loads its sample data, its history and the simulator.
  const demo = isDemo ? await import("../demo/demo-start.ts") : null;
  if (options.reset) await demo?.resetDemo(dataDir);
  const context: StartContext = { settings, dataDir, log, stops, fail };

  const building = isDemo && !options.noConsole ? ensureConsoleBuilt(say) : Promise.resolve(consoleBuilt);
  // A failure is thrown when the console is needed, not before.
  building.catch(() => undefined);
  const database = await openMigratedDatabase(context);
  if (stops.stopping) return null;
  await demo?.prepareDemo(database, dataDir, { ...options, say });
  const firstAdmin = isDemo ? null : await prepareProduction(database.db, settings);
  const reservedDb = openReserved(database, context);
  const { clock, clocks } = await openClock(reservedDb, context);
  const secretKey = settings.secretKey ?? (await demoSecretKey(dataDir));
  const mailbox = await demo?.openMailbox({ db: database.db, clock, secretKey });
  if (mailbox !== undefined) stops.add("demo's mailbox", 1000, () => mailbox.close());
  const { mail } = settings;
  const telegramApiUrl = settings.telegramApiUrl ?? mailbox?.urls.telegramApi;
  const whatsappApiUrl = settings.whatsappApiUrl ?? mailbox?.urls.whatsappApi;
  const consoleDir = await building;
  if (stops.stopping) return null;
  const { broker, peerBroker, accounts, url: brokerUrl } = await openServerBroker(database.db, clock, context);
  const { brokerAccounts } = settings;

  /** Known once the server listens. */
  let ownUrl: string | null = null;
  outages.watchDatabase(log, clock, () => probeWrite(reservedDb));
  stops.add("outages", 100, async () => outages.stop());
  const app = await buildApp({
    ...database,
    reservedDb,
    broker,
    peerBroker,
    brokerAccounts: accounts,
    clock,
    clocks,
    log,
    serverId: randomUUID(),
    ...(mail !== null && { mailer: smtpMailer(mail) }),
    ...(mailbox !== undefined && { demoMailbox: mailbox }),
    settings: {
      mode: settings.mode,
      secretKey,
      publicUrl: () => settings.publicUrl ?? ownUrl,
      answersByIp: settings.publicUrl === null,
      hstsSubdomains: settings.hstsSubdomains,
      tokenHours: settings.tokenHours,
      manualRunMaxMinutes: settings.manualRunMaxMinutes,
      linkLossStopSeconds: settings.linkLossStopSeconds,
      maintenanceIntervalDays: settings.maintenanceIntervalDays,
      keepDays: settings.keepDays,
      dataDir,
      databaseDiskBytes: settings.databaseDiskBytes,
      backupAlertDays: settings.backupAlertDays,
      mapTiles: settings.mapTiles,
      weather: settings.weather,
      consoleDir,
      stopJournalDir: join(dataDir, isDemo ? "demo-stops" : "stops"),
      trustedProxies: settings.trustedProxies,
      outgoingPrivateAddresses: [...settings.outgoingPrivateAddresses, ...(mailbox === undefined ? [] : ["127.0.0.1"])],
      mailServer: mail === null ? null : shownMailServer(mail),
      ...(telegramApiUrl !== undefined && { telegramApiUrl }),
      ...(whatsappApiUrl !== undefined && { whatsappApiUrl }),
      metricsToken: settings.metricsToken,
      brokerAuthToken: brokerAccounts.form === "http" ? brokerAccounts.token : null,
    },
  });
  stops.add("server", 2000, () => app.stop());
  await app.start();
  const simulator =
    demo?.simulatedRobots({ mqttUrl: brokerUrl, dataDir, log, linkLossStopSeconds: settings.linkLossStopSeconds }) ??
    null;
  if (simulator !== null) stops.add("simulator", 3000, () => simulator.stop());
  stops.add("calls and streams", CALLS_LIMIT_MS, () => app.endCalls());
  if (stops.stopping) return null;

  const { host } = settings;
  const addresses = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
  const chosen = await choosePort(settings.port, addresses, !settings.portIsSet, "PORT");
  try {
    await app.http.listen({ port: chosen, host });
  } catch (error) {
    throw portError(error, "PORT", chosen, host);
  }
  const bound = app.http.server.address();
  const port = bound !== null && typeof bound === "object" ? bound.port : chosen;
  // The demo's robots are on this machine.
  if (isDemo) ownUrl = `http://${urlHost(host)}:${port}`;
  /** Where the simulated robots can be controlled; null without them. */
  const controlAddress = simulator === null ? null : await simulator.start();
  /** The known sign-ins that still work. */
  const demoSignIns: readonly DemoSignIn[] = isDemo ? await new WorkingDemoSignIns(database.db).read() : [];
  return { host, port, brokerUrl, dataDir, controlAddress, hasConsole: consoleDir !== null, firstAdmin, demoSignIns };
}

async function prepareProduction(db: Db, settings: ProcessSettings): Promise<FirstAdmin | null> {
  if (await holdsDemoData(db)) {
    throw new StartError(
      "The database holds the demo's sample data and its known passwords: production needs its own database.",
    );
  }
  const admin = await createFirstAdmin(db, settings.adminUsername, settings.adminPassword);
  // Now: the user is stored, but this start may still fail or be stopped.
  if (admin !== null && admin.generatedPassword !== null) {
    // For a person, once and outside of the log, which never contains the password.
    process.stdout.write(
      "The first Super Admin was created. The password is shown only once: note it down, then change it.\n" +
        `  Sign in   ${admin.username} / ${admin.generatedPassword}\n`,
    );
  }
  return admin;
}
