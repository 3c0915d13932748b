import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { sql } from "kysely";
import { runMigrate, runSuncrew } from "../apps/server/test/suncrew-process.ts";
import type { Program } from "./broker-ingest/programs.ts";
import { type Counts, serialOf } from "./broker-ingest/robots.ts";
import { busySecondsWithChildren, childNamed, memoryMbOf } from "./process-figures.ts";
import { storeRobots } from "./production/fleet.ts";
import { writeConfiguration } from "./production/mosquitto-configuration.ts";
import { startMosquitto } from "./production/private-mosquitto.ts";
import { chooseAccount, freePort } from "./production/private-part.ts";
import { startPostgres } from "./production/private-postgres.ts";
import { until } from "./production/wait-and-random.ts";
import { report } from "./result.ts";

// What robots send, at a steady rate, through Debian's Mosquitto and a production server into Debian's PostgreSQL, all
// on this machine: whether all of it is stored, whether the server's memory stays level, and its processor time against
// two bare programs in the same run: one that only receives the same messages, with the same library, and one that only
// writes the same rows in batches of the same size, with the same library. A hundredth of the states begin a run, a
// hundredth end one; each of those comes with its event.

const ROBOTS = Number(process.env["BENCH_ROBOTS"] ?? 10_000);
const RATE = Number(process.env["BENCH_RATE"] ?? 4_200);
const MINUTES = Number(process.env["BENCH_MINUTES"] ?? 1);
/** Compiles, and brings all robots online. */
const WARM_UP_S = Number(process.env["BENCH_WARM_UP"] ?? 20);
const BARE_S = 40;
/** Longer than a stalled write. */
const SETTLES_MS = 3_000;

/** Microseconds of processor time for each message. */
interface Costs {
  readonly program: number;
  readonly postgres: number;
}

