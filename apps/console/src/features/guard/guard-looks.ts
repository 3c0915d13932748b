import type { GuardVerdict } from "@suncrew/contract/guard/guard-state.ts";
import { IconCloudQuestion, IconShieldCheck, IconWind } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

export const guardLook: Record<GuardVerdict, Look & Required<Pick<Look, "icon">>> = {
  CLEAR: { label: "Within limits", tone: "calm", icon: IconShieldCheck },
  PASSED: { label: "Weather limit passed", tone: "fair", icon: IconWind },
  UNKNOWN: { label: "Weather not known", tone: "fair", icon: IconCloudQuestion },
};
