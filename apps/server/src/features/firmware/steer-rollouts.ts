import type { createRollout, controlRollout } from "@suncrew/contract/firmware/firmware.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { Tx } from "../../platform/database/database.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { lockFirmware } from "./firmware-files.repository.ts";
import { ENDED_WORDS, firmwareSentences, steeredSentences } from "./firmware-sentences.ts";
import {
  cancelWaiting,
  insertRollout,
  lockRollout,
  readInRollouts,
  readTargets,
  type RolloutChange,
  type StoredRollout,
  storeRollout,
} from "./rollout-rows.repository.ts";

type NewRolloutBody = BodyOf<typeof createRollout>;
type Action = BodyOf<typeof controlRollout>["action"];

/** Serial numbers that a refusal names at most. */
const NAMED = 3;

export type Begun = { readonly rolloutId: number; readonly robots: number } | HttpError;

/** Stores a rollout; the engine begins it. A refusal is on record and is thrown after the commit. Throws 404. */
export async function beginRollout(
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
export async function steer(
  tx: Tx,
  viewer: Viewer,
  rolloutId: number,
  action: Action,
  at: Date,
): Promise<string | HttpError> {
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