class Running {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(program: Program): Promise<Running> {
    const file = join(import.meta.dirname, "broker-ingest/programs.ts");
    const child = fork(file, [JSON.stringify(program)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error(program.role))),
    ]);
    return new Running(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask(message: "count" | "pause" | "go on"): Promise<Counts> {
    const answered = once(this.#child, "message");
    this.#child.send(message);
    const [counts] = (await answered) as [Counts];
    return counts;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }
}

interface Place {
  readonly folder: string;
  readonly db: Db;
  readonly robotsUrl: string;
  readonly brokerUrl: string;
  readonly databaseUrl: string;
}

/** Processor time of each of these processes, in seconds, for as long as `work` takes; and how long it took. */
async function busyDuring(pids: Readonly<Record<string, number>>, work: () => Promise<unknown>) {
  const read = () => Promise.all(Object.values(pids).map(busySecondsWithChildren));
  const [before, beganMs] = [await read(), performance.now()];
  await work();
  const [after, seconds] = [await read(), (performance.now() - beganMs) / 1_000];
  const busy = Object.keys(pids).map((name, nth) => [name, (after[nth] ?? 0) - (before[nth] ?? 0)] as const);
  return { busy: new Map(busy), seconds };
}

/** Processor time of a bare program, and of PostgreSQL meanwhile, in microseconds for each state with its events. */
async function costOf(program: Program, counting: Running | null): Promise<Costs> {
  const running = await Running.start(program);
  const counter = counting ?? running;
  await pause(WARM_UP_S * 500);
  const pids = { program: running.pid, postgres: await childNamed("postgres") };
  const before = await counter.ask("count");
  const { busy } = await busyDuring(pids, () => pause(BARE_S * 1_000));
  const states = (await counter.ask("count")).states - before.states;
  await running.stop();
  const each = (name: string) => ((busy.get(name) ?? 0) / states) * 1e6;
  return { program: each("program"), postgres: each("postgres") };
}

/** What the database holds of what robots of this session sent. */
async function stored(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    with last as (select max(session) as session from robot_state)
    select (select count(*) from readings where session = (select session from last)) as states,
      (select count(*) from robot_events where session = (select session from last)) as events,
      (select count(*) from runs where started_by = 'Robot' and id in (
        select (body ->> 'runId')::uuid from robot_events where session = (select session from last))) as begun,
      (select count(*) from runs where outcome is not null and id in (
        select (body ->> 'runId')::uuid from robot_events where session = (select session from last))) as ended`.execute(
    db,
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error("The database did not answer.");
  return counts;
}

/** The same, once it no longer grows. */
async function settled(db: Db): Promise<Counts> {
  let last = "";
  await until(
    async () => {
      await pause(SETTLES_MS);
      const before = last;
      last = JSON.stringify(await stored(db));
      return last === before;
    },
    10 * SETTLES_MS,
    "What was stored did not settle",
  );
  return stored(db);
}

const minus = (one: Counts, other: Counts): Counts => ({
  states: one.states - other.states,
  events: one.events - other.events,
  begun: one.begun - other.begun,
  ended: one.ended - other.ended,
});
const told = ({ states, events, begun, ended }: Counts) =>
  `${states.toLocaleString("en")} states, ${events.toLocaleString("en")} events, ${begun} runs begun, ${ended} ended`;

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

async function measure({ folder, db, robotsUrl, brokerUrl, databaseUrl }: Place): Promise<void> {
  const of = { robots: ROBOTS, rate: RATE };
  const inserting = await costOf({ role: "insert", url: databaseUrl, ...of }, null);
  const publisher = await Running.start({ role: "publish", url: robotsUrl, ...of });
  const subscribing = await costOf({ role: "subscribe", url: brokerUrl, ...of }, publisher);
  await publisher.stop();
  // Sessions are counted in seconds.
  await pause(1_000);

  const server = runSuncrew(["production"], {
    DATABASE_URL: databaseUrl,
    MQTT_URL: brokerUrl,
    DATA_DIR: join(folder, "server"),
    ADMIN_PASSWORD: "a bench at noon",
    SECRET_KEY: "vQ8kd0Zp3mYt7LwXr5Hs9Bn2Fj6Gc4Ta",
    WEATHER_PROVIDER: "sample",
    HOST: "127.0.0.1",
    PORT: "0",
    ...(process.env["BENCH_NODE_OPTIONS"] !== undefined && { NODE_OPTIONS: process.env["BENCH_NODE_OPTIONS"] }),
  });
  try {
    await server.ready();
    const robots = await Running.start({ role: "publish", url: robotsUrl, ...of });
    await pause(WARM_UP_S * 1_000);
    const [sentBefore, storedBefore] = [await robots.ask("pause"), await settled(db)];
    await robots.ask("go on");
    const pids = {
      server: server.pid,
      postgres: await childNamed("postgres"),
      broker: await childNamed("mosquitto"),
      robots: robots.pid,
    };
    const memory: number[] = [];
    const before = await robots.ask("count");
    const { busy, seconds } = await busyDuring(pids, async () => {
      for (let second = 0; second < MINUTES * 60; second += 1) {
        await pause(1_000);
        memory.push(await memoryMbOf(server.pid));
      }
    });
    const after = await robots.ask("count");
    const states = after.states - before.states;
    const sent = minus(await robots.ask("pause"), sentBefore);
    const kept = minus(await settled(db), storedBefore);
    await robots.stop();

    const lost = minus(sent, kept);
    report({
      what: "robot messages through the broker: lost",
      figure: [lost.states, lost.events, lost.begun, lost.ended].reduce((sum, count) => sum + Math.abs(count), 0),
      unit: "",
      atMost: 0,
      detail: `${told(lost)}; of ${told(sent)}`,
    });
    report({
      what: "robot messages through the broker: stored a second",
      figure: states / seconds,
      unit: "/s",
      atLeast: 0.99 * RATE,
      detail: `${ROBOTS.toLocaleString("en")} robots, ${seconds.toFixed(0)} s, cores busy: ${[...busy].map(([name, used]) => `${name} ${(used / seconds).toFixed(2)}`).join(", ")}`,
    });
    const each = (name: string) => ((busy.get(name) ?? 0) / states) * 1e6;
    const bare = subscribing.program + inserting.program + inserting.postgres;
    report({
      what: "robot messages through the broker: processor time against subscribing alone plus inserting alone",
      figure: (each("server") + each("postgres")) / bare,
      unit: "times",
      atMost: 1.2,
      detail:
        `us a state: server ${each("server").toFixed(0)}, its PostgreSQL ${each("postgres").toFixed(0)}; ` +
        `subscribing ${subscribing.program.toFixed(0)}, inserting ${inserting.program.toFixed(0)}, its PostgreSQL ${inserting.postgres.toFixed(0)}`,
    });
    const quarter = Math.floor(memory.length / 4);
    const [earlier, later] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(-quarter))];
    report({
      what: "robot messages through the broker: memory in the last quarter against the second",
      figure: later / earlier,
      unit: "times",
      atMost: 1.1,
      detail: `${earlier.toFixed(0)} and ${later.toFixed(0)} MB, most ${Math.max(...memory).toFixed(0)} MB`,
    });
  } finally {
    await server.interrupt();
  }
}

const folder = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
await chmod(folder, 0o755);
const account = await chooseAccount();
const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  const postgres = await startPostgres(folder, account, { durable: true });
  stops.push(() => postgres.stop());
  const robotsPort = await freePort();
  const mosquitto = await startMosquitto(
    folder,
    account,
    [{ serial: serialOf(0), secret: "not used" }],
    async (...given) => {
      const written = await writeConfiguration(...given);
      // One program stands for all robots.
      await appendFile(written.file, `listener ${robotsPort} 127.0.0.1\nallow_anonymous true\n`);
      return written;
    },
  );
  stops.push(() => mosquitto.stop());
  const accounts = await postgres.database("suncrew");
  const migrated = await runMigrate(accounts);
  if (migrated.code !== 0) throw new Error(migrated.printed);
  const opened = openDatabase({ connectionString: accounts.adminUrl }, { queryLimitMs: 0 });
  stops.push(() => opened.close());
  const devices = Array.from({ length: ROBOTS }, (_, index) => ({ serial: serialOf(index), secret: "not used" }));
  for (let from = 0; from < ROBOTS; from += 1_000) {
    await storeRobots(opened.db, `Bench Park ${from / 1_000}`, devices.slice(from, from + 1_000));
  }
  await sql`select ensure_readings_partition(current_date)`.execute(opened.db);
  await sql`vacuum analyze`.execute(opened.db);
  await measure({
    folder,
    db: opened.db,
    robotsUrl: `mqtt://127.0.0.1:${robotsPort}`,
    brokerUrl: mosquitto.serverUrl,
    databaseUrl: accounts.serverUrl,
  });
} finally {
  for (const stop of stops.toReversed()) await stop();
}
