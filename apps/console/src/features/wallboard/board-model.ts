import type { AttentionItem } from "@suncrew/contract/attention/attention.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { runsFleetCalendar } from "@suncrew/contract/runs/runs.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { instantOf } from "@suncrew/domain/schedules/site-time.ts";
import type { FleetFigure, FleetFigures } from "@suncrew/domain/robots/fleet-figures.ts";

/** How a site stands on the board, the worst first. */
export const SITE_STATES = ["mayBeMoving", "fault", "warning", "standby", "normal"] as const;
export type SiteState = (typeof SITE_STATES)[number];

/** A robot in trouble, with its reason in a few words. */
export interface Troubled {
  readonly robotId: number;
  readonly serial: string;
  readonly figure: FleetFigure;
  readonly reason: string;
}

export interface BoardSite {
  readonly site: Site;
  readonly state: SiteState;
  readonly troubled: readonly Troubled[];
  readonly cleaning: number;
}

export interface Fleet {
  readonly figures: FleetFigures;
  readonly robots: number;
  /** The worst first. */
  readonly sites: readonly BoardSite[];
}

interface Source {
  readonly sites: Iterable<Site>;
  readonly robots: Iterable<RobotLive>;
  readonly figureOf: (robot: RobotLive) => FleetFigure;
  readonly reasonOf: (robot: RobotLive, site: Site) => string;
}

const TROUBLES: readonly FleetFigure[] = ["mayBeMoving", "needsAttention", "offline", "maintenance"];

/** Everything about robots and sites that the board shows, in one pass over all robots. */
export function fleetOf({ sites, robots, figureOf, reasonOf }: Source): Fleet {
  const figures = { mayBeMoving: 0, cleaning: 0, idle: 0, needsAttention: 0, offline: 0, maintenance: 0 };
  const byId = new Map([...sites].map((site) => [site.id, { site, troubled: [] as Troubled[], cleaning: 0 }]));
  let count = 0;
  for (const robot of robots) {
    const figure = figureOf(robot);
    figures[figure] += 1;
    count += 1;
    const of = byId.get(robot.site_id);
    if (of === undefined) continue;
    if (figure === "cleaning") of.cleaning += 1;
    if (!TROUBLES.includes(figure)) continue;
    const { robot_id: robotId, serial_number: serial } = robot;
    of.troubled.push({ robotId, serial, figure, reason: reasonOf(robot, of.site) });
  }
  const rankOf = ({ figure }: Troubled) => TROUBLES.indexOf(figure);
  const shown = [...byId.values()].map(({ site, troubled, cleaning }) => ({
    site,
    state: stateOf(site),
    cleaning,
    troubled: troubled.toSorted((one, other) => rankOf(one) - rankOf(other) || one.serial.localeCompare(other.serial)),
  }));
  return { figures, robots: count, sites: shown.toSorted((one, other) => siteRank(one) - siteRank(other)) };
}

const siteRank = ({ state }: BoardSite) => SITE_STATES.indexOf(state);

function stateOf({ may_be_moving_robots, status }: Site): SiteState {
  return may_be_moving_robots > 0 ? "mayBeMoving" : status;
}

/** The board turns through at most this many sites, the worst: all of them have had their turn after five minutes. */
export const TURNED_SITES = 40;
/** So many sites have their turn at the same time. */
const SITES_AT_A_TIME = 2;

/** The sites in trouble, the worst first: those with something that needs a person, and by their state. */
export function sitesInTrouble({ sites }: Fleet, items: readonly AttentionItem[]): readonly BoardSite[] {
  const named = new Set(items.map(({ site_id: id }) => id));
  return sites.filter(({ site, state }) => named.has(site.id) || (state !== "normal" && state !== "standby"));
}

/** Sites that have their turn together. */
export interface Turn<T> {
  readonly shown: readonly T[];
  /** The place of the first of them in the list, from 1. */
  readonly from: number;
}

/** Whose turn it is; two sites together have `everyMs`. The last of an odd number comes with the one before it. */
export function turnOf<T>(list: readonly T[], now: Date, everyMs: number): Turn<T> {
  const turned = list.slice(0, TURNED_SITES);
  const turns = Math.max(1, Math.ceil(turned.length / SITES_AT_A_TIME));
  const turn = Math.floor(now.getTime() / everyMs) % turns;
  const first = Math.max(0, Math.min(turn * SITES_AT_A_TIME, turned.length - SITES_AT_A_TIME));
  return { shown: turned.slice(first, first + SITES_AT_A_TIME), from: first + 1 };
}

/** The next cleaning of a site. */
export interface NextRun {
  readonly siteId: number;
  /** Local time at the site, as if it were UTC. */
  readonly at: Date;
  readonly isTonight: boolean;
  /** When that is, whatever the clock of the site. */
  readonly startsAt: Date;
  /** Of that night, those still planned. */
  readonly robots: number;
}

const DAY_MS = 86_400_000;

/** The next cleaning of each site whose time zone is known, the earliest first. */
export function nextRunsOf(
  { sites }: Pick<ResponseOf<typeof runsFleetCalendar>, "sites">,
  timezoneOf: (siteId: number) => string | undefined,
): readonly NextRun[] {
  const next = sites.flatMap(({ site_id: siteId, tonight, nights }): NextRun[] => {
    const night = nights.find(({ date, plan }) => plan !== null && date >= tonight);
    const timezone = timezoneOf(siteId);
    if (night === undefined || night.plan === null || timezone === undefined) return [];
    const { date, plan, counts } = night;
    // A night goes on until noon.
    const startOfDay = Date.parse(date) + (plan.first < "12:00" ? DAY_MS : 0);
    const day = new Date(startOfDay).toISOString().slice(0, 10);
    const at = new Date(`${day}T${plan.first}Z`);
    const startsAt = instantOf(day, plan.first, timezone);
    return [{ siteId, at, startsAt, isTonight: date === tonight, robots: counts.planned ?? 0 }];
  });
  return next.toSorted((one, other) => one.startsAt.getTime() - other.startsAt.getTime());
}

const STEPS = [
  [0, 0],
  [3, 1],
  [5, 4],
  [2, 5],
  [-2, 4],
  [-5, 1],
  [-4, -3],
  [0, -5],
] as const;

/** By how many pixels everything is moved this minute, so that nothing burns into the screen. */
export function shiftOf(now: Date): readonly [number, number] {
  return STEPS[Math.floor(now.getTime() / 60_000) % STEPS.length] ?? [0, 0];
}
