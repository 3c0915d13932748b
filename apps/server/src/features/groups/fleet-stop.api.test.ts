import { fleetStop, robotsSendCommand } from "@suncrew/contract/groups/groups.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { addSite, type TestRobot } from "../../../test/fixtures.ts";
import type { TestClient } from "../../../test/test-client.ts";

let harness: CommandHarness;
let journal: string;
let owner: TestClient;
let admin: TestClient;

beforeEach(async () => {
  journal = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  harness = await CommandHarness.open({ more: 1, interruptible: true, settings: { stopJournalDir: journal } });
  const [annexed] = harness.moreRobots;
  if (annexed === undefined) throw new Error("There is one more robot.");
  const { secondSiteId, foreignSiteId } = harness.fixtures;
  await harness.db.updateTable("robots").set({ site_id: secondSiteId }).where("id", "=", annexed.id).execute();
  await harness.db.updateTable("sites").set({ state: "Karnataka" }).where("id", "=", foreignSiteId).execute();
  for (const robot of everyRobot()) await harness.live(robot);
  await restart();
});
afterEach(async () => {
  await harness.close();
  await rm(journal, { recursive: true, force: true });
});

/** Servers refresh what they know of robots every few seconds. */
async function restart(): Promise<void> {
  await harness.server.stop();
  const server = await harness.startServer();
  owner = await server.as("owner");
  admin = await server.as("admin");
  for (const robot of everyRobot()) await harness.live(robot);
}

/** Two at one site of the partner, one at its other site. */
const ownRobots = () => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2, ...harness.moreRobots];
const everyRobot = () => [...ownRobots(), harness.fixtures.foreignRobot];
const idsOf = (robots: readonly TestRobot[]) => robots.map(({ id }) => id);
const motions = (robots = everyRobot()) => robots.map((robot) => harness.robot(robot).truth().motion);
const stops = (robot: TestRobot) => harness.robot(robot).until(({ motion }) => motion === "STOPPED");
const stopRows = async (robot: TestRobot) => (await harness.commands(robot)).filter(({ verb }) => verb === "STOP");
const startAll = async () => {
  await admin.ask(robotsSendCommand, { body: { command: "START", robotObjectIds: idsOf(everyRobot()) } });
  expect(motions()).toEqual(["MOVING", "MOVING", "MOVING", "MOVING"]);
};

