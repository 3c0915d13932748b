import { createHash } from "node:crypto";
import type { LimitFunction } from "p-limit";
import type { FirmwareCode, FirmwareOfferMessage } from "@suncrew/contract/devices/messages.ts";
import type { FirmwareFault } from "../robot/conditions.ts";
import type { FleetClock } from "./clock.ts";

/** A server that sends nothing for this long has failed. */
const ANSWER_LIMIT_MS = 30_000;
const STEPS = 10;

export interface Download {
  readonly offer: FirmwareOfferMessage;
  readonly fault: FirmwareFault | null;
  /** The progress is spread over this many milliseconds, because a robot's link is slower than this machine's. */
  readonly durationMs: number;
  readonly clock: FleetClock;
  /** Aborts when the power fails or the robot is removed. */
  readonly signal: AbortSignal;
  readonly onPercent: (percent: number) => void;
}

/** Downloads the offered file as a robot does. Resolves with what is wrong with it, or null; never rejects. */
export async function downloadFirmware(download: Download, limit: LimitFunction): Promise<FirmwareCode | null> {
  const { fault, signal, clock, onPercent } = download;
  const durationMs = fault?.what === "slow" ? fault.seconds * 1000 : download.durationMs;
  try {
    const code = await limit(() => fetchFile(download));
    const steps = fault?.what === "download" ? STEPS / 2 : STEPS;
    if (code === "DOWNLOAD_FAILED") return code;
    for (let step = 1; step <= steps; step += 1) {
      if (durationMs > 0) await pause(clock, durationMs / STEPS, signal);
      onPercent((100 * step) / STEPS);
    }
    return fault?.what === "download" ? "DOWNLOAD_FAILED" : code;
  } catch {
    return "DOWNLOAD_FAILED";
  }
}

async function fetchFile({ offer, fault, signal }: Download): Promise<FirmwareCode | null> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ANSWER_LIMIT_MS);
  try {
    const response = await fetch(offer.url, { redirect: "error", signal: AbortSignal.any([signal, timeout.signal]) });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return "DOWNLOAD_FAILED";
    }
    const hash = createHash("sha256");
    let size = 0;
    const chunks: AsyncIterable<Uint8Array> = response.body;
    for await (const chunk of chunks) {
      timer.refresh();
      size += chunk.byteLength;
      // Anything longer than offered is not read to the end: there might be none.
      if (size > offer.size) return "HASH_MISMATCH";
      hash.update(chunk);
    }
    if (fault?.what === "hash") hash.update("a flipped bit");
    return size === offer.size && hash.digest("hex") === offer.sha256 ? null : "HASH_MISMATCH";
  } finally {
    clearTimeout(timer);
  }
}

function pause(clock: FleetClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
