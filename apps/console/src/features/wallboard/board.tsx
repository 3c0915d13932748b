import { type AttentionItem, attentionList } from "@suncrew/contract/attention/attention.ts";
import { type RunCounts, runsToday } from "@suncrew/contract/runs/runs.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { lostText, lostTimes } from "@suncrew/domain/robots/lost-while-moving.ts";
import { IconAlertTriangle, IconBroadcast, IconCircleCheck, IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type CSSProperties, Fragment, useEffect, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContent } from "../../platform/first-content.ts";
import { followLive, liveStore, useLiveStatus } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { currentSession } from "../../platform/session/session.ts";
import { browserZone } from "../../ui/exact-time-text.ts";
import type { Look } from "../../ui/look.ts";
import { relativeTimeText } from "../../ui/relative-time-text.ts";
import { siteClockText } from "../../ui/site-time-text.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import { pageClock } from "../../ui/use-now.ts";
import { figureOf, FLEET_FIGURES, fleetFigureLook } from "../fleet/public.ts";
import { todayTexts } from "../runs/public.ts";
import { siteStatusLook } from "../sites/public.ts";
import { WeatherLine } from "../weather/public.ts";
import { type BoardSite, type Fleet, fleetOf, shiftOf, SITE_STATES, sitesInTrouble, turnOf } from "./board-model.ts";
import { reloadIfServed, useAwakeScreen, useFreshPage, useRestingPointer } from "./board-upkeep.ts";
import classes from "./wallboard.module.css";

const ATTENTION_EVERY_MS = 20_000;
const TODAY_EVERY_MS = 60_000;
/** An answer older than this is no longer current, although no call has failed. */
const OLD_MS = 180_000;
/** How long the board shows one site in trouble. */
const TURN_MS = 15_000;
/** A stream that has not come back for so long although the server answers needs a new page. */
const STUCK_MS = 90_000;

/** As many as always fit, with two lines each. */
const ITEMS_SHOWN = 4;
const ROBOTS_SHOWN = 4;
/** As many leave room for larger text. */
const FEW_ROBOTS = 2;

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
  const live = useLiveStatus();
  const isLive = live === "live";
  useFreshPage(isLive);
  const lostSince = useLostSince(isLive, now);
  const attention = useQuery({ ...routeQuery(attentionList, {}), refetchInterval: ATTENTION_EVERY_MS });
  const today = useQuery({ ...routeQuery(runsToday, {}), refetchInterval: TODAY_EVERY_MS });
  useEnd(attention.error, onEnd);
  useStuck(lostSince, attention.dataUpdatedAt);

  const fleet = fleetNow();
  const items = (attention.data?.items ?? []).filter(({ acknowledged_at: at }) => at === null);
  const more = Object.values(attention.data?.open ?? {}).reduce((sum, count) => sum + count, 0) - ITEMS_SHOWN;
  const troubled = sitesInTrouble(fleet, items);
  const turn = turnOf(troubled, now, TURN_MS);
  const isKnown = liveStore.hasSnapshot() && attention.data !== undefined;
  const [x, y] = shiftOf(now);
  const style: CSSProperties = { translate: `${x}px ${y}px` };
  const isOld = isAnswerOld(attention, now);
  const isTodayOld = isAnswerOld(today, now);
  const state = !isLive ? "lost" : isOld || isTodayOld ? "partly" : "live";
  return (
    <main className={classes["board"]} data-resting={isResting} data-stale={!isLive || isOld}>
      <h1 className={classes["hidden"]}>Wallboard</h1>
      <div className={classes["content"]} style={style}>
        <Header now={now} state={state} lostSince={lostSince} isFirst={!liveStore.hasSnapshot()} />
        <Figures fleet={fleet} isKnown={liveStore.hasSnapshot()} />
        {isKnown && items.length === 0 && troubled.length === 0 ? (
          <AllWell fleet={fleet} />
        ) : (
          <div className={classes["middle"]}>
            <Wrong items={items.slice(0, ITEMS_SHOWN)} more={more} now={now} isKnown={isKnown} />
            {turn !== null && <SiteTurn key={turn.site.id} {...turn} position={positionOf(troubled, turn)} />}
          </div>
        )}
        <Footer fleet={fleet} today={today.data} isTodayOld={isTodayOld} />
      </div>
    </main>
  );
}

