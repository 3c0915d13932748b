import type { RobotOutcome, RobotResult } from "@suncrew/contract/groups/groups.ts";
import { IconAlertTriangle, IconCircleCheck, IconCircleMinus, IconClockPause } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** Protocol rule 8: whether the robot itself has shown that it keeps the lock. */
export const confirmationWords = {
  confirmed: "confirmed by the robot",
  unconfirmed: "not confirmed by the robot",
} as const;

/** What is said wherever somebody is about to rely on a lock. */
export const NO_ISOLATION = "This lock does not replace isolating the machine.";

const resultLook: Record<RobotOutcome, Look> = {
  SUCCESS: { label: "Done", tone: "good", icon: IconCircleCheck },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertTriangle },
  SKIPPED: { label: "Skipped", tone: "off", icon: IconCircleMinus },
};

/** Stored by the server and sent again until the robot shows it. */
const pendingLook: Look = { label: "Not confirmed", tone: "fair", icon: IconClockPause };

export function lookOfResult({ outcome, pending }: RobotResult): Look {
  return pending ? pendingLook : resultLook[outcome];
}
