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
import { TokenExpiredError, messageOf } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { upload } from "../../platform/api/upload.ts";
import type { UploadOptions } from "../../platform/api/upload.ts";
import { toast } from "../../platform/toast.tsx";

/** Thousands of robots are looked at before the first byte comes, in milliseconds. */
const DEPLOY_MS = 60_000;

/** Stores a file; answers its id. Throws as `upload` does. */
export async function storeFirmware(file: File, version: string, options: UploadOptions): Promise<number> {
  const { firmwareId } = await upload(uploadFirmware, { version, file_name: file.name }, file, options);
  await readAgain(firmwareList);
  return firmwareId;
}

/** Begins a rollout and says so (§8 Toasts); answers its id. Throws as `call` does. */
export async function deploy(body: SentBodyOf<typeof createRollout>): Promise<number> {
  const { rolloutId } = await call(createRollout, { body }, { timeoutMs: DEPLOY_MS });
  toast.success({
    title: "Firmware Deployment Started",
    message: `Deploying firmware to ${body.robot_ids.length} robot(s).`,
  });
  void readAgain(rolloutList);
  return rolloutId;
}

/** Tells what came of it and never throws. */
export async function steer(rolloutId: number, action: "PAUSE" | "RESUME" | "CANCEL"): Promise<void> {
  await told("Rollout Not Changed", () => call(controlRollout, { params: { rolloutId }, body: { action } }));
  await readAgain(rolloutList, rolloutDetails);
}

/** Tells what came of it and never throws. */
export async function removeFirmware({ id }: Firmware): Promise<void> {
  const answer = await told("Firmware Not Deleted", () => call(deleteFirmware, { params: { firmwareId: id } }));
  if (answer !== null) toast.success({ title: "Firmware Deleted", message: answer.message });
  await readAgain(firmwareList);
}

export function tellFailure(title: string, error: unknown): void {
  if (error instanceof TokenExpiredError) return;
  toast.failure({ title, message: reasonOf(error) });
}

/** In a sentence. */
export function reasonOf(error: unknown): string {
  return messageOf(error) ?? "The server gave no reason.";
}

async function told<T>(title: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    tellFailure(title, error);
    return null;
  }
}

async function readAgain(...routes: readonly (typeof firmwareList | typeof rolloutList | typeof rolloutDetails)[]) {
  await Promise.all(routes.map((route) => queryClient.invalidateQueries({ queryKey: queryKeyOf(route) })));
}
