import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveVersion } from "../../platform/live/live.ts";
import { type DeployRobot, waitsBefore } from "./deploy-facts.ts";

export interface DeployRobots {
  /** Of every site, in the order of sites and serial numbers. */
  readonly all: readonly DeployRobot[];
  /** Of the site, where there is one. */
  readonly ofSite: readonly DeployRobot[];
  readonly siteName: string | null;
  /** Neither the stream nor the list has told the robots yet. */
  readonly isUnknown: boolean;
}

/** Robots as the stream tells them now; the site's own list also knows their names. */
export function useDeployRobots(siteId: number | null): DeployRobots {
  const version = useLiveVersion();
  const sites = useQuery(routeQuery(siteDetails, {})).data;
  const site = sites?.find(({ id }) => id === siteId);
  const list = useQuery({
    ...routeQuery(robotDetailsWithSettings, { params: { siteId: siteId ?? 0 } }),
    enabled: site !== undefined,
  });
  const rows = list.data?.robots;
  return useMemo(() => {
    const siteNames = new Map(sites?.map(({ id, name }) => [id, name]));
    const names = new Map(rows?.map((row) => [row.robot_id, row.robot_name]));
    const robotOf = (robot: RobotLive): DeployRobot => ({
      id: robot.robot_id,
      serial: robot.serial_number,
      name: names.get(robot.robot_id) ?? "",
      siteName: siteNames.get(robot.site_id) ?? "",
      version: robot.firmware_version,
      waits: waitsBefore(robot, new Date()),
    });
    const live = [...liveStore.robots()];
    const known = live.length > 0 ? live : (rows ?? []);
    const all = known.map(robotOf).toSorted(bySiteAndSerial);
    const ids = new Set(known.filter(({ site_id }) => site_id === siteId).map(({ robot_id }) => robot_id));
    return {
      all,
      ofSite: all.filter(({ id }) => ids.has(id)),
      siteName: site?.name ?? null,
      isUnknown: live.length === 0 && rows === undefined,
    };
    // eslint-disable-next-line react/exhaustive-deps -- the version stands for what the store holds
  }, [version, sites, rows, site, siteId]);
}

const collator = new Intl.Collator("en", { numeric: true });

function bySiteAndSerial(one: DeployRobot, other: DeployRobot): number {
  return collator.compare(one.siteName, other.siteName) || collator.compare(one.serial, other.serial);
}
