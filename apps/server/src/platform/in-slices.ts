import { setImmediate as yieldToOthers } from "node:timers/promises";

/** How many items are processed before other work gets its turn. */
const SLICE = 50;

/** Processes the list without blocking other work, however long it is. */
export async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE === 0) await yieldToOthers();
    work(item);
  }
}
