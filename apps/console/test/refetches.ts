import { timeoutManager } from "@tanstack/react-query";

const due = new Map<number, () => void>();
let lastId = 0;

const refetchesWhenTold = {
  setTimeout: (callback: () => void, delay: number) => window.setTimeout(callback, delay),
  clearTimeout: (id: number | undefined) => window.clearTimeout(id),
  setInterval: (callback: () => void) => {
    lastId += 1;
    due.set(lastId, callback);
    return lastId;
  },
  clearInterval: (id: number | undefined) => void (id !== undefined && due.delete(id)),
};

/**
 * What the console asks for again every few seconds waits until a test says that this time has passed: on a busy machine
 * it would be asked for in the middle of a step, and get the answer that is meant for the next.
 */
export function holdRefetches(): void {
  timeoutManager.setTimeoutProvider(refetchesWhenTold);
}

/** Everything that the console asks for again after a time is asked for now. */
export function refetchNow(): void {
  for (const refetch of due.values()) refetch();
}
