import { useEffect } from "react";

let resolveShown: () => void;
const shown = new Promise<void>((resolve) => {
  resolveShown = resolve;
});

/** For what may load after the first robots: it must take neither network nor processor from them. */
export function firstContentShown(): Promise<void> {
  return shown;
}

/**
 * The page's main content is rendered, or will not come: what waits for it starts after the next frame. Later calls
 * change nothing.
 */
export function useFirstContent(isThere: boolean): void {
  useEffect(() => {
    if (!isThere) return;
    // A background tab draws no frames.
    if (document.hidden) resolveShown();
    else requestAnimationFrame(() => setTimeout(resolveShown));
  }, [isThere]);
}
