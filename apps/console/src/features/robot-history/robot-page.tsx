import { Anchor, Button, Skeleton } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { robotNights } from "@suncrew/contract/robot-history/nights.ts";
import { robotBySerial, robotOrders } from "@suncrew/contract/robot-history/robot-history.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { IconPlayerStopFilled, IconRobotOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { Link, useParams } from "react-router";
import { isRefusedAs } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { InvalidationQueue } from "../../platform/live/invalidation-queue.ts";
import { liveStore, onLiveEvents, useLiveValue, useRobotLive } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { dayText } from "../../ui/site-time-text.ts";
import { GuardNotice } from "../guard/public.ts";
import { MuteControl } from "../mutes/public.ts";
import {
  blockedReasonText,
  commandRobot,
  controllableOf,
  requestRobotStatus,
  RobotCard,
  stopByKey,
  useRobotView,
} from "../robots/public.ts";
import { HistoryCard } from "./history-card.tsx";
import { NightsCard } from "./nights-card.tsx";
import { RecordsCard } from "./records-card.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./robot-page.module.css";

/** One robot: what it does now, what it did, and what was done with it. */
export function RobotPage() {
  const { serialNumber = "" } = useParams();
  const query = useQuery(routeQuery(robotBySerial, { params: { robotSerial: serialNumber } }));
  const isMissing = isRefusedAs(query.error, "ROBOT_NOT_FOUND", "VALIDATION_FAILED");
  return (
    <PageLayout title={`Robot ${serialNumber}`}>
      {isMissing ? (
        <div className={`${shared["card"]} ${classes["missing"]}`}>
          <EmptyState
            title={`There is no robot ${serialNumber}.`}
            message="It may have been deleted or replaced, or belong to a site that you cannot see."
            icon={<IconRobotOff size={32} stroke={1.5} />}
            action={
              <Button component={Link} to={paths.dashboard()} size="xs" variant="default">
                Go to the dashboard
              </Button>
            }
          />
        </div>
      ) : (
        <QueryState query={query} loading={<Loading />} failed="The robot could not be loaded.">
          {(found) => <FoundRobot key={found.robot.robot_id} found={found} onOutdated={() => void query.refetch()} />}
        </QueryState>
      )}
    </PageLayout>
  );
}

function Loading() {
  return (
    <div className={classes["top"]} role="status" aria-label="Loading the robot">
      <Skeleton height={196} radius="md" />
      <Skeleton height={196} radius="md" />
    </div>
  );
}

interface FoundRobotProps {
  readonly found: ResponseOf<typeof robotBySerial>;
  /** Somebody has edited the robot since. */
  readonly onOutdated: () => void;
}

function FoundRobot({ found, onOutdated }: FoundRobotProps) {
  const { robot: row, timezone } = found;
  const live = useRobotLive(row.robot_id);
  const isOutdated = live !== undefined && (live.version > row.version || live.group_id !== row.group_id);
  const outdated = useRef(onOutdated);
  useEffect(() => {
    outdated.current = onOutdated;
  });
  useEffect(() => {
    if (isOutdated) outdated.current();
  }, [isOutdated]);
  const refresh = useCallback(() => {
    const { robot_id: robotId, serial_number: serialNumber } = row;
    void requestRobotStatus({ robotId, serialNumber, signal: new AbortController().signal, isManual: true });
  }, [row]);
  useRunsOf(row.site_id);
  const site = useLiveValue(useCallback(() => liveStore.site(row.site_id), [row.site_id]));
  const current = live ?? row;
  return (
    <>
      {site?.weather_guard?.text && <GuardNotice site={site} />}
      <div className={classes["top"]}>
        <RobotCard row={row} onRefresh={refresh} />
        <RobotFacts found={found} firmware={current.firmware_version} />
      </div>
      <NightsCard robotId={row.robot_id} />
      <HistoryCard robotId={row.robot_id} timezone={timezone} />
      <RecordsCard robotId={row.robot_id} firmware={current.firmware_version} timezone={timezone} />
      <PhoneStop row={row} />
    </>
  );
}

/**
 * The card's Stop once more, however far down the page is scrolled: on a phone it stays in reach, on a keyboard it is S.
 */
function PhoneStop({ row }: { readonly row: RobotWithSettings }) {
  const robot = useRobotView(row);
  useWindowEvent("keydown", (event) => stopByKey(event, robot));
  const blocked = robotCan.stop(controllableOf(robot));
  return (
    <div className={`${shared["thumb"]} ${classes["phoneStop"]}`}>
      <DisabledReason reason={blocked === null ? null : blockedReasonText(robot, blocked)}>
        <Button
          color="red"
          leftSection={<IconPlayerStopFilled size={16} aria-hidden />}
          onClick={() => void commandRobot(robot, "STOP")}
        >
          Stop {row.serial_number}
        </Button>
      </DisabledReason>
    </div>
  );
}

/** What follows from runs is read again as the stream names their site; charts are, once a minute. */
function useRunsOf(siteId: number): void {
  useEffect(() => {
    const reads = new InvalidationQueue(queryClient);
    return onLiveEvents((events) => {
      const isChanged = events.some(
        (event) => event.type === "snapshot" || (event.type === "update" && event.runs_changed.includes(siteId)),
      );
      if (!isChanged) return;
      for (const route of [robotNights, robotOrders]) reads.note(queryKeyOf(route));
    });
  }, [siteId]);
}

function RobotFacts({ found, firmware }: { readonly found: FoundRobotProps["found"]; readonly firmware: string }) {
  const { role } = useSignedIn();
  const { robot, site_name, group_name, timezone } = found;
  const facts = {
    Site: (
      <Anchor component={Link} to={paths.site(robot.site_id)} inherit>
        {site_name}
      </Anchor>
    ),
    Name: robot.robot_name,
    Group: group_name ?? "None",
    Motor: robot.motor_type ?? "Not given",
    Control: robot.control_type ?? "Not given",
    Firmware: firmware,
    Installed: dayText(robot.installation_date),
    "Time zone": timezone,
  };
  return (
    <section className={`${shared["card"]} ${classes["facts"]}`} aria-label="About the robot">
      <Facts facts={facts} />
      <MuteControl target={{ siteId: robot.site_id, robotId: robot.robot_id, name: robot.serial_number, timezone }} />
      {may(role, "viewActivity") && (
        <Anchor
          component={Link}
          to={paths.activity({ siteId: robot.site_id, robotId: robot.robot_id })}
          size="sm"
          className={shared["touch"]}
        >
          Activity log of this robot
        </Anchor>
      )}
    </section>
  );
}
