import { type KeptKind, keptKindSchema, type Storage, type StoredKind } from "@suncrew/contract/storage/storage.ts";
import { deletionTime, type KeepDays, keptKindNames } from "@suncrew/domain/storage/kept-kinds.ts";
import { readAuditRetention } from "../../platform/database/migrate.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { configuredDays } from "./retention.ts";
import { type KindSize, readDisks, readLastDeletion, readOldest, readSizes } from "./storage.repository.ts";

/** Sizes of many tables take PostgreSQL some milliseconds each, and change slowly. */
const MEASURED_FOR_MS = 3 * 60_000;

type StorageDependencies = Pick<Dependencies, "db" | "clock" | "settings">;

/** What is stored, how much space it takes and how long it is kept; measured at most every few minutes. */
export class StorageReport {
  readonly #deps: StorageDependencies;
  #last: { readonly atMs: number; readonly report: Promise<Storage> } | null = null;

  constructor(deps: StorageDependencies) {
    this.#deps = deps;
  }

  async read(): Promise<Storage> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#last !== null && nowMs - this.#last.atMs < MEASURED_FOR_MS) return this.#last.report;
    const measuring = { atMs: nowMs, report: this.#measure() };
    this.#last = measuring;
    // The next caller tries again.
    measuring.report.catch(() => {
      if (this.#last === measuring) this.#last = null;
    });
    return measuring.report;
  }

  async #measure(): Promise<Storage> {
    const { db, clock, settings } = this.#deps;
    const now = clock.now();
    // One after another: others need the connections.
    const { kinds: sizes, databaseBytes } = await readSizes(db);
    const oldest = await readOldest(db);
    const auditDays = await readAuditRetention(db);
    const last = await readLastDeletion(db);
    const disks = await readDisks(db);
    const days: KeepDays = { ...configuredDays(settings), audit: auditDays };
    const kinds = keptKindNames.map((kind) => storedKind(kind, days, sizes.get(kind), oldest.get(kind) ?? null, now));
    const known = kinds.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      measured_at: now.toISOString(),
      kinds,
      other_bytes: Math.max(0, databaseBytes - known),
      database_bytes: databaseBytes,
      disks,
      last_deletion: last && { at: last.at.toISOString(), deleted: deletedOf(last.deleted) },
    };
  }
}

function storedKind(
  kind: KeptKind,
  days: KeepDays,
  size: KindSize | undefined,
  oldest: Date | null,
  now: Date,
): StoredKind {
  const next = oldest && deletionTime(kind, days, oldest);
  return {
    kind,
    keep_days: days[kind] === 0 ? null : days[kind],
    rows: size?.rows ?? null,
    bytes: size?.bytes ?? 0,
    oldest_at: oldest?.toISOString() ?? null,
    // What is older and still there, stays: the newest of a robot, or what is still open.
    next_deletion_at: next === null || next < now ? null : next.toISOString(),
  };
}

/** As a server stored it, perhaps of another version. */
function deletedOf(stored: unknown): { kind: KeptKind; rows: number }[] {
  return Object.entries(stored ?? {}).flatMap(([name, rows]) => {
    const kind = keptKindSchema.safeParse(name).data;
    return kind === undefined || typeof rows !== "number" ? [] : [{ kind, rows }];
  });
}