describe("wire, Commands: robots at several sites act together", () => {
  test("robots of two sites start for as long as was asked, each recorded at its own site, and stop", async () => {
    const robotObjectIds = idsOf(ownRobots());
    const body = { command: "START" as const, robotObjectIds, duration_minutes: 30 };
    const started = await owner.ask(robotsSendCommand, { body });
    expect(started).toMatchObject({ success: true, message: "3 of 3 robots started." });
    expect(started.results.map(({ robotObjectId }) => robotObjectId)).toEqual(robotObjectIds);
    for (const robot of ownRobots()) {
      const [command] = await harness.commands(robot);
      expect(command).toMatchObject({ verb: "START", action_type: "MANUAL", max_duration_s: 1_800 });
    }
    const { ownSiteId, secondSiteId } = harness.fixtures;
    const runs = await harness.db.selectFrom("runs").selectAll().orderBy("robot_id").execute();
    expect(runs.map(({ site_id }) => site_id)).toEqual([ownSiteId, ownSiteId, secondSiteId]);
    const { robots } = await owner.ask(robotDetailsWithSettings, { params: { siteId: ownSiteId } });
    expect(robots.map(({ current_run: run }) => [run?.planned, run?.started_by])).toEqual([
      [true, "Omkar Jain"],
      [true, "Omkar Jain"],
    ]);
    const [annexed] = harness.moreRobots;
    expect((await harness.activity(annexed)).at(-1)).toMatchObject({
      action: "START",
      action_type: "MANUAL",
      site_id: secondSiteId,
    });
    const stopped = await owner.ask(robotsSendCommand, { body: { command: "STOP", robotObjectIds } });
    expect(stopped).toMatchObject({ success: true, message: "3 of 3 robots stopped." });
    expect(motions(ownRobots())).toEqual(["STOPPED", "STOPPED", "STOPPED"]);
  });

  test("without a duration a start has the limit of a manual run; each robot that may not start says why", async () => {
    const [locked, moving, fine] = ownRobots();
    if (!locked || !moving || !fine) throw new Error("The partner has three robots.");
    await owner.ask(robotMaintenance, { params: { robotId: locked.id }, body: { enabled: true, reason: "Worn" } });
    await harness.press("START", { robot: moving });
    const body = { command: "START" as const, robotObjectIds: idsOf([locked, moving, fine]) };
    const { results, message } = await owner.ask(robotsSendCommand, { body });
    expect(message).toBe("1 of 3 robots started. 2 skipped.");
    expect(results.map((result) => [result.outcome, result.message])).toEqual([
      ["SKIPPED", "Robot OWN-1 is in maintenance. Exit maintenance first."],
      ["SKIPPED", "Robot OWN-2 is already cleaning."],
      ["SUCCESS", "START command sent to Robot OWN-M1"],
    ]);
    expect((await harness.commands(fine)).at(-1)?.max_duration_s).toBe(480 * 60);
    // The limit is no plan.
    const params = { siteId: harness.fixtures.secondSiteId };
    const { robots } = await owner.ask(robotDetailsWithSettings, { params });
    expect(robots.map(({ current_run: run }) => run)).toMatchObject([{ planned: false, started_by: "Omkar Jain" }]);
  });

  test("a robot of another partner is 404 and none moves; a duration of a stop is 400", async () => {
    const robotObjectIds = idsOf(everyRobot());
    expect((await owner.call(robotsSendCommand, { body: { command: "START", robotObjectIds } })).status).toBe(404);
    const others = idsOf([harness.fixtures.foreignRobot]);
    const stopped = { command: "STOP" as const, robotObjectIds: others };
    expect((await owner.call(robotsSendCommand, { body: stopped })).status).toBe(404);
    expect(motions()).not.toContain("MOVING");
    const timed = { command: "STOP" as const, robotObjectIds: idsOf(ownRobots()), duration_minutes: 5 };
    expect(await owner.call(robotsSendCommand, { body: timed })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "duration_minutes" }] },
    });
  });

  test("protocol rule 5: a repeated key starts no robot twice", async () => {
    const headers = { "Idempotency-Key": "two sites" };
    const body = { command: "START" as const, robotObjectIds: idsOf(ownRobots()) };
    const [first, second] = [
      await owner.ask(robotsSendCommand, { body, headers }),
      await owner.ask(robotsSendCommand, { body, headers }),
    ];
    expect(second.results.map(({ outcome }) => outcome)).toEqual(first.results.map(({ outcome }) => outcome));
    for (const robot of ownRobots()) expect(await harness.commands(robot)).toHaveLength(1);
  });
});

test("protocol rule 3: a robot that is not the viewer's, or is gone, keeps no other from stopping", async () => {
  await startAll();
  const robotObjectIds = [...idsOf(everyRobot()), 999_999];
  const { results } = await owner.ask(robotsSendCommand, { body: { command: "STOP", robotObjectIds } });
  expect(results.map(({ outcome }) => outcome)).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
  expect(motions()).toEqual(["STOPPED", "STOPPED", "STOPPED", "MOVING"]);
});

