import type pg from "pg";
import type { Logger } from "pino";
import type { BrokerAccounts } from "./broker-accounts/broker-accounts.ts";
import type { Broker } from "./broker.ts";
import type { ClockCheck } from "./clock-watch.ts";
import type { Clock } from "./clock.ts";
import type { Db } from "./database/database.ts";
import type { Mailer } from "./mailer.ts";

/** Where the weather comes from: a fixed sample, or a service that is asked. */
export type WeatherSettings =
  | { readonly provider: "sample"; readonly delayMs: number }
  | { readonly provider: "open-meteo"; readonly url: string; readonly apiKey: string | null };

/** What a person may configure and features read. */
export interface Settings {
  readonly mode: "demo" | "production";
  /** Signs the tokens. */
  readonly secretKey: string;
  readonly tokenHours: number;
  readonly manualRunMaxMinutes: number;
  /** What one person may ask of one server in a minute; more than any person does where it is not given. */
  readonly callsPerMinute?: { readonly reads: number; readonly writes: number; readonly files: number };
  /** Robots stop by themselves after so long without their broker, as they are set; 300 where it is not given. */
  readonly linkLossStopSeconds?: number;
  /** Days from one maintenance of a robot to the next; 180 where it is not given. */
  readonly maintenanceIntervalDays?: number;
  /** Null where map tiles are switched off. */
  readonly mapTiles: { readonly url: string; readonly attribution: string } | null;
  readonly weather: WeatherSettings;
  /** Folder of the built console; null where only the API is served. */
  readonly consoleDir: string | null;
  /** Addresses or networks of proxies whose `X-Forwarded-For` tells where a request comes from; none unless given. */
  readonly trustedProxies?: readonly string[];
  /** What a Prometheus must send to read this server's metrics; null where none was given. */
  readonly metricsToken?: string | null;
  /** Folder for Stops that were sent before the database had them; without it every Stop waits for the database. */
  readonly stopJournalDir?: string;
  /** The address at which people and robots reach Suncrew over HTTP; null or absent where it is not known. */
  readonly publicUrl?: () => string | null;
  /** Whether it answers at any IP address too: where nobody said what its address is. */
  readonly answersByIp?: boolean;
  /** Whether browsers are told to use TLS for every name below this one too. */
  readonly hstsSubdomains?: boolean;
  /** What a broker proves itself with that asks over HTTP who may sign in; null where none does. */
  readonly brokerAuthToken?: string | null;
}

/** The outside that the features are built on; tests hand in their own. */
export interface Dependencies {
  readonly db: Db;
  /**
   * Connections that commands, schedules and the bridge have to themselves, so that whatever else people ask for takes
   * none of them away; where it is not given, they share the others.
   */
  readonly reservedDb?: Db;
  /** For what needs a database connection of its own: listening, advisory locks. */
  readonly connection: pg.ClientConfig;
  readonly broker: Broker;
  /** The broker's accounts of devices; where it is not given people keep them by themselves. */
  readonly brokerAccounts?: BrokerAccounts;
  readonly clock: Clock;
  /** Whether that clock can be relied on; where it is not given, it can. */
  readonly clocks?: ClockCheck;
  readonly log: Logger;
  readonly settings: Settings;
  /** Names this process among several servers: a UUID, new at every start. */
  readonly serverId: string;
  /** How the server asks others over HTTP; the platform's own where it is not given. */
  readonly fetch?: typeof fetch;
  /** Sends mail; left out where no SMTP server is configured. */
  readonly mailer?: Mailer;
}

/** A long-lived part: idle when made, works between `start` and `stop`. */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
