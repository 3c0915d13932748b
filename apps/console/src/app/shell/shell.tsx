import { Notifications } from "@mantine/notifications";
import { useEffect } from "react";
import { Outlet } from "react-router";
import { ConfirmHost } from "../../platform/confirm/confirm-host.tsx";
import { followLive } from "../../platform/live/live.ts";
import "../../ui/theme/signed-in-styles.ts";

/** Everything around a page for somebody who is signed in. */
export function Shell() {
  useEffect(followLive, []);
  return (
    <>
      <main>
        <Outlet />
      </main>
      <Notifications position="bottom-right" />
      <ConfirmHost />
    </>
  );
}
