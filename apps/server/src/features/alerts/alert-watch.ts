import { hostname } from "node:os";
import { LISTENING_GRACE_MS } from "@suncrew/domain/alerts/offline-alerts.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Cancel } from "../../platform/clock.ts";
import { ListeningPeriod } from "../../platform/broker.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { PeriodicTask } from "../../platform/periodic-task.ts";
import { seenAt } from "../sites/public.ts";
import { updateOfflineAlerts, updateLostRobotAlerts, touchLostRobots } from "./offline-alerts.repository.ts";
import { ServerClockAlert } from "./server-clock-alert.repository.ts";

const LOOK_MS = 10_000;
/** A robot that may be moving where nobody sees it is told of within seconds. */
const LOOK_FOR_LOST_MS = 2_000;
const LOOK_AT_CLOCKS_MS = 2_000;

interface AlertWatchDependencies extends Pick<
  Dependencies,
  "db" | "clock" | "clocks" | "broker" | "settings" | "log" | "serverId"
> {
  /** What people call this server; the name of its machine where it is not given. */
  readonly serverName?: string;
}

/**
 * Raises the alerts about robots that are not heard any more: those that were last seen moving, at once; those that have
 * been away for too long, and sites that went dark; and the one about servers whose clocks do not agree. Every server
 * looks, by the time of the database.
 */
export class AlertWatch implements Service {
  readonly #deps: AlertWatchDependencies;
  readonly #rounds: PeriodicTask;
  readonly #roundsForLost: PeriodicTask;
  readonly #roundsForClocks: PeriodicTask;
  readonly #clockAlert: ServerClockAlert;
  readonly #hearing: ListeningPeriod;
  #isLeaving = false;
  #cancels: Cancel[] = [];
  #touching: Promise<void> = Promise.resolve();

  constructor(deps: AlertWatchDependencies) {
    this.#deps = deps;
    this.#hearing = new ListeningPeriod(deps);
    this.#rounds = new PeriodicTask(deps.log, () => this.#round());
    this.#roundsForLost = new PeriodicTask(deps.log, () => updateLostRobotAlerts(deps.db, seenAt(deps)));
    this.#clockAlert = new ServerClockAlert(deps.db, { id: deps.serverId, name: deps.serverName ?? hostname() });
    this.#roundsForClocks = new PeriodicTask(deps.log, () => this.#clockRound());
  }

  async start(): Promise<void> {
    const { db, clock, broker, log } = this.#deps;
    this.#isLeaving = false;
    this.#cancels = [
      this.#hearing.follow(),
      broker.onConnectionChange(() => {
        this.#touching = touchLostRobots(db).catch((error: unknown) => {
          log.warn({ error }, "robots that are lost were not told anew");
        });
      }),
      clock.every(LOOK_FOR_LOST_MS, () => void this.#roundsForLost.run()),
      clock.every(LOOK_AT_CLOCKS_MS, () => void this.#roundsForClocks.run()),
      clock.every(LOOK_MS, () => void this.look()),
    ];
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#touching;
    await this.#roundsForLost.idle();
    await this.#rounds.idle();
    await this.#roundsForClocks.idle();
    // A server that is not there starts no robot, whatever its clock says.
    this.#isLeaving = true;
    if (this.#clockAlert.hasRow) await this.#roundsForClocks.run();
  }

  /** Looks once; resolves when what was due is stored. */
  async look(): Promise<void> {
    await this.#roundsForLost.run();
    await this.#rounds.run();
    await this.#roundsForClocks.run();
  }

  async #clockRound(): Promise<void> {
    const { clock, clocks } = this.#deps;
    await this.#clockAlert.look(this.#isLeaving ? null : (clocks?.trouble ?? null), clock.now());
  }

  async #round(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    // Nobody may have stored, or rightly dated, what robots said.
    if (isClockWrong(this.#deps)) this.#hearing.restart();
    // Without its broker every robot seems to be away, and after it robots take a moment to be back.
    if (!broker.connected || this.#hearing.forMs < LISTENING_GRACE_MS) return;
    await updateOfflineAlerts(db, clock.now());
  }
}
