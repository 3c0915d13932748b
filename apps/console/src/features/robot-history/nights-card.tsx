import { Anchor, Button } from "@mantine/core";
import { type Night, robotNights } from "@suncrew/contract/robot-history/nights.ts";
import { isNotDone } from "@suncrew/domain/robot-history/night-states.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { dayText, siteTimeText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { useNow } from "../../ui/use-now.ts";
import { nightLook } from "../runs/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./robot-page.module.css";
import { useMomentLink } from "./robot-url.ts";

/** Further ones are shown on request. */
const FEW = 4;

/** The last thirty nights: done or not, and why not; each leads to its moment in the charts. */
export function NightsCard({ robotId }: { readonly robotId: number }) {
  const query = useQuery(routeQuery(robotNights, { params: { robotId } }));
  return (
    <section className={`${shared["card"]} ${classes["section"]}`} aria-label="Nights">
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading nights" lines={2} lineHeightPx={40} />}
        failed="The nights could not be loaded."
      >
        {({ nights, timezone }) => <Nights nights={nights} timezone={timezone} />}
      </QueryState>
    </section>
  );
}

interface NightsProps {
  readonly nights: readonly Night[];
  readonly timezone: string;
}

function Nights({ nights, timezone }: NightsProps) {
  const now = useNow();
  const momentLink = useMomentLink();
  const [isAllShown, setAllShown] = useState(false);
  const notDone = nights.filter(({ state }) => isNotDone(state)).toReversed();
  const withRun = nights.filter(({ state }) => state !== "NONE").length;
  const done = nights.filter(({ state }) => state === "COMPLETED").length;
  const states = [...new Set(nights.map(({ state }) => state))];
  const shown = isAllShown ? notDone : notDone.slice(0, FEW);
  return (
    <>
      <div className={classes["head"]}>
        <h2 className={shared["title"]}>
          {withRun === 0 ? `No run in ${nights.length} nights` : `${done} of ${withRun} nights done`}
        </h2>
        <ul className={classes["legend"]} aria-label="What the signs mean">
          {states.map((state) => (
            <li key={state}>
              <StatusIcon look={nightLook(state)} size={13} />
              {nightLook(state).label}
            </li>
          ))}
        </ul>
      </div>
      <ol className={classes["nights"]} aria-label={`The last ${nights.length} nights`}>
        {nights.map((night) => (
          <li key={night.date}>
            <NightSign night={night} />
          </li>
        ))}
      </ol>
      {notDone.length > 0 && (
        <ul className={`${classes["rows"]} ${classes["more"]}`} aria-label="Nights that were not done">
          {shown.map(({ date, state, reason, run_at: at }) => {
            const time = at === null ? dayText(date) : siteTimeText(new Date(at), timezone, now);
            return (
              <li key={date} className={classes["row"]}>
                <StateBadge look={nightLook(state)} />
                <time dateTime={at ?? date}>{time}</time>
                <p>{reason ?? "No reason is known."}</p>
                {at !== null && (
                  <Anchor
                    component={Link}
                    to={momentLink(at)}
                    preventScrollReset
                    size="sm"
                    className={shared["touch"]}
                    aria-label={`Show ${time} in the charts`}
                  >
                    In the charts
                  </Anchor>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {notDone.length > FEW && (
        <Button
          variant="default"
          size="xs"
          className={`${classes["more"]} ${shared["touch"]}`}
          aria-expanded={isAllShown}
          onClick={() => setAllShown((was) => !was)}
        >
          {isAllShown ? "Show fewer" : `Show all ${notDone.length}`}
        </Button>
      )}
    </>
  );
}

function NightSign({ night }: { readonly night: Night }) {
  const { date, state, reason, run_at: at } = night;
  const momentLink = useMomentLink();
  const look = nightLook(state);
  const words = `Night of ${dayText(date)}: ${look.label}${reason === null ? "" : `. ${reason}`}`;
  const sign = (
    <>
      <StatusIcon look={look} size={15} />
      <span aria-hidden>{Number(date.slice(8))}</span>
    </>
  );
  if (at === null) {
    return (
      <span className={classes["night"]} data-tone={look.tone} title={words}>
        {sign}
        <span className={shared["visuallyHidden"]}>{words}</span>
      </span>
    );
  }
  return (
    <Link
      className={classes["night"]}
      data-tone={look.tone}
      title={words}
      aria-label={words}
      to={momentLink(at)}
      preventScrollReset
    >
      {sign}
    </Link>
  );
}
