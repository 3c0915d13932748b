import type { FirmwareCode, FirmwarePhase, FirmwareStateMessage } from "@suncrew/contract/devices/messages.ts";

/** Wait before a new offer after a transient refusal. */
export const REFUSED_WAIT_MS = 30_000;
/** Interval at which an unanswered offer is resent. */
export const OFFER_RESEND_MS = 10_000;

/** The state of a robot with an offer after its report. */
export type ReportOutcome =
  | { readonly state: "DOWNLOADING" | "INSTALLING"; readonly percent: number }
  /** It is offered again later, by a new offer. */
  | { readonly state: "WAITING"; readonly code: TransientCode }
  | { readonly state: "FAILED"; readonly code: FirmwareCode };

/** Temporary refusal reasons. */
const transientCodes = ["BUSY", "BATTERY_LOW", "MAINTENANCE", "OLD_SESSION"] as const satisfies readonly FirmwareCode[];
export type TransientCode = (typeof transientCodes)[number];

/**
 * No report completes an update: INSTALLED is sent before the new firmware has run, so only a live state with the new
 * version does.
 */
export function reportOutcome({
  phase,
  code,
  percent,
}: Pick<FirmwareStateMessage, "phase" | "code" | "percent">): ReportOutcome {
  const states: Record<Exclude<FirmwarePhase, "FAILED" | "REJECTED">, "DOWNLOADING" | "INSTALLING"> = {
    DOWNLOADING: "DOWNLOADING",
    INSTALLING: "INSTALLING",
    INSTALLED: "INSTALLING",
  };
  if (phase !== "FAILED" && phase !== "REJECTED") return { state: states[phase], percent };
  const reason = code ?? "REFUSED";
  const transient = transientCodes.find((each) => each === reason);
  if (phase === "REJECTED" && transient !== undefined) return { state: "WAITING", code: transient };
  return { state: "FAILED", code: reason };
}
