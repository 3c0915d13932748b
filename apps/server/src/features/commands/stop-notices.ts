import { STOP_NOTICES_TOPIC } from "@suncrew/contract/devices/topics.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { z } from "zod";
import type { ReceivedMessage } from "../../platform/broker.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { errorText } from "../../platform/errors.ts";
import { BrokerUnavailableError, Outage } from "../../platform/outages.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import type { SentStops } from "./stop-journal.ts";

const CHECK_MS = 500;
/** A message stays well below the size that brokers accept. */
const ROBOTS_PER_NOTICE = 2_000;
/** By then what the broker retains has arrived. */
const RETAINED_MS = 1_000;
/** No due run waits longer than this for a broker that does not say what it retains. */
const LEARNS_WITHIN_MS = 10_000;
/** A broker may end the connection that asks for a topic it refuses, so that is not asked all the time. */
const ASK_AGAIN_MS = 60_000;

const REFUSED = { begins: "is refused", lasts: "is still refused", ends: "is granted" };

const noticeSchema = z.object({
  /** When it was said. */
  at: z.coerce.date(),
  robotIds: z.array(z.number().int()),
});

type Press = Pick<SentStops, "id" | "stops">;

/** What one message says: robots of a press whose Stops have no row. */
interface Page {
  readonly topic: string;
  readonly robotIds: readonly number[];
}

interface Notice {
  readonly robotIds: ReadonlySet<number>;
  /** When it was said, by the monotonic clock of this server. */
  readonly saidMs: number;
}

/**
 * Servers tell each other through the broker which robots they sent a Stop that has no row (protocol rule 3): a server
 * that cannot store may do so while another one stores, and starts what is due. Of each press the broker retains the
 * robots whose Stops have no row yet, so that a server which starts learns of them as well. A notice counts until it is
 * withdrawn, or has not been repeated for as long as a run may begin late. It has a connection of its own, so that a
 * broker which refuses the topic harms no command.
 */
