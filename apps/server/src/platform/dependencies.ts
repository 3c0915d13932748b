import type pg from "pg";
import type { Logger } from "pino";
import type { BrokerAccounts } from "./broker-accounts/broker-accounts.ts";
import type { Broker } from "./broker.ts";
import type { ClockCheck } from "./clock-watch.ts";
import type { Clock } from "./clock.ts";
import type { Db } from "./database/database.ts";
import type { Mailer, ShownMailServer } from "./mailer.ts";

/** Where the weather comes from: a fixed sample, or a web service. */
export type WeatherSettings =
  | { readonly provider: "sample"; readonly delayMs: number }
  | {
      readonly provider: "open-meteo";
      readonly url: string;
      /** Hours of particles, and of past weather; null or absent where nobody is asked for them. */
      readonly airQualityUrl?: string | null;
      readonly archiveUrl?: string | null;
      readonly apiKey: string | null;
    };

/** What a person may configure and features read. */
export interface Settings {
  readonly mode: "demo" | "production";
  /** Signs the tokens. */
  readonly secretKey: string;
  readonly tokenHours: number;
  readonly manualRunMaxMinutes: number;
  /** Limits per person, server and minute; by default more than any person needs. */
  readonly callsPerMinute?: { readonly reads: number; readonly writes: number; readonly files: number };
  /** Robots are configured to stop by themselves after this time without their broker; 300 by default. */
  readonly linkLossStopSeconds?: number;
  /** Days from one maintenance of a robot to the next; 180 by default. */
  readonly maintenanceIntervalDays?: number;
  /** Days to keep each kind of stored data, 0 for good; the domain's defaults without it. */
  readonly keepDays?: Readonly<Record<string, number>>;
  /** Whose disk is watched: the folder of what this server stores; none by default. */
  readonly dataDir?: string;
  /** Size of the disk of a PostgreSQL elsewhere; null or absent where it is not known. */
  readonly databaseDiskBytes?: number | null;
  /** Days after the last backup at which the next is overdue; 0 or absent: never. */
  readonly backupAlertDays?: number;
  /** Null where map tiles are switched off. */
  readonly mapTiles: { readonly url: string; readonly attribution: string } | null;
  readonly weather: WeatherSettings;
  /** False where hours of air and weather at sites are not refreshed by themselves; they are by default. */
  readonly refreshesSiteHours?: boolean;
  /** Folder of the built console; null where only the API is served. */
  readonly consoleDir: string | null;
  /** Addresses or networks of the proxies whose `X-Forwarded-For` is trusted; none by default. */
  readonly trustedProxies?: readonly string[];
  /** Private addresses or networks that may be called though a person entered them; none by default. */
  readonly outgoingPrivateAddresses?: readonly string[];
  /** The mail server of the environment, as it may be shown; null or absent without one. */
  readonly mailServer?: ShownMailServer | null;
  /** Base address of Telegram's Bot API; Telegram's own by default. */
  readonly telegramApiUrl?: string;
  /** Base address of WhatsApp's Cloud API, with its version; Meta's own by default. */
  readonly whatsappApiUrl?: string;
  /** The token that Prometheus must send to read this server's metrics; null without one. */
  readonly metricsToken?: string | null;
  /** Folder for Stops that are sent before the database has them; without it every Stop waits for the database. */
  readonly stopJournalDir?: string;
  /** The address at which people and robots reach Suncrew over HTTP; null or absent where it is not known. */
  readonly publicUrl?: () => string | null;
  /** Whether it answers at any IP address too, because no address was configured. */
  readonly answersByIp?: boolean;
  readonly hstsSubdomains?: boolean;
  /** Bearer token of a broker that checks sign-ins over HTTP; null without one. */
  readonly brokerAuthToken?: string | null;
}

/** What the features are built on; tests provide their own. */
export interface Dependencies {
  readonly db: Db;
  /** For commands, schedules and the bridge alone, so that nothing else uses them up; else they share the others. */
  readonly reservedDb?: Db;
  /** For what needs a database connection of its own: listening, advisory locks. */
  readonly connection: pg.ClientConfig;
  readonly broker: Broker;
  /** Another connection, for what servers tell each other; without it they tell each other nothing. */
  readonly peerBroker?: Broker;
  /** The devices' accounts at the broker; without it people manage them by hand. */
  readonly brokerAccounts?: BrokerAccounts;
  readonly clock: Clock;
  /** Whether that clock can be relied on; without it, it can. */
  readonly clocks?: ClockCheck;
  readonly log: Logger;
  readonly settings: Settings;
  /** Identifies this process among several servers: a UUID, new at every start. */
  readonly serverId: string;
  /** For calls to other services; Node's own by default. */
  readonly fetch?: typeof fetch;
  /** The mail server of the environment; by default the one that is set up in the console, if any. */
  readonly mailer?: Mailer;
}

/** A long-lived part: idle when constructed, works between `start` and `stop`. */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
