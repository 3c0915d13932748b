import { createHash } from "node:crypto";
import type { FirmwareCode, FirmwareOfferMessage } from "@suncrew/contract/devices/messages.ts";
import type { FirmwareTrouble } from "../robot/conditions.ts";
import type { FleetClock } from "./clock.ts";

/** In milliseconds: a server that says nothing for so long does not answer. */
const ANSWER_LIMIT_MS = 30_000;
const STEPS = 10;

export interface Download {
  readonly offer: FirmwareOfferMessage;
  readonly trouble: FirmwareTrouble | null;
  /** The robot is told the whole download over this long, in milliseconds: a robot's link is slower than this machine's. */
  readonly lastsMs: number;
  readonly clock: FleetClock;
  /** The power went, or the robot is taken away. */
  readonly signal: AbortSignal;
  readonly onPercent: (percent: number) => void;
}

/** Reads the offered file as a robot does. Answers what is wrong with it, or null; never rejects. */
export async function downloadFirmware(download: Download, slots: DownloadSlots): Promise<FirmwareCode | null> {
  const { trouble, signal, clock, onPercent } = download;
  const lastsMs = trouble?.what === "slow" ? trouble.seconds * 1000 : download.lastsMs;
  try {
    const code = await slots.run(() => fetchFile(download));
    const steps = trouble?.what === "download" ? STEPS / 2 : STEPS;
    if (code === "DOWNLOAD_FAILED") return code;
    for (let step = 1; step <= steps; step += 1) {
      if (lastsMs > 0) await pause(clock, lastsMs / STEPS, signal);
      onPercent((100 * step) / STEPS);
    }
    return trouble?.what === "download" ? "DOWNLOAD_FAILED" : code;
  } catch {
    return "DOWNLOAD_FAILED";
  }
}

async function fetchFile({ offer, trouble, signal }: Download): Promise<FirmwareCode | null> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ANSWER_LIMIT_MS);
  try {
    const response = await fetch(offer.url, { redirect: "error", signal: AbortSignal.any([signal, limit.signal]) });
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
      // More than was offered is never read to its end: it could be without one.
      if (size > offer.size) return "HASH_MISMATCH";
      hash.update(chunk);
    }
    if (trouble?.what === "hash") hash.update("a bit that fell over");
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

/** Lets a crowd of robots download a few at a time: they share one process. */
export class DownloadSlots {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes on to the next, so that nobody slips in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
