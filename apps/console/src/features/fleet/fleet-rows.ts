import type { RobotDirectory, RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { RunOfToday } from "@suncrew/contract/runs/runs.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import type { FleetFigure } from "@suncrew/domain/robots/fleet-figures.ts";
import { FLEET_FIGURES, figureOf } from "./fleet-looks.ts";
import type { ColumnId, FleetFilter, FleetSort } from "./fleet-url.ts";

/** Of a site, what its robots show. */
export type FleetSite = Pick<Site, "id" | "name" | "state" | "maintenance_partner_id" | "partner_name">;

/** What is known about robots besides the live stream. */
export interface FleetContext {
  readonly facts: ReadonlyMap<number, RobotDirectory["robots"][number]>;
  readonly groupNames: ReadonlyMap<number, string>;
  readonly sites: ReadonlyMap<number, FleetSite>;
}

/** A robot in the table. */
export interface FleetRow {
  readonly id: number;
  /** As the cards of other pages take it; without a name until the directory is loaded. */
  readonly robot: RobotWithSettings;
  readonly site: FleetSite | undefined;
  readonly groupName: string;
  readonly figure: FleetFigure;
  /** Null until its first report. */
  readonly batteryPercent: number | null;
  /** In lower case, what a search looks in. */
  readonly text: string;
}

interface KeptRow {
  readonly live: RobotLive;
  readonly facts: object | undefined;
  readonly site: FleetSite | undefined;
  readonly row: FleetRow;
}

/** Makes rows; one whose robot has not changed is the same object as before. */
export class FleetRows {
  #kept = new Map<number, KeptRow>();

  of(robots: Iterable<RobotLive>, { facts, groupNames, sites }: FleetContext): FleetRow[] {
    const kept = new Map<number, KeptRow>();
    for (const live of robots) {
      const fact = facts.get(live.robot_id);
      const site = sites.get(live.site_id);
      const groupName = live.group_id === null ? "" : (groupNames.get(live.group_id) ?? "");
      const before = this.#kept.get(live.robot_id);
      const isSame =
        before?.live === live && before.facts === fact && before.site === site && before.row.groupName === groupName;
      kept.set(live.robot_id, isSame ? before : { live, facts: fact, site, row: rowOf(live, fact, site, groupName) });
    }
    this.#kept = kept;
    return Array.from(kept.values(), ({ row }) => row);
  }
}

function rowOf(
  live: RobotLive,
  fact: RobotDirectory["robots"][number] | undefined,
  site: FleetSite | undefined,
  groupName: string,
): FleetRow {
  const robot = {
    ...live,
    robot_name: fact?.robot_name ?? "",
    motor_type: fact?.motor_type ?? null,
    control_type: fact?.control_type ?? null,
    installation_date: fact?.installation_date ?? "",
  };
  const words = [
    robot.serial_number,
    robot.robot_name,
    site?.name,
    site?.state,
    site?.partner_name,
    groupName,
    robot.firmware_version,
    robot.motor_type,
    robot.control_type,
  ];
  return {
    id: live.robot_id,
    robot,
    site,
    groupName,
    figure: figureOf(live),
    batteryPercent: live.last_updated_at === null ? null : live.battery_level,
    text: words.join("\n").toLowerCase(),
  };
}

const DAY_MS = 86_400_000;

/** Today's runs of the chosen figure, by robot; the newest of each. */
export type RunsByRobot = ReadonlyMap<number, RunOfToday>;

/** Which robots pass, apart from the fleet figure, which has its own counts. */
function matcherOf(filter: FleetFilter, runs: RunsByRobot, now: Date): (row: FleetRow) => boolean {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const { cleaned } = filter;
  const cleanedBefore = cleaned === null || cleaned === "never" ? 0 : now.getTime() - Number(cleaned) * DAY_MS;
  return ({ id, robot, site, batteryPercent, text }) =>
    (filter.siteId === null || robot.site_id === filter.siteId) &&
    (filter.state === "" || site?.state === filter.state) &&
    (filter.partnerId === null || site?.maintenance_partner_id === filter.partnerId) &&
    (filter.groupId === null || robot.group_id === filter.groupId) &&
    (filter.batteryBelow === null || (batteryPercent !== null && batteryPercent < filter.batteryBelow)) &&
    (filter.firmware === "" || robot.firmware_version === filter.firmware) &&
    (cleaned === null || robot.last_cleaned_at === null || Date.parse(robot.last_cleaned_at) < cleanedBefore) &&
    (filter.today === null || runs.has(id)) &&
    words.every((word) => text.includes(word));
}

export interface FoundRobots {
  readonly rows: readonly FleetRow[];
  /** How many would be found with each figure as the only difference. */
  readonly byFigure: Readonly<Record<FleetFigure, number>>;
}

export function findRobots(
  rows: readonly FleetRow[],
  filter: FleetFilter,
  runs: RunsByRobot,
  now = new Date(),
): FoundRobots {
  const matches = matcherOf(filter, runs, now);
  const matching = rows.filter(matches);
  const byFigure = Object.fromEntries(FLEET_FIGURES.map((figure) => [figure, 0])) as Record<FleetFigure, number>;
  for (const { figure } of matching) byFigure[figure] += 1;
  const { figure } = filter;
  return { rows: figure === null ? matching : matching.filter((row) => row.figure === figure), byFigure };
}

/** What a column sorts by; null comes last in either direction. */
type SortValue = number | string | null;

/** What needs a person comes first. */
const WORST_FIRST: readonly FleetFigure[] = [
  "mayBeMoving",
  "needsAttention",
  "offline",
  "maintenance",
  "cleaning",
  "idle",
];

const sortValues: Record<ColumnId, (row: FleetRow, runs: RunsByRobot) => SortValue> = {
  serial: ({ robot }) => naturalKey(robot.serial_number),
  name: ({ robot }) => naturalKey(robot.robot_name),
  site: ({ site }) => naturalKey(site?.name ?? ""),
  status: ({ figure }) => WORST_FIRST.indexOf(figure),
  now: ({ figure }) => WORST_FIRST.indexOf(figure),
  battery: ({ batteryPercent }) => batteryPercent,
  cleaned: ({ robot }) => instantOf(robot.last_cleaned_at),
  today: ({ id }, runs) => naturalKey(runs.get(id)?.reason ?? ""),
  group: ({ groupName }) => naturalKey(groupName),
  firmware: ({ robot }) => naturalKey(robot.firmware_version),
  state: ({ site }) => naturalKey(site?.state ?? ""),
  partner: ({ site }) => naturalKey(site?.partner_name ?? ""),
  motor: ({ robot }) => naturalKey(robot.motor_type ?? ""),
  control: ({ robot }) => naturalKey(robot.control_type ?? ""),
  installed: ({ robot }) => naturalKey(robot.installation_date),
  reported: ({ robot }) => instantOf(robot.last_updated_at),
};

function instantOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

const naturalKeys = new Map<string, string | null>();

/** Comparing keys puts SCR-9 before SCR-10, and is far faster than a collator on ten thousand texts. */
function naturalKey(text: string): string | null {
  const known = naturalKeys.get(text);
  if (known !== undefined) return known;
  const key = text === "" ? null : text.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(12, "0"));
  naturalKeys.set(text, key);
  return key;
}

/** In the order of a column; equal ones by their serial numbers. */
export function sortRobots(rows: readonly FleetRow[], sort: FleetSort, runs: RunsByRobot): readonly FleetRow[] {
  const valueOf = sortValues[sort.column];
  const sign = sort.isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row, runs), serial: naturalKey(row.robot.serial_number) ?? "" }))
    .toSorted((one, other) => {
      if (one.value !== other.value) {
        if (one.value === null) return 1;
        if (other.value === null) return -1;
        return one.value < other.value ? -sign : sign;
      }
      return one.serial < other.serial ? -1 : one.serial > other.serial ? 1 : one.row.id - other.row.id;
    })
    .map(({ row }) => row);
}
