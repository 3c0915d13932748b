import { useEffect, useState } from "react";

let isShown = false;
let resolveShown: () => void;
const shown = new Promise<void>((resolve) => {
  resolveShown = resolve;
});

function markShown(): void {
  isShown = true;
  resolveShown();
}

/** What waits for content that does not come starts anyway after this. */
const LONGEST_WAIT_MS = 3_000;
let longestWait: ReturnType<typeof setTimeout> | null = null;

/**
 * For what may load after the first robots: it must take neither network nor processor from them. The longest wait
 * begins with the first call, for this file is loaded while somebody still types a password.
 */
export function firstContentShown(): Promise<void> {
  longestWait ??= setTimeout(markShown, LONGEST_WAIT_MS);
  return shown;
}

/** Whether what may load after the first robots may load now. */
export function useFirstContentShown(): boolean {
  const [isKnown, setKnown] = useState(isShown);
  useEffect(() => {
    if (!isKnown) void firstContentShown().then(() => setKnown(true));
  }, [isKnown]);
  return isKnown;
}

/**
 * The page's main content is rendered, or will not come: what waits for it starts after the next frame. Later calls
 * change nothing.
 */
export function useFirstContent(isThere: boolean): void {
  useEffect(() => {
    if (!isThere) return;
    // A background tab draws no frames.
    if (document.hidden) markShown();
    else requestAnimationFrame(() => setTimeout(markShown));
  }, [isThere]);
}
