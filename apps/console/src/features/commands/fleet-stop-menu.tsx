import { Menu } from "@mantine/core";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { type FleetPart, mayMoveNow, stopFleet } from "./fleet-stop.ts";

/** The states, and for a Super Admin the partners, whose robots can be stopped alone; one press stops them. */
export function PartsToStop() {
  const query = useQuery(routeQuery(siteDetails, {}));
  const { role } = useSignedIn();
  return (
    <QueryState query={query} loading={<Menu.Label>Loading...</Menu.Label>} failed="The sites could not be loaded.">
      {(sites) => (
        <>
          <Parts label="Stop only in" parts={partsBy(sites, stateOf)} />
          {role === "SUPER_ADMIN" && <Parts label="Stop only robots of" parts={partsBy(sites, partnerOf)} />}
        </>
      )}
    </QueryState>
  );
}

interface SitesOfPart {
  readonly name: string;
  readonly body: FleetPart["body"];
  readonly siteIds: ReadonlySet<number>;
}

type Named = Pick<SitesOfPart, "name" | "body">;

const stateOf = ({ state }: Site): Named | null => ({ name: state, body: { state } });

const partnerOf = ({ maintenance_partner_id: partnerId, partner_name: name }: Site): Named | null =>
  partnerId === null || name === null ? null : { name, body: { partnerId } };

function partsBy(sites: readonly Site[], partOf: (site: Site) => Named | null): SitesOfPart[] {
  const parts = new Map<string, Named & { readonly siteIds: Set<number> }>();
  for (const site of sites) {
    const named = partOf(site);
    if (named === null) continue;
    const key = JSON.stringify(named.body);
    const part = parts.get(key) ?? { ...named, siteIds: new Set() };
    parts.set(key, part);
    part.siteIds.add(site.id);
  }
  return [...parts.values()].toSorted((one, other) => one.name.localeCompare(other.name));
}

function Parts({ label, parts }: { readonly label: string; readonly parts: readonly SitesOfPart[] }) {
  const moving = useLiveValue(movingBySite, isSameCounts);
  if (parts.length === 0) return null;
  return (
    <>
      <Menu.Label>{label}</Menu.Label>
      {parts.map(({ name, body, siteIds }) => {
        const count = [...siteIds].reduce((sum, id) => sum + (moving.get(id) ?? 0), 0);
        const includes: FleetPart["includes"] = (robot) => siteIds.has(robot.site_id);
        return (
          <Menu.Item
            key={JSON.stringify(body)}
            onClick={() => void stopFleet({ title: `Stop ${name}`, body, includes })}
            rightSection={<span>{count === 0 ? "none moving" : `${count.toLocaleString("en-GB")} moving`}</span>}
          >
            {name}
          </Menu.Item>
        );
      })}
    </>
  );
}

function movingBySite(): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const robot of liveStore.robots()) {
    if (mayMoveNow(robot)) counts.set(robot.site_id, (counts.get(robot.site_id) ?? 0) + 1);
  }
  return counts;
}

function isSameCounts(one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): boolean {
  return one.size === other.size && [...one].every(([siteId, count]) => other.get(siteId) === count);
}
