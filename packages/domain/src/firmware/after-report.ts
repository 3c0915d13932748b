import type { FirmwareCode, FirmwarePhase, FirmwareStateMessage } from "@suncrew/contract/devices/messages.ts";

/** A robot that refused an offer for a reason that passes is left alone for this long, in milliseconds. */
export const REFUSED_WAIT_MS = 30_000;
/** An offer that a robot has not answered is sent again this often, in milliseconds. */
export const OFFER_RESEND_MS = 10_000;

/** What a report makes of a robot that was offered firmware. */
export type AfterReport =
  | { readonly state: "DOWNLOADING" | "INSTALLING"; readonly percent: number }
  /** It is offered again later, by a new offer. */
  | { readonly state: "WAITING"; readonly code: TransientCode }
  | { readonly state: "FAILED"; readonly code: FirmwareCode };

/** Reasons to refuse that pass. */
const passingCodes = ["BUSY", "BATTERY_LOW", "MAINTENANCE", "OLD_SESSION"] as const satisfies readonly FirmwareCode[];
export type TransientCode = (typeof passingCodes)[number];

/**
 * A report never ends an update well: INSTALLED is told before the new firmware has shown anything, so that only a live
 * state with the new version does.
 */
export function afterReport({
  phase,
  code,
  percent,
}: Pick<FirmwareStateMessage, "phase" | "code" | "percent">): AfterReport {
  const states: Record<Exclude<FirmwarePhase, "FAILED" | "REJECTED">, "DOWNLOADING" | "INSTALLING"> = {
    DOWNLOADING: "DOWNLOADING",
    INSTALLING: "INSTALLING",
    INSTALLED: "INSTALLING",
  };
  if (phase !== "FAILED" && phase !== "REJECTED") return { state: states[phase], percent };
  const why = code ?? "REFUSED";
  const passing = passingCodes.find((each) => each === why);
  if (phase === "REJECTED" && passing !== undefined) return { state: "WAITING", code: passing };
  return { state: "FAILED", code: why };
}
