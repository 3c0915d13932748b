import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SHARES, shareOf } from "@suncrew/server/features/devices/shares.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { sql } from "kysely";
import pg from "pg";
import { addSite } from "../apps/server/test/fixtures.ts";
import { type Order, SESSION, serialOf } from "./bridges/orders.ts";
import { ServerPlace } from "./production/killed-servers.ts";
import { openToAll } from "./production/mosquitto-configuration.ts";
import { chooseAccount } from "./production/private-part.ts";
import { startMosquitto } from "./production/private-mosquitto.ts";
import { startPostgres } from "./production/private-postgres.ts";
import { migrated } from "./production/test-system.ts";
import { until } from "./production/wait-and-random.ts";
import { busySecondsWithChildren, childNamed, memoryMbOf } from "./process-figures.ts";
import { report } from "./result.ts";

// Several bridges: what Debian's Mosquitto retains for a large fleet reaches a new bridge and is stored; processor time
// of one bridge for a state that it stores and for one that it drops; and what one, two and three servers store. Servers
// in production mode, durable PostgreSQL and Mosquitto of Debian, and the publisher, all on this machine.

const ROBOTS = Number(process.env["BENCH_ROBOTS"] ?? 100_000);
const PER_SECOND = Number(process.env["BENCH_RATE"] ?? 2_500);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 20);
/** All by default; each takes two or three minutes. */
const PARTS = (process.env["BENCH_PARTS"] ?? "retained,cost,flood,kill").split(",");
/** Of Mosquitto, for one client; 0 for no limit. */
const MAX_QUEUED = Number(process.env["BENCH_MAX_QUEUED"] ?? 0);
const BRIDGE_LOCK = 7_305_002;
const IDLE_MS = 10_000;
/** A fleet of 1,000,000 robots that report every 30 s. */
const WANTED_PER_SECOND = 33_000;
/** Of a core, so that there is room for what is not steady. */
const BUSY = 0.8;

const account = await chooseAccount();
const folder = await mkdtemp(join(tmpdir(), "suncrew-bridges-"));
await chmod(folder, 0o711);
const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
async function stopAll(): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
}

async function addRobots(db: Db): Promise<void> {
  const id = await addSite(db, "Wide Park", null);
  const serial = sql`'WIDE-' || n`;
  for (let from = 1; from <= ROBOTS; from += 5_000) {
    const some = sql`generate_series(${from}::int, ${Math.min(ROBOTS, from + 4_999)}::int) n`;
    await sql`insert into devices (serial, secret_sha256) select ${serial}, sha256(n::text::bytea) from ${some}`.execute(
      db,
    );
    await sql`insert into robots (site_id, serial_number, robot_name, installation_date)
      select ${id}::int, ${serial}, ${serial}, '2024-02-29' from ${some}`.execute(db);
  }
  for (const table of ["devices", "robots", "robot_state"]) await sql`analyze ${sql.table(table)}`.execute(db);
}

/** As if nothing of any robot had been received. */
async function forget(db: Db): Promise<void> {
  for (let from = 1; from <= ROBOTS; from += 5_000) {
    await sql`update robot_state set session = 0, state_seq = null, connection = null, online = false
      where robot_id between ${from} and ${from + 4_999}`.execute(db);
  }
}

interface Publisher {
  /** Resolves to how many messages it has published. */
  readonly publish: (order: Order) => Promise<number>;
  readonly end: () => Promise<void>;
}

async function publisherOf(url: string): Promise<Publisher> {
  const path = fileURLToPath(new URL("bridges/publisher.ts", import.meta.url));
  const child: ChildProcess = fork(path, [url, String(ROBOTS)], { stdio: "inherit" });
  const end = async () => {
    if (!child.connected) return;
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  };
  stops.push(end);
  const answer = async () => ((await once(child, "message")) as [{ published: number }])[0].published;
  await answer();
  const publish = (order: Order) => {
    child.send(order);
    return answer();
  };
  return { publish, end };
}

