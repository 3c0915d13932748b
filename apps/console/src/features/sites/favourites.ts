import { useMemo, useSyncExternalStore } from "react";
import { useSignedIn } from "../../platform/session/use-session.ts";

/** One browser may be used by several people. */
const keyOf = (userId: string) => `favourite-sites-${userId}`;

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

/** The sites that the user has marked in this browser, and what marks one or removes its mark. */
export function useFavourites() {
  const key = keyOf(useSignedIn().user.id);
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(key) ?? "");
  return useMemo(() => {
    const ids: ReadonlySet<number> = new Set(stored.match(/\d+/g)?.map(Number));
    const toggle = (siteId: number) => {
      const next = ids.has(siteId) ? [...ids].filter((id) => id !== siteId) : [...ids, siteId];
      localStorage.setItem(key, next.join(" "));
      for (const listener of listeners) listener();
    };
    return { ids, toggle };
  }, [key, stored]);
}
