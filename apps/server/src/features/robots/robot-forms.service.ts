import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { type createRobot, importRobots, type updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { WrittenAnswer } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workOwnerOf, type Workers } from "../../platform/workers/workers.ts";
import { seenAt } from "../sites/public.ts";
import { askForStatus } from "./ask-for-status.ts";
import { createRobotAt } from "./create-robot.ts";
import { deleteRobotOf } from "./delete-robot.ts";
import { forgetStateOf } from "./forget-robot-state.ts";
import { exportRobotsTask, importRobotsTask } from "./import-robots.ts";
import { updateRobotOf } from "./update-robot.ts";

/** Adds, changes and deletes robots, and asks a machine that has become one for its state. */
export class RobotForms {
  readonly #deps: Dependencies;
  readonly #workers: Workers;

  constructor(deps: Dependencies, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** Answers the new robot's id. Throws 400, 404 and 409. */
  async create(viewer: Viewer, body: BodyOf<typeof createRobot>): Promise<number> {
    const { db, clock } = this.#deps;
    const created = await transactionWithRetry(db, (tx) => createRobotAt(tx, viewer, body, clock.now()));
    if (created.kind === "refused") throw created.error;
    void askForStatus(this.#deps, [body.serial_number]);
    return created.robotId;
  }

  /** Throws 400, 404 and 409. */
  async update(viewer: Viewer, robotId: number, body: BodyOf<typeof updateRobot>): Promise<void> {
    const { db } = this.#deps;
    const updated = await transactionWithRetry(db, (tx) =>
      updateRobotOf(tx, viewer, robotId, body, seenAt(this.#deps)),
    );
    if (updated.kind === "refused") throw updated.error;
    if (updated.isOtherMachine) void askForStatus(this.#deps, [body.serial_number]);
  }

  /** Throws 400 and 404. */
  async delete(viewer: Viewer, robotId: number): Promise<void> {
    const { db } = this.#deps;
    const refusal = await transactionWithRetry(db, (tx) => deleteRobotOf(tx, viewer, robotId, seenAt(this.#deps)));
    if (refusal !== null) throw refusal;
  }

  /** Answers what was done, and asks the robot for its state. Throws 404, and 409 while the robot may be moving. */
  async forgetState(viewer: Viewer, robotId: number): Promise<string> {
    const { db } = this.#deps;
    const forgotten = await transactionWithRetry(db, (tx) => forgetStateOf(tx, viewer, robotId, seenAt(this.#deps)));
    if (forgotten.kind === "refused") throw forgotten.error;
    void askForStatus(this.#deps, [forgotten.serial]);
    return `The state of robot ${forgotten.serial} was forgotten; the next that it tells is taken.`;
  }

  /** The robots of the viewer's sites, as a CSV file. */
  async export(viewer: Viewer, signal: AbortSignal): Promise<string> {
    return this.#workers.run(exportRobotsTask, viewer, { asker: workOwnerOf(viewer), signal });
  }

  /** Throws 400 where a row is wrong that was to be created. */
  async import(
    viewer: Viewer,
    body: BodyOf<typeof importRobots>,
    signal: AbortSignal,
  ): Promise<WrittenAnswer<typeof importRobots>> {
    const given = { viewer, body, now: this.#deps.clock.now() };
    const { json, serials } = await this.#workers.run(importRobotsTask, given, { asker: workOwnerOf(viewer), signal });
    void askForStatus(this.#deps, serials);
    return new WrittenAnswer(importRobots, json);
  }
}
