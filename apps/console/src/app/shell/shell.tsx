import { useDocumentTitle } from "@mantine/hooks";
import { notifications, notificationsStore, useNotifications, type NotificationData } from "@mantine/notifications";
import { type RefObject, useEffect, useRef } from "react";
import { Outlet, useLocation, useMatches } from "react-router";
import { ConfirmHost } from "../../platform/confirm/confirm-host.tsx";
import { followLive } from "../../platform/live/live.ts";
import { firstContentShown, useFirstContent } from "../../platform/first-content.ts";
import { pagePathOf, paths } from "../../platform/paths.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import "../../ui/theme/signed-in-styles.ts";
import { Banners } from "./banners.tsx";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";

/** The toast component is loaded for the first toast, or once the page's content is there. */
const Toasts = lazyPart(
  async () => {
    await Promise.race([firstContentShown(), firstMessage()]);
    return (await import("./toasts.tsx")).Toasts;
  },
  { failed: () => <PlainToasts /> },
);

function firstMessage(): Promise<void> {
  return new Promise((resolve) => {
    const stop = notificationsStore.subscribe(() => {
      stop();
      resolve();
    });
  });
}

/** Everything around a page for signed-in users. */
export function Shell() {
  useEffect(followLive, []);
  const { pathname } = useLocation();
  // The dashboard itself reports when its robots are shown.
  useFirstContent(pagePathOf(pathname) !== paths.dashboard());
  const content = usePageChange();
  return (
    <div className={classes["shell"]}>
      <a className={classes["skip"]} href={`#${PAGE_CONTENT_ID}`}>
        Skip to content
      </a>
      <header className={classes["head"]}>
        <TopBar />
        <Banners />
      </header>
      <main ref={content} id={PAGE_CONTENT_ID} tabIndex={-1} className={classes["content"]}>
        <Outlet />
      </main>
      {/* The lower end of the screen belongs to the robots' cards and to the thumb: no toast may cover a Stop. */}
      <Toasts className={classes["messages"]} />
      <ConfirmHost />
    </div>
  );
}

/** Toasts if their component could not be loaded: the outcome of a Stop must be readable all the same. */
function PlainToasts() {
  const { notifications: messages } = useNotifications();
  return (
    <div className={classes["plain"]}>
      {messages.map((message) => (
        <PlainMessage key={message.id} message={message} />
      ))}
    </div>
  );
}

function PlainMessage({ message: { id, title, message, role, autoClose } }: { readonly message: NotificationData }) {
  useEffect(() => {
    if (id === undefined || typeof autoClose !== "number") return undefined;
    const end = setTimeout(() => notifications.hide(id), autoClose);
    return () => clearTimeout(end);
  }, [id, autoClose]);
  return (
    <div role={role}>
      <strong>{title}</strong>
      <br />
      {message}
    </div>
  );
}

/** The container of a page's content, for the link that skips the navigation. */
export const PAGE_CONTENT_ID = "content";

/**
 * What a change of page means outside of the page: the tab's title, and the focus at the beginning of the
 * content, so that keyboard and screen reader continue there. A change of search parameters is not a new page.
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
