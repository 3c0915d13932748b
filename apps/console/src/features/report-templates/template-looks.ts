import { IconCircleCheck, IconCircleOff } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** Whether a template is offered. */
export const templateLook: Record<"active" | "inactive", Look> = {
  active: { label: "Active", tone: "good", icon: IconCircleCheck },
  inactive: { label: "Inactive", tone: "off", icon: IconCircleOff },
};
