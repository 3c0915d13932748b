import { useDocumentTitle } from "@mantine/hooks";
import { notifications, notificationsStore, useNotifications, type NotificationData } from "@mantine/notifications";
import { IconFlask, IconKey, IconPlugConnectedX } from "@tabler/icons-react";
import { type RefObject, useEffect, useRef } from "react";
import { Link, Outlet, useLocation, useMatches } from "react-router";
import { ConfirmHost } from "../../platform/confirm/confirm-host.tsx";
import { followLive, useLiveStatus } from "../../platform/live/live.ts";
import { firstContentShown, useFirstContent } from "../../platform/first-content.ts";
import { pagePathOf, paths } from "../../platform/paths.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import "../../ui/theme/signed-in-styles.ts";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";

/** The toast component is loaded for the first toast, or once the page's content is there. */
const Messages = lazyPart(
  async () => {
    await Promise.race([firstContentShown(), firstMessage()]);
    return (await import("./messages.tsx")).Messages;
  },
  { failed: () => <PlainMessages /> },
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
      <Messages className={classes["messages"]} />
      <ConfirmHost />
    </div>
  );
}

/** Toasts if their component could not be loaded: the outcome of a Stop must be readable all the same. */
function PlainMessages() {
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

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** Notices on every page: that this is a demo, that a password must be chosen, that live updates are interrupted. */
export function Banners() {
  const demo = useServerConfig()?.mode === "demo";
  const lost = useLiveStatus() === "lost";
  return (
    <>
      {demo && (
        <p className={classes["banner"]} data-calm>
          <IconFlask size={14} aria-hidden />
          Demo: simulated robots and sample data
        </p>
      )}
      <GeneratedPassword />
      {/* Always present, so that a screen reader announces what appears in it. */}
      <div role="status">
        {lost && (
          <p className={classes["banner"]} style={{ fontWeight: 600 }}>
            <IconPlugConnectedX size={16} aria-hidden />
            Live updates are interrupted. Reconnecting...
          </p>
        )}
      </div>
    </>
  );
}

/** Stays until the person has chosen a password: the generated one expires. */
function GeneratedPassword() {
  const { password_until: until } = useSignedIn().user;
  if (until === undefined) return null;
  return (
    <p className={classes["banner"]}>
      <IconKey size={16} aria-hidden />
      <span>
        Your password was generated and signs you in until {day.format(new Date(until))}.{" "}
        <Link to={paths.profile()}>Choose your own</Link>
      </span>
    </p>
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
