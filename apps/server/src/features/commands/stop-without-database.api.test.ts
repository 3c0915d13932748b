import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGroup, groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { login, logout } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandBench } from "../../../test/command-bench.ts";
import { CuttableBroker } from "../../../test/cuttable-broker.ts";
import type { DatabaseFault } from "../../../test/cuttable-database.ts";
import { PASSWORD, type TestRobot, usernames } from "../../../test/fixtures.ts";
import { TestClient } from "../../../test/test-client.ts";
import { recordSentStops } from "./direct-stops.repository.ts";

let bench: CommandBench;
let broker: CuttableBroker;
let journal: string;
let owner: TestClient;
let stranger: TestClient;

const SENT = "Sent to the robot; will be recorded.";
const faults = ["killed", "paused", "full"] as const satisfies readonly DatabaseFault[];

beforeEach(async () => {
  journal = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  bench = await CommandBench.open({
    more: 2,
    cuttable: true,
    settings: { stopJournalDir: journal },
    wrapBroker: (inner) => (broker = new CuttableBroker(inner)),
  });
  for (const robot of robots()) await bench.live(robot);
  owner = await bench.server.as("owner");
  stranger = await bench.server.as("stranger");
});
afterEach(async () => {
  await bench.close();
  await rm(journal, { recursive: true, force: true });
});

const robots = () => [bench.fixtures.ownRobot, bench.fixtures.ownRobot2, ...bench.moreRobots];
const named = (robot: TestRobot) => ({ robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId });
const order = (who: TestClient, command: "START" | "STOP", robot = bench.fixtures.ownRobot) =>
  who.call(sendCommand, { body: { ...named(robot), command } });
const start = async (robot: TestRobot) => {
  expect(await order(owner, "START", robot)).toMatchObject({ status: 200 });
  expect(bench.robot(robot).truth().motion).toBe("MOVING");
};
const motions = () => robots().map((robot) => bench.robot(robot).truth().motion);
const stopsOf = async (robot: TestRobot) => (await bench.commands(robot)).filter(({ verb }) => verb === "STOP");
const settledStops = (robot: TestRobot, count = 1) =>
  bench.until(async () => {
    const stops = await stopsOf(robot);
    return stops.length >= count && stops.every(({ settled_at }) => settled_at !== null) && stops;
  });
const stands = (robot: TestRobot) => bench.robot(robot).until(({ motion }) => motion === "STOPPED");

