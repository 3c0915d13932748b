import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { sql } from "kysely";
import { connectAsync } from "mqtt";
import { stateMessage } from "../apps/server/test/robot-messages.ts";
import { runSuncrew } from "../apps/server/test/suncrew-process.ts";
import { openToAll } from "./production/mosquitto-configuration.ts";
import { chooseAccount } from "./production/private-part.ts";
import { startMosquitto } from "./production/private-mosquitto.ts";
import { expectNoInputs, serverEnvironment } from "./server-environment.ts";

// What the benchmarks of live streams and of commands share: 1,000 sites of 100 partners with 10,000 robots, a production
// server as a process of its own, a durable PostgreSQL, Debian's Mosquitto, and robots that report all the time.

export const SITES = 1_000;
export const PARTNERS = 100;
export const ROBOTS = 10_000;
/** Site and robot ids ascend from 1; the first partner is In-house, which has nobody to sign in. */
export const siteOf = (robotId: number) => 1 + (robotId % SITES);
export const partnerOf = (robotId: number) => 2 + (siteOf(robotId) % PARTNERS);
export const serialOf = (robotId: number) => `BENCH-${robotId}`;

export const PASSWORD = "a bench at noon";

async function fill(db: Db): Promise<void> {
  await sql`
    insert into partners (name, contact_person, contact_info, email, address, city, state, zip_code)
    select 'Cleaning ' || n, 'Ravi Shah', '+91 98290 00000', 'ravi' || n || '@bench.example', '1 Canal Road', 'Jodhpur',
      'Rajasthan', '342001' from generate_series(1, ${PARTNERS}::int) n`.execute(db);
  await sql`
    insert into sites (name, address, district, state, pin_code, commissioning_date, latitude, longitude, timezone,
      maintenance_partner_id)
    select 'Park ' || n, 'Bench Road ' || n, 'Jodhpur', 'Rajasthan', '342301', '2023-03-31', 8 + n * 0.02, 70 + n * 0.02,
      'Asia/Kolkata', 2 + n % ${PARTNERS}::int from generate_series(1, ${SITES}::int) n`.execute(db);
  await sql`
    insert into devices (serial, secret_sha256)
    select 'BENCH-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${ROBOTS}::int) n`.execute(db);
  await sql`
    insert into robots (robot_name, serial_number, site_id, installation_date)
    select 'BENCH-' || n, 'BENCH-' || n, 1 + n % ${SITES}::int, '2024-02-29' from generate_series(1, ${ROBOTS}::int) n
    order by n`.execute(db);
  // As in an installation of some age: without its days, each site's first robots would be computed for now.
  await sql`
    insert into site_days (site_id, date, began_at, ended_at)
    select id, today, today::timestamp at time zone timezone, (today + 1)::timestamp at time zone timezone
    from sites, lateral (select (now() at time zone timezone)::date as today) days`.execute(db);
  await expectNoInputs(db);
  await sql`vacuum analyze`.execute(db);
}

export interface ReportingFleet {
  readonly db: Db;
  readonly url: string;
  readonly robotUrl: string;
  readonly pid: number;
}

/** Does `work` with all of it running, and ends it. Before the server starts, `prepare` may change the fleet. */
export async function withReportingFleet(
  work: (fleet: ReportingFleet) => Promise<void>,
  prepare: (db: Db) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
  const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
  const brokerDir = await mkdtemp(join(tmpdir(), "suncrew-bench-broker-"));
  const account = await chooseAccount();
  if (account !== null) await chown(brokerDir, account.uid, account.gid);
  const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
  const opened = openDatabase(postgres.connection);
  const mosquitto = await startMosquitto(brokerDir, account, [], openToAll());
  try {
    await migrate(opened.db);
    await fill(opened.db);
    await prepare(opened.db);
    const options = process.env["BENCH_NODE_OPTIONS"];
    const suncrew = runSuncrew(["production"], {
      ...serverEnvironment(postgres.connection, dataDir, PASSWORD),
      MQTT_URL: mosquitto.serverUrl,
      ...(options !== undefined && { NODE_OPTIONS: options }),
    });
    try {
      const { url } = await suncrew.ready();
      await work({ db: opened.db, url, robotUrl: mosquitto.robotUrl, pid: suncrew.pid });
    } finally {
      await suncrew.interrupt();
    }
  } finally {
    await mosquitto.stop();
    await opened.close();
    await postgres.stop();
    for (const folder of [dataDir, brokerDir]) await rm(folder, { recursive: true, force: true });
  }
}

const SESSION = 1_763_706_000;
const EVERY_MS = 10;

/** A state of a robot at rest, as it reports twice a minute; its battery tells which one it is. */
export const restingState = (seq: number, battery: number): StateMessage =>
  stateMessage(new Date(), SESSION, seq, { battery, charging: true });

/** Robots that report in turn, so many a second altogether, from the call until the returned function is called. */
export async function reportInTurn(
  { robotUrl }: Pick<ReportingFleet, "robotUrl">,
  robotIds: readonly number[],
  perSecond: number,
  onReport: (robotId: number, battery: number) => void = () => {},
): Promise<() => Promise<void>> {
  const client = await connectAsync(robotUrl, { clientId: "bench-robots", protocolVersion: 4 });
  const beganMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - beganMs) / 1_000) * perSecond);
    for (; sent < due; sent += 1) {
      const robotId = robotIds[sent % robotIds.length] ?? 0;
      const round = Math.floor(sent / robotIds.length);
      const battery = 50 + (round % 4_000) / 100;
      onReport(robotId, battery);
      client.publish(topicOf(serialOf(robotId), "state"), JSON.stringify(restingState(1 + round, battery)), { qos: 1 });
    }
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await client.endAsync();
  };
}
