import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { holdRobotRows, untilBlocked } from "../../../test/row-locks.ts";

/** A clock that tests can set forward. It runs at half speed, because all of this happens within a command's 8 s. */
class JumpingClock extends FastClock {
  aheadMs = 0;

  constructor() {
    super(0.5);
  }

  override now(): Date {
    return new Date(super.now().getTime() + this.aheadMs);
  }
}

class FailingBroker extends InterruptibleBroker {
  fails = false;

  override get connected(): boolean {
    if (this.fails) throw new Error("Something unforeseen.");
    return super.connected;
  }
}

let harness: CommandHarness;
let clock: JumpingClock;
let broker: FailingBroker;

beforeEach(async () => {
  clock = new JumpingClock();
  harness = await CommandHarness.open({ clock, wrapBroker: (inner) => (broker = new FailingBroker(inner)) });
  await harness.live();
  await seedGroups(harness.db, harness.fixtures, "unplanned");
});
afterEach(() => harness.close());

const robot = () => harness.robot();
const groupParams = () => ({ groupId: harness.fixtures.ownGroup.groupId });
const setRobot = async (body: { enabled: boolean; reason?: string; start_after?: boolean }) => {
  const owner = await harness.server.as("owner");
  return owner.call(robotMaintenance, { params: { robotId: harness.fixtures.ownRobot.id }, body });
};
const setGroup = async (body: { enabled: boolean; reason?: string; start_after?: boolean }) => {
  const owner = await harness.server.as("owner");
  return owner.call(groupMaintenance, { params: groupParams(), body });
};
const lock = () => setRobot({ enabled: true, reason: "Brush worn" });
const andStart = { enabled: false, start_after: true };
const has = (wanted: string) =>
  harness.until(async () => (await harness.commands()).some(({ verb }) => verb === wanted));
const startsStored = async () => (await harness.commands()).filter(({ verb }) => verb === "START");

/** Its next state shows everything that it has done in silence. */
async function reportsAgain(): Promise<void> {
  robot().clear();
  const admin = await harness.server.as("admin");
  await admin.ask(robotStatus, { query: { robotId: harness.fixtures.ownRobot.serial } });
}

const notStarted = "Released, but not started: Stop was pressed in the meantime.";
const single = {
  status: 200,
  body: { success: true, confirmed: true, start: { success: false, message: notStarted } },
};
const inGroup = { status: 200, body: { success: false, results: [{ outcome: "FAILED", message: notStarted }] } };
const stop = () => harness.press("STOP");
const stopAll = async () => {
  const admin = await harness.server.as("admin");
  return admin.call(siteStop, { body: { siteId: harness.fixtures.ownSiteId } });
};

describe("protocol rule 3: a start that follows a release is cancelled by a Stop pressed since", () => {
  test.each([
    ["a Stop of the robot, for one robot", setRobot, stop, single],
    ["Stop all robots, for one robot", setRobot, stopAll, single],
    ["a Stop of the robot, for a group", setGroup, stop, inGroup],
    ["Stop all robots, for a group", setGroup, stopAll, inGroup],
  ])("protocol rule 3: %s, though one state confirms the release and the Stop", async (_, set, press, expected) => {
    await lock();
    robot().inject({ kind: "silent" });
    const released = set(andStart);
    // The robot has it: if merely stored, it could still be superseded by the Stop in transit.
    await robot().until(({ mode }) => mode !== "MAINTENANCE");
    const pressed = press();
    await has("STOP");
    await reportsAgain();
    expect(await released).toMatchObject(expected);
    expect((await pressed).status).toBe(200);
    expect(await startsStored()).toEqual([]);
    expect(robot().truth()).toMatchObject({ mode: "AUTO", motion: "STOPPED", startsTaken: [] });
    expect((await harness.audit()).filter(({ action }) => action === "START_ROBOT")).toMatchObject([
      { outcome: "REFUSED", reason: notStarted },
    ]);
  });
});

describe("§9: a start that follows a release is sent only while its caller waits for it", () => {
  test.each([
    ["one robot", setRobot],
    ["a group", setGroup],
  ])("§9: %s stays stopped when the release took nearly all of the time", async (_, set) => {
    await lock();
    robot().inject({ kind: "silent" });
    const letGo = await holdRobotRows(harness.db, harness.fixtures.ownRobot);
    const released = set(andStart);
    await untilBlocked(harness.db);
    clock.aheadMs = 8_050;
    robot().clear();
    await letGo();
    const answer = await released;
    expect(JSON.stringify(answer.body)).toContain("Released, but not started: it took too long.");
    expect(await startsStored()).toEqual([]);
    expect(robot().truth()).toMatchObject({ mode: "AUTO", motion: "STOPPED", startsTaken: [] });
  });
});

describe("wire, Commands: an unforeseen error for one robot of a group", () => {
  test("protocol rule 8: is reported for that robot; its lock remains and is sent again", async () => {
    broker.fails = true;
    const answer = await setGroup({ enabled: true, reason: "Brush worn" });
    broker.fails = false;
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: false,
        results: [
          {
            robotId: "OWN-1",
            outcome: "FAILED",
            message: expect.stringContaining("It is not known whether Robot OWN-1 has confirmed its lock."),
            pending: true,
          },
        ],
      },
    });
    await robot().until(({ mode }) => mode === "MAINTENANCE");
  });
});
