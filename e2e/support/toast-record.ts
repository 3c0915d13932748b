import type { BrowserContext, Page } from "@playwright/test";

/** What each document of the context keeps about its toasts. Times are the page's own, in milliseconds. */
interface ToastRecord {
  /** When somebody last pressed a button or a key. */
  lastInputMs: number;
  /** Until when each toast was shown, by its title and one of its messages as JSON; infinite for one that still is. */
  readonly shownUntil: Map<string, number>;
}

type RecordingWindow = typeof globalThis & { suncrewToasts?: ToastRecord };

/**
 * Records every toast from the first document on: one that closes after 3 seconds may be gone before a test on a busy
 * machine looks. Must run before the context's first navigation.
 */
export async function recordToasts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const record: ToastRecord = { lastInputMs: 0, shownUntil: new Map() };
    (globalThis as RecordingWindow).suncrewToasts = record;
    const look = () => {
      const shown = new Set<string>();
      for (const toast of document.querySelectorAll('section[aria-label="Messages"] > div')) {
        for (const message of toast.querySelectorAll("p")) {
          shown.add(JSON.stringify([toast.querySelector("strong")?.textContent, message.textContent]));
        }
      }
      for (const [text, until] of record.shownUntil) {
        if (until === Infinity && !shown.has(text)) record.shownUntil.set(text, Date.now());
      }
      for (const text of shown) record.shownUntil.set(text, Infinity);
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
    for (const type of ["pointerdown", "keydown"]) {
      addEventListener(type, () => (record.lastInputMs = Date.now()), { capture: true, passive: true });
    }
  });
}

/** When somebody last pressed a button or a key on the page; 0 if nobody has. */
export async function lastInputMs(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as RecordingWindow).suncrewToasts?.lastInputMs ?? 0);
}

/** The titles and messages of all toasts that were on the page at that time or later. */
export async function toastsSince(page: Page, sinceMs: number): Promise<unknown[]> {
  return page.evaluate((since) => {
    const record = (globalThis as RecordingWindow).suncrewToasts;
    if (record === undefined) throw new Error("This page does not record its toasts.");
    return [...record.shownUntil].flatMap(([text, until]) => (until >= since ? [JSON.parse(text) as unknown] : []));
  }, sinceMs);
}
