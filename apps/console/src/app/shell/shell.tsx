import { Notifications } from "@mantine/notifications";
import { useEffect } from "react";
import { Outlet } from "react-router";
import { ConfirmHost } from "../../platform/confirm/confirm-host.tsx";
import { followLive } from "../../platform/live/live.ts";
import "../../ui/theme/signed-in-styles.ts";
import { Banners } from "./banners.tsx";
import { PAGE_CONTENT_ID, usePageChange } from "./page-change.ts";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";

/** Everything around a page for somebody who is signed in. */
export function Shell() {
  useEffect(followLive, []);
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
      {/* The lower end of the screen belongs to the robots' cards and to the thumb: no message may lie over a Stop. */}
      <Notifications position="top-center" className={classes["messages"]} />
      <ConfirmHost />
    </div>
  );
}
