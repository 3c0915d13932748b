import { VisuallyHidden } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconHelpOctagon } from "@tabler/icons-react";
import classes from "./site-line.module.css";
import { mayBeMovingText, siteStatusLook } from "./site-meaning.ts";

export interface SiteLineProps {
  readonly site: Site;
  readonly nameClass: string | undefined;
  readonly countClass: string | undefined;
}

/** A site in a list: its status dot, name and robots online of all; the list says how name and count look. */
export function SiteLine({ site, nameClass, countClass }: SiteLineProps) {
  const look = siteStatusLook[site.status];
  const Icon = look.icon;
  return (
    <>
      <span className={classes["dot"]} data-tone={look.tone}>
        {Icon !== undefined && <Icon size={16} aria-hidden />}
      </span>
      <span className={nameClass}>{site.name}</span>
      <VisuallyHidden>
        , {look.label}, {site.online_robots} of {site.robot_count} robots online
        {site.may_be_moving_robots > 0 && `, ${mayBeMovingText(site.may_be_moving_robots)}`}
      </VisuallyHidden>
      <span className={classes["end"]} aria-hidden>
        {site.may_be_moving_robots > 0 && (
          <span className={classes["lost"]} title={mayBeMovingText(site.may_be_moving_robots)}>
            <IconHelpOctagon size={14} />
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
