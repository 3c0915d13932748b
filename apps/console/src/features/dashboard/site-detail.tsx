import { Tabs } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { firstContentShown, useFirstContent } from "../../platform/first-content.ts";
import { GroupControlTab, StopSiteButton } from "../groups/public.ts";
import { IndividualRobotsTab, useSiteRobots } from "../robots/public.ts";
import { WeekCalendarTab } from "../runs/public.ts";
import { SiteFacts } from "../sites/public.ts";
import { SoilingTab } from "../soiling/public.ts";
import { WeatherPanel } from "../weather/public.ts";
import { tabNamed } from "./dashboard-url.ts";
import type { SiteTab } from "./dashboard-url.ts";
import shared from "../../ui/shared.module.css";
import classes from "./site-detail.module.css";

export interface SiteDetailProps {
  readonly site: Site;
  readonly tab: SiteTab;
  /** A date in the calendar's week; null for the current one. */
  readonly day: string | null;
  readonly onTab: (tab: SiteTab) => void;
  readonly onDay: (step: (day: string | null) => string | null) => void;
}

/** §2 Detail panel of the selected site. */
export function SiteDetail({ site, tab, day, onTab, onDay }: SiteDetailProps) {
  const robots = useSiteRobots(site.id);
  // If there are robot cards, they report it themselves.
  useFirstContent(robots.state !== "loading" && (tab !== "robots" || robots.rows.length === 0));
  useEffect(() => void firstContentShown().then(GroupControlTab.preload), []);
  return (
    <>
      <SiteFacts site={site} robots={robots} />
      <div className={classes["weather"]}>
        <WeatherPanel site={site} />
      </div>
      <Tabs
        value={tab}
        onChange={(value) => onTab(tabNamed(value))}
        keepMounted={false}
        mt="sm"
        className={classes["tabs"]}
      >
        <Tabs.List className={classes["list"]}>
          <Tabs.Tab value="robots">Individual Robots</Tabs.Tab>
          <Tabs.Tab value="groups">Group Control</Tabs.Tab>
          <Tabs.Tab value="calendar">Calendar</Tabs.Tab>
          <Tabs.Tab value="soiling">Soiling</Tabs.Tab>
        </Tabs.List>
        <div className={`${shared["thumb"]} ${classes["stop"]}`}>
          <StopSiteButton site={site} rows={robots.rows} />
        </div>
        <Tabs.Panel value="robots" className={classes["panel"]}>
          <Robots>
            <IndividualRobotsTab robots={robots} />
          </Robots>
        </Tabs.Panel>
        <Tabs.Panel value="groups" className={classes["panel"]}>
          <Robots>
            <GroupControlTab site={site} robots={robots} />
          </Robots>
        </Tabs.Panel>
        <Tabs.Panel value="calendar" className={classes["panel"]}>
          <WeekCalendarTab site={site} day={day} onDay={onDay} />
        </Tabs.Panel>
        <Tabs.Panel value="soiling" className={classes["panel"]}>
          <SoilingTab site={site} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Where "Skip to robots" leads. */
function Robots({ children }: { readonly children: ReactNode }) {
  return (
    <div id="robots" tabIndex={-1} className={classes["robots"]}>
      {children}
    </div>
  );
}
