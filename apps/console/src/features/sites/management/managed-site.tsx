import { Tabs } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { siteCountersOf } from "@suncrew/domain/sites/site-status.ts";
import { RobotGroupsCard } from "../../groups/public.ts";
import { useRobotViews, useSiteRobots } from "../../robots/public.ts";
import { SiteFacts } from "../site-facts.tsx";
import { RobotRows } from "./robot-rows.tsx";
import type { ManagedTab } from "./sites-url.ts";

export interface ManagedSiteProps {
  readonly site: Site;
  readonly tab: ManagedTab;
  readonly onTab: (tab: ManagedTab) => void;
}

/** §2 Site Management page, right card: the selected site with its robots and its groups. */
export function ManagedSite({ site, tab, onTab }: ManagedSiteProps) {
  const robots = useSiteRobots(site.id);
  const views = useRobotViews(robots.rows);
  const isTold = robots.state === "loaded" && views.every((view) => !view.isChecking);
  const counted = siteCountersOf(views.map((view) => ({ status: view.status, operatingMode: view.mode })));
  // §8 Robot fetch failure: the online count is 0.
  const online = robots.state === "failed" ? 0 : isTold ? counted.onlineRobots : site.online_robots;
  return (
    <>
      <SiteFacts site={site} onlineRobots={online} />
      <Tabs
        value={tab}
        onChange={(value) => onTab(value === "groups" ? "groups" : "robots")}
        keepMounted={false}
        mt="sm"
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="robots">Individual Robots</Tabs.Tab>
          <Tabs.Tab value="groups">Robot Groups</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="robots">
          <RobotRows site={site} robots={robots} />
        </Tabs.Panel>
        <Tabs.Panel value="groups">
          <RobotGroupsCard site={site} robots={robots} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
