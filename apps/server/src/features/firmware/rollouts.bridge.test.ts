import { randomUUID } from "node:crypto";
import { deleteRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import { RolloutHarness } from "../../../test/rollout-harness.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import { storedReasonCodes } from "../../../test/stored-reasons.ts";
import { claimDueOffers } from "./rollout-engine.ts";

let harness: RolloutHarness;
afterEach(() => harness.close());

const statesOf = ({ robots }: { readonly robots: readonly { readonly state: string }[] }) =>
  robots.map(({ state }) => state);
const firmwareOf = (robot: TestRobot) => harness.commands.robot(robot).truth().firmware;

/** The order in which robots were offered it, in groups of those offered it together. */
function batchesOf(robots: readonly { readonly robot_id: number; readonly offered_at: string | null }[]): number[][] {
  const offered = robots.flatMap(({ robot_id, offered_at }) => (offered_at === null ? [] : [{ robot_id, offered_at }]));
  const groups = Map.groupBy(offered, ({ offered_at }) => offered_at);
  return [...groups.keys()].toSorted().map((at) => (groups.get(at) ?? []).map(({ robot_id }) => robot_id));
}

describe("protocol rule 13: a rollout", () => {
  test("one canary first, then batches, each after the one before; robots that run it already are left out", async () => {
    harness = await RolloutHarness.open({ more: 4 });
    const [canary, ...others] = harness.robots;
    const id = await harness.createRollout("2.0.0", harness.robots, { batch_size: 3 });
    const ended = await harness.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(harness.robots.map(() => "DONE"));
    expect(ended.robots.map((robot) => robot.canary)).toEqual([true, ...others.map(() => false)]);
    const batches = batchesOf(ended.robots);
    expect(batches[0]).toEqual([canary?.id]);
    // Robots whose rows are locked at that moment come with a later batch: batches of three may be smaller, never larger.
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(3);
    expect(batches.length).toBeLessThan(harness.robots.length);
    expect(harness.robots.map(firmwareOf)).toEqual(harness.robots.map(() => "2.0.0"));
    for (const { offered_at } of ended.robots) {
      const before = ended.robots.filter((robot) => (robot.offered_at ?? "") < (offered_at ?? ""));
      expect(before.every(({ ended_at }) => ended_at !== null && ended_at <= (offered_at ?? ""))).toBe(true);
    }
    // Each end is recorded, and so is that of the rollout.
    const audit = await harness.db
      .selectFrom("audit")
      .select(["action", "outcome"])
      .where("entity", "in", ["robot", "rollout"])
      .where("action", "in", ["UPDATE_FIRMWARE", "CREATE_ROLLOUT", "END_ROLLOUT"])
      .execute();
    expect(audit.filter(({ action, outcome }) => action === "UPDATE_FIRMWARE" && outcome === "DONE")).toHaveLength(6);
    expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(["CREATE_ROLLOUT", "END_ROLLOUT"]));
    await harness.commands.until(async () => (await harness.commands.state(harness.robots[0])).firmware === "2.0.0");

    // The same content under another file name is the same firmware; the robots already have it.
    const again = await harness.createRollout("2.0.0", harness.robots.slice(0, 2));
    const skipped = await harness.untilRollout(again, "DONE");
    expect(skipped.robots.map(({ state, reason }) => [state, reason])).toEqual([
      ["SKIPPED", "It already runs 2.0.0."],
      ["SKIPPED", "It already runs 2.0.0."],
    ]);
    expect(await storedReasonCodes(harness.db)).toEqual(["ALREADY_INSTALLED"]);
  });

  test("it pauses by itself when the canary fails, and continues with another when a person resumes it", async () => {
    harness = await RolloutHarness.open({ more: 1 });
    const [canary, second, third] = harness.robots;
    if (!canary || !second || !third) throw new Error("Too few robots.");
    harness.injectFault(canary, "hash");
    const id = await harness.createRollout("2.0.0", harness.robots);
    const paused = await harness.untilRollout(id, "PAUSED");
    expect(paused.reason).toBe("The first robot failed.");
    expect(statesOf(paused)).toEqual(["FAILED", "WAITING", "WAITING"]);
    expect(paused.robots[0]).toMatchObject({ canary: true, reason: "What it downloaded is not what was offered." });
    expect(paused.robots[1]).toMatchObject({ reason: "Waits until the rollout is resumed" });
    expect(await storedReasonCodes(harness.db)).toEqual(["FIRST_ROBOT_FAILED", "UPDATE_FAILED"]);
    const alert = () => harness.db.selectFrom("alerts").selectAll().where("code", "=", "ROLLOUT_PAUSED").execute();
    await harness.commands.until(async () => (await alert()).length > 0);
    expect(await alert()).toMatchObject([
      {
        site_id: null,
        cleared_at: null,
        text: `Rollout ${id} of firmware 2.0.0 has paused itself. The first robot failed.`,
      },
    ]);
    expect(await harness.control(id, "RESUME")).toBe("The rollout continues.");
    const ended = await harness.untilRollout(id, "DONE");
    await harness.commands.until(async () => (await alert())[0]?.cleared_at !== null);
    expect(statesOf(ended)).toEqual(["FAILED", "DONE", "DONE"]);
    expect(ended.robots[1]?.canary).toBe(true);
    expect(batchesOf(ended.robots)).toHaveLength(3);
    expect(firmwareOf(canary)).not.toBe("2.0.0");
  });

  test("it pauses by itself when more than the threshold failed; cancelled, it leaves out those that wait", async () => {
    harness = await RolloutHarness.open({ more: 5 });
    for (const robot of harness.robots.slice(1, 3)) harness.injectFault(robot, "install");
    const id = await harness.createRollout("2.0.0", harness.robots, { batch_size: 3, failure_threshold_percent: 20 });
    const paused = await harness.untilRollout(id, "PAUSED");
    expect(paused.reason).toBe("More than 20 % of the robots failed.");
    expect(await storedReasonCodes(harness.db)).toEqual(["TOO_MANY_FAILED", "UPDATE_FAILED"]);
    const settled = await harness.commands.until(async () => {
      const now = await harness.details(id);
      return now.robots.every(({ state }) => ["DONE", "FAILED", "WAITING"].includes(state)) && now.robots;
    });
    const offered = settled.filter(({ offered_at }) => offered_at !== null);
    // The canary and one batch, of whom as many fail as cannot install it; the others wait.
    expect(offered.length).toBeLessThanOrEqual(4);
    const cannot = harness.robots.slice(1, 3).map((robot) => robot.id);
    expect(settled.map(({ robot_id, state }) => [robot_id, state])).toEqual(
      settled.map(({ robot_id, offered_at }) => [
        robot_id,
        offered_at === null ? "WAITING" : cannot.includes(robot_id) ? "FAILED" : "DONE",
      ]),
    );
    expect(await harness.control(id, "CANCEL")).toContain("cancelled");
    expect(await harness.control(id, "CANCEL")).toContain("cancelled");
    const ended = await harness.untilRollout(id, "CANCELLED");
    expect(statesOf(ended)).toEqual(settled.map(({ state }) => (state === "WAITING" ? "CANCELLED" : state)));
    const resumed = harness.control(id, "RESUME");
    await expect(resumed).rejects.toThrow("409");
  });

  test("a robot that is installing is not started, not deleted, but can be stopped; it shows everywhere", async () => {
    harness = await RolloutHarness.open();
    const [robot] = harness.robots;
    if (!robot) throw new Error("No robot.");
    harness.injectFault(robot, "slow");
    const id = await harness.createRollout("2.0.0", [robot]);
    await harness.untilEntry(id, robot, "DOWNLOADING");
    const start = await harness.commands.press("START", { robot });
    expect([start.status, start.body]).toMatchObject([
      409,
      { message: `Robot ${robot.serial} is installing firmware 2.0.0.` },
    ]);
    expect((await harness.commands.press("STOP", { robot })).status).toBe(200);
    const admin = await harness.admin();
    const deleted = await admin.call(deleteRobot, { params: { id: robot.id } });
    expect([deleted.status, deleted.text]).toMatchObject([400, expect.stringContaining("is installing new firmware")]);
    const { robots } = await admin.ask(robotDetailsWithSettings, { params: { siteId: robot.siteId } });
    const shown = robots.find(({ robot_id }) => robot_id === robot.id);
    expect(shown?.firmware_update).toEqual({ rollout_id: id, version: "2.0.0", state: "DOWNLOADING", percent: 0 });
    // Its deadline passes.
    await harness.db
      .updateTable("rollout_robots")
      .set({ deadline_at: new Date() })
      .where("robot_id", "=", robot.id)
      .execute();
    const failed = await harness.untilEntry(id, robot, "FAILED");
    expect(failed.reason).toBe("It did not show within 15 minutes that it runs 2.0.0.");
    expect(await storedReasonCodes(harness.db)).toEqual(["UPDATE_OVERDUE"]);
    // It continues to download, unaware of that: it is not started.
    expect((await harness.commands.press("START", { robot })).status).toBe(409);
    await harness.untilRollout(id, "DONE");
  });

  test("a robot that cleans, is locked or has a low battery waits until it may; one that refuses waits a while", async () => {
    harness = await RolloutHarness.open({ more: 1 });
    const [moving, low, ready] = harness.robots;
    if (!moving || !low || !ready) throw new Error("Too few robots.");
    expect((await harness.commands.press("START", { robot: moving })).status).toBe(200);
    harness.commands.robot(low).setByHand({ battery: 40 });
    await harness.commands.until(async () => Math.round((await harness.commands.state(low)).battery ?? 100) === 40);
    const id = await harness.createRollout("2.0.0", harness.robots);
    await harness.untilEntry(id, ready, "DONE");
    const waiting = await harness.details(id);
    expect(waiting.robots.map(({ state, reason }) => [state, reason])).toEqual([
      ["WAITING", "Waits until it has finished cleaning"],
      ["WAITING", "Waits for its battery: 40 %, needs 50 %"],
      ["DONE", null],
    ]);
    expect((await harness.commands.press("STOP", { robot: moving })).status).toBe(200);
    harness.commands.robot(low).setByHand({ battery: 90 });
    const ended = await harness.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(["DONE", "DONE", "DONE"]);
  });

  test("an offer is sent, and sent again, only to a robot that may take it now and while the rollout is running", async () => {
    harness = await RolloutHarness.open();
    const [robot] = harness.robots;
    if (!robot) throw new Error("No robot.");
    expect((await harness.commands.press("START", { robot })).status).toBe(200);
    const id = await harness.createRollout("2.0.0", [robot]);
    const offered = (sent_at: Date | null) =>
      harness.db
        .updateTable("rollout_robots")
        .set({ state: "OFFERED", offer_id: randomUUID(), offered_at: new Date(), reason: null, sent_at })
        .set({ deadline_at: new Date(Date.now() + 900_000), canary: true })
        .where("rollout_id", "=", id)
        .execute();
    const take = () => harness.db.transaction().execute((tx) => claimDueOffers(tx, new Date()));
    const back = { offer_id: null, reason: null, wait_until: null, canary: false };

    // Never sent, and the robot cleans: it waits again and was sent nothing.
    await offered(null);
    expect(await harness.untilEntry(id, robot, "WAITING")).toMatchObject(back);
    // Sent once: the offer stays open, and is not sent again.
    const sentAt = new Date(Date.now() - 60_000);
    await offered(sentAt);
    expect(await take()).toEqual([]);
    expect(await harness.entry(id, robot)).toMatchObject({ state: "OFFERED", sent_at: sentAt });

    // The robot could take it, but the rollout is paused.
    await harness.control(id, "PAUSE");
    expect((await harness.commands.press("STOP", { robot })).status).toBe(200);
    await harness.commands.until(async () => {
      const { motion, robot_status } = await harness.commands.state(robot);
      return motion === "STOPPED" && robot_status === "idle";
    });
    expect(await take()).toEqual([]);
    const { offer_id } = await harness.entry(id, robot);
    expect(await harness.entry(id, robot)).toMatchObject({ state: "OFFERED", sent_at: sentAt });
    expect(harness.commands.robot(robot).truth().update).toBeNull();
    await harness.control(id, "RESUME");
    expect(await harness.untilEntry(id, robot, "DONE")).toMatchObject({ offer_id });
  });

  test("paused or cancelled, an offer that was never sent is withdrawn", async () => {
    harness = await RolloutHarness.open();
    const [robot] = harness.robots;
    if (!robot) throw new Error("No robot.");
    expect((await harness.commands.press("START", { robot })).status).toBe(200);
    const id = await harness.createRollout("2.0.0", [robot]);
    await harness.control(id, "PAUSE");
    await harness.db
      .updateTable("rollout_robots")
      .set({ state: "OFFERED", offer_id: randomUUID(), offered_at: new Date(), deadline_at: new Date("2100-01-01") })
      .execute();
    await harness.untilEntry(id, robot, "WAITING");
    await harness.db
      .updateTable("rollout_robots")
      .set({ state: "OFFERED", offer_id: randomUUID(), offered_at: new Date(), deadline_at: new Date("2100-01-01") })
      .execute();
    await harness.control(id, "CANCEL");
    expect(statesOf(await harness.untilRollout(id, "CANCELLED"))).toEqual(["CANCELLED"]);
    expect(harness.commands.robot(robot).truth().update).toBeNull();
  });

  test("protocol rule 12: a server that cannot rely on its clock offers nothing until it can", async () => {
    const clocks = new StubClockCheck();
    harness = await RolloutHarness.open({ clocks });
    clocks.trouble = TROUBLE;
    const id = await harness.createRollout("2.0.0", harness.robots.slice(0, 1));
    // Rollouts are checked twice as often as clocks are reported.
    const lastReport = () => harness.db.selectFrom("server_clocks").select("seen_at").executeTakeFirst();
    const first = await expect.poll(lastReport).not.toBeUndefined().then(lastReport);
    await expect.poll(async () => (await lastReport())?.seen_at.getTime()).not.toBe(first?.seen_at.getTime());
    expect(statesOf(await harness.details(id))).toEqual(["WAITING"]);
    clocks.trouble = null;
    expect(statesOf(await harness.untilRollout(id, "DONE"))).toEqual(["DONE"]);
  });

  test("a START concurrent with an offer: whichever comes first, the robot never cleans while it installs", async () => {
    harness = await RolloutHarness.open({ more: 6, servers: 2 });
    const movedWhileInstalling: string[] = [];
    for (const { serial } of harness.robots) {
      const both = harness.commands.fleet
        .robot(serial)
        .until(({ motion, update }) => motion === "MOVING" && /^(DOWNLOADING|INSTALLING)$/.test(update?.phase ?? ""));
      void both.then(() => movedWhileInstalling.push(serial));
    }
    const id = await harness.createRollout("2.0.0", harness.robots, { batch_size: 10 });
    const answers = await Promise.all(
      harness.robots.flatMap((robot) =>
        harness.commands.servers.map((on) => harness.commands.press("START", { robot, on })),
      ),
    );
    for (const { status } of answers) expect([200, 409, 502, 504]).toContain(status);
    await Promise.all(harness.robots.map((robot) => harness.commands.press("STOP", { robot })));
    const ended = await harness.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(harness.robots.map(() => "DONE"));
    expect(movedWhileInstalling).toEqual([]);
    // Nor was either ever decided while the other was open.
    const overlaps = await sql`
      select e.serial_number from rollout_robots e join commands c on c.robot_id = e.robot_id and c.verb = 'START'
      where e.rollout_id = ${id} and c.issued_at < e.ended_at and coalesce(c.settled_at, 'infinity') > e.offered_at
    `.execute(harness.db);
    expect(overlaps.rows).toEqual([]);
  });
});
