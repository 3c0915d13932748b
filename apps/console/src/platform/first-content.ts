import { useEffect } from "react";

let resolveShown: () => void;
const shown = new Promise<void>((resolve) => {
  resolveShown = resolve;
});

/** For what may be loaded after the first robots: neither network nor processor is taken from these. */
export function firstContentShown(): Promise<void> {
  return shown;
}

/**
 * What the page was opened for is rendered, or will not come: what waits for it begins after the next frame. What comes
 * later changes nothing.
 */
export function useFirstContent(isThere: boolean): void {
  useEffect(() => {
    if (!isThere) return;
    // A tab in the background draws no frames.
    if (document.hidden) resolveShown();
    else requestAnimationFrame(() => setTimeout(resolveShown));
  }, [isThere]);
}