try {
  const postgres = await startPostgres(folder, account, { durable: true });
  stops.push(() => postgres.stop());
  const accounts = await postgres.database("suncrew");
  await migrated(accounts);
  const database = openDatabase({ connectionString: accounts.adminUrl }, { poolSize: 4 });
  stops.push(() => database.close());
  const { db } = database;
  await addRobots(db);
  const postgresPid = Number((await readFile(join(folder, "postgres/postmaster.pid"), "utf8")).split("\n")[0]);

  const mosquitto = await startMosquitto(folder, account, [], openToAll(MAX_QUEUED));
  stops.push(() => mosquitto.stop());
  let publisher = await publisherOf(mosquitto.serverUrl);
  const took = (sinceMs: number) => ((performance.now() - sinceMs) / 1_000).toFixed(1);

  const dataDir = join(folder, "servers");
  await mkdir(dataDir, { mode: 0o700 });
  const settings = {
    databaseUrl: accounts.serverUrl,
    mqttUrl: mosquitto.serverUrl,
    dataDir,
    adminPassword: randomBytes(12).toString("base64url"),
    secretKey: randomBytes(36).toString("base64url"),
  };
  const places: ServerPlace[] = [];
  for (const name of ["server-1", "server-2", "server-3"]) places.push(await ServerPlace.prepare(name, settings));
  stops.push(() => Promise.all(places.map((place) => place.stop())));
  const [first, second, third] = places as [ServerPlace, ServerPlace, ServerPlace];

  /** Robots whose two retained messages are stored. */
  const known = async (): Promise<{ connected: number; both: number }> => {
    const { rows } = await sql<{ connected: number; both: number }>`select count(*)::int as connected,
      count(state_seq)::int as both from robot_state where session = ${SESSION} and connection = 'ONLINE'`.execute(db);
    return rows[0] ?? { connected: 0, both: 0 };
  };
  const learn = async (): Promise<{ robots: number; seconds: string; peakMb: number }> => {
    await forget(db);
    const beganMs = performance.now();
    await first.start();
    let robots = 0;
    let arrived = 0;
    let peakMb = 0;
    let seconds = "0";
    // A broker sends all connections before the first state.
    for (let quiet = 0; quiet < 60 && robots < ROBOTS; quiet += 1) {
      await pause(250);
      peakMb = Math.max(peakMb, await memoryMbOf(await childNamed("mosquitto")));
      const { connected, both } = await known();
      if (connected + both > arrived) [quiet, seconds] = [0, took(beganMs)];
      [arrived, robots] = [connected + both, both];
    }
    await first.stop();
    return { robots, seconds, peakMb };
  };
  if (PARTS.includes("retained")) {
    const publishingMs = performance.now();
    const retained = await publisher.publish({ do: "retain" });
    console.log(`${retained} retained messages published in ${took(publishingMs)} s; load ${loadavg()[0]?.toFixed(1)}`);
    const all = await learn();
    report({
      what: "Robots of 100,000 with retained messages that a new bridge does not know",
      figure: ROBOTS - all.robots,
      unit: "robots",
      atMost: 0,
      detail: `max_queued_messages ${MAX_QUEUED}, ${2 * ROBOTS} messages, after ${all.seconds} s with the server's start, Mosquitto ${all.peakMb.toFixed(0)} MB`,
    });

    // From here on nothing is retained: servers that start shall have nothing to learn.
    await publisher.end();
    await mosquitto.stop();
    await rm(join(folder, "mosquitto/mosquitto.db"));
    await mosquitto.start();
    publisher = await publisherOf(mosquitto.serverUrl);
    await forget(db);
  }

  /** What is stored of so many states since then, once nothing more is. */
  const storedOf = async (published: number, before: number): Promise<number> => {
    let stored = 0;
    // While a bridge learns what is retained, live states wait for seconds.
    for (let quiet = 0; quiet < 60 && stored < published; quiet += 1) {
      await pause(250);
      const now = (await countReadings()) - before;
      if (now > stored) quiet = 0;
      stored = now;
    }
    return stored;
  };
  const countReadings = async (): Promise<number> =>
    (await sql<{ count: number }>`select count(*)::int as count from readings`.execute(db)).rows[0]?.count ?? 0;
  /** Publishes live states at a rate; what they cost each server and the others, in microseconds a state. */
  const measure = async (name: string, servers: readonly ServerPlace[], perSecond: number) => {
    const mosquittoPid = await childNamed("mosquitto");
    const pids = [...servers.map(({ pid }) => pid ?? 0), mosquittoPid, postgresPid];
    const busy = () => Promise.all(pids.map(busySecondsWithChildren));
    // What they do anyway is not counted.
    const idleBefore = await busy();
    await pause(IDLE_MS);
    const idle = (await busy()).map((seconds, index) => ((seconds - (idleBefore[index] ?? 0)) / IDLE_MS) * 1_000);
    const storedBefore = await countReadings();
    const before = await busy();
    const beganMs = performance.now();
    const published = await publisher.publish({ do: "live", perSecond, seconds: SECONDS });
    const elapsedS = (performance.now() - beganMs) / 1_000;
    const stored = await storedOf(published, storedBefore);
    const drainedS = (performance.now() - beganMs) / 1_000;
    const spent = (await busy()).map(
      (seconds, index) => ((seconds - (before[index] ?? 0) - (idle[index] ?? 0) * drainedS) / published) * 1e6,
    );
    const figures = spent.map((us) => us.toFixed(0)).join(", ");
    console.log(
      `${name}: published ${published} (${(published / elapsedS).toFixed(0)}/s), stored ${stored} (${(stored / drainedS).toFixed(0)}/s until the last); ` +
        `µs of processor time per state published: servers, Mosquitto, PostgreSQL ${figures}; load ${loadavg()[0]?.toFixed(1)}`,
    );
    return { perState: spent[0] ?? 0, lost: published - stored };
  };
  /** Waits until these servers have learned what the broker retains, and asked all robots for their status. */
  const settle = async (servers: readonly ServerPlace[]): Promise<void> => {
    const busy = async () => {
      const seconds = await Promise.all(servers.map(({ pid }) => busySecondsWithChildren(pid ?? 0)));
      return seconds.reduce((sum, one) => sum + one, 0);
    };
    for (let round = 0; round < 30; round += 1) {
      const before = await busy();
      await pause(5_000);
      if ((await busy()) - before < 0.5 * servers.length) return;
    }
  };

  if (PARTS.includes("cost")) {
    // One bridge of everything; then one with a single share, the others being taken.
    await first.start();
    await settle([first]);
    // The more arrives at once, the less a message costs; a large fleet's arrive at the highest of these rates, or above.
    let kept = 0;
    for (const perSecond of [PER_SECOND, 2 * PER_SECOND])
      ({ perState: kept } = await measure("one server, all shares", [first], perSecond));
    await first.stop();
    const taker = new pg.Client(accounts.serverUrl);
    await taker.connect();
    await taker.query("select pg_advisory_lock_shared($1)", [BRIDGE_LOCK]);
    await taker.query("select pg_advisory_lock($1, share) from generate_series(1, $2) share", [
      BRIDGE_LOCK,
      SHARES - 1,
    ]);
    await first.start();
    await settle([first]);
    const own = Array.from({ length: ROBOTS }, (_, index) => shareOf(serialOf(index))).filter(
      (share) => share === 0,
    ).length;
    let dropped = kept;
    for (const perSecond of [PER_SECOND, 2 * PER_SECOND, 4 * PER_SECOND]) {
      const single = await measure("one server, one share of 16", [first], perSecond);
      dropped = (single.perState - (own / ROBOTS) * kept) / (1 - own / ROBOTS);
      report({
        what: `Processor time of a bridge per state dropped, ${perSecond} a second, against one stored`,
        figure: dropped / kept,
        unit: "times",
        detail: `${dropped.toFixed(0)} and ${kept.toFixed(0)} µs`,
      });
    }
    await taker.end();
    await first.stop();
    const cores = (servers: number) => (WANTED_PER_SECOND * (kept / servers + dropped * (1 - 1 / servers))) / 1e6;
    const needed = Array.from({ length: SHARES }, (_, index) => index + 1).find((servers) => cores(servers) <= BUSY);
    console.log(
      `Reckoned for ${WANTED_PER_SECOND} states a second: ${needed ?? `more than ${SHARES}`} servers with ${BUSY} of a core each; ` +
        [3, 6, 8, 16].map((servers) => `${servers} servers ${cores(servers).toFixed(2)}`).join(", "),
    );
  }

  // What one, two and three servers store if more is published than this machine takes.
  const flood = 2 * PER_SECOND;
  const growing = [[first], [first, second], [first, second, third]];
  for (const servers of PARTS.includes("flood") ? growing : []) {
    await Promise.all(servers.map((place) => place.start()));
    await settle(servers);
    await until(async () => (await bridgesIn(db)) === servers.length, 30_000, "The servers did not divide the shares");
    const { lost } = await measure(`${servers.length} of ${places.length} servers`, servers, flood);
    report({
      what: `States of ${servers.length} bridge${servers.length === 1 ? "" : "s"} that were not stored`,
      figure: lost,
      unit: "states",
      atMost: 0,
      detail: `${flood} a second published for ${SECONDS} s on ${availableParallelism()} cores`,
    });
    await Promise.all(servers.map((place) => place.stop()));
  }

  // A bridge dies while its robots report, and two others take them, with all that the broker retains.
  if (PARTS.includes("kill")) {
    await publisher.publish({ do: "retain" });
    await Promise.all(places.map((place) => place.start()));
    await settle(places);
    await until(async () => (await bridgesIn(db)) === places.length, 30_000, "The servers did not divide the shares");
    const before = await countReadings();
    const beganMs = performance.now();
    const publishing = publisher.publish({ do: "live", perSecond: PER_SECOND, seconds: 2 * SECONDS });
    await pause(SECONDS * 500);
    await third.kill();
    const killedMs = performance.now();
    await until(async () => (await heldIn(db)) === SHARES, 30_000, "Nobody took the shares");
    const heldS = took(killedMs);
    let behindS = 0;
    for (let elapsedS = 0; elapsedS < 2 * SECONDS; await pause(250)) {
      elapsedS = (performance.now() - beganMs) / 1_000;
      behindS = Math.max(behindS, elapsedS - ((await countReadings()) - before) / PER_SECOND);
    }
    const published = await publishing;
    const lost = published - (await storedOf(published, before));
    const gaveUp = [first, second].filter((place) => place.printed().includes("no longer the bridge")).length;
    report({
      what: `Time in which nobody heard a robot of a killed bridge, one of three, at ${PER_SECOND} states a second`,
      figure: (lost / PER_SECOND) * places.length,
      unit: "s",
      atMost: 5,
      detail: `${lost} of ${published} states; all shares held after ${heldS} s, at most ${behindS.toFixed(1)} s behind, ${gaveUp} of the others lost theirs; ${ROBOTS} robots, all retained; load ${loadavg()[0]?.toFixed(1)}`,
    });
  }
} finally {
  await stopAll();
}

async function locksIn(db: Db): Promise<readonly { readonly pid: number }[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid = ${BRIDGE_LOCK}`.execute(db);
  return rows;
}
async function heldIn(db: Db): Promise<number> {
  return (await locksIn(db)).length;
}
async function bridgesIn(db: Db): Promise<number> {
  return new Set((await locksIn(db)).map(({ pid }) => pid)).size;
}
