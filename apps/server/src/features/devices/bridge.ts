import type { DeviceLeaf } from "@suncrew/contract/devices/topics.ts";
import type { ReceivedMessage } from "../../platform/broker.ts";
import { announceChange } from "../../platform/change-signal.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { type Cancel, withTimeout } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import { publishCommandMessage, questionEnvelope } from "../commands/public.ts";
import { BadMessages, openMessage, robotTopics, sensorTopics, serialIn } from "./devices.mqtt.ts";
import { BridgeLock, type BridgeLockDependencies } from "./bridge-lock.ts";
import { IngestQueue } from "./ingest-queue.ts";
import type { Ingested } from "./ingest.repository.ts";
import { ensureReadingsPartitions } from "./robot-state.repository.ts";
import { countRobots, readConnectedRobots, sweepSilentRobots } from "./presence.repository.ts";
import { shareOf } from "./shares.ts";
import { StatusRequests } from "./status-requests.ts";

const FLUSH_MS = 100;
/** A bridge that gives shares up stores what it has received, within this time. */
const FINAL_FLUSH_MS = 1_000;
const SWEEP_MS = 5_000;
/** A new bridge has not heard from any robot yet; it requests their status before treating any as silent. */
const SWEEP_GRACE_MS = 15_000;
/** Nor for this long while it is still asking them, however many there are: by then each has reported by itself. */
const ASKING_GRACE_MS = 35_000;
/** By then retained messages have arrived and show which robots are connected. */
const RETAINED_MS = 500;
/** Those of a large fleet take longer to be stored than a START may wait for its robot (rule 6). */
const LEARNING_MS = 1_000;
const DAY_MS = 86_400_000;
/** A slow database must not keep a new bridge from listening. */
const COUNTED_WITHIN_MS = 1_000;
/** A fleet may grow. */
const COUNT_MS = 60_000;

export interface BridgeDependencies extends Pick<Dependencies, "db" | "broker" | "clocks">, BridgeLockDependencies {
  /** Sends pending STOPs and maintenance locks again to robots that are back (protocol rules 3 and 8). */
  readonly resendPending: (robotIds: readonly number[]) => Promise<void> | void;
}

/** Stores what robots publish, of those shares that this server holds the locks of (protocol rule 11). */
export class Bridge implements Service {
  readonly #deps: BridgeDependencies;
  readonly #bad: BadMessages;
  readonly #received = new Map<DeviceLeaf, number>();
  readonly #lock: BridgeLock;
  readonly #log: ThrottledLog;
  readonly #queue: IngestQueue;
  readonly #subscription: RobotSubscription;
  readonly #statusRequests: StatusRequests;
  readonly #inProgress = new Set<Promise<void>>();
  /** Messages that the broker has not accepted yet; if it is unreachable, it may never. */
  readonly #sending = new Set<Promise<void>>();
  #timers: Cancel[] = [];
  #cancelStatusRequests: Cancel = () => {};
  /** Held shares whose robots have not been asked since this server heard nothing of them. */
  readonly #unheard = new Set<number>();
  /** Since when it has not looked for silent robots because others are still to be asked, by the monotonic clock. */
  #sweepPutOffMs: number | null = null;
  #isSweeping = false;

