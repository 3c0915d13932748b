import { Burger, Menu } from "@mantine/core";
import { useState } from "react";
import { type Icon, IconBroadcast, IconBroadcastOff, IconLoader2, IconPlayerPause } from "@tabler/icons-react";
import { Link, useLocation } from "react-router";
import { FleetStopButton } from "../../features/commands/public.ts";
import { type GoPage, type Opened, Palette } from "../../features/palette/public.ts";
import type { LiveStatus } from "../../platform/live/live-store.ts";
import { useLiveStatus } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { BrandMark } from "../../ui/brand-mark.tsx";
import { mayOpen } from "../guards.ts";
import classes from "./top-bar.module.css";
import { UserMenu } from "./user-menu.tsx";

/** §2 Top navigation bar. On a narrow screen its links fold into a menu. */
export function TopBar() {
  const links = useNavigation();
  const [opened, open] = useState<Opened>(null);
  return (
    <div className={classes["bar"]}>
      <div className={classes["folded"]}>
        <Menu position="bottom-start" width={220} withinPortal={false}>
          <Menu.Target>
            <Burger size="sm" color="var(--sc-nav-text)" aria-label="Open navigation" />
          </Menu.Target>
          <Menu.Dropdown>
            {links.map((link) => (
              <Menu.Item
                key={link.label}
                component={Link}
                to={link.to}
                aria-current={link.current}
                className={classes["item"]}
              >
                {link.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <Link to={paths.signIn()} className={classes["brand"]} aria-label="Suncrew">
        <BrandMark />
        <span className={classes["name"]}>Suncrew</span>
      </Link>
      <nav className={classes["links"]} aria-label="Main">
        {links.map((link) => (
          <Link key={link.label} to={link.to} className={classes["link"]} aria-current={link.current}>
            {link.label}
          </Link>
        ))}
      </nav>
      <div className={classes["end"]}>
        <LiveIndicator />
        <Palette pages={links} opened={opened} onOpen={open} />
        <FleetStopButton />
        <UserMenu onShortcuts={() => open("shortcuts")} />
      </div>
    </div>
  );
}

interface Destination extends GoPage {
  /** The page it leads to, if `to` redirects. */
  readonly page: string;
  /** Pages that are reached from there. */
  readonly further?: readonly string[];
}

/** §2 Top navigation bar, in its order; the Dashboard's link is `/`. No key is S, which stops also after G. */
const DESTINATIONS: readonly Destination[] = [
  { label: "Dashboard", to: paths.signIn(), page: paths.dashboard(), key: "d" },
  { label: "Robots", to: paths.robots(), page: paths.robots(), key: "r" },
  { label: "Calendar", to: paths.calendar(), page: paths.calendar(), key: "c" },
  { label: "Site Management", to: paths.sites(), page: paths.sites(), key: "i" },
  { label: "Partners", to: paths.partners(), page: paths.partners(), key: "p" },
  { label: "Activity Log", to: paths.activity(), page: paths.activity(), key: "a" },
  { label: "Report Management", to: paths.reportManagement(), page: paths.reportManagement(), key: "m" },
  { label: "Site Reports", to: paths.siteReports(), page: paths.siteReports(), key: "e" },
  {
    label: "Notifications",
    to: paths.notifications(),
    page: paths.notifications(),
    further: [paths.webhooks(), paths.demoMessages()],
    key: "n",
  },
];

interface NavigationLink extends Destination {
  /** "true" for a page that is reached from there. */
  readonly current: "page" | "true" | undefined;
}

/** §6: the links to the pages that the user's role may open, the current one marked. */
function useNavigation(): readonly NavigationLink[] {
  const { role } = useSignedIn();
  const { pathname } = useLocation();
  return DESTINATIONS.filter(({ page }) => mayOpen(role, page)).map((destination) => ({
    ...destination,
    current:
      pathname === destination.page ? "page" : destination.further?.includes(pathname) === true ? "true" : undefined,
  }));
}

const LOOKS: Record<LiveStatus, { label: string; icon: Icon }> = {
  live: { label: "Live", icon: IconBroadcast },
  connecting: { label: "Connecting", icon: IconLoader2 },
  lost: { label: "Reconnecting", icon: IconBroadcastOff },
  stopped: { label: "Paused", icon: IconPlayerPause },
};

/** Whether what is shown is up to date by itself. The banner tells a screen reader of a lost connection. */
function LiveIndicator() {
  const status = useLiveStatus();
  const { label, icon: StatusIcon } = LOOKS[status];
  return (
    <span className={classes["indicator"]} data-status={status}>
      <StatusIcon size={16} stroke={1.8} aria-hidden />
      <span className={classes["label"]}>{label}</span>
    </span>
  );
}
