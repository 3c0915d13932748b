import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import type { DiskSpace } from "@suncrew/domain/alerts/disk-space.ts";
import { LISTENING_GRACE_MS } from "@suncrew/domain/alerts/offline-alerts.ts";
import { backupOverdueAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Cancel } from "../../platform/clock.ts";
import { ListeningPeriod } from "../../platform/broker.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { seenAt } from "../sites/public.ts";
import {
  updateOfflineAlerts,
  updateLostRobotAlerts,
  updateSensorAlerts,
  touchLostRobots,
} from "./offline-alerts.repository.ts";
import { AuditAlert, readLastBackup } from "./server-checks.repository.ts";
import { ServerClockAlert } from "./server-clock-alert.repository.ts";
import { keepServerAlert } from "./server-conditions.repository.ts";
import { measureDatabase, updateDiskAlert } from "./server-disk-alert.repository.ts";

const OFFLINE_POLL_MS = 10_000;
/** A robot that may be moving unseen must raise its alert within seconds. */
const LOST_ROBOTS_POLL_MS = 2_000;
const CLOCKS_POLL_MS = 2_000;
/** A disk fills over hours. */
const DISKS_POLL_MS = 60_000;
/** A backup is overdue by days. */
const BACKUPS_POLL_MS = 600_000;
/** Takes a second or two of the database; `npm run audit:verify` verifies all. */
const AUDIT_POLL_MS = 3_600_000;

interface AlertWatchDependencies extends Pick<
  Dependencies,
  "db" | "clock" | "clocks" | "broker" | "settings" | "log" | "serverId"
> {
  /** The name people use for this server; the host name by default. */
  readonly serverName?: string;
  /** How much space the disk with this folder has; the file system's answer by default. */
  readonly measureDisk?: (folder: string) => Promise<DiskSpace>;
}

async function measureDisk(folder: string): Promise<DiskSpace> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}

/**
 * Raises the alerts that depend only on time: robots lost while moving, robots offline and weather sensors silent for
 * too long, sites with an outage, servers whose clocks disagree, disks that are nearly full, an overdue backup and an
 * audit that was changed. Every server does so, by the database's time.
 */
export class AlertWatch implements Service {
  readonly #deps: AlertWatchDependencies;
  readonly #tasks: PeriodicTasks;
  readonly #server: { readonly id: string; readonly name: string };
  readonly #clockAlert: ServerClockAlert;
  readonly #auditAlert: AuditAlert;
  readonly #listening: ListeningPeriod;
  #isStopping = false;
  #cancels: Cancel[] = [];
  #touching: Promise<void> = Promise.resolve();

  constructor(deps: AlertWatchDependencies) {
    this.#deps = deps;
    this.#listening = new ListeningPeriod(deps);
    this.#server = { id: deps.serverId, name: deps.serverName ?? hostname() };
    this.#clockAlert = new ServerClockAlert(deps.db, this.#server);
    this.#auditAlert = new AuditAlert(deps.db);
    this.#tasks = new PeriodicTasks(deps, [
      { name: "lost robots", everyMs: LOST_ROBOTS_POLL_MS, work: () => updateLostRobotAlerts(deps.db, seenAt(deps)) },
      { name: "offline robots", everyMs: OFFLINE_POLL_MS, work: () => this.#updateOfflineAlerts() },
      { name: "clock alert", everyMs: CLOCKS_POLL_MS, work: () => this.#updateClockAlert() },
      { name: "disk alert", everyMs: DISKS_POLL_MS, work: () => this.#updateDiskAlert() },
      { name: "backup alert", everyMs: BACKUPS_POLL_MS, work: () => this.#updateBackupAlert() },
      { name: "audit alert", everyMs: AUDIT_POLL_MS, work: () => this.#auditAlert.update(deps.clock.now()) },
    ]);
  }

  async start(): Promise<void> {
    const { db, broker, log } = this.#deps;
    this.#isStopping = false;
    this.#cancels = [
      this.#listening.follow(),
      broker.onConnectionChange(() => {
        this.#touching = touchLostRobots(db).catch((error: unknown) => {
          log.warn({ error }, "failed to refresh lost robots");
        });
      }),
    ];
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#touching;
    await this.#tasks.stop();
    // A stopped server starts no robot, whatever its clock says.
    this.#isStopping = true;
    if (this.#clockAlert.hasRow) await this.#tasks.run("clock alert");
  }

  /** Does all due work once; resolves when it is stored. */
  async runOnce(): Promise<void> {
    await this.#tasks.runOnce();
  }

  async #updateClockAlert(): Promise<void> {
    const { clock, clocks } = this.#deps;
    await this.#clockAlert.update(this.#isStopping ? null : (clocks?.trouble ?? null), clock.now());
  }

  async #updateDiskAlert(): Promise<void> {
    const { db, clock, settings } = this.#deps;
    const { dataDir: folder, databaseDiskBytes } = settings;
    const measure = this.#deps.measureDisk ?? measureDisk;
    const disks = folder === undefined ? [] : [{ folder, ...(await measure(folder)) }];
    if (typeof databaseDiskBytes === "number") disks.push(await measureDatabase(db, databaseDiskBytes));
    await updateDiskAlert(db, this.#server, disks, clock.now());
  }

  async #updateBackupAlert(): Promise<void> {
    const { db, clock, settings } = this.#deps;
    const now = clock.now();
    const days = settings.backupAlertDays ?? 0;
    await keepServerAlert(
      db,
      "BACKUP_OVERDUE",
      async (tx) => backupOverdueAlert(await readLastBackup(tx), days, now),
      now,
    );
  }

  async #updateOfflineAlerts(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    // Messages from robots may not have been stored, or may have been dated wrongly.
    if (isClockWrong(this.#deps)) this.#listening.restart();
    // Without the broker everything seems to be offline, and afterwards robots and sensors take a moment to reconnect.
    if (!broker.connected || this.#listening.forMs < LISTENING_GRACE_MS) return;
    await updateOfflineAlerts(db, clock.now());
    await updateSensorAlerts(db, clock.now());
  }
}
