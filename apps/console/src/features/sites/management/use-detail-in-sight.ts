import { useCallback, useEffect, useRef } from "react";

/** The list is above the detail, not beside it; the same width as in the page's styles. */
const STACKED = "(max-width: 62em)";

/**
 * Where the selected site is shown below the list, choosing one in the list brings its detail into sight and gives it
 * the focus, so that Tab leads on from there. An address that names a site moves nothing.
 */
export function useDetailInSight(selectedId: number | null) {
  const detail = useRef<HTMLElement>(null);
  const chosenId = useRef<number | null>(null);
  const reveal = useCallback(() => {
    chosenId.current = null;
    if (!matchMedia(STACKED).matches) return;
    detail.current?.focus({ preventScroll: true });
    detail.current?.scrollIntoView({ block: "start", behavior: "instant" });
  }, []);
  useEffect(() => {
    if (selectedId !== null && selectedId === chosenId.current) reveal();
  }, [selectedId, reveal]);
  const showDetail = (siteId: number) => {
    chosenId.current = siteId;
    // Its detail is there already.
    if (siteId === selectedId) reveal();
  };
  return { detail, showDetail };
}
