import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from "prom-client";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { withTimeout } from "../../platform/clock.ts";
import { poolCounts } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { productVersion } from "../../platform/product-version.ts";
import { settledCounts } from "../commands/public.ts";
import type { Bridge } from "../devices/public.ts";
import { type FleetFigures, readFleetFigures } from "./fleet-figures.repository.ts";

/** A database that does not answer within this time costs its own figures, not the whole page. */
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

/** The long-lived parts that are measured. */
export interface MeasuredParts {
  readonly bridge: Pick<Bridge, "active" | "messages" | "badMessages">;
  readonly live: {
    readonly feed: { readonly streamCount: number; readonly cutCount: number; readonly heldBytes: number };
    /** Streams that were refused, by the limit they would have exceeded. */
    readonly places: { readonly refused: ReadonlyMap<string, number> };
  };
}

type MetricsDependencies = Pick<Dependencies, "db" | "reservedDb" | "broker" | "clock" | "clocks" | "log">;

/**
 * What one server measures, as Prometheus reads it. Names begin with `suncrew_` and end with their unit. No label has a
 * value that comes from a person or a robot: routes are templates, and the rest are words of the code.
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
    // Once per process, which may have several servers in tests.
    if (register.getSingleMetric("process_cpu_seconds_total") === undefined) collectDefaultMetrics();
    this.#registerServer();
    this.#registerDatabase();
  }

  /** Adds the metrics of the parts that are created after the calls that this measures. */
  measure({ bridge, live: { feed, places } }: MeasuredParts): void {
    const registry = this.#registry;
    registry.registerMetric(
      new Gauge({
        name: "suncrew_live_streams",
        help: "Live streams that are open",
        registers: [],
        collect() {
          this.set(feed.streamCount);
        },
      }),
    );
    registry.registerMetric(
      new Gauge({
        name: "suncrew_live_waiting_bytes",
        help: "What live streams hold that their readers have not taken",
        registers: [],
        collect() {
          this.set(feed.heldBytes);
        },
      }),
    );
    registry.registerMetric(
      new Counter({
        name: "suncrew_live_streams_refused_total",
        help: "Live streams that were refused, by limit",
        labelNames: ["limit"],
        registers: [],
        collect() {
          this.reset();
          for (const [limit, count] of places.refused) this.inc({ limit }, count);
        },
      }),
    );
    registry.registerMetric(
      new Counter({
        name: "suncrew_live_streams_cut_total",
        help: "Live streams that were cut off because nobody took what they carry",
        registers: [],
        collect() {
          this.reset();
          this.inc(feed.cutCount);
        },
      }),
    );
    registry.registerMetric(
      new Gauge({
        name: "suncrew_bridge",
        help: "1 while this server is the bridge",
        registers: [],
        collect() {
          this.set(Number(bridge.active));
        },
      }),
    );
    registry.registerMetric(
      new Counter({
        name: "suncrew_device_messages_total",
        help: "Messages of robots that this server took in, by leaf",
        labelNames: ["leaf"],
        registers: [],
        collect() {
          this.reset();
          for (const [leaf, count] of bridge.messages) this.inc({ leaf }, count);
        },
      }),
    );
    registry.registerMetric(
      new Counter({
        name: "suncrew_device_messages_dropped_total",
        help: "Messages of robots that were dropped, by reason",
        labelNames: ["reason"],
        registers: [],
        collect() {
          this.reset();
          for (const [reason, count] of Object.entries(bridge.badMessages)) this.inc({ reason }, count);
        },
      }),
    );
  }

  /** The page, in the text format of Prometheus, with the metrics of the process. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    const merged = Registry.merge([this.#registry, register]);
    return { type: merged.contentType, text: await merged.metrics() };
  }

  #registerServer(): void {
    const registry = this.#registry;
    const { db, broker, clocks } = this.#deps;
    const deps = this.#deps;
    const info = new Gauge({
      name: "suncrew_info",
      help: "1, with the version that runs",
      labelNames: ["version"],
      registers: [registry],
    });
    info.set({ version: productVersion() }, 1);
    registry.registerMetric(
      new Gauge({
        name: "suncrew_broker_connected",
        help: "1 while this server is connected to the broker",
        registers: [],
        collect() {
          this.set(Number(broker.connected));
        },
      }),
    );
    registry.registerMetric(
      new Gauge({
        name: "suncrew_clock_trusted",
        help: "1 while this server relies on its clock; 0: neither bridge nor scheduler",
        registers: [],
        collect() {
          this.set(Number(!isClockWrong(deps)));
        },
      }),
    );
    registry.registerMetric(
      new Gauge({
        name: "suncrew_clock_ahead_seconds",
        help: "How far a clock is ahead of the database's: what was counted, or the machine's own",
        labelNames: ["clock"],
        registers: [],
        collect() {
          const reading = clocks?.reading ?? null;
          if (reading === null) return;
          this.set({ clock: "counted" }, reading.countedAheadMs / 1000);
          this.set({ clock: "own" }, reading.ownAheadMs / 1000);
        },
      }),
    );
    registry.registerMetric(
      new Counter({
        name: "suncrew_commands_settled_total",
        help: "Commands that this server settled, by verb and outcome",
        labelNames: ["verb", "outcome"],
        registers: [],
        collect() {
          this.reset();
          for (const { verb, outcome, count } of settledCounts(db)) this.inc({ verb, outcome }, count);
        },
      }),
    );
  }

  #registerDatabase(): void {
    const registry = this.#registry;
    const { db, reservedDb } = this.#deps;
    const readFigures = () => this.#readFigures();
    const pools = () =>
      Object.entries({ general: poolCounts(db), ...(reservedDb && { reserved: poolCounts(reservedDb) }) });
    registry.registerMetric(
      new Gauge({
        name: "suncrew_database_connections",
        help: "Connections to the database by pool and what they do",
        labelNames: ["pool", "state"],
        registers: [],
        async collect() {
          // Counted after it, so that this page's own query is not among them.
          await readFigures();
          for (const [pool, { used, idle }] of pools()) {
            this.set({ pool, state: "used" }, used);
            this.set({ pool, state: "idle" }, idle);
          }
        },
      }),
    );
    registry.registerMetric(
      new Gauge({
        name: "suncrew_database_waiting_callers",
        help: "Queries that wait for a connection",
        labelNames: ["pool"],
        registers: [],
        async collect() {
          await readFigures();
          for (const [pool, { waiting }] of pools()) this.set({ pool }, waiting);
        },
      }),
    );
    registry.registerMetric(
      new Gauge({
        name: "suncrew_database_reached",
        help: "1 where the figures of the fleet could be read just now",
        registers: [],
        async collect() {
          this.set(Number((await readFigures()) !== null));
        },
      }),
    );
    for (const [name, help, valueOf] of fleetGauges) {
      registry.registerMetric(
        new Gauge({
          name,
          help,
          registers: [],
          async collect() {
            const figures = await readFigures();
            // An unknown figure is left out: a 0 would be a lie.
            if (figures === null) this.remove();
            else this.set(valueOf(figures));
          },
        }),
      );
    }
  }

  /** Gauges and pages that are collected at the same time share one query; null where the database does not answer. */
  #readFigures(): Promise<FleetFigures | null> {
    const { db, clock, log } = this.#deps;
    this.#reading ??= readFleetFigures(db, clock.now())
      .catch((error: unknown) => {
        log.warn({ error }, "the fleet's figures were not read");
        return null;
      })
      .finally(() => {
        this.#reading = null;
      });
    return withTimeout(clock, this.#reading, FIGURES_TIMEOUT_MS);
  }
}
