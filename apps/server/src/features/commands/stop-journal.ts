import { commandModeSchema } from "@suncrew/contract/robots/robot-mode.ts";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Dependencies } from "../../platform/dependencies.ts";
import { makeFolders, writePrivateFile } from "../../platform/embedded/files.ts";

const sentStopsSchema = z.object({
  /** Of the press. */
  id: z.uuid(),
  at: z.coerce.date(),
  /** Where its robots are: at one site, or at several. */
  siteId: z.union([z.number().int(), z.array(z.number().int())]),
  by: z.object({
    userId: z.number().int(),
    name: z.string(),
    actionType: z.enum(["MANUAL", "GROUP"]),
    press: z
      .object({ sessionId: z.string(), atMs: z.number().int(), waitsSince: z.coerce.date().nullable() })
      .nullable(),
  }),
  mode: commandModeSchema,
  /** Of a press that names one, so that another server which gets its repetition and this one record it once. */
  request: z
    .object({ userId: z.number().int(), key: z.string(), body: z.string(), forMany: z.boolean().optional() })
    .optional(),
  stops: z.array(
    z.object({
      /** Of the command, as sent to its robot. */
      id: z.uuid(),
      /** Of its row where that has another `seq`; missing in files of earlier versions. */
      renumberedId: z.uuid().optional(),
      seq: z.number().int(),
      robotId: z.number().int(),
      serial: z.string(),
      session: z.number().int(),
      params: z.object({ direction: z.enum(["FWD", "REV"]), "main-speed": z.number(), "brush-speed": z.number() }),
    }),
  ),
});

/** What one press of Stop sent to robots before the database stored it. */
export type SentStops = z.output<typeof sentStopsSchema>;
export type SentStop = SentStops["stops"][number];

/**
 * STOPs that are not in the database yet: one small file per press, so that a server which ends in the meantime records
 * them after its next start. If the disk takes no file either, they are kept in memory only.
 */
export class StopJournal {
  readonly #dir: string;
  readonly #log: Dependencies["log"];
  readonly #presses = new Map<string, SentStops>();
  /** Files being written, so that none is written after it was removed. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(dir: string, log: Dependencies["log"]) {
    this.#dir = dir;
    this.#log = log;
  }

  /** Oldest first. */
  get presses(): readonly SentStops[] {
    return [...this.#presses.values()];
  }

  /** Whether the robot's Stop has no row yet. */
  has(pressId: string, robotId: number): boolean {
    return this.#presses.get(pressId)?.stops.some((stop) => stop.robotId === robotId) === true;
  }

  /** Reads what an earlier process left. A file that cannot be read stays where it is. */
  async load(): Promise<void> {
    const names = (await readdir(this.#dir).catch((): string[] => [])).filter((name) => name.endsWith(".json"));
    for (const name of names.toSorted()) {
      try {
        const press = sentStopsSchema.parse(JSON.parse(await readFile(join(this.#dir, name), "utf8")));
        this.#presses.set(press.id, press);
      } catch (error) {
        this.#log.error({ error, file: name }, "a stored Stop cannot be read");
      }
    }
  }

  /** Resolves when it is on disk, or cannot be. */
  async add(press: SentStops): Promise<void> {
    this.#presses.set(press.id, press);
    const writing = this.#write(press).catch((error: unknown) => {
      this.#log.error({ error, press: press.id }, "a Stop is stored in memory only");
    });
    this.#writing.set(press.id, writing);
    await writing;
    this.#writing.delete(press.id);
  }

  /** One of its robots has its row; the file is deleted with the last of them. */
  async removeStop(pressId: string, robotId: number): Promise<void> {
    const press = this.#presses.get(pressId);
    if (press === undefined) return;
    const stops = press.stops.filter((stop) => stop.robotId !== robotId);
    if (stops.length === 0) return this.remove(pressId);
    this.#presses.set(pressId, { ...press, stops });
  }

  async remove(pressId: string): Promise<void> {
    if (!this.#presses.delete(pressId)) return;
    await this.#writing.get(pressId);
    await rm(this.#pathOf(pressId), { force: true }).catch((error: unknown) => {
      this.#log.warn({ error, press: pressId }, "the file of a recorded Stop was not removed");
    });
  }

  /** Resolves when no file is being written. */
  async idle(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  async #write(press: SentStops): Promise<void> {
    await makeFolders(this.#dir);
    await writePrivateFile(this.#pathOf(press.id), JSON.stringify(press));
  }

  #pathOf(pressId: string): string {
    return join(this.#dir, `${pressId}.json`);
  }
}
