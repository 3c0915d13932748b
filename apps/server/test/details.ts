import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";

/** Activity details with a test's own wording; they have the code of a confirmed START, whatever they say. */
export function details(text: string): OutcomeText {
  return { code: "START_CONFIRMED", params: {}, text };
}
