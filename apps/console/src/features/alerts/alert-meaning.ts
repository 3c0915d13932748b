import type { Severity } from "@suncrew/contract/devices/messages.ts";
import { IconAlertOctagon, IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import type { AlertState } from "./alerts-address.ts";

export const severityLook: Record<Severity, Look> = {
  CRITICAL: { label: "Critical", tone: "poor", icon: IconAlertOctagon },
  WARNING: { label: "Warning", tone: "fair", icon: IconAlertTriangle },
  INFO: { label: "Info", tone: "calm", icon: IconInfoCircle },
};

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ["CRITICAL", "WARNING", "INFO"];

export const stateWord: Record<AlertState, string> = { open: "Open", cleared: "Past", all: "All" };

/** In place of a list in which nothing is. */
export const emptyWords: Record<AlertState, string> = {
  open: "No alerts. Every robot and site is well.",
  cleared: "No alerts in the past.",
  all: "No alerts, now or in the past.",
};
