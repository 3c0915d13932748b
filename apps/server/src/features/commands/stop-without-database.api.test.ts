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
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import type { DatabaseFault } from "../../../test/interruptible-database.ts";
import { PASSWORD, type TestRobot, usernames } from "../../../test/fixtures.ts";
import { TestClient } from "../../../test/test-client.ts";
import { recordSentStops } from "./accept-orders.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;
let journal: string;
let owner: TestClient;
let stranger: TestClient;

const SENT = "Sent to the robot; will be recorded.";
const faults = ["killed", "paused", "full"] as const satisfies readonly DatabaseFault[];

beforeEach(async () => {
  journal = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  harness = await CommandHarness.open({
    more: 2,
    interruptible: true,
    settings: { stopJournalDir: journal },
    wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)),
  });
  for (const robot of robots()) await harness.live(robot);
  owner = await harness.server.as("owner");
  stranger = await harness.server.as("stranger");
});
afterEach(async () => {
  await harness.close();
  await rm(journal, { recursive: true, force: true });
});

const robots = () => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2, ...harness.moreRobots];
const named = (robot: TestRobot) => ({ robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId });
const order = (who: TestClient, command: "START" | "STOP", robot = harness.fixtures.ownRobot) =>
  who.call(sendCommand, { body: { ...named(robot), command } });
const start = async (robot: TestRobot) => {
  expect(await order(owner, "START", robot)).toMatchObject({ status: 200 });
  expect(harness.robot(robot).truth().motion).toBe("MOVING");
};
const motions = () => robots().map((robot) => harness.robot(robot).truth().motion);
const stopsOf = async (robot: TestRobot) => (await harness.commands(robot)).filter(({ verb }) => verb === "STOP");
const settledStops = (robot: TestRobot, count = 1) =>
  harness.until(async () => {
    const stops = await stopsOf(robot);
    return stops.length >= count && stops.every(({ settled_at }) => settled_at !== null) && stops;
  });
const stops = (robot: TestRobot) => harness.robot(robot).until(({ motion }) => motion === "STOPPED");

