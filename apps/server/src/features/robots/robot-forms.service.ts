import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { createRobot, importRobots, SerialNumber, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { decide } from "../../platform/database/decide.ts";
import type { Parts } from "../../platform/parts.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { seenAt } from "../sites/public.ts";
import { askForStatus } from "./ask-for-status.ts";
import { createRobotAt } from "./create-robot.ts";
import { deleteRobotOf } from "./delete-robot.ts";
import { importRobotFile } from "./import-robots.ts";
import { robotFileOf } from "./robot-file.queries.ts";
import { readSerialNumbers } from "./serial-numbers.writes.ts";
import { updateRobotOf } from "./update-robot.ts";

/** Adds, changes and deletes robots, and asks a machine that has become one for its state. */
export class RobotForms {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers the new robot's id. Throws 400, 404 and 409. */
  async create(viewer: Viewer, body: BodyOf<typeof createRobot>): Promise<number> {
    const { db, clock } = this.#parts;
    const created = await decide(db, (tx) => createRobotAt(tx, viewer, body, clock.now()));
    if (created.kind === "refused") throw created.error;
    void askForStatus(this.#parts, [body.serial_number]);
    return created.robotId;
  }

  /** Throws 400, 404 and 409. */
  async update(viewer: Viewer, robotId: number, body: BodyOf<typeof updateRobot>): Promise<void> {
    const { db } = this.#parts;
    const updated = await decide(db, (tx) => updateRobotOf(tx, viewer, robotId, body, seenAt(this.#parts)));
    if (updated.kind === "refused") throw updated.error;
    if (updated.isOtherMachine) void askForStatus(this.#parts, [body.serial_number]);
  }

  /** Throws 400 and 404. */
  async delete(viewer: Viewer, robotId: number): Promise<void> {
    const { db } = this.#parts;
    const refusal = await decide(db, (tx) => deleteRobotOf(tx, viewer, robotId, seenAt(this.#parts)));
    if (refusal !== null) throw refusal;
  }

  /** The robots of the viewer's sites, as a CSV file. */
  export(viewer: Viewer): Promise<string> {
    return robotFileOf(viewer, this.#parts.db);
  }

  /** Throws 400 where a row is wrong that was to be created. */
  async import(viewer: Viewer, body: BodyOf<typeof importRobots>): Promise<ResponseOf<typeof importRobots>> {
    const { db, clock } = this.#parts;
    const imported = await decide(db, (tx) => importRobotFile(tx, viewer, body, clock.now()));
    if (imported.kind === "refused") throw imported.error;
    void askForStatus(this.#parts, imported.serials);
    return imported.answer;
  }

  serialNumbers(): Promise<SerialNumber[]> {
    return readSerialNumbers(this.#parts.db);
  }
}
