import { useDocumentTitle } from "@mantine/hooks";
import { type RefObject, useEffect, useRef } from "react";
import { Outlet, useLocation, useMatches } from "react-router";
import { ConfirmHost } from "../../platform/confirm/confirm-host.tsx";
import { followLive } from "../../platform/live/live.ts";
import { useFirstContent } from "../../platform/first-content.ts";
import { pagePathOf, paths } from "../../platform/paths.ts";
import { AttentionTitle } from "../../features/attention/public.ts";
import "../../ui/theme/signed-in-styles.ts";
import { Banners } from "./banners.tsx";
import classes from "./shell.module.css";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";

/** Everything around a page for signed-in users. */
export function Shell() {
  useEffect(followLive, []);
  const { pathname } = useLocation();
  // The dashboard itself reports when its robots are shown.
  useFirstContent(pagePathOf(pathname) !== paths.dashboard());
  const content = usePageChange();
  const title = usePageTitle();
  return (
    <div className={classes["shell"]}>
      <PageTitle title={title} />
      {/* After the page's own title, to which it adds a number. */}
      <AttentionTitle title={title} />
      <SkipLink to={PAGE_CONTENT_ID}>Skip to content</SkipLink>
      {(SKIPS[pagePathOf(pathname)] ?? []).map(({ label, to }) => (
        <SkipLink key={to} to={to}>
          {label}
        </SkipLink>
      ))}
      <header className={classes["head"]}>
        <TopBar />
        <Banners />
      </header>
      <main ref={content} id={PAGE_CONTENT_ID} tabIndex={-1} className={classes["content"]}>
        <Outlet />
      </main>
      <Toasts />
      <ConfirmHost />
    </div>
  );
}

/** The container of a page's content, for the link that skips the navigation. */
export const PAGE_CONTENT_ID = "content";

interface Skip {
  readonly label: string;
  /** The element's id. */
  readonly to: string;
}

const SKIP_TO_ROBOTS: Skip = { label: "Skip to robots", to: "robots" };

/** What a page has to skip to, besides its content. */
const SKIPS: Readonly<Record<string, readonly Skip[]>> = {
  [paths.dashboard()]: [{ label: "Skip to what is wrong", to: "attention" }, SKIP_TO_ROBOTS],
  [paths.robots()]: [SKIP_TO_ROBOTS],
};

/** Seen only while it has the focus. What has not loaded yet, or is not there, begins with the content. */
function SkipLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <a
      className={classes["skip"]}
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        (document.getElementById(to) ?? document.getElementById(PAGE_CONTENT_ID))?.focus();
      }}
    >
      {children}
    </a>
  );
}

function PageTitle({ title }: { readonly title: string }) {
  useDocumentTitle(title);
  return null;
}

function usePageTitle(): string {
  const title = useMatches()
    .map(({ handle, params }) => titleOf(handle, params))
    .findLast((found) => found !== null);
  return title === undefined || title === null ? "Suncrew" : `${title} - Suncrew`;
}

/**
 * What a change of page means outside of the page: the focus at the beginning of the content, so that keyboard and
 * screen reader continue there. A change of search parameters is not a new page.
 */
export function usePageChange(): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shownPath = useRef(pathname);

  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    content.current?.focus();
  }, [pathname]);
  return content;
}

/** Of a page about one thing the title begins with its name, a parameter of the path. */
function titleOf(handle: unknown, params: Readonly<Record<string, string | undefined>>): string | null {
  if (typeof handle !== "object" || handle === null || !("title" in handle)) return null;
  const { title } = handle;
  if (typeof title !== "string") return null;
  const name = "of" in handle && typeof handle.of === "string" ? params[handle.of] : undefined;
  return name === undefined ? title : `${name} - ${title}`;
}