describe("protocol rule 3: a person's Stop does not wait for the database", () => {
  test.each(faults)(
    "%s: the robot stops, START says 503, other partners reach nothing, and all of it is recorded later",
    async (fault) => {
      const { ownRobot, ownRobot2 } = harness.fixtures;
      await start(ownRobot);
      expect(await order(stranger, "STOP")).toMatchObject({ status: 404 });
      await harness.interruptible.setFault(fault);
      const from = harness.clock.now();

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
      await stops(ownRobot);
      const to = harness.clock.now();
      expect(await readdir(journal)).toHaveLength(1);
      expect(await stopsOf(ownRobot)).toEqual([]);

      await harness.interruptible.setFault(null);
      const [stop, ...more] = await settledStops(ownRobot);
      expect(more).toEqual([]);
      expect(stop).toMatchObject({ outcome: "CONFIRMED", requested_by: "Omkar Jain", action_type: "MANUAL" });
      const pressedAt = stop?.issued_at;
      expect(pressedAt?.getTime()).toBeGreaterThanOrEqual(from.getTime());
      expect(pressedAt?.getTime()).toBeLessThanOrEqual(to.getTime());
      const logged = (await harness.activity()).filter(({ action }) => action === "STOP");
      expect(logged).toMatchObject([{ status: "SUCCESS", user_name: "Omkar Jain" }]);
      // A database that was only paused resumes its queries, and records the Stop when the robot has shown it.
      expect(fault === "paused" || logged[0]?.created_at.getTime() === pressedAt?.getTime()).toBe(true);
      const audited = (await harness.audit()).filter(({ action }) => action === "STOP_ROBOT");
      expect(audited).toMatchObject([{ at: pressedAt, actor: "Omkar Jain" }]);
      await harness.server.stop();
      expect(await readdir(journal)).toEqual([]);
    },
  );

  test("killed: a group, then the whole site; each robot is sent one Stop per press", async () => {
    const body = {
      site_id: harness.fixtures.ownSiteId,
      group_name: "East Row",
      robot_ids: robots().map(({ id }) => id),
    };
    const { groupId } = await owner.ask(createGroup, { body });
    for (const robot of robots()) await start(robot);
    // Servers refresh their knowledge of groups every few seconds.
    await harness.server.stop();
    const server = await harness.startServer();
    owner = await server.as("owner");
    for (const robot of robots()) await harness.live(robot);
    const { ownRobot, ownRobot2, ownSiteId: siteId } = harness.fixtures;
    await order(owner, "START");
    await harness.interruptible.setFault("killed");
    const robotObjectIds = [ownRobot.id, ownRobot2.id];
    const some = await owner.ask(groupSendCommand, { body: { siteId, groupId, command: "STOP", robotObjectIds } });
    expect(some).toMatchObject({ success: true, message: "Sent to 2 robots; will be recorded." });
    await Promise.all([stops(ownRobot), stops(ownRobot2)]);
    expect(motions()).toEqual(["STOPPED", "STOPPED", "MOVING", "MOVING"]);
    const all = await owner.ask(siteStop, { body: { siteId } });
    expect(all).toMatchObject({ success: true, message: "Sent to 4 robots; will be recorded." });
    expect(all.results).toHaveLength(4);
    for (const result of all.results)
      expect(result).toMatchObject({ outcome: "SUCCESS", message: SENT, pending: true });
    await Promise.all(robots().map(stops));
    await harness.interruptible.setFault(null);
    for (const robot of robots()) {
      const stops = await settledStops(robot, robotObjectIds.includes(robot.id) ? 2 : 1);
      expect(stops.map(({ outcome }) => outcome)).toEqual(stops.map(() => "CONFIRMED"));
      expect(stops.map(({ action_type }) => action_type)).toEqual(
        stops.length === 2 ? ["GROUP", "MANUAL"] : ["MANUAL"],
      );
    }
  });

  test("killed: a server that ends in between records it after its next start", async () => {
    await start(harness.fixtures.ownRobot);
    await harness.interruptible.setFault("killed");
    expect(await order(owner, "STOP")).toMatchObject({ status: 200, body: { message: SENT } });
    await stops(harness.fixtures.ownRobot);
    await harness.server.stop();
    await harness.interruptible.setFault(null);
    await harness.startServer();
    expect(await settledStops(harness.fixtures.ownRobot)).toMatchObject([{ outcome: "CONFIRMED" }]);
  });

  test("killed: a person who has signed out stops nothing, and without a broker no Stop is reported as sent", async () => {
    await start(harness.fixtures.ownRobot);
    const signedOut = await harness.server.as("owner");
    await signedOut.ask(logout, {});
    expect(await order(signedOut, "STOP")).toMatchObject({ status: 401 });
    const justSignedOut = await harness.server.as("owner");
    expect(await order(justSignedOut, "STOP", harness.fixtures.ownRobot2)).toMatchObject({ status: 200 });
    await justSignedOut.ask(logout, {});
    await harness.interruptible.setFault("killed");
    // Both were known to have ended before the database was lost.
    expect(await order(signedOut, "STOP")).toMatchObject({ status: 401 });
    expect(await order(justSignedOut, "STOP")).toMatchObject({ status: 401 });
    broker.setCut(true);
    expect(await order(owner, "STOP")).toMatchObject({
      status: 503,
      body: { success: false, message: expect.stringContaining("the robot did not get the Stop") },
    });
    expect(harness.robot().truth().motion).toBe("MOVING");
    expect(await readdir(journal)).toEqual([]);
    broker.setCut(false);
  });

  test("no START goes to a robot whose Stop is not recorded yet", async () => {
    const { ownRobot } = harness.fixtures;
    await start(ownRobot);
    await harness.interruptible.setFault("killed");
    await order(owner, "STOP");
    await stops(ownRobot);
    // The database is back, but accepts no Stop.
    await sql`create function no_stop() returns trigger language plpgsql as $$ begin
      if new.verb = 'STOP' then raise exception 'not now' using errcode = 'P0001'; end if; return new; end $$`.execute(
      harness.db,
    );
    await sql`create trigger no_stop before insert on commands for each row execute function no_stop()`.execute(
      harness.db,
    );
    await harness.interruptible.setFault(null);
    // Seen to have stopped by a server that hears robots again.
    await harness.until(async () => (await harness.state()).motion === "STOPPED");
    expect(await order(owner, "START")).toMatchObject({ status: 503, body: { success: false } });
    expect(harness.robot().truth().motion).toBe("STOPPED");
    await sql`drop function no_stop cascade`.execute(harness.db);
    await settledStops(ownRobot);
    expect(await order(owner, "START")).toMatchObject({ status: 200 });
  });

  test("a robot that has been started again is not affected by a Stop that is recorded late", async () => {
    const { ownRobot, userIds } = harness.fixtures;
    const at = harness.clock.now();
    await start(ownRobot);
    const { session } = await harness.state();
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
    await recordSentStops(harness.db, { ...press, stops: [...press.stops] }, uuidv7(), harness.clock.now());
    expect(await stopsOf(ownRobot)).toMatchObject([{ id: stop.id, seq: stop.seq, outcome: "UNCONFIRMED" }]);
    expect(await harness.activity()).toMatchObject([
      { action: "START", status: "SUCCESS" },
      { action: "STOP", status: "FAILED", details: expect.stringContaining("after a newer Start") },
    ]);
    expect(harness.robot().truth().motion).toBe("MOVING");
    expect(await order(owner, "STOP")).toMatchObject({ status: 200 });
  });

  test("a stolen token stops nothing in the meantime, the browser it belongs to does", async () => {
    const { ownRobot } = harness.fixtures;
    const { http } = harness.server.app;
    const signedIn = await new TestClient(http, null).call(login, {
      body: { username: usernames.owner, password: PASSWORD, browser: "b-0123456789abcdefghij" },
    });
    const { token } = login.response.parse(signedIn.body);
    const browser = new TestClient(http, token);
    const cookie = String(signedIn.headers["set-cookie"]).split(";")[0] ?? "";
    await browser.call(siteDetails, { headers: { cookie } });
    await start(ownRobot);
    await harness.interruptible.setFault("killed");
    const body = { ...named(ownRobot), command: "STOP" as const };
    expect((await browser.call(sendCommand, { body })).status).toBeGreaterThanOrEqual(400);
    expect(harness.robot(ownRobot).truth().motion).toBe("MOVING");
    expect(await browser.call(sendCommand, { body, headers: { cookie } })).toMatchObject({
      status: 200,
      body: { message: SENT },
    });
    await stops(ownRobot);
  });
});
