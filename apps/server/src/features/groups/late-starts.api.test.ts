import { createGroup, groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import { holdRobotRows } from "../../../test/row-locks.ts";

let harness: CommandHarness;
let robots: readonly TestRobot[];
let groupId: number;

beforeEach(async () => {
  harness = await CommandHarness.open({ clock: new FastClock(2), more: 12 });
  robots = harness.moreRobots;
  for (const robot of robots) await harness.live(robot);
  const owner = await harness.server.as("owner");
  const body = { site_id: harness.fixtures.ownSiteId, group_name: "All", robot_ids: robots.map(({ id }) => id) };
  ({ groupId } = await owner.ask(createGroup, { body }));
});
afterEach(() => harness.close());

async function startAll() {
  const owner = await harness.server.as("owner");
  const body = { siteId: harness.fixtures.ownSiteId, groupId, command: "START" as const };
  const { results } = await owner.ask(groupSendCommand, { body });
  return new Map(results.map((result) => [result.robotObjectId, result]));
}

/** What is recorded about the Start of a robot, read in one statement so that nothing comes in between. */
async function onRecord(robot: TestRobot) {
  const { rows } = await sql<Record<"outcome" | "stops" | "told" | "failures" | "moves", string | null>>`
    select start.outcome,
      (select string_agg(coalesce(stop.outcome, 'pending'), ', ') from commands stop where stop.follows_id = start.id) as stops,
      (select string_agg(a.status || ': ' || a.details, ', ') from activity a where a.command_id = start.id) as told,
      (select count(*)::text from audit x where x.entity = 'robot' and x.entity_id = start.robot_id::text
        and x.action = 'START_ROBOT' and x.outcome = 'FAILED') as failures,
      (select string_agg(case when r.command_id = start.id then 'by this start' else 'by nobody' end, ', ')
        from runs r where r.robot_id = start.robot_id and r.ended_at is null) as moves
    from commands start where start.robot_id = ${robot.id} and start.verb = 'START'`.execute(harness.db);
  return rows;
}

const notConfirmed = (robot: TestRobot) =>
  `Robot ${robot.serial} did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.`;
const notKnown = (robot: TestRobot) =>
  `It is not known yet whether Robot ${robot.serial} accepted the command. Refresh its status.`;
const open = { outcome: null, stops: null, told: null, failures: "0" };
const failed = (robot: TestRobot) => ({
  outcome: "UNCONFIRMED",
  stops: expect.stringMatching(/^(pending|CONFIRMED)$/),
  told: `FAILED: ${notConfirmed(robot)}`,
  failures: "1",
});

/** After every commit a Start is open, or has failed with all that belongs to it. */
async function expectNothingHalf(): Promise<void> {
  for (const robot of robots) {
    for (const { moves, ...record } of await onRecord(robot)) {
      expect([null, "by this start"]).toContain(moves);
      expect(record).toEqual(record.outcome === null ? open : failed(robot));
    }
  }
}

describe("protocol rule 6: a START of a group that is shown too late", () => {
  test("protocol rule 6: has failed with its STOP, even if settling others is interrupted midway", async () => {
    const [broken, ...others] = robots;
    if (broken === undefined) throw new Error("There are no robots.");
    for (const [nth, robot] of robots.entries()) {
      // Some accept it and show it late, the others never receive it.
      harness.robot(robot).inject(nth % 2 === 0 ? { kind: "late", ms: 9_000 } : { kind: "deaf" });
    }
    // Its START is closed, its planned run, activity and audit are written, and then its STOP cannot be stored.
    await sql`create function no_stop() returns trigger language plpgsql as $$
      begin raise exception 'no Stop for this robot'; end $$`.execute(harness.db);
    await sql`create trigger no_stop before insert on commands for each row
      when (new.verb = 'STOP' and new.robot_id = ${sql.lit(broken.id)}) execute function no_stop()`.execute(harness.db);
    const answers = await startAll();
    for (const robot of others) {
      const answer = answers.get(robot.id);
      expect(answer).toMatchObject({ outcome: "FAILED", pending: false });
      // On a machine too busy to settle it within the caller's time, this is the answer.
      expect([notConfirmed(robot), notKnown(robot)]).toContain(answer?.message);
    }
    expect(answers.get(broken.id)).toMatchObject({ outcome: "FAILED", message: notKnown(broken), pending: false });
    await harness.until(async () => {
      await expectNothingHalf();
      const records = await Promise.all(others.map(onRecord));
      return records.flat().every(({ outcome }) => outcome !== null);
    });
    expect(await onRecord(broken)).toMatchObject([open]);
    await sql`drop trigger no_stop on commands`.execute(harness.db);
    await sql`drop function no_stop()`.execute(harness.db);
    for (const [nth, robot] of robots.entries()) harness.robot(robot).clear(nth % 2 === 0 ? "late" : "deaf");
    await harness.until(async () => {
      await expectNothingHalf();
      const unsettled = await harness.db.selectFrom("commands").select("id").where("settled_at", "is", null).execute();
      const areStopped = robots.every((robot) => harness.robot(robot).truth().motion === "STOPPED");
      return unsettled.length === 0 && areStopped;
    });
    for (const robot of robots) expect(await onRecord(robot)).toMatchObject([{ ...failed(robot), stops: "CONFIRMED" }]);
  });

  test("protocol rule 6: is answered in time for all robots but one whose rows are locked", async () => {
    const held = robots.at(-5);
    if (held === undefined) throw new Error("There are no robots.");
    for (const robot of robots) harness.robot(robot).inject({ kind: "deaf" });
    const started = startAll();
    await harness.until(async () => (await onRecord(held)).length === 1);
    const letGo = await holdRobotRows(harness.db, held);
    const answers = await started.finally(() => void letGo());
    const told = robots.map((robot) => answers.get(robot.id)?.message);
    expect(told).toEqual(robots.map((robot) => (robot === held ? notKnown : notConfirmed)(robot)));
    await harness.until(async () => {
      await expectNothingHalf();
      return (await onRecord(held)).some(({ outcome }) => outcome !== null);
    });
  });
});
