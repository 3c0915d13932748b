import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import type { AlertState } from "./alerts-url.ts";

export const severityLook: Record<Severity, Look> = {
  CRITICAL: statusLooks.critical,
  WARNING: statusLooks.warning,
  INFO: statusLooks.info,
};

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ["CRITICAL", "WARNING", "INFO"];

export const stateWord: Record<AlertState, string> = { open: "Open", cleared: "Past", all: "All" };

/** Shown in place of an empty list. */
export const emptyTexts: Record<AlertState, string> = {
  open: "No alerts. Every robot and site is well.",
  cleared: "No alerts in the past.",
  all: "No alerts, now or in the past.",
};
