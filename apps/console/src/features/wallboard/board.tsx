import { attentionList } from "@suncrew/contract/attention/attention.ts";
import { runsFleetCalendar, runsToday } from "@suncrew/contract/runs/runs.ts";
import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import { IconAlertTriangle, IconBroadcast, IconPlugConnected, IconPlugConnectedX } from "@tabler/icons-react";
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type CSSProperties, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContent } from "../../platform/first-content.ts";
import { followLive, liveRefusal, liveStore, useLiveStatus } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { currentSession } from "../../platform/session/session.ts";
import { browserZone } from "../../ui/exact-time-text.ts";
import { pageClock } from "../../ui/use-now.ts";
import { figureOf } from "../fleet/public.ts";
import { type Fleet, fleetOf, nextRunsOf, shiftOf, sitesInTrouble, turnOf } from "./board-model.ts";
import { AllWell, Figures, Footer, NextRuns, reasonOf, SiteCard, Wrong } from "./board-panels.tsx";
import { reloadIfServed, useAwakeScreen, useFreshPage, useRestingPointer } from "./board-upkeep.ts";
import panels from "./board-panels.module.css";
import classes from "./wallboard.module.css";

const ATTENTION_EVERY_MS = 20_000;
const TODAY_EVERY_MS = 60_000;
/** An answer older than this is no longer current, although no call has failed. */
const OLD_MS = 180_000;
const PLAN_EVERY_MS = 300_000;
const PLAN_OLD_MS = 900_000;
/** Yesterday's, tonight's and tomorrow's: once tonight's runs have begun, the next ones are those of tomorrow. */
const PLANNED_NIGHTS = 3;
const WEATHER_EVERY_MS = 900_000;
const WEATHER_AGAIN_MS = 60_000;
/** The server's own is up to half an hour old. */
const WEATHER_OLD_MS = 3_600_000;
/** How long the board shows the same sites in trouble. */
const TURN_MS = 15_000;
/** A stream that has not come back for so long although the server answers needs a new page. */
const STUCK_MS = 90_000;
/** For so long, a page that has never been connected is only connecting. */
const CONNECTING_MS = 10_000;

const clock = pageClock(1_000);
const useSecond = () => useSyncExternalStore(clock.subscribe, clock.now);

interface BoardProps {
  /** The session is over, with why. */
  readonly onEnd: (why: string) => void;
}

/** Everything on one screen, without scrolling; what does not fit is counted. */
export function Board({ onEnd }: BoardProps) {
  const now = useSecond();
  useFirstContent(true);
  useEffect(() => followLive(), []);
  useAwakeScreen();
  const isResting = useRestingPointer();
  const isLive = useLiveStatus() === "live";
  useFreshPage(isLive);
  const lostSince = useLostSince(isLive, now);
  const attention = useQuery({ ...routeQuery(attentionList, {}), refetchInterval: ATTENTION_EVERY_MS });
  const today = useQuery({ ...routeQuery(runsToday, {}), refetchInterval: TODAY_EVERY_MS });
  const plan = useQuery({
    ...routeQuery(runsFleetCalendar, { query: { days: PLANNED_NIGHTS } }),
    refetchInterval: PLAN_EVERY_MS,
  });
  useEnd(attention.error, onEnd);
  const refusal = isLive ? null : liveRefusal();
  useStuck(refusal === null ? lostSince : null, attention.dataUpdatedAt);

  const fleet = fleetNow();
  const siteCount = fleet.sites.length;
  const nextRuns = useMemo(
    () => plan.data && nextRunsOf(plan.data, (siteId) => liveStore.site(siteId)?.timezone),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the time zones come with the sites
    [plan.data, siteCount],
  );
  const items = (attention.data?.items ?? []).filter(({ acknowledged_at: at }) => at === null);
  const open = Object.values(attention.data?.open ?? {}).reduce((sum, count) => sum + count, 0);
  const troubled = sitesInTrouble(fleet, items);
  const turn = turnOf(troubled, now, TURN_MS);
  const weather = useWeather(
    turn.shown.map(({ site }) => site.id),
    now,
  );
  const hasSnapshot = liveStore.hasSnapshot();
  const isWell = hasSnapshot && attention.data !== undefined && items.length === 0 && troubled.length === 0;
  const [x, y] = shiftOf(now);
  const style: CSSProperties = { translate: `${x}px ${y}px` };
  const [isListOld, isTodayOld, isPlanOld] = [
    isAnswerOld(attention, now),
    isAnswerOld(today, now),
    isAnswerOld(plan, now, PLAN_OLD_MS),
  ];
  // Not the weather: it has its own mark and age, and that of other sites is shown in the next turn.
  const isPartlyOld = isListOld || isTodayOld || isPlanOld;
  const isConnecting = !hasSnapshot && now.getTime() - (lostSince ?? now).getTime() < CONNECTING_MS;
  const lost = refusal !== null ? "Not live" : hasSnapshot ? "Connection lost" : "No connection";
  const state = !isLive ? (isConnecting ? "connecting" : "lost") : isPartlyOld ? "partly" : "live";
  return (
    <main className={classes["board"]} data-resting={isResting} data-stale={!isLive} data-state={state}>
      <h1 className={classes["hidden"]}>Wallboard</h1>
      <div className={classes["content"]} style={style}>
        <Header now={now} state={state} lostSince={lostSince ?? now} lost={lost} />
        {refusal !== null && state === "lost" && <p className={classes["refusal"]}>{refusal}</p>}
        <Figures fleet={fleet} isKnown={hasSnapshot} />
        <div className={classes["middle"]}>
          {isWell ? (
            <AllWell fleet={fleet} isOld={isListOld} />
          ) : (
            <Wrong
              items={items}
              open={open}
              now={now}
              state={attention.data !== undefined ? "known" : attention.isError ? "failed" : "loading"}
              isOld={isListOld && attention.data !== undefined}
              wellSites={fleet.sites.length - troubled.length}
            />
          )}
          <div className={panels["side"]} data-sites={turn.shown.length}>
            {troubled.length > 1 && (
              <div className={panels["title"]}>
                <h2>Sites in trouble</h2>
                <span className={panels["muted"]}>{`${turn.from}–${turn.from + 1} of ${troubled.length}`}</span>
              </div>
            )}
            {turn.shown.map((site, nth) => (
              <SiteCard
                key={site.site.id}
                {...site}
                now={now}
                weather={weather[nth]}
                next={nextRuns?.find(({ siteId }) => siteId === site.site.id)}
                isNextOld={isPlanOld}
              />
            ))}
            {turn.shown.length < 2 && (
              <NextRuns
                runs={nextRuns}
                hasFailed={plan.isError}
                isOld={isPlanOld && nextRuns !== undefined}
                fleet={fleet}
              />
            )}
          </div>
        </div>
        <Footer fleet={fleet} today={today.data} isTodayOld={isTodayOld} />
      </div>
    </main>
  );
}

