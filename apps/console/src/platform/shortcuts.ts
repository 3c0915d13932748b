import { useSyncExternalStore } from "react";
import { isDialogOpen } from "../ui/dialog.tsx";

/** What the keyboard does on every page; the pages' own keys, after G, are the navigation's. */
export const SHORTCUTS = {
  search: { keys: ["mod+k", "/"], does: "Search, and jump to anything" },
  stopRobot: { keys: ["s"], does: "Stop the robot whose card or row has the focus, or whose page is open" },
  help: { keys: ["?"], does: "Show the keyboard shortcuts" },
} as const satisfies Readonly<Record<string, { readonly keys: readonly string[]; readonly does: string }>>;

/** Begins the two keys that open a page. */
export const GO_KEY = "g";

/** Whether this press is one of the shortcut's, and meant as one. */
export function isShortcut(event: KeyboardEvent, name: keyof typeof SHORTCUTS): boolean {
  const pressed = shortcutKeyOf(event);
  return pressed !== null && SHORTCUTS[name].keys.some((key) => key === pressed);
}

/**
 * The key as shortcuts are written; null if the press is not meant for them: somebody types or chooses, a dialog is
 * open, the press repeats, belongs to an input method or is dealt with already.
 */
export function shortcutKeyOf(event: KeyboardEvent): string | null {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (event.defaultPrevented || event.repeat || event.isComposing || altKey || isDialogOpen()) return null;
  if (ctrlKey || metaKey) return isModified(event) && !shiftKey && key.toLowerCase() === "k" ? "mod+k" : null;
  if (key.length !== 1 || !areSingleKeysOn() || (target instanceof Element && isForKeys(target))) return null;
  // Some keyboards have / and ? only with Shift; a letter with Shift is another key.
  const isLetter = key.toLowerCase() !== key.toUpperCase();
  return isLetter && shiftKey ? null : key.toLowerCase();
}

/** Command on Apple's keyboards, Ctrl on all others, where each has a meaning of its own in a field. */
function isModified({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** As it is written on the keyboard: "Ctrl K". */
export function keyText(key: string): string {
  return key
    .replace("mod+", isApple() ? "⌘ " : "Ctrl ")
    .toUpperCase()
    .replace("CTRL", "Ctrl");
}

const TYPED =
  "textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit]), [contenteditable=true]";
const CHOSEN = "[role=dialog], [role=menu], [role=listbox], [role=combobox]";

function isForKeys(target: Element): boolean {
  return target.matches(TYPED) || target.closest(CHOSEN) !== null;
}

/** WCAG 2.1.4: whoever speaks to the browser, or presses keys by accident, can switch single keys off. */
const STORED_AS = "singleKeyShortcuts";
const listeners = new Set<() => void>();

function areSingleKeysOn(): boolean {
  return localStorage.getItem(STORED_AS) !== "off";
}

export function switchSingleKeys(isOn: boolean): void {
  localStorage.setItem(STORED_AS, isOn ? "on" : "off");
  for (const listener of listeners) listener();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      removeEventListener("storage", listener);
    };
  }, areSingleKeysOn);
}
