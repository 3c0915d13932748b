import { randomUUID } from "node:crypto";
import { deleteRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import { RolloutBench } from "../../../test/rollout-bench.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import { claimDueOffers } from "./rollout-engine.ts";

let bench: RolloutBench;
afterEach(() => bench.close());

const statesOf = ({ robots }: { readonly robots: readonly { readonly state: string }[] }) =>
  robots.map(({ state }) => state);
const firmwareOf = (robot: TestRobot) => bench.bench.robot(robot).truth().firmware;

/** The order in which robots were offered it, in groups of those offered it together. */
function batchesOf(robots: readonly { readonly robot_id: number; readonly offered_at: string | null }[]): number[][] {
  const offered = robots.flatMap(({ robot_id, offered_at }) => (offered_at === null ? [] : [{ robot_id, offered_at }]));
  const groups = Map.groupBy(offered, ({ offered_at }) => offered_at);
  return [...groups.keys()].toSorted().map((at) => (groups.get(at) ?? []).map(({ robot_id }) => robot_id));
}

describe("protocol rule 13: a rollout", () => {
  test("one canary first, then batches, each after the one before; robots that run it already are left out", async () => {
    bench = await RolloutBench.open({ more: 4 });
    const [canary, ...others] = bench.robots;
    const id = await bench.createRollout("2.0.0", bench.robots, { batch_size: 3 });
    const ended = await bench.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(bench.robots.map(() => "DONE"));
    expect(ended.robots.map((robot) => robot.canary)).toEqual([true, ...others.map(() => false)]);
    const batches = batchesOf(ended.robots);
    expect(batches[0]).toEqual([canary?.id]);
    // Robots whose rows are locked at that moment come with the next batch.
    expect(Math.max(...batches.map((batch) => batch.length))).toBe(3);
    expect(bench.robots.map(firmwareOf)).toEqual(bench.robots.map(() => "2.0.0"));
    for (const { offered_at } of ended.robots) {
      const before = ended.robots.filter((robot) => (robot.offered_at ?? "") < (offered_at ?? ""));
      expect(before.every(({ ended_at }) => ended_at !== null && ended_at <= (offered_at ?? ""))).toBe(true);
    }
    // Each end is recorded, and so is that of the rollout.
    const audit = await bench.db
      .selectFrom("audit")
      .select(["action", "outcome"])
      .where("entity", "in", ["robot", "rollout"])
      .where("action", "in", ["UPDATE_FIRMWARE", "CREATE_ROLLOUT", "END_ROLLOUT"])
      .execute();
    expect(audit.filter(({ action, outcome }) => action === "UPDATE_FIRMWARE" && outcome === "DONE")).toHaveLength(6);
    expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(["CREATE_ROLLOUT", "END_ROLLOUT"]));
    await bench.bench.until(async () => (await bench.bench.state(bench.robots[0])).firmware === "2.0.0");

    // The same content under another file name is the same firmware; the robots already have it.
    const again = await bench.createRollout("2.0.0", bench.robots.slice(0, 2));
    const skipped = await bench.untilRollout(again, "DONE");
    expect(skipped.robots.map(({ state, reason }) => [state, reason])).toEqual([
      ["SKIPPED", "It already runs 2.0.0."],
      ["SKIPPED", "It already runs 2.0.0."],
    ]);
  });

  test("it pauses by itself when the canary fails, and continues with another when a person resumes it", async () => {
    bench = await RolloutBench.open({ more: 1 });
    const [canary, second, third] = bench.robots;
    if (!canary || !second || !third) throw new Error("Too few robots.");
    bench.injectFault(canary, "hash");
    const id = await bench.createRollout("2.0.0", bench.robots);
    const paused = await bench.untilRollout(id, "PAUSED");
    expect(paused.reason).toBe("The first robot failed.");
    expect(statesOf(paused)).toEqual(["FAILED", "WAITING", "WAITING"]);
    expect(paused.robots[0]).toMatchObject({ canary: true, reason: "What it downloaded is not what was offered." });
    expect(paused.robots[1]).toMatchObject({ reason: "Waits until the rollout is resumed" });
    expect(await bench.control(id, "RESUME")).toBe("The rollout continues.");
    const ended = await bench.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(["FAILED", "DONE", "DONE"]);
    expect(ended.robots[1]?.canary).toBe(true);
    expect(batchesOf(ended.robots)).toHaveLength(3);
    expect(firmwareOf(canary)).not.toBe("2.0.0");
  });

  test("it pauses by itself when more than the threshold failed; cancelled, it leaves out those that wait", async () => {
    bench = await RolloutBench.open({ more: 5 });
    for (const robot of bench.robots.slice(1, 3)) bench.injectFault(robot, "install");
    const id = await bench.createRollout("2.0.0", bench.robots, { batch_size: 3, failure_threshold_percent: 20 });
    const paused = await bench.untilRollout(id, "PAUSED");
    expect(paused.reason).toBe("More than 20 % of the robots failed.");
    const settled = await bench.bench.until(async () => {
      const now = await bench.details(id);
      return now.robots.every(({ state }) => ["DONE", "FAILED", "WAITING"].includes(state)) && now.robots;
    });
    const offered = settled.filter(({ offered_at }) => offered_at !== null);
    // The canary and one batch, of whom as many fail as cannot install it; the others wait.
    expect(offered.length).toBeLessThanOrEqual(4);
    const cannot = bench.robots.slice(1, 3).map((robot) => robot.id);
    expect(settled.map(({ robot_id, state }) => [robot_id, state])).toEqual(
      settled.map(({ robot_id, offered_at }) => [
        robot_id,
        offered_at === null ? "WAITING" : cannot.includes(robot_id) ? "FAILED" : "DONE",
      ]),
    );
    expect(await bench.control(id, "CANCEL")).toContain("cancelled");
    expect(await bench.control(id, "CANCEL")).toContain("cancelled");
    const ended = await bench.untilRollout(id, "CANCELLED");
    expect(statesOf(ended)).toEqual(settled.map(({ state }) => (state === "WAITING" ? "CANCELLED" : state)));
    const resumed = bench.control(id, "RESUME");
    await expect(resumed).rejects.toThrow("409");
  });

  test("a robot that is installing is not started, not deleted, but can be stopped; it shows everywhere", async () => {
    bench = await RolloutBench.open();
    const [robot] = bench.robots;
    if (!robot) throw new Error("No robot.");
    bench.injectFault(robot, "slow");
    const id = await bench.createRollout("2.0.0", [robot]);
    await bench.untilEntry(id, robot, "DOWNLOADING");
    const start = await bench.bench.press("START", { robot });
    expect([start.status, start.body]).toMatchObject([
      409,
      { message: `Robot ${robot.serial} is installing firmware 2.0.0.` },
    ]);
    expect((await bench.bench.press("STOP", { robot })).status).toBe(200);
    const admin = await bench.admin();
    const deleted = await admin.call(deleteRobot, { params: { id: robot.id } });
    expect([deleted.status, deleted.text]).toMatchObject([400, expect.stringContaining("is installing new firmware")]);
    const { robots } = await admin.ask(robotDetailsWithSettings, { params: { siteId: robot.siteId } });
    const shown = robots.find(({ robot_id }) => robot_id === robot.id);
    expect(shown?.firmware_update).toEqual({ rollout_id: id, version: "2.0.0", state: "DOWNLOADING", percent: 0 });
    // Its deadline passes.
    await bench.db
      .updateTable("rollout_robots")
      .set({ deadline_at: new Date() })
      .where("robot_id", "=", robot.id)
      .execute();
    const failed = await bench.untilEntry(id, robot, "FAILED");
    expect(failed.reason).toBe("It did not show within 15 minutes that it runs 2.0.0.");
    // It continues to download, unaware of that: it is not started.
    expect((await bench.bench.press("START", { robot })).status).toBe(409);
    await bench.untilRollout(id, "DONE");
  });

  test("a robot that cleans, is locked or has a low battery waits until it may; one that refuses waits a while", async () => {
    bench = await RolloutBench.open({ more: 1 });
    const [moving, low, ready] = bench.robots;
    if (!moving || !low || !ready) throw new Error("Too few robots.");
    expect((await bench.bench.press("START", { robot: moving })).status).toBe(200);
    bench.bench.robot(low).setByHand({ battery: 40 });
    await bench.bench.until(async () => Math.round((await bench.bench.state(low)).battery ?? 100) === 40);
    const id = await bench.createRollout("2.0.0", bench.robots);
    await bench.untilEntry(id, ready, "DONE");
    const waiting = await bench.details(id);
    expect(waiting.robots.map(({ state, reason }) => [state, reason])).toEqual([
      ["WAITING", "Waits until it has finished cleaning"],
      ["WAITING", "Waits for its battery: 40 %, needs 50 %"],
      ["DONE", null],
    ]);
    expect((await bench.bench.press("STOP", { robot: moving })).status).toBe(200);
    bench.bench.robot(low).setByHand({ battery: 90 });
    const ended = await bench.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(["DONE", "DONE", "DONE"]);
  });

  test("an offer is sent, and sent again, only to a robot that may take it now and while the rollout is running", async () => {
    bench = await RolloutBench.open();
    const [robot] = bench.robots;
    if (!robot) throw new Error("No robot.");
    expect((await bench.bench.press("START", { robot })).status).toBe(200);
    const id = await bench.createRollout("2.0.0", [robot]);
    const offered = (sent_at: Date | null) =>
      bench.db
        .updateTable("rollout_robots")
        .set({ state: "OFFERED", offer_id: randomUUID(), offered_at: new Date(), reason: null, sent_at })
        .set({ deadline_at: new Date(Date.now() + 900_000), canary: true })
        .where("rollout_id", "=", id)
        .execute();
    const take = () => bench.db.transaction().execute((tx) => claimDueOffers(tx, new Date()));
    const back = { offer_id: null, reason: null, wait_until: null, canary: false };

    // Never sent, and the robot cleans: it waits again and was sent nothing.
    await offered(null);
    expect(await bench.untilEntry(id, robot, "WAITING")).toMatchObject(back);
    // Sent once: the offer stays open, and is not sent again.
    const sentAt = new Date(Date.now() - 60_000);
    await offered(sentAt);
    expect(await take()).toEqual([]);
    expect(await bench.entry(id, robot)).toMatchObject({ state: "OFFERED", sent_at: sentAt });

    // The robot could take it, but the rollout is paused.
    await bench.control(id, "PAUSE");
    expect((await bench.bench.press("STOP", { robot })).status).toBe(200);
    await bench.bench.until(async () => {
      const { motion, robot_status } = await bench.bench.state(robot);
      return motion === "STOPPED" && robot_status === "idle";
    });
    expect(await take()).toEqual([]);
    const { offer_id } = await bench.entry(id, robot);
    expect(await bench.entry(id, robot)).toMatchObject({ state: "OFFERED", sent_at: sentAt });
    expect(bench.bench.robot(robot).truth().update).toBeNull();
    await bench.control(id, "RESUME");
    expect(await bench.untilEntry(id, robot, "DONE")).toMatchObject({ offer_id });
  });

  test("paused or cancelled, an offer that was never sent is withdrawn", async () => {
    bench = await RolloutBench.open();
    const [robot] = bench.robots;
    if (!robot) throw new Error("No robot.");
    expect((await bench.bench.press("START", { robot })).status).toBe(200);
    const id = await bench.createRollout("2.0.0", [robot]);
    await bench.control(id, "PAUSE");
    await bench.db
      .updateTable("rollout_robots")
      .set({ state: "OFFERED", offer_id: randomUUID(), offered_at: new Date(), deadline_at: new Date("2100-01-01") })
      .execute();
    await bench.untilEntry(id, robot, "WAITING");
    await bench.db
      .updateTable("rollout_robots")
      .set({ state: "OFFERED", offer_id: randomUUID(), offered_at: new Date(), deadline_at: new Date("2100-01-01") })
      .execute();
    await bench.control(id, "CANCEL");
    expect(statesOf(await bench.untilRollout(id, "CANCELLED"))).toEqual(["CANCELLED"]);
    expect(bench.bench.robot(robot).truth().update).toBeNull();
  });

  test("protocol rule 12: a server that cannot rely on its clock offers nothing until it can", async () => {
    const clocks = new StubClockCheck();
    bench = await RolloutBench.open({ clocks });
    clocks.trouble = TROUBLE;
    const id = await bench.createRollout("2.0.0", bench.robots.slice(0, 1));
    // Rollouts are checked twice as often as clocks are reported.
    const lastReport = () => bench.db.selectFrom("server_clocks").select("seen_at").executeTakeFirst();
    const first = await expect.poll(lastReport, { timeout: 10_000 }).not.toBeUndefined().then(lastReport);
    await expect
      .poll(async () => (await lastReport())?.seen_at.getTime(), { timeout: 10_000 })
      .not.toBe(first?.seen_at.getTime());
    expect(statesOf(await bench.details(id))).toEqual(["WAITING"]);
    clocks.trouble = null;
    expect(statesOf(await bench.untilRollout(id, "DONE"))).toEqual(["DONE"]);
  });

  test("a START concurrent with an offer: whichever comes first, the robot never cleans while it installs", async () => {
    bench = await RolloutBench.open({ more: 6, servers: 2 });
    const movedWhileInstalling: string[] = [];
    for (const { serial } of bench.robots) {
      const both = bench.bench.fleet
        .robot(serial)
        .until(({ motion, update }) => motion === "MOVING" && /^(DOWNLOADING|INSTALLING)$/.test(update?.phase ?? ""));
      void both.then(() => movedWhileInstalling.push(serial));
    }
    const id = await bench.createRollout("2.0.0", bench.robots, { batch_size: 10 });
    const answers = await Promise.all(
      bench.robots.flatMap((robot) => bench.bench.servers.map((on) => bench.bench.press("START", { robot, on }))),
    );
    for (const { status } of answers) expect([200, 409, 502, 504]).toContain(status);
    await Promise.all(bench.robots.map((robot) => bench.bench.press("STOP", { robot })));
    const ended = await bench.untilRollout(id, "DONE");
    expect(statesOf(ended)).toEqual(bench.robots.map(() => "DONE"));
    expect(movedWhileInstalling).toEqual([]);
    // Nor was either ever decided while the other was open.
    const overlaps = await sql`
      select e.serial_number from rollout_robots e join commands c on c.robot_id = e.robot_id and c.verb = 'START'
      where e.rollout_id = ${id} and c.issued_at < e.ended_at and coalesce(c.settled_at, 'infinity') > e.offered_at
    `.execute(bench.db);
    expect(overlaps.rows).toEqual([]);
  });
});
