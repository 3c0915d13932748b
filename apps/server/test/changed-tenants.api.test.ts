import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { runsList } from "@suncrew/contract/runs/runs.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSnapshot, readUpdate } from "../src/features/live/live.queries.ts";
import { seenAt } from "../src/features/sites/public.ts";
import { FREE_SERIAL, privateWords, setState } from "./fixtures.ts";
import { seedGroups } from "./group-fixtures.ts";
import { Id, type Part, type Place, sampleCalls, valuesOf } from "./sample-calls.ts";
import { createTestApp, TEST_NOW, type TestApp } from "./test-app.ts";
import { urlOf } from "./test-client.ts";

/** OWN-1 belonged to the owner while all of this happened; now it belongs to the stranger, under another name. */
let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  // Allocated to nobody yet, so that it can be used at either partner's site.
  await server.db
    .updateTable("devices")
    .set({ partner_id: IN_HOUSE_PARTNER_ID })
    .where("serial", "=", FREE_SERIAL)
    .execute();
  await seedGroups(server.db, server.fixtures, "planned");
  await server.db.deleteFrom("robot_group_members").where("robot_id", "=", server.fixtures.ownRobot.id).execute();
  await cleaned("Omkar Jain", -60, server.fixtures.ownSiteId);
  await pressed("owner", server.fixtures.ownSiteId, "OWN-1");
  await pendingStop();
  await lockedOnce();
  await raised();
  // It has been offline long enough to have stopped for certain.
  const away = { online: false, connection: "CONNECTION_BROKEN", connection_at: at(-30), motion: "STOPPED" } as const;
  await setState(server.db, server.fixtures.ownRobot.id, { ...away, live_at: at(-30), battery: 50 });
});
afterEach(() => server.close());

const partners = ["owner", "stranger"] as const;
type Partner = (typeof partners)[number];
/** Who works for each, and what they call the robot. */
const owners = [...privateWords.owner, "Omkar", "Nest found"];
const strangers = [...privateWords.stranger, "Sadia", "Secret name"];
const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * 60_000);

/** A run that the same person ended with a Stop. */
async function cleaned(startedBy: string, minute: number, siteId: number): Promise<void> {
  const { ownRobot, ownGroup, ownSiteId } = server.fixtures;
  const group = siteId === ownSiteId ? { group_id: ownGroup.groupId, group_name: "Ownfield East" } : {};
  const run = { id: uuidv7(), robot_id: ownRobot.id, site_id: siteId, started_by: startedBy, ...group };
  const end = { ended_at: at(minute + 10), outcome: "COMPLETED", reason: "STOP" } as const;
  await server.db
    .insertInto("runs")
    .values({ ...run, began_at: at(minute), ...end })
    .execute();
  await insertStop(startedBy, at(minute + 9), siteId, { settled_at: at(minute + 10), outcome: "CONFIRMED" });
}

/** A Stop about which nothing was logged yet. */
const pendingStop = () => insertStop("Omkar Jain", at(-40), server.fixtures.ownSiteId, {});

async function insertStop(by: string, issuedAt: Date, siteId: number, settled: object): Promise<void> {
  const { id, serial } = server.fixtures.ownRobot;
  const times = { issued_at: issuedAt, expires_at: issuedAt, settle_by: issuedAt, seq: issuedAt.getTime() };
  const command = { id: uuidv7(), robot_id: id, site_id: siteId, serial_number: serial, requested_by: by };
  await server.db
    .insertInto("commands")
    .values({ ...command, verb: "STOP", session: 1, params: "{}", ...times, ...settled })
    .execute();
}

async function pressed(partner: Partner, siteId: number, serial: string): Promise<void> {
  const body = { robotId: serial, robotObjectId: server.fixtures.ownRobot.id, siteId, command: "START" as const };
  await (await server.as(partner)).call(sendCommand, { body });
}

async function lockedOnce(): Promise<void> {
  const { id, siteId } = server.fixtures.ownRobot;
  const lock = { robot_id: id, site_id: siteId, reason: "Nest found", former_mode: "auto" } as const;
  const locked = { locked_by: "Omkar Jain", locked_at: at(-50), released_by: "Omkar Jain", released_at: at(-45) };
  await server.db
    .insertInto("maintenance_locks")
    .values({ ...lock, ...locked })
    .execute();
}

