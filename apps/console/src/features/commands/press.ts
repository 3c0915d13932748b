import { PRESS_HEADER } from "@suncrew/contract/commands/press.ts";

let lastAtMs = 0;

/**
 * A button that moves or stops robots was pressed. Answers, for when its order is sent, the header that tells the
 * server of it: so that no Start goes out after a Stop that was pressed later.
 */
export function newPress(): () => Record<typeof PRESS_HEADER, string> {
  const atMs = Math.max(lastAtMs + 1, Date.now());
  lastAtMs = atMs;
  const since = performance.now();
  return () => ({ [PRESS_HEADER]: `${atMs} ${Math.round(performance.now() - since)}` });
}
