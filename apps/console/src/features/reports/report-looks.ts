import type { MailStatus, MonthlyReportStatus } from "@suncrew/contract/reports/reports.ts";
import {
  IconAlertOctagon,
  IconCheck,
  IconClock,
  IconFileOff,
  IconMailCheck,
  IconMailOff,
  IconMinus,
} from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

export const reportLook: Record<MonthlyReportStatus, Look> = {
  PENDING: { label: "Generating", tone: "calm", icon: IconClock },
  READY: { label: "Ready", tone: "good", icon: IconCheck },
  EMPTY: { label: "No activity", tone: "off", icon: IconFileOff },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
};

/** The state of its email. */
export const mailLook: Record<MailStatus, Look> = {
  NONE: { label: "Not sent", tone: "plain", icon: IconMinus },
  PENDING: { label: "To be sent", tone: "calm", icon: IconClock },
  SENT: { label: "Sent", tone: "good", icon: IconMailCheck },
  FAILED: { label: "Not delivered", tone: "poor", icon: IconAlertOctagon },
  UNCONFIGURED: { label: "No mail server", tone: "off", icon: IconMailOff },
};
