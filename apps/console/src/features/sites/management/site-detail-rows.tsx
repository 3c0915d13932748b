import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { SiteMaintenance } from "../site-maintenance.tsx";
import { siteStatusLook } from "../site-meaning.ts";
import classes from "./all-sites-card.module.css";

export interface SiteDetailRowsProps {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
}

/** §2: while few sites match, each row also shows address, district, state, pin code and who maintains it. */
export function SiteDetailRows({ sites, selectedId, onSelect }: SiteDetailRowsProps) {
  return (
    <ul className={classes["rows"]} aria-label="All Sites">
      {sites.map((site) => (
        <li key={site.id} className={classes["row"]} data-selected={site.id === selectedId || undefined}>
          <UnstyledButton
            className={classes["site"]}
            aria-current={site.id === selectedId}
            onClick={() => onSelect(site.id)}
          >
            <SiteHead site={site} />
          </UnstyledButton>
          <p className={classes["place"]}>
            {site.address}, {site.district}, {site.state} {site.pin_code}
          </p>
          <p className={classes["place"]}>
            Maintenance: <SiteMaintenance site={site} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function SiteHead({ site }: { site: Site }) {
  const look = siteStatusLook[site.status];
  const Icon = look.icon;
  return (
    <>
      <span className={classes["dot"]} data-tone={look.tone}>
        {Icon !== undefined && <Icon size={16} aria-hidden />}
      </span>
      <span className={classes["name"]}>{site.name}</span>
      <VisuallyHidden>
        , {look.label}, {site.online_robots} of {site.robot_count} robots online
      </VisuallyHidden>
      <span className={classes["count"]} aria-hidden title="Robots online / total">
        {site.online_robots}/{site.robot_count}
      </span>
    </>
  );
}
