import { useSyncExternalStore } from "react";

const TICK_MS = 5_000;
const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = new Date();
    timer = setInterval(() => {
      now = new Date();
      for (const each of listeners) each();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** The time, true to 5 s: for ages and progress told in minutes. One clock for the whole page. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}
