import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createGroup, groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { holdLock, untilBlocked } from "../../../test/row-locks.ts";

test("protocol rule 3: a Stop sent before its row is recorded once, though the answer to that row's commit was lost", async () => {
  const journal = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  const harness = await CommandHarness.open({ interruptible: true, settings: { stopJournalDir: journal } });
  try {
    const { db, interruptible, fixtures } = harness;
    const { ownRobot, ownSiteId: siteId } = fixtures;
    await harness.live(ownRobot);
    const before = await harness.server.as("owner");
    const body = { site_id: siteId, group_name: "East Row", robot_ids: [ownRobot.id] };
    const { groupId } = await before.ask(createGroup, { body });
    // A server reads its groups every few seconds, and as it starts.
    await harness.server.stop();
    const owner = await (await harness.startServer()).as("owner");
    await harness.live(ownRobot);
    const { id: robotObjectId, serial: robotId } = ownRobot;
    await owner.ask(sendCommand, { body: { robotId, robotObjectId, siteId, command: "START" } });
    await sql`
      create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4711); return null; end $$`.execute(db);
    await sql`
      create constraint trigger wait_for_test after insert on commands deferrable initially deferred
      for each row execute function wait_for_test()`.execute(db);

    // The robot obeys and shows it before the database decides, so that the row needs a newer seq than the message had.
    const letDecide = await holdLock(db, (tx) => sql`lock table robot_groups in access exclusive mode`.execute(tx));
    const answer = owner.call(groupSendCommand, { body: { siteId, groupId, command: "STOP" } });
    await harness.until(async () => (await harness.state(ownRobot)).motion === "STOPPED");
    const letCommit = await holdLock(db, (tx) => sql`select pg_advisory_xact_lock(4711)`.execute(tx));
    await letDecide();
    await untilBlocked(db, 1, "commit");
    await interruptible.setFault("killed");
    expect(await answer).toMatchObject({ status: 200, body: { success: true } });
    await letCommit();
    const stops = async () => (await harness.commands(ownRobot)).filter(({ verb }) => verb === "STOP");
    await harness.until(async () => (await stops()).length > 0);
    expect(await readdir(journal)).toHaveLength(1);
    await interruptible.setFault(null);
    await harness.until(async () => (await readdir(journal)).length === 0);
    expect(await stops()).toHaveLength(1);
  } finally {
    await harness.close();
    await rm(journal, { recursive: true, force: true });
  }
});

const many = ["robot", "group", "site"] as const;
test.each(many)(
  "protocol rule 3: a Stop of a %s that was sent without its row, and repeated at another server, is recorded once",
  async (of) => {
    const folder = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
    const [journal, aside] = [join(folder, "journal"), join(folder, "aside")];
    const harness = await CommandHarness.open({ interruptible: true, settings: { stopJournalDir: journal } });
    try {
      const { ownRobot, ownRobot2 } = harness.fixtures;
      const robots = of === "robot" ? [ownRobot] : [ownRobot, ownRobot2];
      const live = async () => {
        for (const robot of robots) await harness.live(robot);
      };
      await live();
      const { id: robotObjectId, serial: robotId, siteId } = ownRobot;
      const group = { site_id: siteId, group_name: "East Row", robot_ids: [ownRobot.id, ownRobot2.id] };
      const { groupId } = await (await harness.server.as("owner")).ask(createGroup, { body: group });
      // A server reads its groups every few seconds, and as it starts.
      await harness.server.stop();
      const owner = await (await harness.startServer()).as("owner");
      await live();
      const press = (key: string, by = owner) => {
        const command = "STOP" as const;
        const headers = { "idempotency-key": key };
        if (of === "site") return by.call(siteStop, { body: { siteId }, headers });
        if (of === "group") return by.call(groupSendCommand, { body: { siteId, groupId, command }, headers });
        return by.call(sendCommand, { body: { robotId, robotObjectId, siteId, command }, headers });
      };
      const unrecorded = of === "robot" ? { pending: true } : { results: robots.map(() => ({ pending: true })) };
      // From now on the server knows this session without the database.
      await owner.ask(sendCommand, { body: { robotId, robotObjectId, siteId, command: "START" } });
      const stops = async () => {
        const commands = await Promise.all(robots.map((robot) => harness.commands(robot)));
        return commands.flat().filter(({ verb }) => verb === "STOP");
      };

      // The server that sent it records it; then it is repeated.
      await harness.interruptible.setFault("killed");
      expect(await press("first")).toMatchObject({ status: 200, body: unrecorded });
      await harness.interruptible.setFault(null);
      await harness.until(async () => (await stops()).length === robots.length);
      expect(await press("first")).toMatchObject({ status: 200 });
      await harness.until(async () => (await readdir(journal)).length === 0);
      expect(await stops()).toHaveLength(robots.length);

      // The server that sent it ends; it is repeated at another one before the first is back.
      await harness.interruptible.setFault("killed");
      expect(await press("second")).toMatchObject({ status: 200, body: unrecorded });
      await harness.server.stop();
      await rename(journal, aside);
      await harness.interruptible.setFault(null);
      const other = await (await harness.startServer()).as("owner");
      await live();
      expect(await press("second", other)).toMatchObject({ status: 200 });
      expect(await stops()).toHaveLength(2 * robots.length);
      await harness.server.stop();
      await rm(journal, { recursive: true, force: true });
      await rename(aside, journal);
      expect(await readdir(journal)).toHaveLength(1);
      // It records what it finds before it answers anybody.
      await harness.startServer();
      expect(await readdir(journal)).toEqual([]);
      expect(await stops()).toHaveLength(2 * robots.length);
    } finally {
      await harness.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
