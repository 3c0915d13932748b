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

/** A tenth of real time: the database is delayed long enough, and not too long, even on a busy machine. */
const SLOW = 0.1;

test("protocol rule 3: a robot that obeys before its Stop has a row is reported as stopped, not as already stopped", async () => {
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
    await owner.ask(sendCommand, { body: { robotId, robotObjectId, siteId, command: "START" } });

    const letGo = await holdLock(harness.db, (tx) => sql`lock table robot_groups in access exclusive mode`.execute(tx));
    const answer = owner.ask(groupSendCommand, { body: { siteId, groupId, command: "STOP" } });
    await harness.until(async () => {
      const { rows } = await sql<{ motion: string }>`
        select motion from robot_state where robot_id = ${ownRobot.id}`.execute(harness.db);
      return rows[0]?.motion === "STOPPED";
    });
    await letGo();
    expect(await answer).toMatchObject({ success: true, message: "1 of 1 robot stopped. 1 already stopped." });
  } finally {
    await harness.close();
    await rm(journal, { recursive: true, force: true });
  }
});
