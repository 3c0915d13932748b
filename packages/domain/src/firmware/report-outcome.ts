import type { FirmwareCode, FirmwarePhase, FirmwareStateMessage } from "@suncrew/contract/devices/messages.ts";

/** How long a robot that refused an offer for a transient reason is not offered it again, in milliseconds. */
export const REFUSED_WAIT_MS = 30_000;
/** How often an unanswered offer is sent again, in milliseconds. */
export const OFFER_RESEND_MS = 10_000;

/** The state of a robot that was offered firmware after a report of it. */
export type ReportOutcome =
  | { readonly state: "DOWNLOADING" | "INSTALLING"; readonly percent: number }
  /** It is offered again later, by a new offer. */
  | { readonly state: "WAITING"; readonly code: TransientCode }
  | { readonly state: "FAILED"; readonly code: FirmwareCode };

/** Reasons to refuse that pass by themselves. */
const transientCodes = ["BUSY", "BATTERY_LOW", "MAINTENANCE", "OLD_SESSION"] as const satisfies readonly FirmwareCode[];
export type TransientCode = (typeof transientCodes)[number];

/**
 * No report completes an update: INSTALLED is reported before the new firmware has run, so only a live state that shows
 * the new version does.
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
