import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import type { KilledServerSetup, KillPoint } from "../../../test/killed-server.ts";
import { compiledBefore } from "../../../test/suncrew-process.ts";
import { SystemClock } from "../../platform/clock.ts";

const program = fileURLToPath(new URL("../../../test/killed-server.ts", import.meta.url));
let harness: CommandHarness;
let clock: SystemClock;
let child: ChildProcess | null = null;

afterEach(async () => {
  child?.kill("SIGKILL");
  await harness.close();
});

/**
 * A one-minute schedule falls due at a server in a process of its own, which kills itself at that point of its START.
 */
async function crashAsItFallsDue(killAt: KillPoint): Promise<void> {
  clock = new SystemClock();
  harness = await CommandHarness.open({ clock, servers: 0 });
  await seedGroups(harness.db, harness.fixtures, "planned");
  child = fork(program, { stdio: "inherit", env: { ...process.env, ...compiledBefore } });
  const exited = once(child, "exit");
  const { username, password } = harness.mqtt.serverAccount;
  child.send({
    connection: { ...harness.connection, types: undefined },
    mqttUrl: harness.mqtt.url,
    username,
    password,
    killAt,
    verb: "START",
  } satisfies KilledServerSetup);
  await once(child, "message");
  await harness.live();
  await harness.db
    .updateTable("schedules")
    .set({ next_run_at: new Date(), duration_minutes: 1 })
    .where("id", "=", harness.fixtures.ownGroup.scheduleId)
    .execute();
  expect(await exited).toEqual([null, "SIGKILL"]);
}

const runs = () =>
  harness.db
    .selectFrom("runs")
    .selectAll()
    .where("robot_id", "=", harness.fixtures.ownRobot.id)
    .orderBy("at")
    .execute();
const planned = async () => (await runs()).filter((run) => run.planned);

/** Another server takes over this much later; returns the STARTs and STOPs until the robot cleans by the schedule. */
async function takenOver(laterMs: number): Promise<string[]> {
  await harness.startServer();
  clock.correct(Date.now() + laterMs - clock.now().getTime());
  await harness.until(async () => {
    const [run] = await planned();
    return run?.began_at !== null && run?.outcome === null && harness.robot().truth().runId === run.id;
  });
  return (await harness.commands()).map(({ verb, outcome }) => `${verb} ${outcome}`);
}

/** Skips a minute; the robot is stopped as planned. */
async function endsAsPlanned(): Promise<void> {
  clock.correct(Date.now() + 60_000 - clock.now().getTime());
  await harness.until(async () => (await planned())[0]?.outcome !== null);
  expect(await planned()).toMatchObject([{ outcome: "COMPLETED" }]);
  expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED" });
}

describe("stack, due work: the server that serves a due schedule is killed with SIGKILL", () => {
  test("protocol rule 5: between storing and claiming: the run is retried once, and ends on time", async () => {
    await crashAsItFallsDue("stored");
    expect(await planned()).toMatchObject([{ began_at: null, outcome: null }]);
    expect(await takenOver(5_500)).toEqual(["START NEVER_SENT", "START CONFIRMED"]);
    expect(harness.robot().truth().startsTaken).toHaveLength(1);
    await endsAsPlanned();
  });

  test("protocol rule 6: between claiming and publishing: it is retried after the confirmed STOP", async () => {
    await crashAsItFallsDue("claimed");
    expect(await takenOver(8_500)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(harness.robot().truth().startsTaken).toHaveLength(1);
    await endsAsPlanned();
  });

  test("protocol rule 6: between publishing and confirmation: the robot keeps cleaning, and is stopped as planned", async () => {
    await crashAsItFallsDue("published");
    await harness.robot().until(({ motion }) => motion === "MOVING");
    await harness.startServer();
    // If the other server comes too late to see it in time, the robot is stopped, and a run that moved is not retried.
    const [start] = await harness.until(async () => {
      const all = await harness.commands();
      return all.every(({ settled_at }) => settled_at !== null) && all;
    });
    if (start?.outcome === "CONFIRMED") return endsAsPlanned();
    expect((await harness.commands()).map(({ verb, outcome }) => `${verb} ${outcome}`)).toEqual([
      "START UNCONFIRMED",
      "STOP CONFIRMED",
    ]);
    await harness.until(async () => (await planned())[0]?.outcome === "STOPPED");
    expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED" });
  });
});
