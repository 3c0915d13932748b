import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { login } from "@suncrew/contract/auth/auth.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { CommandHarness } from "../../../test/command-harness.ts";
import { PASSWORD, type TestRobot, usernames } from "../../../test/fixtures.ts";
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

/** A call that makes a server store a command of that verb. */
interface Ask {
  readonly verb: NonNullable<KilledServerSetup["verb"]>;
  readonly method: "POST" | "PUT";
  readonly path: () => string;
  readonly body: () => object;
}

function startOf(robot: () => TestRobot): Ask {
  return {
    verb: "START",
    method: "POST",
    path: () => sendCommand.path,
    body: () => {
      const { id: robotObjectId, serial: robotId, siteId } = robot();
      return { robotId, robotObjectId, siteId, command: "START" };
    },
  };
}
const start = startOf(() => harness.fixtures.ownRobot);
const maintenancePath = () => robotMaintenance.path.replace(":robotId", String(harness.fixtures.ownRobot.id));
const lock: Ask = {
  verb: "MAINTENANCE_ON",
  method: "PUT",
  path: maintenancePath,
  body: () => ({ enabled: true, reason: "Brush worn" }),
};
const release: Ask = {
  verb: "MAINTENANCE_OFF",
  method: "PUT",
  path: maintenancePath,
  body: () => ({ enabled: false, start_after: true }),
};

async function openHarness(): Promise<void> {
  clock = new SystemClock();
  harness = await CommandHarness.open({ clock, servers: 0 });
}

async function crashDuringStart(killAt: KillPoint): Promise<void> {
  await openHarness();
  await crashDuring(start, killAt);
}

/** Calls a server in a process of its own, which kills itself at that point; then no server is up. */
async function crashDuring(ask: Ask, killAt: KillPoint, robot?: TestRobot): Promise<void> {
  child = fork(program, { stdio: "inherit", env: { ...process.env, ...compiledBefore } });
  const exited = once(child, "exit");
  const { username, password } = harness.mqtt.serverAccount;
  const { connection } = harness;
  child.send({
    connection: { ...connection, types: undefined },
    mqttUrl: harness.mqtt.url,
    username,
    password,
    killAt,
    verb: ask.verb,
  } satisfies KilledServerSetup);
  const [message] = await once(child, "message");
  const { address } = z.object({ address: z.string() }).parse(message);
  await harness.live(robot);
  const call = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${address}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const signIn = await call("POST", login.path, { username: usernames.admin, password: PASSWORD });
  const { token } = login.response.parse(await signIn.json());
  const press = call(ask.method, ask.path(), ask.body(), { authorization: `Bearer ${token}` });
  await expect(press).rejects.toThrow();
  expect(await exited).toEqual([null, "SIGKILL"]);
}

/** The next server starts when this much time has passed since the command, however long that took here. */
async function restartAfter(ms: number, robot?: TestRobot): Promise<void> {
  const issued = (await harness.commands(robot)).at(-1)?.issued_at ?? new Date();
  clock.correct(issued.getTime() + ms - clock.now().getTime());
  await harness.startServer();
  await harness.until(async () => (await harness.commands(robot)).every(({ settled_at }) => settled_at !== null));
}

const truth = () => harness.robot().truth();
const published = async () => (await harness.commands()).map(({ verb, outcome }) => `${verb} ${outcome}`);