export class StopNotices implements Service {
  readonly #deps: Pick<Dependencies, "peerBroker" | "clock" | "log">;
  /** By topic. */
  readonly #heard = new Map<string, Notice>();
  /** How many robots each of this server's notices names, by topic. */
  readonly #said = new Map<string, number>();
  readonly #refusal: Outage;
  readonly #tasks: PeriodicTasks;
  #cancel: Cancel = () => {};
  #end: (() => Promise<void>) | null = null;
  #listeningSinceMs: number | null = null;
  /** Since when it should be listening: it has been started, or connected again. */
  #learningSinceMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #asksAgainMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Pick<Dependencies, "peerBroker" | "clock" | "log">) {
    this.#deps = deps;
    this.#refusal = new Outage("the subscription to other servers' Stops", deps.log, deps.clock, REFUSED);
    this.#tasks = new PeriodicTasks(deps, [
      { name: "other servers' Stops", everyMs: CHECK_MS, work: async () => this.#check(), atStart: true },
    ]);
  }

  async start(): Promise<void> {
    const { peerBroker, clock } = this.#deps;
    if (peerBroker === undefined) return;
    this.#learningSinceMs = clock.monotonicMs();
    this.#cancel = peerBroker.onConnectionChange(() => {
      this.#listeningSinceMs = null;
      this.#learningSinceMs = clock.monotonicMs();
    });
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#tasks.stop();
    this.#refusal.stop();
    // A broker that does not respond must not delay the end.
    void this.#end?.().catch(() => {});
  }

  /** Before the Stops themselves are sent, and with each repetition. */
  announce(press: Press): void {
    for (const page of pagesOf(press)) this.#say(page);
  }

  /** These are all presses of this server with Stops that have no row: what it said about others is no longer so. */
  update(presses: readonly Press[]): void {
    const open = new Map(presses.flatMap(pagesOf).map((page) => [page.topic, page]));
    for (const [topic, robots] of this.#said) {
      const page = open.get(topic);
      if (page === undefined) this.#withdraw(topic);
      else if (page.robotIds.length !== robots) this.#say(page);
    }
  }

  /** Whether no due run may start the robot, as far as is known: a server has sent it a Stop that has no row yet. */
  holdsBack(robotId: number): boolean {
    return this.#isLearning || [...this.#heard.values()].some((one) => one.robotIds.has(robotId) && !this.#isOld(one));
  }

  #isOld({ saidMs }: Notice): boolean {
    return this.#deps.clock.monotonicMs() - saidMs > STARTS_LATE_UP_TO_MS;
  }

  get #isLearning(): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#listeningSinceMs !== null) return nowMs - this.#listeningSinceMs < RETAINED_MS;
    const willListen = !this.#refusal.isOn && (this.#isAsking || nowMs >= this.#asksAgainMs);
    return willListen && nowMs - this.#learningSinceMs < LEARNS_WITHIN_MS;
  }

  #check(): void {
    for (const [topic, notice] of this.#heard) if (this.#isOld(notice)) this.#forget(topic);
    const nowMs = this.#deps.clock.monotonicMs();
    const isConnected = this.#deps.peerBroker?.connected === true;
    const isDeaf = this.#listeningSinceMs === null && !this.#isAsking;
    if (isConnected && isDeaf && nowMs >= this.#asksAgainMs) void this.#listen();
  }

  async #listen(): Promise<void> {
    const { peerBroker, clock } = this.#deps;
    if (peerBroker === undefined) return;
    this.#isAsking = true;
    this.#asksAgainMs = clock.monotonicMs() + ASK_AGAIN_MS;
    try {
      this.#end = await peerBroker.subscribe([`${STOP_NOTICES_TOPIC}/#`], this.#onMessage);
      this.#listeningSinceMs = clock.monotonicMs();
      this.#asksAgainMs = Number.NEGATIVE_INFINITY;
      this.#refusal.end();
    } catch (error) {
      // The servers' account may lack a right that older versions did not need; everything else works without.
      const isRefused = error instanceof Error && !(error instanceof BrokerUnavailableError);
      if (isRefused) this.#refusal.begin(errorText(error));
    } finally {
      this.#isAsking = false;
    }
  }

  readonly #onMessage = ({ topic, payload, retained }: ReceivedMessage): void => {
    const { clock, log } = this.#deps;
    if (!topic.startsWith(`${STOP_NOTICES_TOPIC}/`)) return;
    if (payload.length === 0) return void this.#heard.delete(topic);
    try {
      const { at, robotIds } = noticeSchema.parse(JSON.parse(payload.toString()));
      const ageMs = retained ? Math.max(0, clock.now().getTime() - at.getTime()) : 0;
      this.#heard.set(topic, { robotIds: new Set(robotIds), saidMs: clock.monotonicMs() - ageMs });
    } catch (error) {
      log.warn({ reason: error }, "what another server said about Stops cannot be read");
    }
  };

  #say({ topic, robotIds }: Page): void {
    this.#said.set(topic, robotIds.length);
    this.#publish(topic, JSON.stringify({ at: this.#deps.clock.now(), robotIds }));
  }

  /** Its server is gone for good, or would have repeated it: nobody else clears what the broker retains. */
  #forget(topic: string): void {
    this.#heard.delete(topic);
    this.#publish(topic, "");
  }

  #withdraw(topic: string): void {
    this.#deps.peerBroker?.publish(topic, "", { retain: true }).then(
      () => this.#said.delete(topic),
      // Tried again.
      () => {},
    );
  }

  #publish(topic: string, payload: string): void {
    // Repeated with the Stops.
    this.#deps.peerBroker?.publish(topic, payload, { retain: true }).catch(() => {});
  }
}

function pagesOf({ id, stops }: Press): Page[] {
  const robotIds = stops.map(({ robotId }) => robotId);
  const pages: Page[] = [];
  for (let from = 0; from < robotIds.length; from += ROBOTS_PER_NOTICE) {
    pages.push({
      topic: `${STOP_NOTICES_TOPIC}/${id}/${from}`,
      robotIds: robotIds.slice(from, from + ROBOTS_PER_NOTICE),
    });
  }
  return pages;
}
