import { afterEach, describe, expect, test } from "vitest";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { ScheduleBench, type SchedulingServer } from "../../../test/schedule-bench.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
let bench: ScheduleBench;
afterEach(() => bench.close());

const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const SIX = "2026-06-15 06:00:00";
const at = (minutes: number, seconds = 0) => new Date(DUE.getTime() + minutes * MINUTE_MS + seconds * SECOND_MS);

/** What it publishes is lost: the server was killed between claiming and publishing. */
class LosingBroker extends MemoryBroker {
  override async publish(): Promise<void> {}
}

/** Lets seconds pass one by one, as every server looks. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await bench.pass(SECOND_MS);
}

/** A group of one robot with a schedule at six, and a server that dies at its first start. */
async function dyingServer(make: () => SchedulingServer) {
  bench = await ScheduleBench.open(BEFORE, { servers: 0 });
  const group = await bench.group(1);
  const [robotId = 0] = group.robotIds;
  const id = await bench.schedule(group, { startTime: SIX });
  const dying = make();
  await bench.until(DUE);
  bench.removeServer(dying);
  return { group, robotId, id };
}

const neverSent = () => bench.addServer(async () => {});
const claimedAndLost = () => bench.addServer(undefined, new LosingBroker());
const commandsOf = async (robotId: number) =>
  (await bench.commands(robotId)).map(({ verb, outcome }) => `${verb} ${outcome}`);

describe("stack, due work: with several servers", () => {
  test("each due time has exactly one run and one START of each robot, and one STOP", async () => {
    bench = await ScheduleBench.open(BEFORE, { servers: 3 });
    const groups = [await bench.group(3), await bench.group(2), await bench.group(2)];
    for (const group of groups) await bench.schedule(group, { startTime: SIX, frequency: "DAILY" });
    for (const days of [0, 1, 2]) {
      await bench.until(at(days * 1_440));
      await bench.until(at(days * 1_440 + 29));
      await bench.until(at(days * 1_440 + 30));
    }
    const robotIds = groups.flatMap((group) => group.robotIds);
    expect(await bench.runs()).toHaveLength(3 * robotIds.length);
    for (const robotId of robotIds) {
      const starts = (await bench.commands(robotId)).filter(({ verb }) => verb === "START");
      expect(starts).toHaveLength(3);
      expect(bench.robots.motions(robotId)).toHaveLength(3);
    }
  });

  test("one without the broker leaves what is due to another; nobody having it, the run starts late or is missed", async () => {
    bench = await ScheduleBench.open(BEFORE, { servers: 2 });
    const first = await bench.schedule(await bench.group(1), { startTime: SIX });
    const second = await bench.schedule(await bench.group(1), { startTime: "2026-06-15 07:00:00" });
    for (const { broker } of bench.servers) broker.setConnected(false);
    await bench.until(DUE);
    await seconds(3);
    expect(await bench.runs()).toEqual([]);
    bench.servers[1]?.broker.setConnected(true);
    await seconds(1);
    expect(await bench.runs(first)).toMatchObject([{ began_at: at(0, 4) }]);
    await bench.until(at(30));
    bench.servers[1]?.broker.setConnected(false);
    await bench.until(at(60));
    await bench.until(at(70));
    expect(await bench.runs(second)).toMatchObject([{ outcome: "MISSED" }]);
  });
});

describe("protocol rule 5: a server that dies does not cost a run", () => {
  test("killed between the commit and sending: another one starts it anew once the START has expired", async () => {
    const { robotId, id } = await dyingServer(neverSent);
    expect(await bench.runs(id)).toMatchObject([{ began_at: null, outcome: null }]);
    bench.addServer();
    await seconds(4);
    expect(await commandsOf(robotId)).toEqual(["START null"]);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT", "START CONFIRMED"]);
    const [run] = await bench.runs(id);
    expect(run).toMatchObject({ due_at: DUE, stop_due_at: at(30), outcome: null });
    expect(run?.began_at?.getTime()).toBeLessThanOrEqual(at(0, 7).getTime());
    await bench.until(at(29));
    await bench.until(at(30));
    expect(await bench.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
    expect(bench.robots.motions(robotId)).toMatchObject([{ endedAt: at(30) }]);
    const audit = await bench.db
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "START_SCHEDULED_RUN_ANEW")
      .execute();
    expect(audit).toMatchObject([{ actor: "Scheduler", entity_id: String(robotId) }]);
  });

  test("killed between claiming and publishing: it is started anew once the robot has confirmed the STOP that followed", async () => {
    const { robotId, id } = await dyingServer(claimedAndLost);
    bench.addServer();
    await seconds(11);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: null, stop_due_at: at(30) }]);
    await bench.until(at(29));
    await bench.until(at(30));
    expect(await bench.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
    expect(bench.robots.motions(robotId)).toMatchObject([{ endedAt: at(30) }]);
  });

  test("protocol rule 6: killed after publishing, with nobody to hear the robot: what moved keeps its record, and the run goes on", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.pass(30 * SECOND_MS);
    bench.robots.unheard = true;
    await bench.until(DUE);
    await seconds(9);
    bench.robots.unheard = false;
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP null"]);
    await seconds(30);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    await bench.until(at(29));
    await bench.until(at(30));
    const [first, second] = bench.robots.motions(robotId);
    expect(bench.robots.motions(robotId)).toHaveLength(2);
    expect(second).toMatchObject({ endedAt: at(30) });
    expect(await bench.runs(id)).toMatchObject([{ id: second?.runId, outcome: "COMPLETED", ended_at: at(30) }]);
    expect((await bench.runs()).filter(({ planned }) => !planned)).toMatchObject([
      { id: first?.runId, action_type: "SCHEDULED", started_by: "Scheduler", reason: "STOP" },
    ]);
  });

  test("killed with the planned STOP unsent: another one sends it", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX });
    await bench.until(DUE);
    await bench.until(at(29));
    bench.removeServer(bench.servers[0] ?? neverSent());
    const dying = neverSent();
    bench.clock.advance(MINUTE_MS);
    await dying.scheduler.look();
    bench.removeServer(dying);
    expect(await commandsOf(robotId)).toEqual(["START CONFIRMED", "STOP null"]);
    const { commands } = bench.addServer();
    await commands.resendPending([robotId]);
    await bench.deliver();
    expect(await commandsOf(robotId)).toEqual(["START CONFIRMED", "STOP CONFIRMED"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
  });

  test("a person's Stop in between is respected: the run is not started anew", async () => {
    const { group, robotId, id } = await dyingServer(neverSent);
    bench.addServer();
    await seconds(4);
    await bench.press("STOP", robotId, group.siteId);
    await seconds(30);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    expect(bench.robots.motions(robotId)).toEqual([]);
  });

  test("no later than 10 minutes, and never past its end", async () => {
    const { robotId, id } = await dyingServer(neverSent);
    bench.addServer();
    await bench.until(at(10, 1));
    await seconds(5);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
  });
});
