import type { AttentionItem } from "@suncrew/contract/attention/attention.ts";
import type { RunCounts } from "@suncrew/contract/runs/runs.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import type { Weather } from "@suncrew/contract/weather/weather.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { lostText, lostTimes } from "@suncrew/domain/robots/lost-while-moving.ts";
import { Fragment, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Look } from "../../ui/look.ts";
import { relativeTimeText } from "../../ui/relative-time-text.ts";
import { siteClockText } from "../../ui/site-time-text.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import { FLEET_FIGURES, fleetFigureLook } from "../fleet/public.ts";
import { todayTexts } from "../runs/public.ts";
import { siteStatusLook } from "../sites/public.ts";
import { WeatherLine } from "../weather/public.ts";
import { type BoardSite, type Fleet, type fleetOf, type NextRun, SITE_STATES, type SiteState } from "./board-model.ts";
import classes from "./board-panels.module.css";

/** More rows fit on no screen. */
const ROWS = 14;
/** As many leave room for what to do, too. */
const FEW = 2;

/**
 * How many of a list's rows its box holds, at least one. Measured after each rendering, of which there is one a second:
 * what a row's text takes is known only then, and screens are of all shapes.
 */
function useFitting(): readonly [RefObject<HTMLUListElement | null>, number] {
  const list = useRef<HTMLUListElement>(null);
  const [fitting, setFitting] = useState(ROWS);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- whatever was rendered may have changed what fits
  useLayoutEffect(() => {
    if (list.current === null) return;
    const end = list.current.getBoundingClientRect().bottom + 1;
    const firstCut = [...list.current.children].findIndex((row) => row.getBoundingClientRect().bottom > end);
    setFitting(firstCut === -1 ? ROWS : Math.max(1, firstCut));
  });
  return [list, fitting];
}

/** What of a list is not shown, as text; empty if all of it is. */
const moreText = (all: number, shown: number) =>
  all > shown ? `and ${(all - shown).toLocaleString("en-GB")} more` : "";