async function raised(): Promise<void> {
  const { id, siteId } = server.fixtures.ownRobot;
  const alert = { robot_id: id, site_id: siteId, source: "ROBOT", severity: "INFO" } as const;
  const alerts = [
    { ...alert, code: "DUST", text: "Dust.", raised_at: at(-50), cleared_at: null },
    { ...alert, code: "OLD", text: "Ownfield.", raised_at: at(-50), cleared_at: at(-49) },
  ];
  await server.db.insertInto("alerts").values(alerts).execute();
}

async function moveTo(siteId: number, serial: string) {
  const { id } = server.fixtures.ownRobot;
  const form = { site_id: siteId, robot_name: "Secret name", serial_number: serial, installation_date: "2024-02-29" };
  return (await server.as("admin")).call(updateRobot, { params: { id }, body: form });
}

async function robotOf(partner: Partner, siteId: number) {
  const { robots } = await (await server.as(partner)).ask(robotDetailsWithSettings, { params: { siteId } });
  return robots.find(({ robot_id }) => robot_id === server.fixtures.ownRobot.id);
}

/** Everything that a partner's console receives from the live stream, as one text. */
async function liveTextOf(partner: Partner): Promise<string> {
  const { userIds, ownerPartnerId, strangerPartnerId } = server.fixtures;
  const partnerId = partner === "owner" ? ownerPartnerId : strangerPartnerId;
  const who = { userId: userIds[partner], name: "", email: "", sessionId: "" };
  const viewer = { ...who, role: "PARTNER", partnerId } as const;
  const logs = await server.db.selectFrom("activity").select("log_id").execute();
  const sites = (await server.db.selectFrom("sites").select("id").execute()).map(({ id }) => id);
  const robots = (await server.db.selectFrom("robots").select("id").execute()).map(({ id }) => id);
  const logIds = logs.map(({ log_id }) => String(log_id));
  const changed = {
    robotIds: robots,
    siteIds: sites,
    logIds,
    groupSiteIds: sites,
    runSiteIds: sites,
    rolloutIds: [],
    alertSiteIds: sites,
    serverAlertIds: [],
    attentionSiteIds: sites,
    muteSiteIds: sites,
    reached: "0:0:",
  };
  const at = seenAt(server.deps);
  return JSON.stringify([await readSnapshot(viewer, server.db, at), await readUpdate(viewer, server.db, at, changed)]);
}

/** Each call that both may make, with every combination of what belongs to either: reads, and orders to robots. */
function* callsOfBoth(): Generator<{ name: RouteName; url: string; route: RouteSpec; body: Part | undefined }> {
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: RouteSpec = routes[name];
    const { params, query, body, groups, changes } = sampleCalls[name];
    const isRead = route.method === "GET" && route.stream !== true;
    const isOrder = route.device === true && groups === undefined && changes !== true;
    if (!mayCall("PARTNER", name) || !(isRead || isOrder)) continue;
    for (const kind of [0, 1, 2, 3]) {
      const fill = (part: Part | undefined) =>
        part && Object.fromEntries(Object.entries(part).map(([key, value]) => [key, filled(value, kind)]));
      yield { name, route, url: urlOf(route.path, fill(params), fill(query)), body: fill(body) };
    }
  }
}

/** The moved robot by its former or current serial number, with either partner's site. */
function filled(value: unknown, kind: number): unknown {
  if (!(value instanceof Id)) return value;
  const of = (place: Place, whose: "own" | "foreign") => valuesOf(place, whose, server.fixtures, true)[0];
  if (value.place === "robot") return of("robot", "own");
  if (value.place === "serial") return kind % 2 === 0 ? "OWN-1" : FREE_SERIAL;
  return of(value.place, kind < 2 ? "own" : "foreign");
}

/** The other partner's private words that a partner receives, from any call or from the live stream. */
async function leaksTo(partner: Partner, words: readonly string[]): Promise<string[]> {
  const client = await server.as(partner);
  const leaks: string[] = [];
  const look = (where: string, text: string) => {
    leaks.push(...words.filter((word) => text.includes(word)).map((word) => `${where} tells ${word}: ${text}`));
  };
  for (const { name, url, route, body } of callsOfBoth()) {
    const answer = await client.raw(url, { method: route.method, ...(body && { body }) });
    look(`${name} ${url}`, answer.text);
  }
  look("live", await liveTextOf(partner));
  return leaks;
}

const moves = [
  { how: "replaced by another machine", serial: FREE_SERIAL, both: ["FREE-1"] },
  // The serial number is printed on the machine.
  { how: "as it is", serial: "OWN-1", both: ["OWN-1"] },
];

