import { Button, Tabs } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { type FleetFigure, fleetFigureOf } from "@suncrew/domain/robots/fleet-figures.ts";
import { useCallback } from "react";
import { useFirstContent } from "../../platform/first-content.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { GroupControlTab, StopSiteButton } from "../groups/public.ts";
import { hasSameItems } from "../../platform/live/live.ts";
import { IndividualRobotsTab, useRobotsValue, useSiteRobots } from "../robots/public.ts";
import type { RobotView, SiteRobots } from "../robots/public.ts";
import { WeekCalendarTab } from "../runs/public.ts";
import { SiteFacts } from "../sites/public.ts";
import { WeatherPanel } from "../weather/public.ts";
import { tabNamed } from "./dashboard-url.ts";
import type { SiteTab } from "./dashboard-url.ts";
import { fleetFigureLook } from "./fleet-looks.ts";
import classes from "./site-detail.module.css";

export interface SiteDetailProps {
  readonly site: Site;
  readonly tab: SiteTab;
  readonly figure: FleetFigure | null;
  /** A date in the calendar's week; null for the current one. */
  readonly day: string | null;
  readonly onTab: (tab: SiteTab) => void;
  readonly onDay: (step: (day: string | null) => string | null) => void;
  readonly onShowAll: () => void;
}

/** §2 Detail panel of the selected site. */
export function SiteDetail({ site, tab, figure, day, onTab, onDay, onShowAll }: SiteDetailProps) {
  const robots = useSiteRobots(site.id);
  // If there are robot cards, they report it themselves.
  useFirstContent(robots.state !== "loading" && (tab !== "robots" || robots.rows.length === 0));
  return (
    <>
      <SiteFacts site={site} robots={robots} />
      <WeatherPanel siteId={site.id} />
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
        </Tabs.List>
        <div className={classes["stop"]}>
          <StopSiteButton site={site} rows={robots.rows} />
        </div>
        <Tabs.Panel value="robots" className={classes["panel"]}>
          <RobotsOfFigure robots={robots} figure={figure} onShowAll={onShowAll} />
        </Tabs.Panel>
        <Tabs.Panel value="groups" className={classes["panel"]}>
          <GroupControlTab site={site} robots={robots} />
        </Tabs.Panel>
        <Tabs.Panel value="calendar" className={classes["panel"]}>
          <WeekCalendarTab site={site} day={day} onDay={onDay} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

interface RobotsOfFigureProps extends Pick<SiteDetailProps, "figure" | "onShowAll"> {
  readonly robots: SiteRobots;
}

/** The site's robots counted in the chosen figure; all if none is chosen. */
function RobotsOfFigure({ robots, figure, onShowAll }: RobotsOfFigureProps) {
  const { rows } = robots;
  const counted = useCallback(
    (views: readonly RobotView[]) =>
      rows.filter((_, index) => {
        const view = views[index];
        return view !== undefined && fleetFigureOfView(view) === figure;
      }),
    [rows, figure],
  );
  const passing = useRobotsValue(figure === null ? NONE : rows, counted, hasSameItems);
  const shown = figure === null ? rows : passing;
  const isNoneCounted = figure !== null && rows.length > 0 && shown.length === 0;
  useFirstContent(isNoneCounted);
  if (isNoneCounted) {
    return (
      <EmptyState
        title={`No robot of this site is counted under ${fleetFigureLook[figure].label}.`}
        action={
          <Button variant="default" size="xs" onClick={onShowAll}>
            Show all robots
          </Button>
        }
      />
    );
  }
  return <IndividualRobotsTab robots={robots} shown={shown} />;
}

// While all robots are shown, nothing is computed for each of them.
const NONE: SiteRobots["rows"] = [];

function fleetFigureOfView(view: RobotView): FleetFigure {
  return fleetFigureOf({
    status: view.status,
    operatingMode: view.mode,
    motion: view.motion,
    online: view.isConnected,
  });
}