describe("protocol rule 3: a person's Stop does not wait for the database", () => {
  test.each(faults)(
    "%s: the robot stands, START says 503, strangers reach nothing, and all of it is on record later",
    async (fault) => {
      const { ownRobot, ownRobot2 } = bench.fixtures;
      await start(ownRobot);
      expect(await order(stranger, "STOP")).toMatchObject({ status: 404 });
      await bench.cuttable.make(fault);
      const from = bench.clock.now();

      const [foreignStop, foreignSite, refused] = await Promise.all([
        order(stranger, "STOP"),
        stranger.call(siteStop, { body: { siteId: ownRobot.siteId } }),
        order(owner, "START", ownRobot2),
      ]);
      for (const { status } of [foreignStop, foreignSite]) expect([503, 404]).toContain(status);
      expect(refused).toMatchObject({ status: 503, body: { success: false } });
      expect(motions()).toEqual(["MOVING", "STOPPED", "STOPPED", "STOPPED"]);

      expect(await order(owner, "STOP")).toMatchObject({
        status: 200,
        body: { success: true, message: SENT, pending: true },
      });
      await stands(ownRobot);
      const to = bench.clock.now();
      expect(await readdir(journal)).toHaveLength(1);
      expect(await stopsOf(ownRobot)).toEqual([]);

      await bench.cuttable.make(null);
      const [stop, ...more] = await settledStops(ownRobot);
      expect(more).toEqual([]);
      expect(stop).toMatchObject({ outcome: "CONFIRMED", requested_by: "Omkar Jain", action_type: "MANUAL" });
      const pressedAt = stop?.issued_at;
      expect(pressedAt?.getTime()).toBeGreaterThanOrEqual(from.getTime());
      expect(pressedAt?.getTime()).toBeLessThanOrEqual(to.getTime());
      const logged = (await bench.activity()).filter(({ action }) => action === "STOP");
      expect(logged).toMatchObject([{ status: "SUCCESS", user_name: "Omkar Jain" }]);
      // One that only stood still goes on with what it was asked, and tells of the Stop when the robot has shown it.
      expect(fault === "paused" || logged[0]?.created_at.getTime() === pressedAt?.getTime()).toBe(true);
      const audited = (await bench.audit()).filter(({ action }) => action === "STOP_ROBOT");
      expect(audited).toMatchObject([{ at: pressedAt, actor: "Omkar Jain" }]);
      await bench.server.stop();
      expect(await readdir(journal)).toEqual([]);
    },
  );

  test("killed: a group, then the whole site; each robot is told once for each press", async () => {
    const body = { site_id: bench.fixtures.ownSiteId, group_name: "East Row", robot_ids: robots().map(({ id }) => id) };
    const { groupId } = await owner.ask(createGroup, { body });
    for (const robot of robots()) await start(robot);
    // What the server knows of groups is read every few seconds.
    await bench.server.stop();
    const server = await bench.startServer();
    owner = await server.as("owner");
    for (const robot of robots()) await bench.live(robot);
    const { ownRobot, ownRobot2, ownSiteId: siteId } = bench.fixtures;
    await order(owner, "START");
    await bench.cuttable.make("killed");
    const robotObjectIds = [ownRobot.id, ownRobot2.id];
    const some = await owner.ask(groupSendCommand, { body: { siteId, groupId, command: "STOP", robotObjectIds } });
    expect(some).toMatchObject({ success: true, message: "Sent to 2 robots; will be recorded." });
    await Promise.all([stands(ownRobot), stands(ownRobot2)]);
    expect(motions()).toEqual(["STOPPED", "STOPPED", "MOVING", "MOVING"]);
    const all = await owner.ask(siteStop, { body: { siteId } });
    expect(all).toMatchObject({ success: true, message: "Sent to 4 robots; will be recorded." });
    expect(all.results).toHaveLength(4);
    for (const result of all.results)
      expect(result).toMatchObject({ outcome: "SUCCESS", message: SENT, pending: true });
    await Promise.all(robots().map(stands));
    await bench.cuttable.make(null);
    for (const robot of robots()) {
      const stops = await settledStops(robot, robotObjectIds.includes(robot.id) ? 2 : 1);
      expect(stops.map(({ outcome }) => outcome)).toEqual(stops.map(() => "CONFIRMED"));
      expect(stops.map(({ action_type }) => action_type)).toEqual(
        stops.length === 2 ? ["GROUP", "MANUAL"] : ["MANUAL"],
      );
    }
  });

  test("killed: a server that ends meanwhile puts it on record after its next start", async () => {
    await start(bench.fixtures.ownRobot);
    await bench.cuttable.make("killed");
    expect(await order(owner, "STOP")).toMatchObject({ status: 200, body: { message: SENT } });
    await stands(bench.fixtures.ownRobot);
    await bench.server.stop();
    await bench.cuttable.make(null);
    await bench.startServer();
    expect(await settledStops(bench.fixtures.ownRobot)).toMatchObject([{ outcome: "CONFIRMED" }]);
  });

  test("killed: who has signed out stops nothing, and without a broker nobody is told that a robot was", async () => {
    await start(bench.fixtures.ownRobot);
    const gone = await bench.server.as("owner");
    await gone.ask(logout, {});
    expect(await order(gone, "STOP")).toMatchObject({ status: 401 });
    await bench.cuttable.make("killed");
    // That it is over was known before the database went.
    expect(await order(gone, "STOP")).toMatchObject({ status: 401 });
    broker.setCut(true);
    expect(await order(owner, "STOP")).toMatchObject({
      status: 503,
      body: { success: false, message: expect.stringContaining("the robot did not get the Stop") },
    });
    expect(bench.robot().truth().motion).toBe("MOVING");
    expect(await readdir(journal)).toEqual([]);
    broker.setCut(false);
  });

  test("no START goes to a robot whose Stop is not on record yet", async () => {
    const { ownRobot } = bench.fixtures;
    await start(ownRobot);
    await bench.cuttable.make("killed");
    await order(owner, "STOP");
    await stands(ownRobot);
    // The database is back, but takes no Stop.
    await sql`create function no_stop() returns trigger language plpgsql as $$ begin
      if new.verb = 'STOP' then raise exception 'not now' using errcode = 'P0001'; end if; return new; end $$`.execute(
      bench.db,
    );
    await sql`create trigger no_stop before insert on commands for each row execute function no_stop()`.execute(
      bench.db,
    );
    await bench.cuttable.make(null);
    // Seen standing by a server that hears of robots again.
    await bench.until(async () => (await bench.state()).motion === "STOPPED");
    expect(await order(owner, "START")).toMatchObject({ status: 503, body: { success: false } });
    expect(bench.robot().truth().motion).toBe("STOPPED");
    await sql`drop function no_stop cascade`.execute(bench.db);
    await settledStops(ownRobot);
    expect(await order(owner, "START")).toMatchObject({ status: 200 });
  });

  test("a robot that was started again since is left alone by a Stop that is put on record late", async () => {
    const { ownRobot, userIds } = bench.fixtures;
    const at = bench.clock.now();
    await start(ownRobot);
    const { session } = await bench.state();
    const params = { direction: "FWD", "main-speed": 60, "brush-speed": 50 } as const;
    const stop = {
      id: uuidv7(),
      seq: at.getTime() - 1,
      robotId: ownRobot.id,
      serial: ownRobot.serial,
      session,
      params,
    };
    const by = { userId: userIds.owner, name: "Omkar Jain", actionType: "MANUAL", press: null } as const;
    const press = { id: uuidv7(), at, siteId: ownRobot.siteId, by, mode: "AUTO", stops: [stop] } as const;
    await recordSentStops(bench.db, { ...press, stops: [...press.stops] }, uuidv7(), bench.clock.now());
    expect(await stopsOf(ownRobot)).toMatchObject([{ id: stop.id, seq: stop.seq, outcome: "UNCONFIRMED" }]);
    expect(await bench.activity()).toMatchObject([
      { action: "START", status: "SUCCESS" },
      { action: "STOP", status: "FAILED", details: expect.stringContaining("after a newer Start") },
    ]);
    expect(bench.robot().truth().motion).toBe("MOVING");
    expect(await order(owner, "STOP")).toMatchObject({ status: 200 });
  });

  test("a stolen token stops nothing meanwhile, its browser does", async () => {
    const { ownRobot } = bench.fixtures;
    const { http } = bench.server.app;
    const signedIn = await new TestClient(http, null).call(login, {
      body: { username: usernames.owner, password: PASSWORD, browser: "b-0123456789abcdefghij" },
    });
    const { token } = login.response.parse(signedIn.body);
    const browser = new TestClient(http, token);
    const cookie = String(signedIn.headers["set-cookie"]).split(";")[0] ?? "";
    await browser.call(siteDetails, { headers: { cookie } });
    await start(ownRobot);
    await bench.cuttable.make("killed");
    const body = { ...named(ownRobot), command: "STOP" as const };
    expect((await browser.call(sendCommand, { body })).status).toBeGreaterThanOrEqual(400);
    expect(bench.robot(ownRobot).truth().motion).toBe("MOVING");
    expect(await browser.call(sendCommand, { body, headers: { cookie } })).toMatchObject({
      status: 200,
      body: { message: SENT },
    });
    await stands(ownRobot);
  });
});