describe("fleet stop: one press for every robot", () => {
  test("protocol rule 3: a partner's robots stop at all of its sites, and nobody else's", async () => {
    await startAll();
    const answer = await owner.ask(fleetStop, { body: {} });
    expect(answer).toMatchObject({ success: true, message: "3 of 3 robots stopped." });
    expect(answer.sites.toSorted((one, other) => one.siteId - other.siteId)).toEqual([
      {
        siteId: harness.fixtures.ownSiteId,
        name: "Ownfield Park",
        robots: 2,
        stopped: 2,
        moved: 2,
        pending: 0,
        failed: 0,
        results: [],
      },
      expect.objectContaining({ siteId: harness.fixtures.secondSiteId, name: "Ownfield Annex", robots: 1, moved: 1 }),
    ]);
    expect(motions()).toEqual(["STOPPED", "STOPPED", "STOPPED", "MOVING"]);
    const [annexed] = harness.moreRobots;
    expect((await harness.activity(annexed)).at(-1)).toMatchObject({
      action: "STOP",
      action_type: "MANUAL",
      user_name: "Omkar Jain",
      site_id: harness.fixtures.secondSiteId,
    });
    const whole = await harness.db.selectFrom("audit").selectAll().where("action", "=", "STOP_FLEET").execute();
    expect(whole).toMatchObject([{ actor: "Omkar Jain", outcome: "DONE", after: { robots: 3, sites: 2 } }]);
  });

  test("a state, a partner or a list: only those stop", async () => {
    const { ownRobot, foreignRobot, strangerPartnerId } = harness.fixtures;
    await startAll();
    await admin.ask(fleetStop, { body: { state: "Karnataka" } });
    expect(motions()).toEqual(["MOVING", "MOVING", "MOVING", "STOPPED"]);
    await harness.press("START", { robot: foreignRobot });
    await admin.ask(fleetStop, { body: { partnerId: strangerPartnerId } });
    expect(motions()).toEqual(["MOVING", "MOVING", "MOVING", "STOPPED"]);
    // One of the list is not the partner's: the Stop of the other is not refused for that.
    const listed = await owner.ask(fleetStop, { body: { robotObjectIds: idsOf([ownRobot, foreignRobot]) } });
    expect(listed.sites).toMatchObject([{ robots: 1, stopped: 1 }]);
    expect(motions()).toEqual(["STOPPED", "MOVING", "MOVING", "STOPPED"]);
  });

  test("another partner's is 404, and a state without robots says so", async () => {
    const { foreignRobot, strangerPartnerId } = harness.fixtures;
    await startAll();
    for (const body of [{ partnerId: strangerPartnerId }, { robotObjectIds: [foreignRobot.id] }]) {
      expect((await owner.call(fleetStop, { body })).status).toBe(404);
    }
    expect(await owner.ask(fleetStop, { body: { state: "Karnataka" } })).toEqual({
      success: false,
      message: "There is no robot to stop.",
      sites: [],
    });
    expect(motions()).toEqual(["MOVING", "MOVING", "MOVING", "MOVING"]);
  });

  test("protocol rule 3: an offline robot is named, and gets its Stop when it returns", async () => {
    const [offline] = ownRobots();
    if (offline === undefined) throw new Error("The partner has three robots.");
    harness.robot(offline).inject({ kind: "away" });
    await harness.until(async () => !(await harness.state(offline)).online);
    const answer = await owner.ask(fleetStop, { body: {} });
    expect(answer).toMatchObject({ success: false });
    expect(answer.sites.find(({ siteId }) => siteId === offline.siteId)).toMatchObject({
      robots: 2,
      stopped: 1,
      pending: 1,
      failed: 0,
      results: [{ robotId: offline.serial, pending: true, message: expect.stringContaining("offline") }],
    });
    harness.robot(offline).clear();
    await harness.until(async () => (await stopRows(offline)).every(({ settled_at }) => settled_at !== null));
  });

  test("protocol rule 5: a repeated key gives each robot one Stop, without a key two", async () => {
    const headers = { "Idempotency-Key": "everything" };
    await owner.ask(fleetStop, { body: {}, headers });
    expect(await owner.ask(fleetStop, { body: {}, headers })).toMatchObject({ success: true });
    for (const robot of ownRobots()) expect(await stopRows(robot)).toHaveLength(1);
    await owner.ask(fleetStop, { body: {} });
    for (const robot of ownRobots()) expect(await stopRows(robot)).toHaveLength(2);
  });

  test("decision 31: a Start that was pressed before it and arrives after it is refused", async () => {
    const pressedAt = harness.clock.now().getTime();
    const press = (atMs: number) => ({ headers: { "Suncrew-Press": `${atMs} 0` } });
    await owner.ask(fleetStop, { body: {}, ...press(pressedAt + 10) });
    const body = { command: "START" as const, robotObjectIds: idsOf(ownRobots()) };
    const { results } = await owner.ask(robotsSendCommand, { body, ...press(pressedAt) });
    expect(results.map(({ outcome }) => outcome)).toEqual(["SKIPPED", "SKIPPED", "SKIPPED"]);
    expect(motions()).not.toContain("MOVING");
  });

  test("protocol rule 3: without the database all known robots stop, and each Stop is recorded once", async () => {
    await startAll();
    // A session that the server has not seen yet is unknown without the database.
    await owner.ask(siteDetails, {});
    await harness.interruptible.setFault("killed");
    const answer = await owner.ask(fleetStop, { body: {} });
    expect(answer).toMatchObject({ success: true, message: "Sent to 3 robots; will be recorded." });
    expect(answer.sites).toMatchObject([{ pending: 2 }, { pending: 1 }]);
    await Promise.all(ownRobots().map(stops));
    expect(harness.robot(harness.fixtures.foreignRobot).truth().motion).toBe("MOVING");
    const listed = { command: "STOP" as const, robotObjectIds: [harness.fixtures.foreignRobot.id] };
    expect(await admin.ask(robotsSendCommand, { body: listed })).toMatchObject({ success: true });
    await stops(harness.fixtures.foreignRobot);
    await harness.interruptible.setFault(null);
    for (const robot of everyRobot()) {
      const settled = await harness.until(async () => {
        const rows = await stopRows(robot);
        return rows.length > 0 && rows.every(({ settled_at }) => settled_at !== null) && rows;
      });
      expect(settled).toMatchObject([{ outcome: "CONFIRMED", action_type: "MANUAL" }]);
    }
    await harness.server.stop();
    expect(await readdir(journal)).toEqual([]);
    await harness.startServer();
  });

  test("more robots than one share: each gets one Stop, and is named once", async () => {
    const [first, second] = [
      await addSite(harness.db, "Large Park", null),
      await addSite(harness.db, "Vast Park", null),
    ];
    const numbers = sql`generate_series(1, 1100) n`;
    await sql`insert into devices (serial, secret_sha256)
      select 'LARGE-' || n, decode(repeat('00', 32), 'hex') from ${numbers}`.execute(harness.db);
    await sql`insert into robots (robot_name, serial_number, site_id, installation_date)
      select 'Robot ' || n, 'LARGE-' || n, case when n % 2 = 0 then ${first}::int else ${second}::int end, '2024-02-29'
      from ${numbers}`.execute(harness.db);
    await restart();
    await startAll();
    const { sites } = await admin.ask(fleetStop, { body: {} });
    expect(motions()).not.toContain("MOVING");
    const byName = new Map(sites.map((site) => [site.name, site]));
    expect(byName.get("Large Park")).toMatchObject({ robots: 550, pending: 550 });
    expect(byName.get("Vast Park")?.results).toHaveLength(550);
    // On a busy machine the press is answered before the last share is recorded, and out of the journal.
    const recorded = await harness.until(async () => {
      const { rows } = await sql<{ stops: number; robots: number }>`
        select count(*)::int as stops, count(distinct robot_id)::int as robots from commands where verb = 'STOP'`.execute(
        harness.db,
      );
      return rows[0]?.robots === 1_104 && (await readdir(journal)).length === 0 && rows;
    });
    expect(recorded).toEqual([{ stops: 1_104, robots: 1_104 }]);
  });
});
