import type { GuardVerdict } from "@suncrew/contract/guard/guard-state.ts";
import { guardWord } from "@suncrew/domain/guard/guard-words.ts";
import { IconCloudQuestion, IconShieldCheck, IconWind } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

export const guardLook: Record<GuardVerdict, Look & Required<Pick<Look, "icon">>> = {
  CLEAR: { label: guardWord.CLEAR, tone: "calm", icon: IconShieldCheck },
  PASSED: { label: guardWord.PASSED, tone: "fair", icon: IconWind },
  UNKNOWN: { label: guardWord.UNKNOWN, tone: "fair", icon: IconCloudQuestion },
};
