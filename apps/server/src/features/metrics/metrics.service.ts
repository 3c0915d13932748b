import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from "prom-client";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { withTimeout } from "../../platform/clock.ts";
import { poolCounts } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { taskDuration, taskFailures } from "../../platform/periodic-task.ts";
import { productVersion } from "../../platform/product-version.ts";
import { settledCounts } from "../commands/public.ts";
import type { Bridge } from "../devices/public.ts";
import { eventTries } from "../events/public.ts";
import { deliveriesEnded } from "../notifications/public.ts";
import { deletedRows, type StorageReport } from "../storage/public.ts";
import { type FleetFigures, readFleetFigures } from "./fleet-figures.repository.ts";

/** A database that does not respond within this time costs its own figures, not the whole page. */
const FIGURES_TIMEOUT_MS = 3_000;

/** Read from the database, so every server reports the same values. */
const fleetGauges: readonly [name: string, help: string, valueOf: (figures: FleetFigures) => number][] = [
  ["suncrew_robots", "Robots of the installation", (of) => of.robots],
  ["suncrew_robots_online", "Robots that are online", (of) => of.online],
  ["suncrew_robots_moving", "Robots that are online and move", (of) => of.moving],
  [
    "suncrew_robots_lost_while_moving",
    "Robots that were last seen moving and are no longer heard from",
    (of) => of.lostWhileMoving,
  ],
  ["suncrew_stops_pending", "STOPs that outlived their answer and are sent until confirmed", (of) => of.stopsPending],
  ["suncrew_locks_pending", "Maintenance locks that robots have not confirmed", (of) => of.locksPending],
  ["suncrew_schedules_due", "Schedules that are due and not served", (of) => of.schedulesDue],
  [
    "suncrew_schedule_oldest_due_seconds",
    "For how long the oldest of them has been due; 0 where none is",
    (of) => of.oldestDueMs / 1000,
  ],
  [
    "suncrew_deliveries_waiting",
    "Messages to people that wait for their time or the next try",
    (of) => of.deliveriesWaiting,
  ],
  [
    "suncrew_deliveries_oldest_seconds",
    "For how long the oldest message that is due has waited to be sent; 0 where none is",
    (of) => of.deliveryOldestMs / 1000,
  ],
  [
    "suncrew_event_deliveries_waiting",
    "Events that wait to be told to a webhook, or for the next try",
    (of) => of.eventsWaiting,
  ],
  [
    "suncrew_event_deliveries_oldest_seconds",
    "How long ago the oldest of them happened; 0 where none waits",
    (of) => of.eventOldestMs / 1000,
  ],
];

export interface MeasuredParts {
  readonly bridge: Pick<Bridge, "shares" | "messages" | "badMessages">;
  readonly live: {
    readonly feed: {
      readonly streams: { readonly count: number; readonly cutCount: number; readonly heldBytes: number };
    };
    /** Streams that were refused, by the limit they would have exceeded. */
    readonly places: { readonly refused: ReadonlyMap<string, number> };
  };
}

type Sample = [value: number, labels?: Record<string, string>];

interface MetricsDependencies extends Pick<Dependencies, "db" | "reservedDb" | "broker" | "clock" | "clocks" | "log"> {
  readonly storage: Pick<StorageReport, "read">;
}

/**
 * What one server measures, in Prometheus form. Names begin with `suncrew_` and end with their unit. No label value
 * comes from a person or a robot: routes are templates, and the rest are constants of the code.
 */
