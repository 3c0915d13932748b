import { Anchor, Box, Group } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { Fragment } from "react";
import { firstContentShown } from "../../platform/first-content.ts";
import { shortDayText } from "../../ui/days.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { GuardControl, GuardNotice } from "../guard/public.ts";
import { MuteControl } from "../mutes/public.ts";
import { MaintenanceLink } from "../partners/public.ts";
import {
  awaitsFirstConnection,
  FIRST_CONNECTION_TEXT,
  firstConnectionLook,
  type RobotView,
  type SiteRobots,
  useOnlineRobots,
  useRobotsValue,
} from "../robots/public.ts";
import { typedContactOf } from "./site-model.ts";
import classes from "./site-facts.module.css";
import { mayBeMovingLook, mayBeMovingText, siteStatusLook } from "./site-looks.ts";

const SetupChecklist = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./setup-checklist.tsx")).SetupChecklist;
  },
  {
    // Of its height on a wide screen, so that what is below it moves as little as possible.
    waiting: <div className={classes["checklist"]} />,
    // Without it the site can be set up all the same.
    failed: () => null,
  },
);

interface SiteFactsProps {
  readonly site: Site;
  readonly robots: SiteRobots;
}

/** §2 Detail panel: name and status; address, district, state, pin code; Commissioned; Maintenance; robots online. */
export function SiteFacts({ site, robots }: SiteFactsProps) {
  // Once something was cleaned there, the site is in use, however it is set up.
  const isNew = robots.state === "loaded" && robots.rows.every(({ last_cleaned_at }) => last_cleaned_at === null);
  return (
    <header>
      <Group gap="4px 12px">
        <Box component="h2" fz={18} fw={650} lh="26px" style={{ overflowWrap: "anywhere" }}>
          {site.name}
        </Box>
        <SiteBadge site={site} robots={robots} />
      </Group>
      <ul className={classes["facts"]}>
        <li>
          {site.address}, {site.district}, {site.state} {site.pin_code}
        </li>
        <li>Commissioned {shortDayText(site.commissioning_date)}</li>
        <li>
          Maintenance: <SiteMaintenance site={site} />
        </li>
        <li>
          <OnlineRobots site={site} robots={robots} />
        </li>
        {site.may_be_moving_robots > 0 && (
          <li>
            <MayBeMovingBadge site={site} />
          </li>
        )}
        <li className={classes["mute"]}>
          <GuardControl site={site} />
          <MuteControl target={{ siteId: site.id, robotId: null, name: site.name, timezone: site.timezone }} />
        </li>
      </ul>
      {site.weather_guard?.text && <GuardNotice site={site} />}
      {isNew && <SetupChecklist site={site} rows={robots.rows} />}
    </header>
  );
}

/** A site none of whose robots has ever been heard waits; nothing has failed there, whatever its status counts. */
function SiteBadge({ site, robots }: SiteFactsProps) {
  const isWaiting = useRobotsValue(robots.rows, areAllAwaited);
  return isWaiting ? (
    <StateBadge look={firstConnectionLook} label={FIRST_CONNECTION_TEXT} />
  ) : (
    <StateBadge look={siteStatusLook[site.status]} />
  );
}

const areAllAwaited = (views: readonly RobotView[]) => views.length > 0 && views.every(awaitsFirstConnection);

/** Renders again when the number of robots online changes, unlike what is around it. */
function OnlineRobots({ site, robots }: SiteFactsProps) {
  const online = useOnlineRobots(site, robots);
  return (
    <>
      <strong>
        {online.toLocaleString("en-GB")} of {site.robot_count.toLocaleString("en-GB")}
      </strong>{" "}
      robots online
    </>
  );
}

/** Who maintains a site: its partner, which opens the partner's details, or the contact typed for it. */
export function SiteMaintenance({ site }: { site: Site }) {
  if (site.maintenance_partner_id !== null) {
    const name = site.partner_name ?? "Partner details";
    return <MaintenanceLink partnerId={site.maintenance_partner_id} partnerName={name} />;
  }
  const contact = typedContactOf(site);
  if (contact.length === 0) return "Not given";
  return contact.map(({ text, href }, index) => (
    <Fragment key={text}>
      {index > 0 && ", "}
      {href === null ? (
        text
      ) : (
        <Anchor href={href} inherit underline="always">
          {text}
        </Anchor>
      )}
    </Fragment>
  ));
}

/** Protocol rule 13: how many robots of a site were lost while moving and may be moving; nothing if none is. */
export function MayBeMovingBadge({ site }: { site: Site }) {
  if (site.may_be_moving_robots === 0) return null;
  return <StateBadge look={mayBeMovingLook} label={mayBeMovingText(site.may_be_moving_robots)} />;
}