  constructor(deps: BridgeDependencies) {
    const { db, broker, clock, log } = deps;
    this.#deps = deps;
    this.#bad = new BadMessages(deps);
    this.#lock = new BridgeLock(deps, {
      canHold: () => !isClockWrong(deps),
      // Acknowledged messages are not redelivered.
      onGiving: async () => (await withTimeout(clock, this.#queue.storeArrived(), FINAL_FLUSH_MS)) === true,
      hasBroker: () => broker.connected,
      onHeld: (shares) => this.#take(shares),
      onLost: () => this.#drop(),
    });
    const isHeld = (serial: string) => this.#lock.held.has(shareOf(serial));
    const onIngested = (ingested: Ingested) => this.#afterIngest(ingested);
    this.#log = new ThrottledLog(log, clock);
    this.#queue = new IngestQueue({ db, clock, log: this.#log, bad: this.#bad, isHeld, onIngested });
    this.#statusRequests = new StatusRequests(deps, isHeld);
    this.#subscription = new RobotSubscription(deps, {
      onMessage: (message) => this.#onMessage(message),
      onSubscribed: () => this.#onSubscribed(),
      onReconnected: () => {
        for (const share of this.#lock.held.keys()) this.#unheard.add(share);
        this.#statusRequests.cancel();
        this.#onSubscribed();
      },
    });
  }

  /** The shares of the robots that this server is the bridge of. */
  get shares(): ReadonlySet<number> {
    return new Set(this.#lock.held.keys());
  }

  /** True while this server is the bridge of some robots. */
  get active(): boolean {
    return this.#lock.held.size > 0;
  }

  /** Valid messages by leaf that this server has received since it started. */
  get messages(): ReadonlyMap<DeviceLeaf, number> {
    return this.#received;
  }

  get badMessages(): BadMessages["counts"] {
    return this.#bad.counts;
  }

  async start(): Promise<void> {
    await this.#lock.start();
  }

  /** Waits for the database, not for the broker. */
  async stop(): Promise<void> {
    void this.#subscription.end();
    // Received messages are stored before another server becomes the bridge.
    if (this.active) await this.#queue.flush();
    await this.#lock.stop();
    await this.#settled();
    await this.#log.stop();
  }

  /** Resolves when no work is in progress; messages waiting for the next flush do not count. */
  async idle(): Promise<void> {
    await this.#lock.idle();
    await this.#settled();
    await this.#subscription.idle();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
  }

  /** This server is the bridge of these shares, too. */
  #take(shares: readonly number[]): void {
    for (const share of shares) this.#unheard.add(share);
    if (this.#timers.length === 0) {
      const { clock } = this.#deps;
      this.#timers = [
        clock.every(FLUSH_MS, () => this.#track(this.#queue.flush())),
        clock.every(SWEEP_MS, () => this.#track(this.#sweep())),
        clock.every(DAY_MS, () => this.#track(this.#createPartitions())),
        clock.every(COUNT_MS, () => this.#track(this.#expectRobots())),
      ];
    }
    const begin = async () => {
      const expecting = withTimeout(this.#deps.clock, this.#expectRobots(), COUNTED_WITHIN_MS);
      await Promise.all([this.#createPartitions(), expecting]);
      if (this.active) void this.#subscription.begin();
    };
    this.#track(begin());
  }

  /** This server is no longer the bridge of all shares that it was. */
  #drop(): void {
    if (this.active) {
      this.#queue.dropLost();
      return;
    }
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
    this.#cancelStatusRequests();
    this.#statusRequests.cancel();
    this.#unheard.clear();
    this.#queue.clear();
    void this.#subscription.end();
  }

  #onMessage(received: ReceivedMessage): void {
    // Before anything is parsed: every server receives the messages of all robots.
    if (!this.#lock.held.has(shareOf(serialIn(received.topic)))) return;
    const opened = openMessage(received, this.#deps.clock.now());
    if ("bad" in opened) {
      this.#bad.add(opened.bad, opened.serial);
      return;
    }
    const { leaf } = opened.incoming;
    if (leaf === "state" && !received.retained) this.#statusRequests.heard(opened.serial);
    this.#received.set(leaf, (this.#received.get(leaf) ?? 0) + 1);
    this.#queue.add(opened.serial, opened.incoming);
  }

  #onSubscribed(): void {
    this.#cancelStatusRequests();
    this.#cancelStatusRequests = this.#deps.clock.after(RETAINED_MS, () => this.#track(this.#requestStatuses()));
  }

  /** After a takeover or reconnect: requests robots' status and resends what is pending. */
  async #requestStatuses(): Promise<void> {
    const { db, clock } = this.#deps;
    const unheard = () => [...this.#unheard].filter((share) => this.#lock.held.has(share));
    const stored = this.#queue.storeArrived();
    if ((await withTimeout(clock, stored, LEARNING_MS)) === null) {
      const known = await readConnectedRobots(db, unheard(), clock.now());
      this.#statusRequests.plan(known.filter(({ awaited }) => awaited));
      await stored;
    }
    const shares = unheard();
    this.#unheard.clear();
    const robots = await readConnectedRobots(db, shares, clock.now());
    if (!this.active) return;
    this.#statusRequests.plan(robots);
    await this.#deps.resendPending(robots.map(({ robotId }) => robotId));
  }

  #afterIngest({ returned, received }: Ingested): void {
    if (returned.length > 0) this.#track(Promise.resolve(this.#deps.resendPending(returned)));
    for (const event of received) this.#track(this.#acknowledge(event), this.#sending);
  }

  async #acknowledge({ serial, session, eventSeq }: Ingested["received"][number]): Promise<void> {
    const { broker, clock } = this.#deps;
    const envelope = questionEnvelope(clock.now(), session, "Suncrew");
    await publishCommandMessage(broker, serial, { ...envelope, verb: "RECEIVED", eventSeq });
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const { db, clock } = this.#deps;
    try {
      // Queued messages may prove that a robot is connected.
      const isStored = await this.#queue.storeArrived();
      const now = clock.now();
      const nowMs = clock.monotonicMs();
      const shares = [...this.#lock.held].flatMap(([share, sinceMs]) =>
        nowMs - sinceMs < SWEEP_GRACE_MS ? [] : [share],
      );
      if (this.#unheard.size > 0 || this.#statusRequests.isAsking) {
        this.#sweepPutOffMs ??= nowMs;
        if (nowMs - this.#sweepPutOffMs < ASKING_GRACE_MS) return;
      }
      this.#sweepPutOffMs = null;
      if (!isStored || shares.length === 0) return;
      await db.transaction().execute(async (tx) => {
        if ((await sweepSilentRobots(tx, shares, now)) > 0) await announceChange(tx);
      });
    } finally {
      this.#isSweeping = false;
    }
  }

  async #expectRobots(): Promise<void> {
    try {
      this.#queue.expect(await countRobots(this.#deps.db, [...this.#lock.held.keys()]));
    } catch (error) {
      this.#log.warn({ error }, "could not count the robots of this bridge");
    }
  }

  async #createPartitions(): Promise<void> {
    try {
      await ensureReadingsPartitions(this.#deps.db, this.#deps.clock.now());
    } catch (error) {
      this.#deps.log.error({ error }, "failed to create a partition for readings");
    }
  }

  /** No failure stops the bridge (protocol rule 10). */
  #track(work: Promise<void>, set = this.#inProgress): void {
    const tracked = work
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : "unknown";
        this.#log.warn({ error }, "unexpected error in the bridge, which continues", reason);
      })
      .finally(() => set.delete(tracked));
    set.add(tracked);
  }
}

