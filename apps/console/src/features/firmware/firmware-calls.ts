import {
  createRollout,
  deleteFirmware,
  firmwareList,
  rolloutDetails,
  rolloutList,
  controlRollout,
  uploadFirmware,
} from "@suncrew/contract/firmware/firmware.ts";
import type { Firmware } from "@suncrew/contract/firmware/firmware.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { call } from "../../platform/api/call.ts";
import { change, invalidate } from "../../platform/api/change.ts";
import { messageOf } from "../../platform/api/errors.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { noteStale, onLiveEvents } from "../../platform/live/live.ts";
import { upload } from "../../platform/api/upload.ts";
import type { UploadOptions } from "../../platform/api/upload.ts";
import { type Toast, toast } from "../../platform/toast.tsx";

/** The server checks each robot before it answers, which takes a while for thousands. */
const DEPLOY_MS = 60_000;

// The stream only names rollouts that changed; a snapshot may have missed some.
onLiveEvents((events) => {
  for (const event of events) {
    const changed = event.type === "update" ? event.rollouts_changed : [];
    if (event.type === "snapshot" || changed.length > 0) noteStale(queryKeyOf(rolloutList));
    if (event.type === "snapshot") noteStale(queryKeyOf(rolloutDetails));
    for (const rolloutId of changed) noteStale([rolloutDetails.path, { rolloutId }]);
  }
});

/** Uploads a file; returns its id. Throws as `upload` does. */
export async function storeFirmware(file: File, version: string, options: UploadOptions): Promise<number> {
  const { firmwareId } = await upload(uploadFirmware, { version, file_name: file.name }, file, options);
  await invalidate([queryKeyOf(firmwareList)]);
  return firmwareId;
}

/** Starts a rollout with a toast (§8 Toasts); returns its id. Throws as `call` does. */
export async function deploy(body: SentBodyOf<typeof createRollout>): Promise<number> {
  const { rolloutId } = await call(createRollout, { body }, { timeoutMs: DEPLOY_MS });
  toast.success({
    title: "Firmware Deployment Started",
    message: `Deploying firmware to ${body.robot_ids.length} robot(s).`,
  });
  void invalidate([queryKeyOf(rolloutList)]);
  return rolloutId;
}

/** Pauses, resumes or cancels a rollout. */
export async function changeRollout(rolloutId: number, action: "PAUSE" | "RESUME" | "CANCEL"): Promise<void> {
  await change({
    send: () => call(controlRollout, { params: { rolloutId }, body: { action } }),
    invalidates: [queryKeyOf(rolloutList), queryKeyOf(rolloutDetails)],
    success: null,
    failure: failureTitled("Rollout Not Changed"),
  });
}

export async function removeFirmware({ id }: Firmware): Promise<void> {
  await change({
    send: () => call(deleteFirmware, { params: { firmwareId: id } }),
    invalidates: [queryKeyOf(firmwareList)],
    success: ({ message }) => ({ title: "Firmware Deleted", message }),
    failure: failureTitled("Firmware Not Deleted"),
  });
}

/** Starts another rollout of the same firmware; returns its id, or null if it failed. */
export async function deployAgain(body: SentBodyOf<typeof createRollout>): Promise<number | null> {
  const outcome = await change({
    send: () => deploy(body),
    success: null,
    failure: failureTitled("Firmware Was Not Deployed"),
  });
  return outcome.kind === "done" ? outcome.answer : null;
}

function failureTitled(title: string): (error: unknown) => Toast {
  return (error) => ({ title, message: reasonOf(error), reason: undefined });
}

export function reasonOf(error: unknown): string {
  return messageOf(error) ?? "The server gave no reason.";
}
