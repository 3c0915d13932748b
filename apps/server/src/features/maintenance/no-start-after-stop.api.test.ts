import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { PRESS_HEADER } from "@suncrew/contract/commands/press.ts";
import { groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { holdRobotRows, untilBlocked } from "../../../test/row-locks.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { acceptOrders } from "../commands/public.ts";

let harness: CommandHarness;
/** Two browsers, each with a session of its own. */
let mine: TestClient;
let other: TestClient;

beforeEach(async () => {
  harness = await CommandHarness.open();
  await harness.live();
  await seedGroups(harness.db, harness.fixtures, "unplanned");
  mine = await harness.server.as("owner");
  other = await harness.server.as("owner");
});
afterEach(() => harness.close());

const refused = "Stop was pressed in the meantime.";
const notStarted = `Released, but not started: ${refused}`;
const headersOf = (press?: string) => ({ ...(press !== undefined && { headers: { [PRESS_HEADER]: press } }) });
const commandBody = (command: "START" | "STOP") => {
  const { id, serial, siteId } = harness.fixtures.ownRobot;
  return { robotId: serial, robotObjectId: id, siteId, command };
};

const start = (press?: string) => mine.call(sendCommand, { ...headersOf(press), body: commandBody("START") });
const startGroup = (press?: string) => {
  const { groupId } = harness.fixtures.ownGroup;
  const body = { siteId: harness.fixtures.ownSiteId, groupId, command: "START" as const };
  return mine.call(groupSendCommand, { ...headersOf(press), body });
};
const releaseAndStart = { enabled: false, start_after: true };
const release = (press?: string) =>
  mine.call(robotMaintenance, {
    ...headersOf(press),
    params: { robotId: harness.fixtures.ownRobot.id },
    body: releaseAndStart,
  });
const releaseGroup = (press?: string) =>
  mine.call(groupMaintenance, {
    ...headersOf(press),
    params: { groupId: harness.fixtures.ownGroup.groupId },
    body: releaseAndStart,
  });
const stop = (by: TestClient, press?: string) =>
  by.ask(sendCommand, { ...headersOf(press), body: commandBody("STOP") });
const stopAll = (by: TestClient, press?: string) =>
  by.ask(siteStop, { ...headersOf(press), body: { siteId: harness.fixtures.ownSiteId } });
const stopGroup = (by: TestClient, press?: string) => {
  const body = {
    siteId: harness.fixtures.ownSiteId,
    groupId: harness.fixtures.ownGroup.groupId,
    command: "STOP" as const,
  };
  return by.ask(groupSendCommand, { ...headersOf(press), body });
};
/** Confirmed by the robot, so only a release ends it. */
const lock = (by: TestClient, press?: string) =>
  by.ask(robotMaintenance, {
    ...headersOf(press),
    params: { robotId: harness.fixtures.ownRobot.id },
    body: { enabled: true, reason: "Brush worn" },
  });

async function expectNoStart(): Promise<void> {
  expect((await harness.commands()).filter(({ verb }) => verb === "START")).toEqual([]);
  expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED", startsTaken: [] });
}

describe("protocol rule 3: no start requested before a Stop goes out after it", () => {
  const starts = [
    ["Start", false, start, refused],
    ["Start All", false, startGroup, refused],
    ["Release and start", true, release, notStarted],
    ["Release and start of a group", true, releaseGroup, notStarted],
  ] as const;

  test.each(starts)(
    "protocol rule 3: %s that waits for the robot's rows on the server while anybody's Stop is accepted and confirmed",
    async (_, isLocked, press, why) => {
      if (isLocked) await lock(mine);
      const { ownSiteId, ownRobot } = harness.fixtures;
      const letGo = await holdRobotRows(harness.db, ownRobot, async (tx) => {
        const by = { userId: null, name: "Anita Rao", actionType: "MANUAL" } as const;
        const order = { verb: "STOP", by, mode: "AUTO", maxDurationS: 0 } as const;
        const now = harness.clock.now();
        await acceptOrders(tx, ownSiteId, [ownRobot.id], order, now);
        const shown = { settled_at: now, answered_at: now, outcome: "CONFIRMED" } as const;
        await tx.updateTable("commands").set(shown).where("settled_at", "is", null).execute();
      });
      const answer = press();
      await untilBlocked(harness.db);
      await letGo();
      expect((await answer).text).toContain(why);
      await expectNoStart();
    },
  );

  const stops = [
    ["Stop", stop],
    ["Stop All", stopGroup],
    ["Stop all robots", stopAll],
  ] as const;
  const pairs = starts.flatMap(([name, isLocked, press, why], place) => {
    const [stopName, pressStop] = stops[place % stops.length] ?? stops[0];
    return [[name, stopName, isLocked, press, pressStop, why]] as const;
  });

  test.each(pairs)(
    "protocol rule 3: %s that the network delivers after a later %s of the same browser, whatever its clock does",
    async (_, __, isLocked, press, pressStop, why) => {
      if (isLocked) await lock(mine, "1000 0");
      await pressStop(mine, "2001 0");
      expect((await press("2000 0")).text).toContain(why);
      await expectNoStart();
    },
  );

  test.each(pairs)(
    "protocol rule 3: %s that waited its turn in the browser while somebody's %s was accepted",
    async (_, __, isLocked, press, pressStop, why) => {
      if (isLocked) await lock(mine);
      const began = harness.clock.now().getTime();
      await pressStop(other);
      // It began to wait before that, by more than its own transit here can take.
      const waitedMs = harness.clock.now().getTime() - began + 60_000;
      expect((await press(`1 ${waitedMs}`)).text).toContain(why);
      await expectNoStart();
    },
  );

  test("protocol rule 3: a Start after a Stop goes out, whatever the clock of another browser says", async () => {
    await stop(other, "9000000000000 0");
    await stop(mine, "2000 0");
    expect((await start("2001 0")).status).toBe(200);
    await harness.robot().until(({ motion }) => motion === "MOVING");
  });

  test("protocol rule 3: a Start that waited in its browser for the Stop pressed before it goes out", async () => {
    await stop(mine, "2000 0");
    expect((await start("2001 60000")).status).toBe(200);
    await harness.robot().until(({ motion }) => motion === "MOVING");
  });

  test("wire, Errors: a malformed press is 400 with the header named", async () => {
    for (const press of ["", "now", "1", "-1 0", "1 2 3", "1e3 0", `${"9".repeat(16)} 0`]) {
      expect(await start(press)).toMatchObject({ status: 400, body: { errors: [{ field: PRESS_HEADER }] } });
      expect((await releaseGroup(press)).status).toBe(400);
    }
    await expectNoStart();
  });
});
