import type { AuditOutcome } from "@suncrew/contract/audit/audit.ts";
import { IconAlertOctagon, IconCheck, IconHandStop } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** How the outcome of a change is shown. */
export const outcomeLook: Record<AuditOutcome, Look> = {
  DONE: { label: "Done", tone: "plain", icon: IconCheck },
  REFUSED: { label: "Refused", tone: "fair", icon: IconHandStop },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
};
