import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import type { RouteName } from "@suncrew/contract/routes.ts";
import { type Fixtures, PASSWORD, usernames } from "./fixtures.ts";
import type { GroupsStand } from "./group-fixtures.ts";

/** A place in a call that names something; each kind is filled with own, foreign, absent and malformed values. */
export type Place = "site" | "robot" | "serial" | "group" | "schedule";

export class Id {
  readonly place: Place;
  constructor(place: Place) {
    this.place = place;
  }
}

export type Part = Readonly<Record<string, unknown>>;

export interface SampleCall {
  readonly params?: Part;
  readonly query?: Part;
  readonly body?: Part;
  /** Success of a call about robots that are all away, where it is not 504. */
  readonly status?: number;
  /** How the groups stand before the call: "free" where no robot is in one, "unplanned" where none has a schedule. */
  readonly groups?: GroupsStand;
}

const site = new Id("site");
const robot = new Id("robot");
const serial = new Id("serial");
const group = new Id("group");
const schedule = new Id("schedule");
const plan = { start_time: "2099-01-31 06:30:00", duration_minutes: 30, frequency: "MONTHLY" };

/** A right call of every route, with the places of ids marked. A new route needs its line here. */
export const sampleCalls: Readonly<Record<RouteName, SampleCall>> = {
  login: { body: { username: usernames.admin, password: PASSWORD } },
  logout: {},
  siteDetails: {},
  robotDetailsWithSettings: { params: { siteId: site } },
  robotsList: { params: { siteId: site } },
  updateRobotSettings: { params: { robotId: robot }, body: { cleaning_direction: "REVERSE" } },
  sendCommand: { body: { robotId: serial, robotObjectId: robot, siteId: site, command: "START" } },
  robotStatus: { query: { robotId: serial } },
  groupList: { params: { siteId: site } },
  createGroup: { body: { site_id: site, group_name: "New", robot_ids: [robot] }, groups: "free" },
  updateGroup: {
    params: { groupId: group },
    body: { site_id: site, group_name: "Renamed", robot_ids: [robot] },
    groups: "planned",
  },
  deleteGroup: { params: { groupId: group }, groups: "planned" },
  groupSendCommand: {
    body: { siteId: site, groupId: group, command: "START", robotObjectIds: [robot] },
    status: 200,
    groups: "planned",
  },
  siteStop: { body: { siteId: site }, status: 200 },
  robotMaintenance: { params: { robotId: robot }, body: { enabled: true, reason: "Brush worn" }, status: 200 },
  groupMaintenance: {
    params: { groupId: group },
    body: { enabled: true, reason: "Brush worn" },
    status: 200,
    groups: "planned",
  },
  getRobotSchedule: { params: { siteId: site }, groups: "planned" },
  createSchedule: { body: { site_id: site, group_id: group, ...plan }, groups: "unplanned" },
  updateSchedule: {
    params: { scheduleId: schedule },
    body: { site_id: site, group_id: group, ...plan },
    groups: "planned",
  },
  deleteSchedule: { params: { scheduleId: schedule }, groups: "planned" },
  runsList: { query: { site_id: site, robot_id: robot } },
  runsToday: {},
  runsCalendar: { params: { siteId: site } },
  siteWeather: { params: { siteId: site } },
  partnerDetails: {},
  activityLogs: { query: { limit: 5 } },
  live: {},
  config: {},
  health: {},
  ready: {},
};

export type Kind = "own" | "foreign" | "absent" | "malformed";
export const kinds: readonly Kind[] = ["own", "foreign", "absent", "malformed"];

/** Values of a kind; `own` is the partner `owner`'s, `foreign` the partner `stranger`'s. */
export function valuesOf(place: Place, kind: Kind, fixtures: Fixtures, isJson: boolean): readonly unknown[] {
  const { ownRobot, foreignRobot, ownGroup, foreignGroup } = fixtures;
  const present = ({ siteId, id, serial: name }: Fixtures["ownRobot"], { groupId, scheduleId }: Fixtures["ownGroup"]) =>
    ({ site: siteId, robot: id, serial: name, group: groupId, schedule: scheduleId })[place];
  switch (kind) {
    case "own":
      return [present(ownRobot, ownGroup)];
    case "foreign":
      return [present(foreignRobot, foreignGroup)];
    case "absent":
      return place === "serial" ? ["NONE-1"] : [2_147_483_647, 999_999];
    case "malformed":
      return [...malformedText(place), ...(isJson ? [null, {}, [], ["1"], true] : [])];
  }
}

/** A value of a sample call with its ids filled in, all of the partner `owner`. */
export function ownValue(value: unknown, fixtures: Fixtures): unknown {
  if (Array.isArray(value)) return value.map((each) => ownValue(each, fixtures));
  return value instanceof Id ? valuesOf(value.place, "own", fixtures, true)[0] : value;
}

function malformedText(place: Place): readonly unknown[] {
  const anywhere = ["x'; drop table robots; --", "a/b", "#", "+", "é", " ", "\0", "x".repeat(60), "..."];
  return place === "serial" ? anywhere : [...anywhere, 0, -1, 1.5, "1e3", 2_147_483_648, "99999999999", "NaN", "0x1"];
}

/** Every place of the sample, as where and name. */
export function placesOf(sample: SampleCall): { where: keyof SampleCall; name: string; place: Place }[] {
  return (["params", "query", "body"] as const).flatMap((where) =>
    Object.entries(sample[where] ?? {}).flatMap(([name, value]) => {
      const id: unknown = Array.isArray(value) ? value[0] : value;
      return id instanceof Id ? [{ where, name, place: id.place }] : [];
    }),
  );
}

/** Names in the route's schemas that look like ids. */
export function idNamesOf(route: RouteSpec): string[] {
  return [route.params, route.query, route.body]
    .flatMap((schema) => Object.keys(schema?.shape ?? {}))
    .filter((name) => /(^|_)(id|ids|serial|serial_number)$|Ids?$|Serial$/.test(name));
}