const RETRY_MS = 1_000;

interface SubscriptionListener {
  onMessage(message: ReceivedMessage): void;
  /** Subscribed, for the first time or again: retained messages will follow. */
  onSubscribed(): void;
  /** Resubscribed after a broker outage, in which messages were missed. */
  onReconnected(): void;
}

/**
 * The bridge's subscription to robot messages, surviving broker reconnects. Subscribing again while it is subscribed
 * makes the broker send what it retains once more; nothing is missed meanwhile.
 */
class RobotSubscription {
  readonly #deps: BridgeDependencies;
  readonly #listener: SubscriptionListener;
  /** Counts the times this server became the bridge of some share; null while it is of none. */
  #wanted: number | null = null;
  #begun = 0;
  /** What it is subscribed by, and for which time. */
  #held: {
    by: number;
    readonly onMessage: (message: ReceivedMessage) => void;
    readonly end: () => Promise<void>;
  } | null = null;
  #settling: Promise<void> = Promise.resolve();
  #stopListening: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor(deps: BridgeDependencies, listener: SubscriptionListener) {
    this.#deps = deps;
    this.#listener = listener;
  }

  begin(): Promise<void> {
    this.#begun += 1;
    this.#wanted = this.#begun;
    this.#stopListening();
    this.#stopListening = this.#deps.broker.onConnectionChange((connected) => {
      if (!connected) return;
      // The connection renews its subscriptions automatically.
      if (this.#held !== null) {
        this.#held.by = this.#begun;
        this.#listener.onReconnected();
      } else void this.#settle();
    });
    return this.#settle();
  }

  /** No message is delivered after this call. */
  end(): Promise<void> {
    this.#wanted = null;
    this.#stopListening();
    this.#cancelRetry();
    return this.#settle();
  }

  /** Resolves when the broker has acknowledged the subscriptions. */
  async idle(): Promise<void> {
    await this.#settling;
  }

  /** Reconciles it with what is wanted, one step at a time: the broker knows one subscription per connection. */
  #settle(): Promise<void> {
    this.#settling = this.#settleAfter(this.#settling);
    return this.#settling;
  }

  async #settleAfter(former: Promise<void>): Promise<void> {
    await former;
    if (this.#held !== null && this.#wanted === null) await this.#unsubscribe();
    if (this.#wanted !== null && this.#held?.by !== this.#wanted && this.#deps.broker.connected)
      await this.#subscribe(this.#wanted);
  }

  async #subscribe(by: number): Promise<void> {
    const former = this.#held;
    const onMessage = (message: ReceivedMessage) => {
      // While it subscribes again, the former handler still counts.
      const isCurrent = onMessage === (this.#held?.onMessage ?? onMessage);
      if (this.#wanted !== null && isCurrent) this.#listener.onMessage(message);
    };
    try {
      const endRobots = await this.#deps.broker.subscribe(robotTopics, onMessage);
      const endSensors = await this.#subscribeToSensors().catch(async (error: unknown) => {
        await endRobots();
        throw error;
      });
      const end = async () => void (await Promise.all([endRobots(), endSensors()]));
      this.#held = { by, onMessage, end };
      await former?.end();
      if (this.#wanted === by) this.#listener.onSubscribed();
    } catch (error) {
      this.#deps.log.warn({ error }, "could not subscribe to robots");
      if (this.#wanted === by) this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => void this.#settle());
    }
  }

  /** The handler of robots' messages gets all of the connection. Robots must not depend on rights that only sensors need. */
  async #subscribeToSensors(): Promise<() => Promise<void>> {
    const { broker, log } = this.#deps;
    try {
      return await broker.subscribe(sensorTopics, () => {});
    } catch (error) {
      if (!broker.connected) throw error;
      log.warn({ error }, "the broker does not let Suncrew listen to weather sensors: they count as silent");
      return async () => {};
    }
  }

  async #unsubscribe(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    try {
      await held?.end();
    } catch (error) {
      this.#deps.log.warn({ error }, "could not end the subscription to robots");
    }
  }
}
