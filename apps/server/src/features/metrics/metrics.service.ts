import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from "prom-client";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { withTimeout } from "../../platform/clock.ts";
import { poolCounts } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { taskDuration, taskFailures } from "../../platform/periodic-task.ts";
import { productVersion } from "../../platform/product-version.ts";
import { settledCounts } from "../commands/public.ts";
import type { Bridge } from "../devices/public.ts";
import { type FleetFigures, readFleetFigures } from "./fleet-figures.repository.ts";

/** A database that does not respond within this time costs its own figures, not the whole page. */
const FIGURES_TIMEOUT_MS = 3_000;

/** Read from the database, so every server reports the same values. */
const fleetGauges: readonly [name: string, help: string, valueOf: (figures: FleetFigures) => number][] = [
  ["suncrew_robots", "Robots of the installation", ({ robots }) => robots],
  ["suncrew_robots_online", "Robots that are online", ({ online }) => online],
  ["suncrew_robots_moving", "Robots that are online and move", ({ moving }) => moving],
  [
    "suncrew_robots_lost_while_moving",
    "Robots that were last seen moving and are no longer heard from",
    ({ lostWhileMoving }) => lostWhileMoving,
  ],
  [
    "suncrew_stops_pending",
    "STOPs that outlived their answer and are sent until confirmed",
    ({ stopsPending }) => stopsPending,
  ],
  ["suncrew_locks_pending", "Maintenance locks that robots have not confirmed", ({ locksPending }) => locksPending],
  ["suncrew_schedules_due", "Schedules that are due and not served", ({ schedulesDue }) => schedulesDue],
  [
    "suncrew_schedule_oldest_due_seconds",
    "For how long the oldest of them has been due; 0 where none is",
    ({ oldestDueMs }) => oldestDueMs / 1000,
  ],
];

export interface MeasuredParts {
  readonly bridge: Pick<Bridge, "active" | "messages" | "badMessages">;
  readonly live: {
    readonly feed: {
      readonly streams: { readonly count: number; readonly cutCount: number; readonly heldBytes: number };
    };
    /** Streams that were refused, by the limit they would have exceeded. */
    readonly places: { readonly refused: ReadonlyMap<string, number> };
  };
}

type Sample = [value: number, labels?: Record<string, string>];

type MetricsDependencies = Pick<Dependencies, "db" | "reservedDb" | "broker" | "clock" | "clocks" | "log">;

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
    this.#gauge("suncrew_live_streams", "Live streams that are open", [], () => [[streams.count]]);
    this.#gauge("suncrew_live_waiting_bytes", "What live streams hold that their readers have not taken", [], () => [
      [streams.heldBytes],
    ]);
    this.#counter("suncrew_live_streams_refused_total", "Live streams that were refused, by limit", ["limit"], () =>
      Array.from(places.refused, ([limit, count]) => [count, { limit }]),
    );
    this.#counter(
      "suncrew_live_streams_cut_total",
      "Live streams that were cut off because their readers did not keep up",
      [],
      () => [[streams.cutCount]],
    );
    this.#gauge("suncrew_bridge", "1 while this server is the bridge", [], () => [[Number(bridge.active)]]);
    this.#counter(
      "suncrew_device_messages_total",
      "Messages of robots that this server took in, by leaf",
      ["leaf"],
      () => Array.from(bridge.messages, ([leaf, count]) => [count, { leaf }]),
    );
    this.#counter(
      "suncrew_device_messages_dropped_total",
      "Messages of robots that were dropped, by reason",
      ["reason"],
      () => Object.entries(bridge.badMessages).map(([reason, count]) => [count, { reason }]),
    );
  }

  /** The page, in the text format of Prometheus, with the metrics of the process. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    const merged = Registry.merge([this.#registry, register]);
    return { type: merged.contentType, text: await merged.metrics() };
  }

  #registerServer(): void {
    const { db, broker, clocks } = this.#deps;
    this.#gauge("suncrew_info", "1, with the version that runs", ["version"], () => [
      [1, { version: productVersion() }],
    ]);
    this.#gauge("suncrew_broker_connected", "1 while this server is connected to the broker", [], () => [
      [Number(broker.connected)],
    ]);
    this.#gauge(
      "suncrew_clock_trusted",
      "1 while this server relies on its clock; 0: neither bridge nor scheduler",
      [],
      () => [[Number(!isClockWrong(this.#deps))]],
    );
    this.#gauge(
      "suncrew_clock_ahead_seconds",
      "How far a clock is ahead of the database's: what was counted, or the machine's own",
      ["clock"],
      () => {
        const reading = clocks?.reading ?? null;
        if (reading === null) return [];
        return [
          [reading.countedAheadMs / 1000, { clock: "counted" }],
          [reading.ownAheadMs / 1000, { clock: "own" }],
        ];
      },
    );
    this.#counter(
      "suncrew_commands_settled_total",
      "Commands that this server settled, by verb and outcome",
      ["verb", "outcome"],
      () => settledCounts(db).map(({ verb, outcome, count }) => [count, { verb, outcome }]),
    );
  }

  #registerDatabase(): void {
    const { db, reservedDb } = this.#deps;
    // Counted after the figures were read, so that this page's own query is not included.
    const readPools = async () => {
      await this.#readFigures();
      return Object.entries({ general: poolCounts(db), ...(reservedDb && { reserved: poolCounts(reservedDb) }) });
    };
    this.#gauge(
      "suncrew_database_connections",
      "Connections to the database by pool and what they do",
      ["pool", "state"],
      async () =>
        (await readPools()).flatMap(([pool, { used, idle }]): Sample[] => [
          [used, { pool, state: "used" }],
          [idle, { pool, state: "idle" }],
        ]),
    );
    this.#gauge("suncrew_database_waiting_callers", "Queries that wait for a connection", ["pool"], async () =>
      (await readPools()).map(([pool, { waiting }]) => [waiting, { pool }]),
    );
    this.#gauge("suncrew_database_reached", "1 where the figures of the fleet could be read just now", [], async () => [
      [Number((await this.#readFigures()) !== null)],
    ]);
    for (const [name, help, valueOf] of fleetGauges) {
      this.#gauge(name, help, [], async () => {
        const figures = await this.#readFigures();
        return figures === null ? [] : [[valueOf(figures)]];
      });
    }
  }

  /** A value without labels is left out while `read` returns none: a 0 would be wrong. */
  #gauge(name: string, help: string, labelNames: string[], read: () => Sample[] | Promise<Sample[]>): void {
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