export const reasonOf: Parameters<typeof fleetOf>[0]["reasonOf"] = (robot, site) => {
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

const lookOfSite = (state: SiteState): Look =>
  state === "mayBeMoving" ? statusLooks.mayBeMoving : siteStatusLook[state];

const WRONG_FIGURES: ReadonlySet<string> = new Set(["mayBeMoving", "needsAttention", "offline"]);

export function Figures({ fleet: { figures }, isKnown }: { readonly fleet: Fleet; readonly isKnown: boolean }) {
  return (
    <dl className={classes["figures"]}>
      {FLEET_FIGURES.filter((figure) => figure !== "mayBeMoving" || figures.mayBeMoving > 0).map((figure) => {
        const look = fleetFigureLook[figure];
        const isQuiet = figures[figure] === 0;
        return (
          <div
            key={figure}
            className={classes["figure"]}
            data-tone={isQuiet ? "plain" : look.tone}
            data-wrong={!isQuiet && WRONG_FIGURES.has(figure)}
          >
            <dt className={classes["mark"]}>
              <LookIcon look={look} />
              {look.label}
            </dt>
            <dd>{isKnown ? figures[figure].toLocaleString("en-GB") : "–"}</dd>
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

export function AllWell({ fleet: { sites, robots }, isOld }: { readonly fleet: Fleet; readonly isOld: boolean }) {
  const { icon: Icon, tone } = sites.length === 0 ? statusLooks.info : statusLooks.normal;
  const what = sites.length === 1 ? "The site is well" : `All ${sites.length.toLocaleString("en-GB")} sites are well`;
  const more = `${robotCountText(robots)}, nothing needs a person`;
  return (
    <div className={`${classes["panel"]} ${classes["well"]}`} data-tone={tone} data-stale={isOld}>
      <Icon size="1.6em" stroke={1.5} aria-hidden />
      <p>{sites.length === 0 ? "No sites yet" : what}</p>
      <p className={classes["muted"]}>{sites.length === 0 ? "They appear here once they are added" : more}</p>
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
  /** How many there are in all. */
  readonly open: number;
  readonly now: Date;
  readonly state: "known" | "loading" | "failed";
  readonly isOld: boolean;
  /** How many sites are not in trouble. */
  readonly wellSites: number;
}

/** As much as fits of what needs a person, the worst first. */
export function Wrong({ items, open, now, state, isOld, wellSites }: WrongProps) {
  const [list, fitting] = useFitting();
  const rows = items.slice(0, ROWS);
  const more = moreText(open, Math.min(rows.length, fitting));
  return (
    <section
      className={`${classes["panel"]} ${classes["wrong"]}`}
      data-rows={rows.length}
      data-stale={isOld}
      aria-labelledby="wrong"
    >
      <div className={classes["title"]}>
        <h2 id="wrong">{state === "known" && items.length === 0 ? "Nothing else needs a person" : "What is wrong"}</h2>
        {more !== "" && <span className={classes["muted"]}>{more}</span>}
      </div>
      {state === "loading" && <Waiting />}
      {state === "failed" && <Failed>The list could not be loaded. Trying again…</Failed>}
      <ul ref={list}>
        {rows.map((item, nth) => (
          <li key={item.key} data-tone={severityLook[item.severity].tone} data-cut={nth >= fitting}>
            <LookIcon look={severityLook[item.severity]} />
            <div>
              <p className={classes["subject"]}>
                <strong>{subjectOf(item)}</strong>
                {item.robots.length > 0 && item.site_name !== null && <span>{item.site_name}</span>}
                <span className={classes["age"]}>{ageOf(item, now)}</span>
              </p>
              <p className={classes["cause"]}>{item.cause}</p>
              {rows.length <= FEW && <p className={classes["muted"]}>{item.suggestion}</p>}
            </div>
          </li>
        ))}
      </ul>
      {state === "known" && rows.length <= FEW && wellSites > 0 && (
        <p className={classes["mark"]}>
          <LookIcon look={statusLooks.normal} />
          {wellSites === 1 ? "The other site is well" : `The other ${wellSites} sites are well`}
        </p>
      )}
    </section>
  );
}

function Failed({ children }: { readonly children: string }) {
  return (
    <p className={`${classes["mark"]} ${classes["failed"]}`}>
      <LookIcon look={statusLooks.warning} />
      {children}
    </p>
  );
}

/** In place of rows that are not there yet. */
const Waiting = () => [1, 2, 3].map((nth) => <div key={nth} className={classes["waiting"]} aria-hidden />);

/** Two robots by name, more by their number; from the distance a list of names is not read. */
function subjectOf({ robots, robot_count: count, site_name: site }: AttentionItem): string {
  if (count === 0) return site ?? "Suncrew's servers";
  return count > 2 ? robotCountText(count) : robots.map(({ serial_number: serial }) => serial).join(", ");
}

function ageOf({ since, due_at: due }: AttentionItem, now: Date): string {
  const at = since ?? due;
  return at === null ? "" : relativeTimeText(new Date(at), now);
}

interface SiteWeather {
  readonly data: Weather | undefined;
  readonly isMissing: boolean;
  readonly isOld: boolean;
}

interface SiteCardProps extends BoardSite {
  readonly now: Date;
  readonly weather: SiteWeather | undefined;
  readonly next: NextRun | undefined;
  readonly isNextOld: boolean;
}

/** A site in trouble: its state, its robots in trouble as far as they fit, and what tonight brings. */
export function SiteCard({ site, state, troubled, cleaning, now, weather, next, isNextOld }: SiteCardProps) {
  const look = lookOfSite(state);
  const [list, fitting] = useFitting();
  const rows = troubled.slice(0, ROWS);
  const more = moreText(troubled.length, Math.min(rows.length, fitting));
  const title = `site-${site.id}`;
  return (
    <section
      className={`${classes["panel"]} ${classes["site"]}`}
      data-rows={rows.length}
      data-tone={look.tone}
      aria-labelledby={title}
    >
      <div className={classes["title"]}>
        <h3 id={title}>{site.name}</h3>
        <span className={`${classes["mark"]} ${classes["state"]}`}>
          <LookIcon look={look} />
          {look.label}
        </span>
      </div>
      <ul ref={list}>
        {rows.map(({ robotId, serial, figure, reason }, nth) => (
          <li key={robotId} data-cut={nth >= fitting}>
            <LookIcon look={fleetFigureLook[figure]} />
            <div>
              <strong>{serial}</strong> <span>{reason}</span>
            </div>
          </li>
        ))}
      </ul>
      <div className={classes["below"]}>
        <p>
          {more !== "" && <strong>{more}</strong>}
          <span>{`${site.online_robots.toLocaleString("en-GB")} of ${robotCountText(site.robot_count)} online`}</span>
          {cleaning > 0 && <span>{`${cleaning} cleaning`}</span>}
          {next !== undefined && <span data-stale={isNextOld}>{`Next run ${timeOf(next)}`}</span>}
        </p>
        {weather !== undefined && <WeatherBelow {...weather} guard={site.weather_guard} now={now} />}
      </div>
    </section>
  );
}

interface WeatherBelowProps extends SiteWeather {
  readonly guard: Site["weather_guard"];
  readonly now: Date;
}

function WeatherBelow({ data, isMissing, isOld, guard, now }: WeatherBelowProps) {
  if (data === undefined) return isMissing ? <p className={classes["muted"]}>Weather unavailable</p> : null;
  return (
    <p data-stale={isOld}>
      <WeatherLine weather={data} guard={guard} />
      {isOld && <span>{relativeTimeText(new Date(data.fetched_at), now)}</span>}
    </p>
  );
}

const weekdayFormat = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

/** "18:15", and with its day unless it is tonight. */
function timeOf({ at, isTonight }: NextRun): string {
  const time = at.toISOString().slice(11, 16);
  return isTonight ? time : `${weekdayFormat.format(at)} ${time}`;
}

interface NextRunsProps {
  /** Undefined until they are known. */
  readonly runs: readonly NextRun[] | undefined;
  readonly hasFailed: boolean;
  readonly isOld: boolean;
  readonly fleet: Fleet;
}

/** What cleans now and what comes next, site by site, where no site in trouble needs the room. */
export function NextRuns({ runs, hasFailed, isOld, fleet: { sites } }: NextRunsProps) {
  const [list, fitting] = useFitting();
  const byId = new Map(sites.map((of) => [of.site.id, of]));
  const now = sites.filter(({ cleaning }) => cleaning > 0).map((of) => ({ of, when: "Now", robots: of.cleaning }));
  const coming = (runs ?? []).flatMap((run) => {
    const of = byId.get(run.siteId);
    return of === undefined ? [] : [{ of, when: timeOf(run), robots: run.robots }];
  });
  const all = [...now, ...coming];
  const rows = all.slice(0, ROWS);
  const more = moreText(all.length, Math.min(rows.length, fitting));
  return (
    <section className={`${classes["panel"]} ${classes["next"]}`} data-stale={isOld} aria-labelledby="next">
      <div className={classes["title"]}>
        <h2 id="next">{now.length > 0 ? "Now and next" : "Next runs"}</h2>
        {more !== "" && <span className={classes["muted"]}>{more}</span>}
      </div>
      {runs === undefined && (hasFailed ? <Failed>They could not be loaded. Trying again…</Failed> : <Waiting />)}
      {runs !== undefined && rows.length === 0 && <p className={classes["muted"]}>No runs planned</p>}
      <ul ref={list}>
        {rows.map(({ of, when, robots }, nth) => (
          <li key={`${when} ${of.site.id}`} data-now={when === "Now"} data-cut={nth >= fitting}>
            <strong>{when}</strong>
            <span>{of.site.name}</span>
            <span className={classes["muted"]}>{robotCountText(robots)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FooterProps {
  readonly fleet: Fleet;
  readonly today: RunCounts | undefined;
  readonly isTodayOld: boolean;
}

/** Today's cleaning, and every site as a tile by its state. */
export function Footer({ fleet: { sites }, today, isTodayOld }: FooterProps) {
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
              const look = lookOfSite(state);
              return (
                <span key={state} className={classes["mark"]}>
                  <LookIcon look={look} />
                  {`${count.toLocaleString("en-GB")} ${look.label.toLowerCase()}`}
                </span>
              );
            })}
        </p>
        <div className={classes["tiles"]} data-many={manyOf(sites.length)} aria-hidden>
          {sites.map(({ site, state }) => (
            <i key={site.id} data-tone={lookOfSite(state).tone} />
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