let known: { readonly version: number; readonly fleet: Fleet } | null = null;

/** Computed once a second at most, however many messages arrive: the board renders with its clock. */
function fleetNow(): Fleet {
  const version = liveStore.version();
  if (known?.version !== version) {
    const source = { sites: liveStore.sites(), robots: liveStore.robots(), figureOf, reasonOf };
    known = { version, fleet: fleetOf(source) };
  }
  return known.fleet;
}

function isAnswerOld({ isError, dataUpdatedAt }: UseQueryResult, now: Date, oldMs = OLD_MS): boolean {
  return isError || (dataUpdatedAt > 0 && now.getTime() - dataUpdatedAt > oldMs);
}

/** The weather at these sites, as far as it is known, and whether it was so long ago that it no longer counts. */
function useWeather(siteIds: readonly number[], now: Date) {
  const queries = siteIds.map((siteId) => ({
    ...routeQuery(siteWeather, { params: { siteId } }),
    staleTime: WEATHER_EVERY_MS,
    refetchInterval: ({ state }: { state: { status: string } }) =>
      state.status === "error" ? WEATHER_AGAIN_MS : WEATHER_EVERY_MS,
  }));
  return useQueries({ queries }).map(({ data, isError }) => ({
    data,
    isMissing: isError && data === undefined,
    isOld: data !== undefined && now.getTime() - Date.parse(data.fetched_at) > WEATHER_OLD_MS,
  }));
}

/** Since when nothing that is shown is certain; null while it is. */
function useLostSince(isLive: boolean, now: Date): Date | null {
  const [known, setKnown] = useState({ isLive, at: now });
  if (known.isLive !== isLive) setKnown({ isLive, at: now });
  return isLive ? null : known.at;
}

/** The link was withdrawn: nothing else ends a board, which otherwise goes on trying. */
function useEnd(error: Error | null, onEnd: (why: string) => void): void {
  const why = error instanceof ApiError && error.code === "WALLBOARD_ENDED" ? error.message : null;
  useEffect(() => {
    if (why !== null) onEnd(why);
  }, [why, onEnd]);
}

function useStuck(lostSince: Date | null, answeredAtMs: number): void {
  const isStuck = lostSince !== null && answeredAtMs > lostSince.getTime() + STUCK_MS;
  useEffect(() => {
    if (!isStuck) return undefined;
    const timer = setInterval(() => void reloadIfServed(), ATTENTION_EVERY_MS);
    return () => clearInterval(timer);
  }, [isStuck]);
}

const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dateFormat = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "short",
  year: "numeric",
});

interface HeaderProps {
  readonly now: Date;
  /** Whether what the board shows is current: all of it, what the stream tells, or nothing. */
  readonly state: "live" | "partly" | "connecting" | "lost";
  readonly lostSince: Date;
  /** In what way it is lost. */
  readonly lost: string;
}

function Header({ now, state, lostSince, lost }: HeaderProps) {
  const {
    icon: Icon,
    tone,
    text,
  } = {
    live: { icon: IconBroadcast, tone: "good", text: "Live" },
    partly: { icon: IconAlertTriangle, tone: "fair", text: "Partly out of date" },
    connecting: { icon: IconPlugConnected, tone: "plain", text: "Connecting…" },
    lost: { icon: IconPlugConnectedX, tone: "poor", text: `${lost} since ${clockFormat.format(lostSince)}` },
  }[state];
  return (
    <header className={classes["header"]}>
      <p className={classes["name"]}>{nameOfScreen()}</p>
      <p className={`${panels["mark"]} ${classes["connection"]}`} data-state={state} data-tone={tone} role="status">
        <Icon size="1em" aria-hidden />
        {text}
      </p>
      <p className={classes["date"]}>
        <span>{dateFormat.format(now)}</span>
        <span className={panels["muted"]}>{browserZone()}</span>
      </p>
      <p className={classes["clock"]}>{clockFormat.format(now)}</p>
    </header>
  );
}

/** A screen is named after its link. */
function nameOfScreen(): string {
  return (location.pathname === paths.wall() ? currentSession()?.user.name : undefined) ?? "Suncrew";
}
