import { useDocumentTitle } from "@mantine/hooks";
import { useEffect, useRef, type RefObject } from "react";
import { useLocation, useMatches } from "react-router";

/** The place of a page's content, for the link that skips the navigation. */
export const PAGE_CONTENT_ID = "content";

/**
 * What a change of page means outside of the page: the tab's title, and the focus at the beginning of the
 * content, so that keyboard and screen reader go on there. A change of search parameters is no new page.
 */
export function usePageChange(): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shownPath = useRef(pathname);
  const title = useMatches()
    .map((match) => titleOf(match.handle))
    .findLast((found) => found !== null);
  useDocumentTitle(title === undefined || title === null ? "Suncrew" : `${title} - Suncrew`);

  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    content.current?.focus();
  }, [pathname]);
  return content;
}

function titleOf(handle: unknown): string | null {
  if (typeof handle !== "object" || handle === null || !("title" in handle)) return null;
  return typeof handle.title === "string" ? handle.title : null;
}
