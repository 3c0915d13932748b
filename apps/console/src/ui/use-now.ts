import { useSyncExternalStore } from "react";

/** One clock for the whole page, accurate to `tickMs`; it is stopped while nothing shows it. */
export function pageClock(tickMs: number) {
  const listeners = new Set<() => void>();
  let now = new Date();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    now: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      if (listeners.size === 1) {
        now = new Date();
        timer = setInterval(() => {
          now = new Date();
          for (const each of listeners) each();
        }, tickMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
  };
}

const clock = pageClock(5_000);

/** The time, true to 5 s: for ages and progress told in minutes. */
export function useNow(): Date {
  return useSyncExternalStore(clock.subscribe, clock.now);
}