export class Metrics {
  readonly #deps: MetricsDependencies;
  readonly #registry = new Registry();
  #reading: Promise<FleetFigures | null> | null = null;
  readonly requestDuration = new Histogram({
    name: "suncrew_http_request_duration_seconds",
    help: "Calls by method, route template and status; the live stream is not among them",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  });
  readonly scheduleLateness = new Histogram({
    name: "suncrew_schedule_lateness_seconds",
    help: "How long after their due times this server served schedules",
    buckets: [0.5, 1, 1.5, 2, 3, 5, 10, 30, 60, 300, 600],
    registers: [this.#registry],
  });

  constructor(deps: MetricsDependencies) {
    this.#deps = deps;
    // Once per process, which may run several servers in tests.
    if (register.getSingleMetric("process_cpu_seconds_total") === undefined) collectDefaultMetrics();
    for (const metric of [taskDuration, taskFailures]) this.#registry.registerMetric(metric);
    this.#registry.registerMetric(deletedRows);
    this.#registry.registerMetric(deliveriesEnded);
    this.#registry.registerMetric(eventTries);
    this.#registerServer();
    this.#registerDatabase();
  }

  /** Adds the metrics of the parts that are created after the calls that this measures. */
  measure({
    bridge,
    live: {
      feed: { streams },
      places,
    },
  }: MeasuredParts): void {
    this.#gauge("suncrew_live_streams", "Live streams that are open", () => streams.count);
    const waiting = "What live streams hold that their readers have not taken";
    this.#gauge("suncrew_live_waiting_bytes", waiting, () => streams.heldBytes);
    this.#counter("suncrew_live_streams_refused_total", "Live streams that were refused, by limit", ["limit"], () =>
      Array.from(places.refused, ([limit, count]) => [count, { limit }]),
    );
    const cut = "Live streams that were cut off because their readers did not keep up";
    this.#counter("suncrew_live_streams_cut_total", cut, [], () => [[streams.cutCount]]);
    const shares = "Of how many of the robots' 16 shares this server is the bridge";
    this.#gauge("suncrew_bridge", shares, () => bridge.shares.size);
    const received = "Messages of robots that this server took in, by leaf";
    this.#counter("suncrew_device_messages_total", received, ["leaf"], () =>
      Array.from(bridge.messages, ([leaf, count]) => [count, { leaf }]),
    );
    const dropped = "Messages of robots that were dropped, by reason";
    this.#counter("suncrew_device_messages_dropped_total", dropped, ["reason"], () =>
      Object.entries(bridge.badMessages).map(([reason, count]) => [count, { reason }]),
    );
  }

  /** The page, in the text format of Prometheus, with the metrics of the process. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    const merged = Registry.merge([this.#registry, register]);
    return { type: merged.contentType, text: await merged.metrics() };
  }

  #registerServer(): void {
    const { db, broker, clocks } = this.#deps;
    this.#labelled("suncrew_info", "1, with the version that runs", ["version"], () => [
      [1, { version: productVersion() }],
    ]);
    const connected = "1 while this server is connected to the broker";
    this.#gauge("suncrew_broker_connected", connected, () => Number(broker.connected));
    const trusted = "1 while this server relies on its clock; 0: neither bridge nor scheduler";
    this.#gauge("suncrew_clock_trusted", trusted, () => Number(!isClockWrong(this.#deps)));
    const ahead = "How far a clock is ahead of the database's: what was counted, or the machine's own";
    this.#labelled("suncrew_clock_ahead_seconds", ahead, ["clock"], () => {
      const reading = clocks?.reading ?? null;
      if (reading === null) return [];
      return [
        [reading.countedAheadMs / 1000, { clock: "counted" }],
        [reading.ownAheadMs / 1000, { clock: "own" }],
      ];
    });
    const settled = "Commands that this server settled, by verb and outcome";
    this.#counter("suncrew_commands_settled_total", settled, ["verb", "outcome"], () =>
      settledCounts(db).map(({ verb, outcome, count }) => [count, { verb, outcome }]),
    );
  }

  #registerDatabase(): void {
    const { db, reservedDb } = this.#deps;
    // Counted after the figures were read, so that this page's own query is not included.
    const readPools = async () => {
      await this.#readFigures();
      return Object.entries({ general: poolCounts(db), ...(reservedDb && { reserved: poolCounts(reservedDb) }) });
    };
    const connections = "Connections to the database by pool and what they do";
    this.#labelled("suncrew_database_connections", connections, ["pool", "state"], async () =>
      (await readPools()).flatMap(([pool, { used, idle }]): Sample[] => [
        [used, { pool, state: "used" }],
        [idle, { pool, state: "idle" }],
      ]),
    );
    const callers = "Queries that wait for a connection";
    this.#labelled("suncrew_database_waiting_callers", callers, ["pool"], async () =>
      (await readPools()).map(([pool, { waiting }]) => [waiting, { pool }]),
    );
    const reached = "1 where the figures of the fleet could be read just now";
    this.#gauge("suncrew_database_reached", reached, async () => Number((await this.#readFigures()) !== null));
    const stored = "What is stored with its indexes, by kind; measured every few minutes";
    this.#labelled("suncrew_stored_bytes", stored, ["kind"], async () =>
      (await this.#readStorage()).map(({ kind, bytes }) => [bytes, { kind }]),
    );
    for (const [name, help, valueOf] of fleetGauges) {
      this.#gauge(name, help, async () => {
        const figures = await this.#readFigures();
        return figures && valueOf(figures);
      });
    }
  }

  /** Left out while `read` returns null: a 0 would be wrong. */
  #gauge(name: string, help: string, read: () => number | null | Promise<number | null>): void {
    this.#labelled(name, help, [], async () => {
      const value = await read();
      return value === null ? [] : [[value]];
    });
  }

  #labelled(name: string, help: string, labelNames: string[], read: () => Sample[] | Promise<Sample[]>): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [],
      async collect() {
        const samples = await read();
        if (samples.length === 0 && labelNames.length === 0) this.remove();
        for (const [value, labels = {}] of samples) this.set(labels, value);
      },
    });
    this.#registry.registerMetric(gauge);
  }

  #counter(name: string, help: string, labelNames: string[], read: () => Sample[]): void {
    const counter = new Counter({
      name,
      help,
      labelNames,
      registers: [],
      collect() {
        this.reset();
        for (const [value, labels = {}] of read()) this.inc(labels, value);
      },
    });
    this.#registry.registerMetric(counter);
  }

  async #readStorage() {
    const { clock, log, storage } = this.#deps;
    const read = storage.read().catch((error: unknown) => {
      log.warn({ error }, "failed to measure what is stored");
      return null;
    });
    return (await withTimeout(clock, read, FIGURES_TIMEOUT_MS))?.kinds ?? [];
  }

  /** Gauges and pages that are collected together share one query; null if the database does not respond. */
  #readFigures(): Promise<FleetFigures | null> {
    const { db, clock, log } = this.#deps;
    this.#reading ??= readFleetFigures(db, clock.now())
      .catch((error: unknown) => {
        log.warn({ error }, "failed to read the fleet's metrics");
        return null;
      })
      .finally(() => {
        this.#reading = null;
      });
    return withTimeout(clock, this.#reading, FIGURES_TIMEOUT_MS);
  }
}
