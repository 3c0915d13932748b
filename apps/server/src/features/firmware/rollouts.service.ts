import type {
  controlRollout,
  createRollout,
  Rollout,
  rolloutDetails,
  RolloutRobot,
} from "@suncrew/contract/firmware/firmware.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { turnText, waitingText } from "@suncrew/domain/firmware/rollout-text.ts";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { lockFirmware } from "./firmware-files.repository.ts";
import { ENDED_WORDS, firmwareSentences, skippedSentences, steeredSentences } from "./firmware-sentences.ts";
import { readCandidates } from "./offers.repository.ts";
import {
  cancelWaiting,
  type Counts,
  findRollout,
  insertRollout,
  lockRollout,
  readCounts,
  readInRollouts,
  readRolloutRobots,
  readRollouts,
  readTargets,
  type RolloutChange,
  type StoredRollout,
  storeRollout,
} from "./rollouts.repository.ts";

/** What Super Admins do about rollouts; the engine brings them on. */
export class Rollouts {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  list(): Promise<Rollout[]> {
    return listRollouts(this.#deps.db);
  }

  /** Throws 404. */
  async details(rolloutId: number): Promise<ResponseOf<typeof rolloutDetails>> {
    const { db, clock, broker } = this.#deps;
    const canSend = broker.connected && this.#hasAddress();
    const rollout = await rolloutWithRobots(db, rolloutId, { now: clock.now(), canSend });
    if (rollout === null) throw notFound("Rollout");
    return rollout;
  }

