import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HarnessUser } from "../../../test/harness-user.ts";
import { InterruptibleDatabase } from "../../../test/interruptible-database.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { ScheduleHarness, type SchedulingServer } from "../../../test/schedule-harness.ts";
import { scheduledRunReasons } from "./scheduler-messages.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const SIX = "2026-06-15 06:00:00";

let harness: ScheduleHarness;
let having: SchedulingServer;
/** Loses its database before anything is due; the other one has it. */
let without: SchedulingServer;
let interruptible: InterruptibleDatabase;
let folder: string;
let user: HarnessUser;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-stops-"));
  harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
  interruptible = await InterruptibleDatabase.open(harness.connection);
  having = harness.addServer();
  without = harness.addServer(undefined, new MemoryBroker(), interruptible.database.db, undefined, folder);
  user = await HarnessUser.at(harness);
});
afterEach(async () => {
  await interruptible.setFault(null);
  await Promise.all(harness.servers.map(({ commands }) => commands.stop()));
  await interruptible.close();
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

async function planned() {
  const group = await harness.group(1);
  const [robotId = 0] = group.robotIds;
  const id = await harness.schedule(group, { startTime: SIX });
  for (const { commands } of harness.servers) await commands.start();
  await interruptible.setFault("killed");
  /** A person stops the robot at the server that has no database. */
  const stop = async () => {
    const { serial_number: serial } = await harness.db
      .selectFrom("robots")
      .select("serial_number")
      .where("id", "=", robotId)
      .executeTakeFirstOrThrow();
    const body = sendCommand.body.parse({
      robotId: serial,
      robotObjectId: robotId,
      siteId: group.siteId,
      command: "STOP",
    });
    expect(await without.commands.send(user.viewer, body, null, null)).toMatchObject({ pending: true });
  };
  return { id, robotId, stop };
}

/** Second by second, as servers poll. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await harness.pass(SECOND_MS);
}

const motions = (robotId: number) => harness.robots.motions(robotId);
const outcomes = async (id: number) => (await harness.runs(id)).map(({ outcome, reason }) => [outcome, reason]);

describe("protocol rule 3: no due run starts a robot whose Stop another server could not record", () => {
  test("pressed before the due time", async () => {
    const { robotId, stop } = await planned();
    await harness.pass(MINUTE_MS - SECOND_MS);
    await stop();
    await harness.deliver();
    await seconds(60);
    expect(motions(robotId)).toEqual([]);
  });

  test("pressed after it, of a robot whose states nobody stores meanwhile", async () => {
    const { robotId, stop } = await planned();
    await harness.pass(MINUTE_MS - SECOND_MS);
    harness.clock.advance(2 * SECOND_MS);
    harness.robots.unheard = true;
    await stop();
    await harness.deliver();
    harness.robots.unheard = false;
    harness.clock.advance(1);
    await harness.poll();
    await seconds(60);
    expect(motions(robotId)).toEqual([]);
  });

  test("pressed while the run's own START was on its way", async () => {
    const { robotId, stop } = await planned();
    await harness.pass(MINUTE_MS - SECOND_MS);
    harness.clock.advance(SECOND_MS);
    await having.scheduler.runOnce();
    const late = having.broker.published.splice(0);
    expect(late).toHaveLength(1);
    harness.clock.advance(1);
    harness.robots.unheard = true;
    await stop();
    await harness.deliver();
    await harness.robots.receive(late);
    harness.robots.unheard = false;
    await seconds(80);
    expect(motions(robotId)).toEqual([]);
  });

  test("of which a server that starts afterwards hears by what the broker retained", async () => {
    const { robotId, stop } = await planned();
    await harness.pass(MINUTE_MS - SECOND_MS);
    await stop();
    const retained = without.broker.published.filter(({ retain }) => retain === true);
    await harness.deliver();
    // Nobody repeats it.
    for (const server of [having, without]) {
      await server.commands.stop();
      harness.removeServer(server);
    }
    const { broker, commands } = harness.addServer();
    await commands.start();
    for (const { topic, payload } of retained) broker.receive(topic, JSON.parse(payload), true);
    await seconds(60);
    expect(motions(robotId)).toEqual([]);
  });

  test("once it is recorded, the run is skipped with that person's name", async () => {
    const { id, robotId, stop } = await planned();
    await harness.pass(MINUTE_MS - SECOND_MS);
    await stop();
    await harness.deliver();
    await seconds(20);
    await interruptible.setFault(null);
    await seconds(20);
    expect(motions(robotId)).toEqual([]);
    expect(await outcomes(id)).toEqual([["SKIPPED", scheduledRunReasons.byPerson("STOP", user.name).text]]);
  });
});