const positionOf = (list: readonly BoardSite[], turn: BoardSite) =>
  list.length === 1 ? "" : `${list.indexOf(turn) + 1} of ${list.length}`;

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

const reasonOf: Parameters<typeof fleetOf>[0]["reasonOf"] = (robot, site) => {
  const { lost_while_moving: lost, alerts, maintenance, online } = robot;
  if (lost?.state === "MAY_BE_MOVING") {
    const times = { state: lost.state, lostAt: new Date(lost.lost_at), stopsBy: new Date(lost.stops_by) };
    return lostText(lostTimes(times, (at) => siteClockText(at, site.timezone)));
  }
  const [alert] = alerts;
  // A screen's own board is not told why.
  if (maintenance !== null) return ["In maintenance", maintenance.reason].filter(Boolean).join(": ");
  return alert ?? (online ? "Needs attention" : "Offline");
};

function isAnswerOld({ isError, dataUpdatedAt }: UseQueryResult, now: Date): boolean {
  return isError || (dataUpdatedAt > 0 && now.getTime() - dataUpdatedAt > OLD_MS);
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
  readonly state: "live" | "partly" | "lost";
  readonly lostSince: Date | null;
  readonly isFirst: boolean;
}

function Header({ now, state, lostSince, isFirst }: HeaderProps) {
  const lost = isFirst ? "Connecting…" : `Connection lost since ${clockFormat.format(lostSince ?? now)}`;
  const { icon: Icon, text } = {
    live: { icon: IconBroadcast, text: "Live" },
    partly: { icon: IconAlertTriangle, text: "Partly out of date" },
    lost: { icon: IconPlugConnectedX, text: lost },
  }[state];
  return (
    <header className={classes["header"]}>
      <p className={classes["name"]}>{nameOfScreen()}</p>
      <p className={classes["connection"]} data-state={state} role="status">
        <Icon size="1em" aria-hidden />
        {text}
      </p>
      <p className={classes["date"]}>
        <span>{dateFormat.format(now)}</span>
        <span>{browserZone()}</span>
      </p>
      <p className={classes["clock"]}>{clockFormat.format(now)}</p>
    </header>
  );
}

/** A screen is named after its link. */
function nameOfScreen(): string {
  return (location.pathname === paths.wall() ? currentSession()?.user.name : undefined) ?? "Suncrew";
}