describe("the server is killed with SIGKILL", () => {
  test("protocol rule 5: between storing and claiming a START: after the restart it has failed and is never sent", async () => {
    await crashDuringStart("stored");
    expect(await harness.commands()).toMatchObject([{ verb: "START", claimed_by: null, settled_at: null }]);
    await restartAfter(5_500);
    expect(await published()).toEqual(["START NEVER_SENT"]);
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "FAILED" }]);
    expect(truth()).toMatchObject({ motion: "STOPPED", startsTaken: [] });
    // On a busy machine the robot may confirm too late, and is then stopped; a person would press again.
    await harness.until(async () => (await harness.press("START")).status === 200);
  });

  test("protocol rule 5: nor does an immediate restart send it, and it fails when it expires", async () => {
    await crashDuringStart("stored");
    await restartAfter(0);
    const [start] = await harness.commands();
    expect(start).toMatchObject({ outcome: "NEVER_SENT" });
    expect(start?.settled_at?.getTime()).toBeGreaterThanOrEqual(start?.expires_at.getTime() ?? Infinity);
    expect(truth().startsTaken).toEqual([]);
  });

  test("protocol rule 5: between claiming and publishing: it may have been sent, so a STOP follows", async () => {
    await crashDuringStart("claimed");
    expect(await harness.commands()).toMatchObject([{ verb: "START", settled_at: null, published_at: null }]);
    await restartAfter(8_500);
    expect(await published()).toEqual(["START UNCONFIRMED", "STOP CONFIRMED"]);
    expect(truth()).toMatchObject({ motion: "STOPPED", startsTaken: [] });
    expect(await harness.activity()).toMatchObject([
      { action: "START", status: "FAILED" },
      { action: "STOP", status: "SUCCESS", user_name: "Suncrew", action_type: "SYSTEM" },
    ]);
  });

  test("protocol rule 6: the other server queries that robot first, whatever its place in the fleet, and nothing stops it", async () => {
    await openHarness();
    const last = harness.fixtures.foreignRobot;
    await crashDuring(
      startOf(() => last),
      "published",
      last,
    );
    await harness.robot(last).until(({ motion }) => motion === "MOVING");
    await restartAfter(1_500, last);
    const [start, ...others] = await harness.commands(last);
    expect(start).toMatchObject({ verb: "START", outcome: "CONFIRMED" });
    expect(others).toEqual([]);
    expect(harness.robot(last).truth()).toMatchObject({
      motion: "MOVING",
      startsTaken: [start?.id],
      runId: start?.run_id,
    });
  });

  test("protocol rule 5: between publishing and confirmation: the robot acted once, and nothing moves unattended", async () => {
    await crashDuringStart("published");
    await harness.robot().until(({ motion }) => motion === "MOVING");
    await restartAfter(8_500);
    expect(await published()).toEqual(["START UNCONFIRMED", "STOP CONFIRMED"]);
    const [start] = await harness.commands();
    expect(truth()).toMatchObject({ motion: "STOPPED", startsTaken: [start?.id] });
  });

  test("protocol rule 6: a restart in time sees the robot move, and the START has worked", async () => {
    await crashDuringStart("published");
    await harness.robot().until(({ motion }) => motion === "MOVING");
    await restartAfter(0);
    const [start] = await harness.commands();
    expect(await published()).toEqual(["START CONFIRMED"]);
    expect(truth()).toMatchObject({ motion: "MOVING", startsTaken: [start?.id], runId: start?.run_id });
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "SUCCESS", user_name: "Anita Rao" }]);
  });

  const locks = () => harness.db.selectFrom("maintenance_locks").selectAll().execute();

  test.each<KillPoint>(["stored", "claimed", "published"])(
    "protocol rule 5: while locking, when the lock is %s: it remains, is sent again, and is confirmed",
    async (killAt) => {
      await openHarness();
      await crashDuring(lock, killAt);
      expect(await locks()).toMatchObject([{ reason: "Brush worn", confirmed_at: null, released_at: null }]);
      expect((await harness.press("START", { on: await harness.startServer() })).status).toBe(409);
      await harness.until(async () => (await locks())[0]?.confirmed_at);
      expect(await published()).toEqual(["MAINTENANCE_ON CONFIRMED"]);
      expect(truth()).toMatchObject({ mode: "MAINTENANCE", motion: "STOPPED", startsTaken: [] });
    },
  );

  /** A robot whose lock is confirmed, as another server left it. */
  async function locked(): Promise<void> {
    await openHarness();
    const { id: robot_id, siteId: site_id } = harness.fixtures.ownRobot;
    harness.robot().setByHand({ maintenance: true });
    const at = new Date();
    const by = { locked_by: "Anita Rao", reason: "Brush worn", former_mode: "auto" as const };
    await harness.db
      .insertInto("maintenance_locks")
      .values({ robot_id, site_id, ...by, locked_at: at, confirmed_at: at })
      .execute();
    await harness.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robot_id).execute();
  }

  test("protocol rule 5: while releasing, before it is sent: it has failed, is never sent, and the lock remains", async () => {
    await locked();
    await crashDuring(release, "stored");
    await restartAfter(5_500);
    expect(await published()).toEqual(["MAINTENANCE_OFF NEVER_SENT"]);
    expect(truth()).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
    expect(await locks()).toMatchObject([{ released_at: null }]);
  });

  test("protocol rule 5: while releasing, when it may have been sent: it has failed, and nothing starts", async () => {
    await locked();
    await crashDuring(release, "claimed");
    await restartAfter(8_500);
    expect(await published()).toEqual(["MAINTENANCE_OFF UNCONFIRMED"]);
    expect(truth()).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
    expect(await locks()).toMatchObject([{ released_at: null }]);
  });

  test("protocol rule 8: while releasing, when the robot has already left: it is locked again", async () => {
    await locked();
    await crashDuring(release, "published");
    await harness.robot().until(({ mode }) => mode === "AUTO");
    await restartAfter(8_500);
    await harness.until(async () => (await locks())[0]?.confirmed_at && truth().mode === "MAINTENANCE");
    expect(await published()).toEqual(["MAINTENANCE_OFF UNCONFIRMED", "MAINTENANCE_ON CONFIRMED"]);
    expect(truth()).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
  });
});
