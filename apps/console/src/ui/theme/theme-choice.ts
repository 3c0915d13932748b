import { useSyncExternalStore } from "react";

/** §9 Themes, in the order of the picker. */
export const THEMES = ["light", "dark", "blue", "green", "purple"] as const;
export type ThemeName = (typeof THEMES)[number];

/** §4 Theme: kept in browser storage; default light. */
const THEME_KEY = "theme";
const DEFAULT_THEME: ThemeName = "light";

const listeners = new Set<() => void>();

function isTheme(value: string | null): value is ThemeName {
  return THEMES.some((theme) => theme === value);
}

/** The one chosen for this browser, unless before-paint.js gave this page one of its own. */
function currentTheme(): ThemeName {
  const theme = document.documentElement.dataset["fixedTheme"] ?? localStorage.getItem(THEME_KEY);
  return isTheme(theme) ? theme : DEFAULT_THEME;
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== THEME_KEY && event.key !== null) return;
    applyTheme(currentTheme());
    listener();
  };
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
  };
}

function applyTheme(theme: ThemeName): void {
  document.documentElement.dataset["theme"] = theme;
  const background = getComputedStyle(document.documentElement).getPropertyValue("--sc-nav-bg").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", background);
}

/** Chooses a theme for this browser, in all its tabs. */
export function chooseTheme(theme: ThemeName): void {
  localStorage.setItem(THEME_KEY, theme);
  applyTheme(theme);
  for (const listener of listeners) listener();
}

/** The theme of this browser; renders again when it changes. */
export function useTheme(): ThemeName {
  return useSyncExternalStore(subscribe, currentTheme);
}