function Figures({ fleet: { figures }, isKnown }: { readonly fleet: Fleet; readonly isKnown: boolean }) {
  return (
    <dl className={classes["figures"]}>
      {FLEET_FIGURES.filter((figure) => figure !== "mayBeMoving" || figures.mayBeMoving > 0).map((figure) => {
        const look = fleetFigureLook[figure];
        const isQuiet = figures[figure] === 0;
        return (
          <div key={figure} className={classes["figure"]} data-tone={isQuiet ? "plain" : look.tone}>
            <dt>
              <LookIcon look={look} />
              {look.label}
            </dt>
            <dd>{isKnown ? figures[figure] : "–"}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function LookIcon({ look: { icon: Icon, tone } }: { readonly look: Look }) {
  return (
    <span className={classes["icon"]} data-tone={tone}>
      {Icon !== undefined && <Icon size="1em" aria-hidden />}
    </span>
  );
}

function AllWell({ fleet: { sites, robots } }: { readonly fleet: Fleet }) {
  const what = sites.length === 1 ? "The site is well" : `All ${sites.length} sites are well`;
  return (
    <div className={classes["well"]}>
      <IconCircleCheck size="1.4em" stroke={1.5} aria-hidden />
      <p>{sites.length === 0 ? "No sites yet" : what}</p>
      <p className={classes["muted"]}>{`${robotCountText(robots)}, nothing needs a person`}</p>
    </div>
  );
}

const severityLook = {
  CRITICAL: statusLooks.critical,
  WARNING: statusLooks.warning,
  INFO: statusLooks.info,
} as const satisfies Record<AttentionItem["severity"], Look>;

interface WrongProps {
  readonly items: readonly AttentionItem[];
  readonly more: number;
  readonly now: Date;
  readonly isKnown: boolean;
}

function Wrong({ items, more, now, isKnown }: WrongProps) {
  return (
    <section className={classes["wrong"]} aria-labelledby="wrong">
      <div className={classes["title"]}>
        <h2 id="wrong">{isKnown && items.length === 0 ? "Nothing needs a person" : "What is wrong"}</h2>
        {more > 0 && <span className={classes["muted"]}>{`and ${more} more`}</span>}
      </div>
      <ul>
        {items.map((item) => (
          <li key={item.key} data-tone={severityLook[item.severity].tone}>
            <LookIcon look={severityLook[item.severity]} />
            <div>
              <p className={classes["subject"]}>
                <strong>{subjectOf(item)}</strong>
                {item.robots.length > 0 && item.site_name !== null && <span>{item.site_name}</span>}
                <span className={classes["age"]}>{ageOf(item, now)}</span>
              </p>
              <p className={classes["cause"]}>{item.cause}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Two robots by name, more by their number; from the distance a list of names is not read. */
function subjectOf({ robots, robot_count: count, site_name: site }: AttentionItem): string {
  if (count === 0) return site ?? "Suncrew's servers";
  return count > 2 ? robotCountText(count) : robots.map(({ serial_number: serial }) => serial).join(", ");
}

function ageOf({ since, due_at: due }: AttentionItem, now: Date): string {
  const at = since ?? due;
  return at === null ? "" : relativeTimeText(new Date(at), now);
}

function SiteTurn({ site, state, troubled, position }: BoardSite & { readonly position: string }) {
  const look = state === "mayBeMoving" ? statusLooks.mayBeMoving : siteStatusLook[state];
  const more = troubled.length - ROBOTS_SHOWN;
  return (
    <section className={classes["turn"]} data-few={troubled.length <= FEW_ROBOTS} aria-labelledby="turn">
      <div className={classes["title"]}>
        <h2 id="turn">{site.name}</h2>
        {position !== "" && <span className={classes["muted"]}>{position}</span>}
      </div>
      <p className={classes["state"]} data-tone={look.tone}>
        <LookIcon look={look} />
        {look.label}
        <span
          className={classes["muted"]}
        >{`${site.online_robots} of ${robotCountText(site.robot_count)} online`}</span>
      </p>
      <ul>
        {troubled.slice(0, ROBOTS_SHOWN).map(({ robotId, serial, figure, reason }) => (
          <li key={robotId}>
            <LookIcon look={fleetFigureLook[figure]} />
            <div>
              <strong>{serial}</strong> <span>{reason}</span>
            </div>
          </li>
        ))}
      </ul>
      <p className={classes["below"]}>
        <WeatherLine siteId={site.id} />
        {more > 0 && <strong>{`and ${more} more`}</strong>}
      </p>
    </section>
  );
}

interface FooterProps {
  readonly fleet: Fleet;
  readonly today: RunCounts | undefined;
  readonly isTodayOld: boolean;
}

/** Today's cleaning, and every site as a tile by its state. */
function Footer({ fleet: { sites }, today, isTodayOld }: FooterProps) {
  const counts = SITE_STATES.map((state) => ({ state, count: sites.filter((of) => of.state === state).length }));
  return (
    <footer className={classes["footer"]}>
      <p data-stale={isTodayOld}>
        <strong>Today</strong>{" "}
        {today === undefined
          ? "–"
          : todayTexts(today).map(({ count, text }, nth) => (
              <Fragment key={count}>{`${nth > 0 ? ", " : ""}${text}`}</Fragment>
            ))}
      </p>
      <div className={classes["sites"]}>
        <p>
          {counts
            .filter(({ count }) => count > 0)
            .map(({ state, count }) => {
              const look = state === "mayBeMoving" ? statusLooks.mayBeMoving : siteStatusLook[state];
              return (
                <span key={state} className={classes["count"]}>
                  <LookIcon look={look} />
                  {`${count} ${look.label.toLowerCase()}`}
                </span>
              );
            })}
        </p>
        <div className={classes["tiles"]} data-many={manyOf(sites.length)} aria-hidden>
          {sites.map(({ site, state }) => (
            <i key={site.id} data-state={state} />
          ))}
        </div>
      </div>
    </footer>
  );
}

/** How small the tiles are. */
function manyOf(sites: number): "few" | "some" | "many" {
  if (sites <= 30) return "few";
  return sites <= 150 ? "some" : "many";
}
