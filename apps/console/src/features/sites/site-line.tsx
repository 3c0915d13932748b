import { VisuallyHidden } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { StatusIcon } from "../../ui/status-icon.tsx";
import classes from "./site-line.module.css";
import { mayBeMovingLook, mayBeMovingText, siteStatusLook } from "./site-meaning.ts";

export interface SiteLineProps {
  readonly site: Site;
  readonly nameClass: string | undefined;
  readonly countClass: string | undefined;
}

/** A site in a list: its status dot, name and robots online of all; the list says how name and count look. */
export function SiteLine({ site, nameClass, countClass }: SiteLineProps) {
  const look = siteStatusLook[site.status];
  return (
    <>
      <StatusIcon look={look} size={16} />
      <span className={nameClass}>{site.name}</span>
      <VisuallyHidden>
        , {look.label}, {site.online_robots} of {site.robot_count} robots online
        {site.may_be_moving_robots > 0 && `, ${mayBeMovingText(site.may_be_moving_robots)}`}
      </VisuallyHidden>
      <span className={classes["end"]} aria-hidden>
        {site.may_be_moving_robots > 0 && (
          <span className={classes["lost"]} title={mayBeMovingText(site.may_be_moving_robots)}>
            <StatusIcon look={mayBeMovingLook} size={14} />
            {site.may_be_moving_robots}
          </span>
        )}
        <span className={countClass} title="Robots online / total">
          {site.online_robots}/{site.robot_count}
        </span>
      </span>
    </>
  );
}
