import type { Site } from "@suncrew/contract/sites/sites.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import classes from "./site-facts.module.css";
import { SiteMaintenance } from "./site-maintenance.tsx";
import { MayBeMovingBadge } from "./may-be-moving.tsx";
import { siteStatusLook } from "./site-meaning.ts";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export interface SiteFactsProps {
  readonly site: Site;
  readonly onlineRobots: number;
}

/** §2 Detail panel: name and status; address, district, state, pin code; Commissioned; Maintenance; robots online. */
export function SiteFacts({ site, onlineRobots }: SiteFactsProps) {
  return (
    <header>
      <div className={classes["head"]}>
        <h2 className={classes["name"]}>{site.name}</h2>
        <StateBadge look={siteStatusLook[site.status]} />
      </div>
      <ul className={classes["facts"]}>
        <li>
          {site.address}, {site.district}, {site.state} {site.pin_code}
        </li>
        <li>Commissioned {day.format(new Date(site.commissioning_date))}</li>
        <li>
          Maintenance: <SiteMaintenance site={site} />
        </li>
        <li>
          <strong>
            {onlineRobots} of {site.robot_count}
          </strong>{" "}
          robots online
        </li>
        {site.may_be_moving_robots > 0 && (
          <li>
            <MayBeMovingBadge site={site} />
          </li>
        )}
      </ul>
    </header>
  );
}