describe.each(moves)("§6: a robot that is moved to another partner's site, $how", ({ serial, both }) => {
  beforeEach(() => moveTo(server.fixtures.foreignSiteId, serial));

  test("has no history there: no last run, and no command or alert of a former machine", async () => {
    const isSameMachine = serial === "OWN-1";
    expect(await robotOf("stranger", server.fixtures.foreignSiteId)).toMatchObject({
      robot_name: "Secret name",
      last_run: null,
      last_cleaned_at: null,
      maintenance: null,
      alerts: isSameMachine ? ["Dust."] : [],
    });
    await cleaned("Sadia Khan", -5, server.fixtures.foreignSiteId);
    expect(await robotOf("stranger", server.fixtures.foreignSiteId)).toMatchObject({
      last_run: { started_by: "Sadia Khan" },
      last_cleaned_at: at(5).toISOString(),
    });
  });

  test("no call that both partners may make shows one of them the other's private words", async () => {
    const { foreignSiteId } = server.fixtures;
    const known = (words: readonly string[]) => words.filter((word) => !both.includes(word));
    expect(await leaksTo("stranger", known(owners))).toEqual([]);
    await cleaned("Sadia Khan", -5, foreignSiteId);
    await pressed("stranger", foreignSiteId, serial);
    expect(await leaksTo("owner", known([...strangers, "FREE-1"]))).toEqual([]);
  });

  test("its earlier runs stay with the former partner under their former names, even when filtered by robot", async () => {
    const { ownRobot, ownSiteId, foreignSiteId } = server.fixtures;
    await cleaned("Sadia Khan", -5, foreignSiteId);
    const runsOf = async (partner: Partner) => {
      const { runs } = await (await server.as(partner)).ask(runsList, { query: { robot_id: ownRobot.id } });
      return runs.map((run) => [run.site_id, run.robot_name, run.serial_number, run.started_by, run.reason]);
    };
    expect(await runsOf("owner")).toEqual([[ownSiteId, "OWN-1", "OWN-1", "Omkar Jain", "Stopped by Omkar Jain."]]);
    expect(await runsOf("stranger")).toEqual([
      [foreignSiteId, "Secret name", serial, "Sadia Khan", "Stopped by Sadia Khan."],
    ]);
  });

  test("an earlier Stop is recorded where it was pressed, whenever it is settled", async () => {
    const { foreignSiteId, ownSiteId, ownRobot } = server.fixtures;
    // When the machine changes, at the latest, open commands are settled.
    expect((await moveTo(foreignSiteId, FREE_SERIAL)).status).toBe(200);
    const logged = await server.db
      .selectFrom("activity")
      .select(["site_id", "site_name", "robot_name", "serial_number", "params"])
      .where("robot_id", "=", ownRobot.id)
      .where("action", "=", "STOP")
      .execute();
    const params = expect.objectContaining({ robotSerial: "OWN-1" });
    const then = { robot_name: "OWN-1", serial_number: "OWN-1", params };
    expect(logged).toEqual([{ site_id: ownSiteId, site_name: "Ownfield Park", ...then }]);
    const audited = await server.db.selectFrom("audit").select("site_id").where("action", "=", "STOP_ROBOT").execute();
    expect(audited).toEqual([{ site_id: ownSiteId }]);
  });
});

test("§6: a robot in maintenance stays with its partner, whose lock nobody else may release or read", async () => {
  const { ownRobot, foreignSiteId, secondSiteId } = server.fixtures;
  await server.db.deleteFrom("commands").execute();
  const body = { enabled: true, reason: "Brush worn" };
  await (await server.as("owner")).call(robotMaintenance, { params: { robotId: ownRobot.id }, body });
  await server.db.updateTable("commands").set({ settled_at: TEST_NOW, outcome: "CONFIRMED" }).execute();
  const reason = "Robot OWN-1 is in maintenance, and that site has another partner. Exit maintenance first.";
  const message = `The site cannot be changed now. ${reason}`;
  const refused = await moveTo(foreignSiteId, "OWN-1");
  expect([refused.status, refused.body]).toEqual([
    409,
    { message, code: "ROBOT_NOT_REPLACEABLE", errors: [{ field: "site_id", message }] },
  ]);
  expect((await moveTo(secondSiteId, "OWN-1")).status).toBe(200);
  expect(await robotOf("owner", secondSiteId)).toMatchObject({ maintenance: { locked_by: "Omkar Jain" } });
});
