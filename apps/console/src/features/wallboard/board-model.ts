import type { AttentionItem } from "@suncrew/contract/attention/attention.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
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
  const byId = new Map([...sites].map((site) => [site.id, { site, troubled: [] as Troubled[] }]));
  let count = 0;
  for (const robot of robots) {
    const figure = figureOf(robot);
    figures[figure] += 1;
    count += 1;
    const of = byId.get(robot.site_id);
    if (of === undefined || !TROUBLES.includes(figure)) continue;
    const { robot_id: robotId, serial_number: serial } = robot;
    of.troubled.push({ robotId, serial, figure, reason: reasonOf(robot, of.site) });
  }
  const rankOf = ({ figure }: Troubled) => TROUBLES.indexOf(figure);
  const shown = [...byId.values()].map(({ site, troubled }) => ({
    site,
    state: stateOf(site),
    troubled: troubled.toSorted((one, other) => rankOf(one) - rankOf(other) || one.serial.localeCompare(other.serial)),
  }));
  return { figures, robots: count, sites: shown.toSorted((one, other) => siteRank(one) - siteRank(other)) };
}

const siteRank = ({ state }: BoardSite) => SITE_STATES.indexOf(state);

function stateOf({ may_be_moving_robots, status }: Site): SiteState {
  return may_be_moving_robots > 0 ? "mayBeMoving" : status;
}

/** The board turns through at most this many sites: twenty take five minutes. */
export const TURNED_SITES = 20;

/** The sites in trouble, in the order of their turns: those with something that needs a person, and by their state. */
export function sitesInTrouble({ sites }: Fleet, items: readonly AttentionItem[]): readonly BoardSite[] {
  const named = new Set(items.map(({ site_id: id }) => id));
  const isTrouble = ({ site, state }: BoardSite) => named.has(site.id) || (state !== "normal" && state !== "standby");
  return sites.filter(isTrouble).slice(0, TURNED_SITES);
}

/** Whose turn it is; every site has `everyMs`. */
export function turnOf<T>(list: readonly T[], now: Date, everyMs: number): T | null {
  return list[Math.floor(now.getTime() / everyMs) % Math.max(1, list.length)] ?? null;
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
