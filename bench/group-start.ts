import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { login } from "@suncrew/contract/auth/auth.ts";
import { createGroup, groupSendCommand, type ManyRobotsResponse } from "@suncrew/contract/groups/groups.ts";
import { COMMAND_SETTLES_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { createFleet, type Fleet } from "@suncrew/simulator/fleet/fleet.ts";
import { sql } from "kysely";
import { runSuncrew } from "../apps/server/test/suncrew-process.ts";
import { report } from "./result.ts";
import { serverEnvironment } from "./server-environment.ts";
import { busySecondsOf, longestTransaction } from "./process-figures.ts";
import { makeDevices, storeRobots } from "./production/fleet.ts";
import { until } from "./production/wait-and-random.ts";

// How long a START of many robots of one site takes, from the press until the answer that every robot moves, and how
// long the longest transaction is open in the meantime; each against a START of one robot in the same run. The server
// is
// a separate process with its own broker, on a durable PostgreSQL; the robots are simulated in this process.

/** The robots of each START; a group has 500 at most, so 1,000 are two groups that are started at once. */
const SIZES = [[1], [100], [500], [500, 500]];
const robotsOf = (nth: number) => (SIZES[nth] ?? []).reduce((sum, size) => sum + size, 0);
const SETTLES_S = COMMAND_SETTLES_MS / 1_000;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** The largest group; its START is answered when the last robot has shown that it moves. */
const REPORTED_ROBOTS = 500;
const LIMIT_S = 2;
const PASSWORD = "a bench at noon";
const CONNECT_LIMIT_MS = 120_000;

interface Started {
  readonly seconds: number;
  /** Processor time of the server only. */
  readonly busySeconds: number;
  readonly longestTransactionS: number;
  /** Robots by how they were answered. */
  readonly outcomes: Readonly<Record<string, number>>;
}

class Caller {
  readonly #url: string;
  #token = "";

  constructor(url: string) {
    this.#url = url;
  }

  async signIn(): Promise<void> {
    const answer = await this.post(login.path, { username: "admin", password: PASSWORD });
    this.#token = login.response.parse(answer).token;
  }

  async post(path: string, body: object): Promise<unknown> {
    const headers = {
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      authorization: `Bearer ${this.#token}`,
    };
    const answer = await fetch(this.#url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

async function measure(db: Db, fleet: Fleet, caller: Caller, pid: number): Promise<void> {
  const site = await db.selectFrom("robots").select(["id", "site_id"]).orderBy("id").execute();
  const siteId = site[0]?.site_id ?? 0;
  const left = site.map(({ id }) => id);
  const groupIds: number[][] = [];
  for (const size of SIZES) {
    const ids: number[] = [];
    for (const robots of size) {
      const body = { site_id: siteId, group_name: randomUUID(), robot_ids: left.splice(0, robots) };
      ids.push(createGroup.response.parse(await caller.post(createGroup.path, body)).groupId);
    }
    groupIds.push(ids);
  }

  const command = async (groups: readonly number[], verb: "START" | "STOP"): Promise<ManyRobotsResponse[]> =>
    Promise.all(
      groups.map(async (groupId) =>
        groupSendCommand.response.parse(
          await caller.post(groupSendCommand.path, { siteId, groupId, command: verb, mode: "AUTO" }),
        ),
      ),
    );
  const time = async (groups: readonly number[], verb: "START" | "STOP"): Promise<Started> => {
    const busyBefore = await busySecondsOf(pid);
    let answers: ManyRobotsResponse[] = [];
    let seconds = 0;
    const longestTransactionS = await longestTransaction(db, async () => {
      const beganMs = performance.now();
      answers = await command(groups, verb);
      seconds = (performance.now() - beganMs) / 1_000;
    });
    const results = answers.flatMap((answer) => answer.results);
    const outcomes: Record<string, number> = {};
    for (const { outcome, message } of results) {
      const told = /not known/.test(message) ? "NOT KNOWN" : outcome;
      outcomes[told] = (outcomes[told] ?? 0) + 1;
    }
    const busySeconds = (await busySecondsOf(pid)) - busyBefore;
    return { seconds, busySeconds, longestTransactionS, outcomes };
  };
  /** Nothing is in progress any more: every robot is stopped, every command settled, every event received. */
  const rest = () =>
    until(
      async () => {
        const open = await db.selectFrom("commands").select("id").where("settled_at", "is", null).limit(1).execute();
        const truths = fleet.serials.map((serial) => fleet.robot(serial).truth());
        // On a machine too busy to lock a robot in time, its STOP is answered with "press Stop again".
        const isForgotten = open.length === 0 && truths.some((robot) => robot.motion === "MOVING");
        if (isForgotten) await command(groupIds.flat(), "STOP");
        return open.length === 0 && truths.every((robot) => robot.motion === "STOPPED" && robot.waitingEvents === 0);
      },
      CONNECT_LIMIT_MS,
      "The robots do not come to rest",
    );

  const alone = new Map<string, number>();
  for (const [nth, groups] of groupIds.entries()) {
    const robots = robotsOf(nth);
    const of: Record<"START" | "STOP", Started[]> = { START: [], STOP: [] };
    // The first one compiles.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const verb of ["START", "STOP"] as const) {
        const started = await time(groups, verb);
        if (round > 0) of[verb].push(started);
        if (verb === "STOP") await rest();
      }
    }
    for (const verb of ["START", "STOP"] as const) {
      const seconds = of[verb].map((each) => each.seconds);
      const one = alone.get(verb) ?? median(seconds);
      alone.set(verb, one);
      console.log(line(verb, robots, of[verb], one));
      if (verb === "START" && robots === REPORTED_ROBOTS) {
        report({
          what: `START of a group of ${robots}, until the last is confirmed`,
          figure: median(seconds),
          unit: "s",
          atMost: LIMIT_S,
          detail: line(verb, robots, of[verb], one).replace(/^[^:]*: +/, ""),
        });
      }
    }
  }
  // Nobody accepts these: each is answered once its 8 s are over, and followed by a STOP.
  for (const [nth, groups] of groupIds.entries()) {
    for (const serial of fleet.serials) fleet.robot(serial).inject({ kind: "deaf" });
    const unheard = await time(groups, "START");
    for (const serial of fleet.serials) fleet.robot(serial).clear("deaf");
    await rest();
    console.log(line("START unheard", robotsOf(nth), [unheard], SETTLES_S));
  }
}

const median = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;

function line(what: string, robots: number, started: readonly Started[], one: number): string {
  const outcomes: Record<string, number> = {};
  for (const [outcome, count] of started.flatMap((each) => Object.entries(each.outcomes))) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  }
  const seconds = started.map((each) => each.seconds);
  const busy = median(started.map((each) => each.busySeconds));
  const longest = Math.max(...started.map((each) => each.longestTransactionS));
  return (
    `${what} of ${robots}: `.padEnd(30) +
    `median ${median(seconds).toFixed(2)} s (${(median(seconds) / one).toFixed(2)} times ${one === SETTLES_S ? "its 8 s" : "one"}), ` +
    `most ${Math.max(...seconds).toFixed(2)} s; server busy ${busy.toFixed(2)} s; ` +
    `longest transaction ${longest.toFixed(2)} s; ${JSON.stringify(outcomes)}`
  );
}

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
try {
  const opened = openDatabase(postgres.connection);
  const { db } = opened;
  await migrate(db);
  const devices = makeDevices(
    "BENCH",
    SIZES.flat().reduce((sum, size) => sum + size, 0),
  );
  await storeRobots(db, "Bench Park", devices);
  const suncrew = runSuncrew(["production"], serverEnvironment(postgres.connection, dataDir, PASSWORD));
  try {
    const { url, mqttPort } = await suncrew.ready();
    const initial = Object.fromEntries(devices.map(({ serial }) => [serial, { condition: { battery: 95 } }]));
    const fleet = createFleet({ mqttUrl: `mqtt://127.0.0.1:${mqttPort}`, devices, initial });
    fleet.start();
    try {
      const areLive = async () => {
        const { rows } = await sql<{ live: number }>`
          select count(*)::int as live from robot_state where online and live_at is not null`.execute(db);
        return rows[0]?.live === devices.length;
      };
      await until(areLive, CONNECT_LIMIT_MS, "The robots are not all live");
      const caller = new Caller(url);
      await caller.signIn();
      await measure(db, fleet, caller, suncrew.pid);
    } finally {
      await fleet.stop();
    }
  } finally {
    await suncrew.interrupt();
    await opened.close();
  }
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
