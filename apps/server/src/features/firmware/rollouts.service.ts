import type {
  controlRollout,
  createRollout,
  Rollout,
  RolloutRobot,
  rolloutDetails,
} from "@suncrew/contract/firmware/firmware.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { skippedText, turnText, waitingText } from "@suncrew/domain/firmware/rollout-text.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange } from "../audit/public.ts";
import { lockFirmware } from "./firmware-files.repository.ts";
import { readCandidates } from "./offers.repository.ts";
import {
  cancelWaiting,
  type Counts,
  findRollout,
  insertRollout,
  lockRollout,
  readCounts,
  readRolloutRobots,
  readRollouts,
  readSerialsInOpenRollouts,
  readTargets,
  type RolloutChange,
  type StoredRollout,
  storeRollout,
} from "./rollouts.repository.ts";

type Action = BodyOf<typeof controlRollout>["action"];

const MAX_ROLLOUTS = 100;
/** A refusal names at most this many serial numbers. */
const MAX_NAMED = 3;

const doneMessages: Record<Action, string> = {
  PAUSE: "The rollout is paused. Robots already offered the firmware will finish.",
  RESUME: "The rollout continues.",
  CANCEL: "The rollout is cancelled. Robots already offered the firmware will finish.",
};

/** What Super Admins see of rollouts and do with them; the engine advances them. */
export class Rollouts {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** The newest first. */
  async list(): Promise<Rollout[]> {
    const { db } = this.#deps;
    const rows = await readRollouts(db, MAX_ROLLOUTS);
    const ids = rows.map(({ id }) => id);
    const countsById = await readCounts(db, ids);
    return rows.flatMap((row) => {
      const counts = countsById.get(row.id);
      return counts ? [rolloutOf(row, counts)] : [];
    });
  }

  /** A rollout with each robot's progress. Throws 404. */
  async details(rolloutId: number): Promise<ResponseOf<typeof rolloutDetails>> {
    const { db } = this.#deps;
    const row = await findRollout(db, rolloutId);
    const counts = row && (await readCounts(db, [rolloutId])).get(rolloutId);
    if (!row || !counts) throw notFound("Rollout");
    const waitingFor = await this.#waitingTexts(row, counts);
    const robots = (await readRolloutRobots(db, rolloutId)).map(({ offered_at, ended_at, ...robot }): RolloutRobot => ({
      ...robot,
      reason: robot.state === "WAITING" ? (waitingFor.get(robot.robot_id) ?? null) : robot.reason,
      offered_at: offered_at?.toISOString() ?? null,
      ended_at: ended_at?.toISOString() ?? null,
    }));
    return { ...rolloutOf(row, counts), robots };
  }

