import { type NightState, type SiteNights, siteNights } from "@suncrew/contract/robot-history/nights.ts";
import { isNotDone, nightName } from "@suncrew/domain/robot-history/night-states.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect } from "react";
import { Link } from "react-router";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { InvalidationQueue } from "../../platform/live/invalidation-queue.ts";
import { onLiveEvents } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { todayIn } from "../../ui/days.ts";
import { dayText, siteClockText } from "../../ui/site-time-text.ts";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { useNow } from "../../ui/use-now.ts";
import { nightLook } from "./night-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./card-nights.module.css";

export interface CardNightsProps {
  readonly robotId: number;
  readonly siteId: number;
  readonly serialNumber: string;
  /** What stands beside the nights. */
  readonly reading: ReactNode;
  /** What stands below them, unless the last night went wrong; null to leave that out, too. */
  readonly line: ReactNode;
}

/** A night ends without an event; everything else arrives with the live stream. */
const READ_EVERY_MS = 15 * 60_000;
/** A site that starts in the evening changes at any moment; its nights are read again at most this often. */
const PAUSE_MS = 5_000;
const reads = new InvalidationQueue(queryClient, PAUSE_MS);

/** The last seven nights of a robot; one that was not done says why, and leads to that moment. */
export function CardNights({ robotId, siteId, serialNumber, reading, line }: CardNightsProps) {
  const nights = useNights(siteId, robotId);
  const newest = nights?.states.findLast((state) => state !== "NONE") ?? "NONE";
  // What a person ended early needs no explanation: the line says that it was.
  const isExplained = isNotDone(newest) && newest !== "STOPPED" && line !== null;
  return (
    <>
      {reading}
      {nights !== undefined && <Strip {...nights} />}
      {isExplained && nights !== undefined && nights.run_at !== null ? (
        <NotDone {...nights} state={newest} runAt={nights.run_at} serialNumber={serialNumber} />
      ) : (
        line
      )}
    </>
  );
}

interface RobotNights extends Omit<SiteNights["robots"][number], "robot_id"> {
  readonly dates: readonly string[];
  readonly timezone: string;
}

/** One answer for all robots of the site; undefined until it is there. */
function useNights(siteId: number, robotId: number): RobotNights | undefined {
  useEffect(
    () =>
      onLiveEvents((events) => {
        for (const event of events) {
          const isChanged =
            event.type === "snapshot" || (event.type === "update" && event.runs_changed.includes(siteId));
          if (isChanged) return reads.note(queryKeyOf(siteNights));
        }
      }),
    [siteId],
  );
  const select = useCallback(
    ({ robots, dates, timezone }: SiteNights): RobotNights => {
      const robot = robots.find(({ robot_id: id }) => id === robotId);
      const { states = dates.map(() => "NONE" as const), reason = null, run_at = null } = robot ?? {};
      return { states, reason, run_at, dates, timezone };
    },
    [robotId],
  );
  const query = useQuery({ ...routeQuery(siteNights, { params: { siteId } }), select, refetchInterval: READ_EVERY_MS });
  return query.data;
}

function Strip({ states, dates }: Pick<RobotNights, "states" | "dates">) {
  const nights = states.map((state, nth) => ({ date: dates[nth] ?? "", look: nightLook(state) }));
  const words = nights.map(({ date, look }) => `${dayText(date).slice(0, 3)} ${look.label.toLowerCase()}`);
  const text = `Last ${states.length} nights: ${words.join(", ")}`;
  return (
    <span className={classes["strip"]} role="img" aria-label={text} title={text}>
      {nights.map(({ date, look }) => (
        <StatusIcon key={date} look={look} size={14} />
      ))}
    </span>
  );
}

interface NotDoneProps extends Pick<RobotNights, "reason" | "timezone"> {
  readonly state: NightState;
  readonly runAt: string;
  readonly serialNumber: string;
}

/** "Last night: skipped. Robot SCR-1007 was offline." */
function NotDone({ state, reason, runAt, timezone, serialNumber }: NotDoneProps) {
  const now = useNow();
  const hourOf = (at: Date) => ({
    date: todayIn(timezone, at),
    hour: Number(siteClockText(at, timezone).slice(0, 2)),
  });
  const name = nightName(hourOf(new Date(runAt)), hourOf(now));
  const words = `${name}: ${nightLook(state).label.toLowerCase()}${reason === null ? "" : `. ${reason}`}`;
  return (
    <Link
      to={paths.robot(serialNumber, { at: runAt })}
      className={`${shared["muted"]} ${shared["truncate"]} ${shared["touch"]} ${classes["reason"]}`}
      title={words}
    >
      {words}
    </Link>
  );
}