  /** Throws 404, and 409 where robots are in another rollout or could not reach this server. */
  async begin(viewer: Viewer, body: BodyOf<typeof createRollout>): Promise<ResponseOf<typeof createRollout>> {
    const { db, clock } = this.#deps;
    const circumstances = { at: clock.now(), hasAddress: this.#hasAddress() };
    const begun = await transactionWithRetry(db, (tx) => beginRollout(tx, viewer, body, circumstances));
    if (begun instanceof HttpError) throw begun;
    return { message: firmwareSentences.begun(begun.robots), rolloutId: begun.rolloutId };
  }

  /** Throws 404, and 409 where it is over. */
  async steer(
    viewer: Viewer,
    rolloutId: number,
    { action }: BodyOf<typeof controlRollout>,
  ): Promise<{ message: string }> {
    const { db, clock } = this.#deps;
    const steered = await transactionWithRetry(db, (tx) => steer(tx, viewer, rolloutId, action, clock.now()));
    if (steered instanceof HttpError) throw steered;
    return { message: steered };
  }

  /** Robots could download from this server. */
  #hasAddress(): boolean {
    return (this.#deps.settings.publicUrl?.() ?? null) !== null;
  }
}

const MAX_ROLLOUTS = 100;

function rolloutOf(row: StoredRollout, counts: Counts): Rollout {
  const { bytes: _b, sha256: _s, resumed_at: _r, created_at, ended_at, ...rollout } = row;
  return { ...rollout, created_at: created_at.toISOString(), ended_at: ended_at?.toISOString() ?? null, counts };
}

/** The newest first. */
async function listRollouts(db: Executor): Promise<Rollout[]> {
  const rows = await readRollouts(db, MAX_ROLLOUTS);
  const counts = await readCounts(
    db,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const of = counts.get(row.id);
    return of ? [rolloutOf(row, of)] : [];
  });
}

/** A rollout with each robot's progress; null where there is none. */
async function rolloutWithRobots(
  db: Executor,
  rolloutId: number,
  seen: { readonly now: Date; readonly canSend: boolean },
): Promise<(Rollout & { robots: RolloutRobot[] }) | null> {
  const row = await findRollout(db, rolloutId);
  const counts = row && (await readCounts(db, [rolloutId])).get(rolloutId);
  if (!row || !counts) return null;
  const waits = await whatTheyWaitFor(db, row, counts, seen);
  const robots = (await readRolloutRobots(db, rolloutId)).map(({ offered_at, ended_at, ...robot }) => ({
    ...robot,
    reason: robot.state === "WAITING" ? (waits.get(robot.robot_id) ?? null) : robot.reason,
    offered_at: offered_at?.toISOString() ?? null,
    ended_at: ended_at?.toISOString() ?? null,
  }));
  return { ...rolloutOf(row, counts), robots };
}

/** As it would be decided now. */
async function whatTheyWaitFor(
  db: Executor,
  { id, version, state }: StoredRollout,
  counts: Counts,
  { now, canSend }: { readonly now: Date; readonly canSend: boolean },
): Promise<Map<number, string>> {
  if (counts.WAITING === 0) return new Map();
  const open = counts.OFFERED + counts.DOWNLOADING + counts.INSTALLING;
  const turn = turnText({ paused: state === "PAUSED", canSend, open, done: counts.DONE });
  return new Map(
    (await readCandidates(db, id)).map((robot) => {
      const refusal = offerRefusal(robot, version, now);
      if (refusal === null) return [robot.robotId, turn];
      if (refusal.kind === "skip") return [robot.robotId, skippedSentences[refusal.why](version)];
      return [robot.robotId, waitingText(refusal.why, robot, robot.refused)];
    }),
  );
}

type NewRolloutBody = BodyOf<typeof createRollout>;
type Action = BodyOf<typeof controlRollout>["action"];

/** Serial numbers that a refusal names at most. */
const NAMED = 3;

type Begun = { readonly rolloutId: number; readonly robots: number } | HttpError;

/** Stores a rollout; the engine begins it. A refusal is on record and is thrown after the commit. Throws 404. */
async function beginRollout(
  tx: Tx,
  viewer: Viewer,
  body: NewRolloutBody,
  { at, hasAddress }: { readonly at: Date; readonly hasAddress: boolean },
): Promise<Begun> {
  const firmware = await lockFirmware(tx, body.firmware_id);
  if (firmware === null) throw notFound("Firmware");
  const robotIds = [...new Set(body.robot_ids)];
  const found = new Map((await readTargets(tx, robotIds)).map((robot) => [robot.id, robot]));
  if (found.size < robotIds.length) throw notFound("Robot");
  const elsewhere = await readInRollouts(tx, robotIds);
  const error = refusedRollout(elsewhere, hasAddress);
  const targets = robotIds.flatMap((id) => found.get(id) ?? []);
  const rolloutId =
    error === null
      ? await insertRollout(
          tx,
          {
            firmwareId: firmware.id,
            batchSize: body.batch_size,
            failureThresholdPercent: body.failure_threshold_percent,
            deadlineMinutes: body.deadline_minutes,
            waitLimitHours: body.wait_limit_hours,
            userId: viewer.userId,
            userName: viewer.name,
            at,
          },
          targets,
        )
      : null;
  await recordAudit(tx, {
    actor: viewer,
    action: "CREATE_ROLLOUT",
    entity: "rollout",
    entityId: rolloutId,
    outcome: error === null ? "DONE" : "REFUSED",
    reason: error?.message ?? null,
    after: {
      version: firmware.version,
      sha256: firmware.sha256.toString("hex"),
      batch_size: body.batch_size,
      failure_threshold_percent: body.failure_threshold_percent,
      deadline_minutes: body.deadline_minutes,
      wait_limit_hours: body.wait_limit_hours,
      robots: targets.map(({ serial_number }) => serial_number),
    },
    at,
  });
  return error ?? { rolloutId: rolloutId ?? 0, robots: targets.length };
}

function refusedRollout(elsewhere: readonly string[], hasAddress: boolean): HttpError | null {
  if (!hasAddress) return conflict(firmwareSentences.noPublicUrl);
  if (elsewhere.length === 0) return null;
  const named = elsewhere.slice(0, NAMED);
  return conflict(firmwareSentences.elsewhere(named, elsewhere.length - named.length));
}

/** Pauses, resumes or cancels; what is so already is answered alike. Throws 404; a refusal is thrown after the commit. */
async function steer(tx: Tx, viewer: Viewer, rolloutId: number, action: Action, at: Date): Promise<string | HttpError> {
  const rollout = await lockRollout(tx, rolloutId);
  if (rollout === null) throw notFound("Rollout");
  const change = changeBy(rollout, action, at);
  if (change !== "none" && change !== "refused") {
    if (action === "CANCEL") await cancelWaiting(tx, rolloutId, at);
    await storeRollout(tx, rolloutId, change);
  }
  const reason = change === "refused" ? endedSentence(rollout) : null;
  await recordAudit(tx, {
    actor: viewer,
    action: `${action}_ROLLOUT`,
    entity: "rollout",
    entityId: rolloutId,
    outcome: reason === null ? "DONE" : "REFUSED",
    reason,
    before: { state: rollout.state },
    after: { state: typeof change === "string" ? rollout.state : change.state },
    at,
  });
  return reason === null ? steeredSentences[action] : conflict(reason);
}

function changeBy({ state }: StoredRollout, action: Action, at: Date): RolloutChange | "none" | "refused" {
  if (state === "DONE" || state === "CANCELLED") {
    return action === "CANCEL" && state === "CANCELLED" ? "none" : "refused";
  }
  switch (action) {
    case "PAUSE":
      return state === "PAUSED" ? "none" : { state: "PAUSED" };
    case "RESUME":
      return state === "RUNNING" ? "none" : { state: "RUNNING", resumedAt: at };
    case "CANCEL":
      return { state: "CANCELLED" };
  }
}

function endedSentence({ state }: StoredRollout): string {
  return ENDED_WORDS[state === "CANCELLED" ? "CANCELLED" : "DONE"];
}
