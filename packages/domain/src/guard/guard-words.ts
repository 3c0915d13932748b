import type { GuardVerdict } from "@suncrew/contract/guard/guard-state.ts";

/** What the wind and rain guard of a site says, in few words; the console adds colour and icon. */
export const guardWord: Readonly<Record<GuardVerdict, string>> = {
  CLEAR: "Within limits",
  PASSED: "Weather limit passed",
  UNKNOWN: "Weather not known",
};
