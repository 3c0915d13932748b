import { useSyncExternalStore } from "react";
import { z } from "zod";
import { useSignedIn } from "../../platform/session/use-session.ts";

/** A named address of the Robots page. */
export interface SavedView {
  readonly name: string;
  /** The query of its address, without the question mark. */
  readonly search: string;
}

export const VIEW_NAME_MAX = 60;
const MAX_VIEWS = 50;

/** Each user of this browser has their own. */
const keyOf = (userId: string) => `robotViews:${userId}`;

const storedSchema = z.array(z.object({ name: z.string().min(1), search: z.string() }));

/** What is kept under that key; what cannot be read counts as none. */
export function parseViews(text: string | null): readonly SavedView[] {
  if (text === null) return [];
  try {
    return storedSchema.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}

/** With this view, in place of one of the same name; by name, and no more than fit. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => !isSameName(name, view.name)), view]
    .toSorted((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }))
    .slice(0, MAX_VIEWS);
}

export function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

const CHANGED = "suncrew-views";

function subscribe(listener: () => void): () => void {
  // The storage event comes from other tabs only.
  addEventListener("storage", listener);
  addEventListener(CHANGED, listener);
  return () => {
    removeEventListener("storage", listener);
    removeEventListener(CHANGED, listener);
  };
}

/** The user's saved views in this browser, and how to change them; false if the browser does not store them. */
export function useSavedViews(): readonly [readonly SavedView[], (views: readonly SavedView[]) => boolean] {
  const key = keyOf(useSignedIn().user.id);
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const store = (views: readonly SavedView[]) => {
    try {
      localStorage.setItem(key, JSON.stringify(views));
    } catch {
      return false;
    }
    dispatchEvent(new Event(CHANGED));
    return true;
  };
  return [parseViews(text), store];
}
