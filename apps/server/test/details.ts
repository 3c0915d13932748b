import type { OutcomeText } from "@suncrew/domain/runs/outcome-texts.ts";

/** Details of an activity as a test words them; they have the code of a confirmed START, whatever they say. */
export function details(text: string): OutcomeText {
  return { code: "START_CONFIRMED", params: {}, text };
}
