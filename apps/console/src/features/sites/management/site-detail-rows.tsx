import { UnstyledButton } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { SiteLine } from "../site-line.tsx";
import { SiteMaintenance } from "../site-maintenance.tsx";
import classes from "./all-sites-card.module.css";
import { SiteRowButtons } from "./site-row-buttons.tsx";
import type { SiteDeeds } from "./site-row-buttons.tsx";

export interface SiteDetailRowsProps extends SiteDeeds {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
}

/** §2: while few sites match, each row also shows address, district, state, pin code and who maintains it. */
export function SiteDetailRows({ sites, selectedId, onSelect, ...deeds }: SiteDetailRowsProps) {
  return (
    <ul className={classes["rows"]} aria-label="All Sites">
      {sites.map((site) => (
        <li
          key={site.id}
          className={classes["row"]}
          aria-label={site.name}
          data-selected={site.id === selectedId || undefined}
        >
          <div className={classes["head"]}>
            <UnstyledButton
              className={classes["site"]}
              aria-current={site.id === selectedId}
              onClick={() => onSelect(site.id)}
            >
              <SiteLine site={site} nameClass={classes["name"]} countClass={classes["count"]} />
            </UnstyledButton>
            <SiteRowButtons site={site} {...deeds} />
          </div>
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
