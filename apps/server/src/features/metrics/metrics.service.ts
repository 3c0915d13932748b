import type { Gauge } from "prom-client";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { withTimeout } from "../../platform/clock.ts";
import { type Db, poolCounts } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { settledCounts } from "../commands/public.ts";
import type { Bridge } from "../devices/public.ts";
import { type FleetFigures, readFleetFigures } from "./fleet-figures.repository.ts";
import { type Instruments, makeInstruments } from "./instruments.ts";
import { processMetrics } from "./process-metrics.ts";
import { productVersion } from "../../platform/product-version.ts";

/** A database that does not answer within this time costs its figures, not the page. */
const PATIENCE_MS = 3_000;

/** The long-lived parts that tell how they are. */
export interface Watched {
  readonly bridge: Pick<Bridge, "active" | "messages" | "badMessages">;
  readonly live: {
    readonly feed: { readonly streamCount: number; readonly cutCount: number; readonly heldBytes: number };
    /** Streams that were refused, by the limit that they would have passed. */
    readonly places: { readonly refused: ReadonlyMap<string, number> };
  };
}

type MetricsParts = Pick<Dependencies, "db" | "reservedDb" | "broker" | "clock" | "clocks" | "log">;

/** What this server measures, as Prometheus reads it. */
export class Metrics {
  readonly #deps: MetricsParts;
  readonly #instruments: Instruments = makeInstruments();
  #watched: Watched | null = null;
  #reading: Promise<FleetFigures | null> | null = null;

  constructor(deps: MetricsParts) {
    this.#deps = deps;
    this.#instruments.info.set({ version: productVersion() }, 1);
    processMetrics();
  }

  /** Makes known what is only made after the calls that this measures. */
  watch(watched: Watched): void {
    this.#watched = watched;
  }

  /** A call was answered. */
  called(method: string, route: string, status: number, durationMs: number): void {
    this.#instruments.callSeconds.observe({ method, route, status }, durationMs / 1000);
  }

  /** A schedule was served this long after it was due. */
  served(lateMs: number): void {
    this.#instruments.lateness.observe(lateMs / 1000);
  }

  /** The page, in the text format of Prometheus. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    const { registry } = this.#instruments;
    const figures = await this.#figures();
    this.#setFleet(figures);
    this.#setOwn();
    const deps = await Promise.all([registry.metrics(), processMetrics().metrics()]);
    return { type: registry.contentType, text: deps.join("\n") };
  }

  #setOwn(): void {
    const { db, reservedDb, broker } = this.#deps;
    const to = this.#instruments;
    const pools = { general: poolCounts(db), ...(reservedDb && { reserved: poolCounts(reservedDb) }) };
    for (const [pool, { used, idle, waiting }] of Object.entries(pools)) {
      to.connections.set({ pool, state: "used" }, used);
      to.connections.set({ pool, state: "idle" }, idle);
      to.waiting.set({ pool }, waiting);
    }
    to.brokerConnected.set(Number(broker.connected));
    to.clockTrusted.set(Number(!isClockWrong(this.#deps)));
    const reading = this.#deps.clocks?.reading ?? null;
    if (reading !== null) {
      to.clockAhead.set({ clock: "counted" }, reading.countedAheadMs / 1000);
      to.clockAhead.set({ clock: "own" }, reading.ownAheadMs / 1000);
    }
    this.#setSettled(db);
    if (this.#watched === null) return;
    const { bridge, live } = this.#watched;
    to.liveStreams.set(live.feed.streamCount);
    to.liveBytes.set(live.feed.heldBytes);
    to.liveCut.reset();
    to.liveCut.inc(live.feed.cutCount);
    to.liveRefused.reset();
    for (const [limit, count] of live.places.refused) to.liveRefused.inc({ limit }, count);
    to.bridge.set(Number(bridge.active));
    to.messages.reset();
    for (const [leaf, count] of bridge.messages) to.messages.inc({ leaf }, count);
    to.dropped.reset();
    for (const [reason, count] of Object.entries(bridge.badMessages)) to.dropped.inc({ reason }, count);
  }

  #setSettled(db: Db): void {
    const { settled } = this.#instruments;
    settled.reset();
    for (const { verb, outcome, count } of settledCounts(db)) settled.inc({ verb, outcome }, count);
  }

  #setFleet(figures: FleetFigures | null): void {
    const to = this.#instruments;
    to.figuresRead.set(Number(figures !== null));
    setOrRemove(to.robots, figures?.robots);
    setOrRemove(to.online, figures?.online);
    setOrRemove(to.moving, figures?.moving);
    setOrRemove(to.lostWhileMoving, figures?.lostWhileMoving);
    setOrRemove(to.stopsPending, figures?.stopsPending);
    setOrRemove(to.locksPending, figures?.locksPending);
    setOrRemove(to.schedulesDue, figures?.schedulesDue);
    setOrRemove(to.oldestDue, figures && figures.oldestDueMs / 1000);
  }

  /** Whoever asks at the same time shares one look at the database; null where it does not answer. */
  async #figures(): Promise<FleetFigures | null> {
    const { clock } = this.#deps;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return withTimeout(clock, this.#reading, PATIENCE_MS);
  }

  async #read(): Promise<FleetFigures | null> {
    const { db, clock, log } = this.#deps;
    try {
      return await readFleetFigures(db, clock.now());
    } catch (error) {
      log.warn({ error }, "the fleet's figures were not read");
      return null;
    }
  }
}

/** An unknown figure is left out: a 0 would be a lie. */
function setOrRemove(gauge: Gauge<never>, value: number | null | undefined): void {
  if (value === null || value === undefined) gauge.remove();
  else gauge.set(value);
}
