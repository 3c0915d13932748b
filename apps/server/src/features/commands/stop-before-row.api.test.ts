import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createGroup, groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import { holdLock } from "../../../test/row-locks.ts";
import type { TestClient } from "../../../test/test-client.ts";
import type { Tx } from "../../platform/database/database.ts";

/** A tenth of real time: the database is delayed long enough, and not too long, even on a busy machine. */
const SLOW = 0.1;

/** Two robots in a group, the first of them moving, at a server that knows both. */
async function withMovingGroup(work: (of: MovingGroup) => Promise<void>): Promise<void> {
  const journal = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  const clock = new FastClock(SLOW);
  const harness = await CommandHarness.open({ clock, settings: { stopJournalDir: journal } });
  try {
    const { ownRobot, ownRobot2, ownSiteId: siteId } = harness.fixtures;
    for (const robot of [ownRobot, ownRobot2]) await harness.live(robot);
    const maker = await harness.server.as("owner");
    const body = { site_id: siteId, group_name: "East Row", robot_ids: [ownRobot.id, ownRobot2.id] };
    const { groupId } = await maker.ask(createGroup, { body });
    // Servers refresh their knowledge of groups every few seconds.
    await harness.server.stop();
    const server = await harness.startServer();
    const owner = await server.as("owner");
    for (const robot of [ownRobot, ownRobot2]) await harness.live(robot);
    const { id: robotObjectId, serial: robotId } = ownRobot;
    const robot = { robotId, robotObjectId, siteId };
    await owner.ask(sendCommand, { body: { ...robot, command: "START" } });
    await work({ harness, owner, robot, group: { siteId, groupId } });
  } finally {
    await harness.close();
    await rm(journal, { recursive: true, force: true });
  }
}

interface MovingGroup {
  readonly harness: CommandHarness;
  readonly owner: TestClient;
  readonly robot: { readonly robotId: string; readonly robotObjectId: number; readonly siteId: number };
  readonly group: { readonly siteId: number; readonly groupId: number };
}

test("protocol rule 3: a robot that obeys before its Stop has a row is reported as stopped, not as already stopped", () =>
  withMovingGroup(async ({ harness, owner, robot, group }) => {
    const letGo = await holdLock(harness.db, (tx) => sql`lock table robot_groups in access exclusive mode`.execute(tx));
    const answer = owner.ask(groupSendCommand, { body: { ...group, command: "STOP" } });
    await harness.until(async () => {
      const { rows } = await sql<{ motion: string }>`
        select motion from robot_state where robot_id = ${robot.robotObjectId}`.execute(harness.db);
      return rows[0]?.motion === "STOPPED";
    });
    await letGo();
    expect(await answer).toMatchObject({ success: true, message: "1 of 1 robot stopped. 1 already stopped." });
  }));

test("protocol rule 6: a Stop that was obeyed before its row needs no other, and is confirmed with its row", () =>
  withMovingGroup(async ({ harness, owner, group }) => {
    const letGo = await holdLock(harness.db, (tx) => sql`lock table robot_groups in access exclusive mode`.execute(tx));
    const answer = owner.ask(groupSendCommand, { body: { ...group, command: "STOP" } });
    await harness.until(async () => (await harness.state()).motion === "STOPPED");
    const { lastSeq } = harness.robot().truth();
    const free = harness.clock.now();
    await letGo();
    expect((await answer).results).toMatchObject([{ outcome: "SUCCESS", pending: false }, {}]);
    const stops = (await harness.commands()).filter(({ verb }) => verb === "STOP");
    expect(stops).toMatchObject([{ seq: lastSeq, outcome: "CONFIRMED", claimed_by: null }]);
    // A run that became due meanwhile is skipped for it.
    expect(stops[0]?.issued_at.getTime()).toBeLessThan(free.getTime());
    expect(stops[0]?.settled_at?.getTime()).toBeGreaterThanOrEqual(free.getTime());
    expect((await harness.activity()).filter(({ action }) => action === "STOP")).toMatchObject([{ status: "SUCCESS" }]);
  }));

test.each(["robot", "group"] as const)(
  "protocol rule 3: a Stop of a %s that is repeated before it was sent does not wait for the database either",
  (of) =>
    withMovingGroup(async ({ harness, owner, robot, group }) => {
      const headers = { "idempotency-key": randomUUID() };
      const press = () =>
        of === "robot"
          ? owner.call(sendCommand, { body: { ...robot, command: "STOP" }, headers })
          : owner.call(groupSendCommand, { body: { ...group, command: "STOP" }, headers });
      harness.robot().inject({ kind: "deaf" });
      const first = press();
      const stored = async () => (await harness.commands()).some(({ verb, published_at: at }) => verb === "STOP" && at);
      await harness.until(stored);
      harness.robot().clear();
      const lockIt = (tx: Tx) => sql`select id from commands where verb = 'STOP' for update`.execute(tx);
      const letGo = await holdLock(harness.db, lockIt);
      const again = press();
      await expect.poll(() => harness.robot().truth().motion).toBe("STOPPED");
      await letGo();
      expect([(await first).status, (await again).status]).toEqual([200, 200]);
    }),
);
