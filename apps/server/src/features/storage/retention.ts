import type { KeptKind } from "@suncrew/contract/storage/storage.ts";
import {
  deletedBefore,
  type KeepDays,
  keepDaysOf,
  keptKindNames,
  SUPERSEDED_DAYS,
} from "@suncrew/domain/storage/kept-kinds.ts";
import { setImmediate } from "node:timers/promises";
import { Counter } from "prom-client";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { isLockTimeout } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { hasCode } from "../../platform/errors.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { deleteUnusedFirmware } from "../firmware/public.ts";
import { daysClosedUntil } from "../robot-days/public.ts";
import {
  claimRound,
  cutAudit,
  type Deleted,
  deleteOldReadings,
  deleteOldRows,
  deleteOldWeather,
  deleteOrphanedTexts,
  recordRound,
  rowKinds,
} from "./retention.repository.ts";

const ROUND_EVERY_MS = 5 * 60_000;
/** Servers try at different moments; less than the interval, so that a single server's timer is never early. */
const BETWEEN_ROUNDS_MS = 4 * 60_000;
/** Steps per kind and round: 200,000 rows in five minutes, more than a million robots add. */
const MAX_STEPS = 100;

/** Of this process, for its metrics page to register. */
export const deletedRows = new Counter({
  name: "suncrew_retention_deleted_rows_total",
  help: "Rows that this server deleted because of their age, by kind; whole months of readings as PostgreSQL estimates them",
  labelNames: ["kind"],
  registers: [],
});

type RetentionDependencies = Pick<Dependencies, "db" | "clock" | "clocks" | "log" | "settings">;

/** Days to keep each kind, as configured on this server. */
export function configuredDays(settings: RetentionDependencies["settings"]): KeepDays {
  return keepDaysOf(({ defaultDays }, kind) => settings.keepDays?.[kind] ?? defaultDays);
}

/**
 * Deletes what is older than it is kept (decision 58): one server at a time, in short transactions that wait for nobody.
 * What a round leaves is deleted by the next.
 */
export class Retention extends PeriodicTasks {
  readonly #deps: RetentionDependencies;
  /** Texts that an interrupted round left behind are looked for once. */
  #textsMayBeOrphaned = true;

  constructor(deps: RetentionDependencies) {
    super(deps, [{ name: "retention", everyMs: ROUND_EVERY_MS, work: (stopping) => this.#round(stopping) }]);
    this.#deps = deps;
    for (const kind of keptKindNames) deletedRows.inc({ kind }, 0);
  }

  async #round(stopping: AbortSignal): Promise<void> {
    const { db, clock, log } = this.#deps;
    // By a clock that is ahead, everything would be old.
    if (isClockWrong(this.#deps)) return;
    const now = clock.now();
    if (!(await claimRound(db, now, new Date(now.getTime() - BETWEEN_ROUNDS_MS)))) return;
    const closedUntil = await daysClosedUntil(db);
    const days = configuredDays(this.#deps.settings);
    const deleted: Partial<Record<KeptKind, number>> = {};
    const failures: unknown[] = [];
    for (const kind of keptKindNames) {
      const before = deletedBefore(kind, days, now, closedUntil);
      const step = this.#stepOf(kind, before, now);
      if (step === null) continue;
      try {
        const rows = await inSteps(step, stopping, (count) => deletedRows.inc({ kind }, count));
        if (rows > 0) deleted[kind] = rows;
        if (kind === "activity" && (rows > 0 || this.#textsMayBeOrphaned)) {
          this.#textsMayBeOrphaned = true;
          await inSteps(() => deleteOrphanedTexts(db), stopping);
          this.#textsMayBeOrphaned = stopping.aborted;
        }
      } catch (error) {
        // Somebody works with that table: a later round deletes its rows.
        if (isLockTimeout(error) || hasCode(error, "40P01"))
          log.info({ kind }, "rows to delete are locked; trying again");
        else failures.push(error);
      }
    }
    if (Object.keys(deleted).length > 0) {
      await recordRound(db, deleted, now);
      log.info({ deleted }, "deleted what was kept long enough");
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Null for what is kept for good, or deleted elsewhere. */
  #stepOf(kind: KeptKind, before: Date | null, now: Date): (() => Promise<Deleted>) | null {
    const { db } = this.#deps;
    // How long the audit is kept stands in the database.
    if (kind === "audit") return () => cutAudit(db);
    if (before === null) return null;
    if (kind === "readings") return () => deleteOldReadings(db, before);
    if (kind === "weather") {
      const supersededBefore = new Date(now.getTime() - SUPERSEDED_DAYS * 86_400_000);
      return () => deleteOldWeather(db, before, supersededBefore);
    }
    if (kind === "firmware") {
      return async () => ({ rows: await deleteUnusedFirmware(db, before, now), more: false });
    }
    return rowKinds.has(kind) ? () => deleteOldRows(db, kind, before) : null;
  }
}

/** Resolves to the number of rows once no more are left, at the limit, or as soon as the server stops. */
async function inSteps(
  step: () => Promise<Deleted>,
  stopping: AbortSignal,
  count: (rows: number) => void = () => {},
): Promise<number> {
  let rows = 0;
  for (let steps = 0; steps < MAX_STEPS && !stopping.aborted; steps += 1) {
    const deleted = await step();
    count(deleted.rows);
    rows += deleted.rows;
    if (!deleted.more) break;
    // What came meanwhile goes first.
    await setImmediate();
  }
  return rows;
}