  /** What each waiting robot waits for, as it would be decided now. */
  async #waitingTexts({ id, version, state }: StoredRollout, counts: Counts): Promise<ReadonlyMap<number, string>> {
    if (counts.WAITING === 0) return new Map();
    const { db, clock, broker } = this.#deps;
    const now = clock.now();
    const open = counts.OFFERED + counts.DOWNLOADING + counts.INSTALLING;
    const canSend = broker.connected && this.#hasPublicUrl();
    const turn = turnText({ paused: state === "PAUSED", canSend, open, done: counts.DONE });
    return new Map(
      (await readCandidates(db, id)).map((robot) => {
        const refusal = offerRefusal(robot, version, now);
        if (refusal === null) return [robot.robotId, turn];
        if (refusal.kind === "skip") return [robot.robotId, skippedText(refusal.why, version).text];
        return [robot.robotId, waitingText(refusal.why, robot, robot.refusedAs)];
      }),
    );
  }

  /** Throws 404, and 409 if robots are in another rollout or could not reach this server. */
  async create(viewer: Viewer, body: BodyOf<typeof createRollout>): Promise<ResponseOf<typeof createRollout>> {
    const { firmware_id, robot_ids, ...limits } = body;
    const at = this.#deps.clock.now();
    const hasPublicUrl = this.#hasPublicUrl();
    const change = { actor: viewer, action: "CREATE_ROLLOUT", entity: "rollout", at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const firmware = await lockFirmware(tx, firmware_id);
      if (firmware === null) throw notFound("Firmware");
      const robotIds = [...new Set(robot_ids)];
      const found = new Map((await readTargets(tx, robotIds)).map((robot) => [robot.id, robot]));
      if (found.size < robotIds.length) throw notFound("Robot");
      const targets = robotIds.flatMap((id) => found.get(id) ?? []);
      details.after = {
        version: firmware.version,
        sha256: firmware.sha256.toString("hex"),
        ...limits,
        robots: targets.map(({ serial_number }) => serial_number),
      };
      const refusal = newRolloutRefusal(await readSerialsInOpenRollouts(tx, robotIds), hasPublicUrl);
      if (refusal !== null) throw refusal;
      const rolloutId = await insertRollout(tx, { firmware_id: firmware.id, ...limits }, targets, { by: viewer, at });
      details.entityId = rolloutId;
      return { message: `Deploying firmware to ${targets.length} robot(s).`, rolloutId };
    });
  }

  /** Pauses, resumes or cancels; repeating an action succeeds. Throws 404, and 409 if the rollout has ended. */
  async control(viewer: Viewer, rolloutId: number, action: Action): Promise<{ message: string }> {
    const at = this.#deps.clock.now();
    const about = { action: `${action}_ROLLOUT`, entity: "rollout", entityId: rolloutId };
    return auditedChange(this.#deps.db, { actor: viewer, ...about, at }, async (tx, details) => {
      const rollout = await lockRollout(tx, rolloutId);
      if (rollout === null) throw notFound("Rollout");
      const change = changeFor(rollout, action, at);
      details.before = { state: rollout.state };
      details.after = { state: typeof change === "string" ? rollout.state : change.state };
      if (change === "refused") {
        const isCancelled = rollout.state === "CANCELLED";
        throw conflict("ROLLOUT_OVER", isCancelled ? "The rollout was cancelled." : "The rollout has ended.");
      }
      if (change !== "none") {
        if (action === "CANCEL") await cancelWaiting(tx, rolloutId, at);
        await storeRollout(tx, rolloutId, change);
      }
      return { message: doneMessages[action] };
    });
  }

  #hasPublicUrl(): boolean {
    return (this.#deps.settings.publicUrl?.() ?? null) !== null;
  }
}

function rolloutOf(row: StoredRollout, counts: Counts): Rollout {
  const { bytes: _b, sha256: _s, resumed_at: _r, created_at, ended_at, ...rollout } = row;
  return { ...rollout, created_at: created_at.toISOString(), ended_at: ended_at?.toISOString() ?? null, counts };
}

function newRolloutRefusal(inOtherRollouts: readonly string[], hasPublicUrl: boolean): HttpError | null {
  if (!hasPublicUrl) {
    return conflict(
      "PUBLIC_URL_MISSING",
      "Robots cannot download firmware: this server does not know its own address. Set PUBLIC_URL to the address at which robots reach it.",
    );
  }
  if (inOtherRollouts.length === 0) return null;
  const named = inOtherRollouts.slice(0, MAX_NAMED);
  const more = inOtherRollouts.length - named.length;
  const robots = `${named.length === 1 ? "Robot" : "Robots"} ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const verb = inOtherRollouts.length === 1 ? "is" : "are";
  return conflict("ROBOT_IN_OTHER_ROLLOUT", `${robots} ${verb} in another rollout that has not ended.`);
}

function changeFor({ state }: StoredRollout, action: Action, at: Date): RolloutChange | "none" | "refused" {
  if (state === "DONE" || state === "CANCELLED") {
    return action === "CANCEL" && state === "CANCELLED" ? "none" : "refused";
  }
  switch (action) {
    case "PAUSE":
      return state === "PAUSED" ? "none" : { state: "PAUSED" };
    case "RESUME":
      return state === "RUNNING" ? "none" : { state: "RUNNING", resumed_at: at };
    case "CANCEL":
      return { state: "CANCELLED" };
  }
}
