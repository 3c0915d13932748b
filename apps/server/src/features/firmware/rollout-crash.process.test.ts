import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createRollout, rolloutDetails, uploadFirmware } from "@suncrew/contract/firmware/firmware.ts";
import { afterEach, describe, expect, inject, test } from "vitest";
import pino from "pino";
import { type App, buildApp } from "../../app.ts";
import { CommandHarness } from "../../../test/command-harness.ts";
import { PASSWORD, type TestRobot, usernames } from "../../../test/fixtures.ts";
import type { OfferKillPoint, RolloutServerSetup } from "../../../test/rollout-server.ts";
import { compiledBefore } from "../../../test/suncrew-process.ts";
import { testSettings } from "../../../test/test-app.ts";
import { TestClient, urlOf } from "../../../test/test-client.ts";
import { login } from "@suncrew/contract/auth/auth.ts";

const ROBOTS = inject("soak").factor === 1 ? 50 : 200;
const FAULTY = ROBOTS / 10;
const program = fileURLToPath(new URL("../../../test/rollout-server.ts", import.meta.url));
let harness: CommandHarness;
let child: ChildProcess | null = null;
/** Answers calls and downloads and never dies, like the other servers behind one address; it advances nothing. */
let door: App | null = null;
let publicUrl = "";

afterEach(async () => {
  child?.kill("SIGKILL");
  await door?.http.close();
  await harness.close();
});

async function open(more: number): Promise<TestRobot[]> {
  harness = await CommandHarness.open({ servers: 0, more, settings: { publicUrl: () => publicUrl } });
  door = await buildApp({
    db: harness.db,
    connection: harness.connection,
    broker: harness.observer,
    clock: harness.clock,
    log: pino({ level: "silent" }),
    settings: { ...testSettings, publicUrl: () => publicUrl },
    serverId: randomUUID(),
  });
  await door.http.listen({ host: "127.0.0.1", port: 0 });
  publicUrl = `http://127.0.0.1:${(door.http.server.address() as AddressInfo).port}`;
  return [harness.fixtures.ownRobot, harness.fixtures.ownRobot2, ...harness.moreRobots];
}

async function startChild(killAt: OfferKillPoint): Promise<{ readonly exited: Promise<unknown> }> {
  child = fork(program, { stdio: "inherit", env: { ...process.env, ...compiledBefore } });
  const exited = once(child, "exit");
  const { username, password } = harness.mqtt.serverAccount;
  const connection = { ...harness.connection, types: undefined };
  child.send({
    connection,
    mqttUrl: harness.mqtt.url,
    username,
    password,
    publicUrl,
    killAt,
  } satisfies RolloutServerSetup);
  await once(child, "message");
  return { exited };
}

async function admin(): Promise<TestClient> {
  if (door === null) throw new Error("Nobody answers.");
  const { token } = await new TestClient(door.http, null).ask(login, {
    body: { username: usernames.admin, password: PASSWORD },
  });
  return new TestClient(door.http, token);
}

async function begin(client: TestClient, robots: readonly TestRobot[], options: object = {}): Promise<number> {
  const url = urlOf(uploadFirmware.path, {}, { version: "2.0.0", file_name: "robot.bin" });
  const { body } = await client.raw(url, { method: "POST", body: Buffer.alloc(300_000, "firmware") });
  const { firmwareId: firmware_id } = uploadFirmware.response.parse(body);
  const wanted = { firmware_id, robot_ids: robots.map(({ id }) => id), ...options };
  return (await client.ask(createRollout, { body: wanted })).rolloutId;
}

const countDone = async () =>
  (await harness.db.selectFrom("rollout_robots").select("robot_id").where("state", "=", "DONE").execute()).length;
const isEnded = async () =>
  (await harness.db.selectFrom("rollouts").select("id").where("ended_at", "is not", null).executeTakeFirst()) !==
  undefined;

describe("protocol rule 13: a server that is killed in the middle of a rollout", () => {
  test.each<OfferKillPoint>(["stored", "claimed", "published"])(
    "as an offer is %s: another sends it with the same id, and the robot takes it once",
    async (killAt) => {
      const [robot] = await open(0);
      if (!robot) throw new Error("No robot.");
      const client = await admin();
      const { exited } = await startChild(killAt);
      await harness.live(robot);
      const rolloutId = await begin(client, [robot]);
      expect(await exited).toEqual([null, "SIGKILL"]);
      const offer = () =>
        harness.db.selectFrom("rollout_robots").select(["offer_id", "state"]).executeTakeFirstOrThrow();
      const { offer_id } = await offer();
      expect(offer_id).not.toBeNull();
      await harness.startServer();
      await harness.until(isEnded);
      expect(await offer()).toEqual({ offer_id, state: "DONE" });
      expect(harness.robot(robot).truth()).toMatchObject({ firmware: "2.0.0", update: { offerId: offer_id } });
      expect((await client.ask(rolloutDetails, { params: { rolloutId } })).counts).toMatchObject({ DONE: 1 });
    },
  );

  test(`${ROBOTS} robots with 10 % faults end in the right states`, async () => {
    const robots = await open(ROBOTS - 2);
    const troubles = ["hash", "download", "install", "refuse"] as const;
    const faulty = new Map(
      robots.flatMap((robot, nth) => {
        // Silent ones are in the last batch, which the second server offers: a new server assumes for two minutes that
        // a robot silent from before has not failed.
        const what = nth < ROBOTS * 0.8 ? troubles[Math.floor(nth / 10) % troubles.length] : "silent";
        return nth % 10 === 7 && what ? [[robot.id, what] as const] : [];
      }),
    );
    for (const robot of robots) {
      const what = faulty.get(robot.id);
      if (what) harness.robot(robot).inject({ kind: "firmware", what });
    }
    expect(faulty.size).toBe(FAULTY);
    const silent = [...faulty].flatMap(([id, what]) => (what === "silent" ? [id] : []));
    /** The deadline of robots that have fallen silent passes immediately. */
    const expire = () =>
      harness.db
        .updateTable("rollout_robots")
        .set({ deadline_at: new Date(0) })
        .where("robot_id", "in", silent)
        .where("state", "in", ["DOWNLOADING", "INSTALLING"])
        .execute();

    const client = await admin();
    const { exited } = await startChild("never");
    const rolloutId = await begin(client, robots, { batch_size: ROBOTS / 5, failure_threshold_percent: 30 });
    await harness.until(async () => {
      await expire();
      return (await countDone()) >= ROBOTS * 0.45;
    });
    child?.kill("SIGKILL");
    await exited;
    expect(await countDone()).toBeLessThan(ROBOTS - FAULTY);
    await harness.startServer();
    await harness.until(async () => {
      await expire();
      return isEnded();
    });

    const ended = await client.ask(rolloutDetails, { params: { rolloutId } });
    expect([ended.state, ended.counts]).toMatchObject(["DONE", { DONE: ROBOTS - FAULTY, FAILED: FAULTY }]);
    const wrong = ended.robots.filter(({ robot_id, serial_number, state }) => {
      const { firmware } = harness.fleet.robot(serial_number).truth();
      return faulty.has(robot_id)
        ? state !== "FAILED" || firmware === "2.0.0"
        : state !== "DONE" || firmware !== "2.0.0";
    });
    expect(wrong).toEqual([]);
    expect(ended.robots.filter(({ canary }) => canary)).toHaveLength(1);
  });
});
