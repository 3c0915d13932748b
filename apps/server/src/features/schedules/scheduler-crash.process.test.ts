import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { CommandBench } from "../../../test/command-bench.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import type { KilledServerSetup, KillPoint } from "../../../test/killed-server.ts";
import { compiledBefore } from "../../../test/suncrew-process.ts";
import { SystemClock } from "../../platform/clock.ts";

const program = fileURLToPath(new URL("../../../test/killed-server.ts", import.meta.url));
let bench: CommandBench;
let clock: SystemClock;
let child: ChildProcess | null = null;

afterEach(async () => {
  child?.kill("SIGKILL");
  await bench.close();
});

/**
 * A one-minute schedule falls due at a server in a process of its own, which kills itself at that point of its START.
 */
async function crashAsItFallsDue(killAt: KillPoint): Promise<void> {
  clock = new SystemClock();
  bench = await CommandBench.open({ clock, servers: 0 });
  await seedGroups(bench.db, bench.fixtures, "planned");
  child = fork(program, { stdio: "inherit", env: { ...process.env, ...compiledBefore } });
  const exited = once(child, "exit");
  const { username, password } = bench.mqtt.serverAccount;
  child.send({
    connection: { ...bench.connection, types: undefined },
    mqttUrl: bench.mqtt.url,
    username,
    password,
    killAt,
    verb: "START",
  } satisfies KilledServerSetup);
  await once(child, "message");
  await bench.live();
  await bench.db
    .updateTable("schedules")
    .set({ next_run_at: new Date(), duration_minutes: 1 })
    .where("id", "=", bench.fixtures.ownGroup.scheduleId)
    .execute();
  expect(await exited).toEqual([null, "SIGKILL"]);
}

const runs = () =>
  bench.db.selectFrom("runs").selectAll().where("robot_id", "=", bench.fixtures.ownRobot.id).orderBy("at").execute();
const planned = async () => (await runs()).filter((run) => run.planned);

/** Another server takes over this much later; returns the STARTs and STOPs until the robot cleans by the schedule. */
async function takenOver(laterMs: number): Promise<string[]> {
  await bench.startServer();
  clock.correct(Date.now() + laterMs - clock.now().getTime());
  await bench.until(async () => {
    const [run] = await planned();
    return run?.began_at !== null && run?.outcome === null && bench.robot().truth().runId === run.id;
  });
  return (await bench.commands()).map(({ verb, outcome }) => `${verb} ${outcome}`);
}

/** Skips a minute; the robot is stopped as planned. */
async function endsAsPlanned(): Promise<void> {
  clock.correct(Date.now() + 60_000 - clock.now().getTime());
  await bench.until(async () => (await planned())[0]?.outcome !== null);
  expect(await planned()).toMatchObject([{ outcome: "COMPLETED" }]);
  expect(bench.robot().truth()).toMatchObject({ motion: "STOPPED" });
}

describe("stack, due work: the server that serves a due schedule is killed with SIGKILL", { timeout: 120_000 }, () => {
  test("protocol rule 5: between storing and claiming: the run is retried once, and ends on time", async () => {
    await crashAsItFallsDue("stored");
    expect(await planned()).toMatchObject([{ began_at: null, outcome: null }]);
    expect(await takenOver(5_500)).toEqual(["START NEVER_SENT", "START CONFIRMED"]);
    expect(bench.robot().truth().startsTaken).toHaveLength(1);
    await endsAsPlanned();
  });

  test("protocol rule 6: between claiming and publishing: it is retried after the confirmed STOP", async () => {
    await crashAsItFallsDue("claimed");
    expect(await takenOver(8_500)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(bench.robot().truth().startsTaken).toHaveLength(1);
    await endsAsPlanned();
  });

  test("protocol rule 6: between publishing and confirmation: the robot keeps cleaning, and is stopped as planned", async () => {
    await crashAsItFallsDue("published");
    await bench.robot().until(({ motion }) => motion === "MOVING");
    await bench.startServer();
    // If the other server comes too late to see it in time, the robot is stopped, and a run that moved is not retried.
    const [start] = await bench.until(async () => {
      const all = await bench.commands();
      return all.every(({ settled_at }) => settled_at !== null) && all;
    });
    if (start?.outcome === "CONFIRMED") return endsAsPlanned();
    expect((await bench.commands()).map(({ verb, outcome }) => `${verb} ${outcome}`)).toEqual([
      "START UNCONFIRMED",
      "STOP CONFIRMED",
    ]);
    await bench.until(async () => (await planned())[0]?.outcome === "STOPPED");
    expect(bench.robot().truth()).toMatchObject({ motion: "STOPPED" });
  });
});
