import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, get, type RequestOptions, type ServerResponse } from "node:http";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { login } from "@suncrew/contract/auth/auth.ts";
import { SITE_FIELDS } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { sql } from "kysely";
import pg from "pg";
import { runSuncrew } from "../apps/server/test/suncrew-process.ts";
import { report } from "./result.ts";
import { expectNoInputs, serverEnvironment } from "./server-environment.ts";

// How many calls of GET api/sites/details a server answers in a second, with 1,000 sites and 10,000 robots, as a ratio
// to a bare server that sends the text of one SQL aggregate of the same rows; both are processes of their own on the
// same PostgreSQL, and take turns. Also while 333 robots a second change their state, and with the ETag of the answer.

const SITES = 1_000;
const ROBOTS = 10_000;
/** One person's calls are limited, so several make them. */
const PEOPLE = 8;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const ROUND_MS = 3_000;
const CHANGES_EVERY_MS = 100;
const CHANGES_AT_ONCE = 33;
const PASSWORD = "a bench at noon";

async function fill(db: Db): Promise<void> {
  await sql`
    insert into sites (name, address, district, state, pin_code, commissioning_date, latitude, longitude, timezone)
    select 'Park ' || n, 'Bench Road ' || n, 'Jodhpur', 'Rajasthan', '342301', '2023-03-31', 8 + n * 0.02, 70 + n * 0.02,
      'Asia/Kolkata' from generate_series(1, ${SITES}::int) n`.execute(db);
  await sql`
    insert into devices (serial, secret_sha256)
    select 'BENCH-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${ROBOTS}::int) n`.execute(db);
  await sql`
    insert into robots (robot_name, serial_number, site_id, installation_date)
    select 'BENCH-' || n, 'BENCH-' || n, 1 + n % ${SITES}::int, '2024-02-29' from generate_series(1, ${ROBOTS}::int) n
  `.execute(db);
  await sql`update robot_state set robot_status = 'idle', status = 'stop', motion = 'STOPPED'`.execute(db);
  await expectNoInputs(db);
  await sql`vacuum analyze`.execute(db);
}

/** What a program without a product around it would send: the same rows and counters, by SQL alone. */
const aggregate = `
  select coalesce(json_agg(site order by site.name, site.id), '[]')::text as text from (
    select s.id, s.timezone, s.version, ${SITE_FIELDS.map((field) => `s.${field}`).join(", ")},
      p.name as partner_name, p.contact_person as partner_contact, c.status, c.robot_count, c.active_robots,
      c.online_robots, 0 as may_be_moving_robots, null as weather_guard
    from sites s left join partners p on p.id = s.maintenance_partner_id
    left join (
      select r.site_id, count(*) as robot_count, count(*) filter (where t.robot_status = 'normal') as active_robots,
        count(*) filter (where t.robot_status in ('normal', 'idle')) as online_robots,
        case when bool_or(t.robot_status = 'critical') then 'fault'
          when bool_or(t.robot_status in ('warning', 'offline')) then 'warning'
          when not bool_or(t.robot_status = 'normal') then 'standby' else 'normal' end as status
      from robots r join robot_state t on t.robot_id = r.id where r.deleted_at is null group by r.site_id) c
      on c.site_id = s.id
    where s.deleted_at is null) site`;

/** The bare server: this file, started with the connection as JSON. */
async function servePlainly(connection: string): Promise<void> {
  const pool = new pg.Pool({ ...(JSON.parse(connection) as pg.PoolConfig), max: 10 });
  const answer = async (response: ServerResponse) => {
    const { rows } = await pool.query<{ text: string }>({ name: "sites", text: aggregate });
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(rows[0]?.text);
  };
  const server = createServer((_request, response) => {
    void answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
}

interface Served {
  readonly url: string;
  /** Headers of each person. */
  readonly people: readonly Readonly<Record<string, string>>[];
}

/** Calls per second of all people together, each of whom waits for an answer before calling again. */
async function callsPerSecond({ url, people }: Served, status: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: people.length });
  const beganMs = performance.now();
  let calls = 0;
  const callOn = async (headers: RequestOptions["headers"]) => {
    while (performance.now() - beganMs < ROUND_MS) {
      await new Promise<void>((resolve, reject) => {
        const request = get(url, { agent, headers }, (response) => {
          if (response.statusCode !== status) reject(new Error(`${url} answered ${response.statusCode}.`));
          response.resume().on("end", resolve).on("error", reject);
        });
        request.on("error", reject);
      });
      calls += 1;
    }
  };
  await Promise.all(people.map(callOn));
  const seconds = (performance.now() - beganMs) / 1_000;
  agent.destroy();
  return calls / seconds;
}

/** Robots change their state, as many a second as 10,000 that report twice a minute. */
async function whileRobotsChange<T>(db: Db, work: () => Promise<T>): Promise<T> {
  let nth = 0;
  const failed = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const ids = Array.from({ length: CHANGES_AT_ONCE }, (_, index) => 1 + ((nth + index * 301) % ROBOTS));
    nth += 7;
    sql`update robot_state set change_no = pg_current_xact_id(),
      robot_status = case robot_status when 'idle' then 'normal' else 'idle' end where robot_id = any(${ids}::int[])`
      .execute(db)
      .catch(failed.reject);
  }, CHANGES_EVERY_MS);
  try {
    return await Promise.race([work(), failed.promise]);
  } finally {
    clearInterval(timer);
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function compare(what: string, suncrew: Served, plain: Served, status = 200): Promise<void> {
  const ratios: number[] = [];
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = await callsPerSecond(suncrew, status);
    const other = await callsPerSecond(plain, 200);
    ours.push(one);
    theirs.push(other);
    ratios.push(one / other);
  }
  report({
    what: `list of sites against one SQL aggregate, ${what}`,
    figure: median(ratios),
    unit: "times",
    atLeast: 0.8,
    detail: `${median(ours).toFixed(0)} and ${median(theirs).toFixed(0)} calls/s`,
  });
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
  const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
  const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
  const opened = openDatabase(postgres.connection);
  const { db } = opened;
  try {
    await migrate(db);
    await fill(db);
    const { host, port, user, database } = postgres.connection;
    const plain = spawn(process.execPath, [import.meta.filename, JSON.stringify({ host, port, user, database })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const suncrew = runSuncrew(["production"], serverEnvironment(postgres.connection, dataDir, PASSWORD));
    try {
      const [plainPort] = (await once(plain.stdout.setEncoding("utf8"), "data")) as [string];
      const { url } = await suncrew.ready();
      await sql`insert into users (username, name, role, password_hash)
        select 'admin' || n, name, role, password_hash from users, generate_series(2, ${PEOPLE}::int) n
        where username = 'admin'`.execute(db);
      const people: Record<string, string>[] = [];
      for (let nth = 1; nth <= PEOPLE; nth += 1) {
        const body = JSON.stringify({ username: nth === 1 ? "admin" : `admin${nth}`, password: PASSWORD });
        const headers = { "content-type": "application/json" };
        const answer = await fetch(url + login.path, { method: "POST", headers, body });
        people.push({ authorization: `Bearer ${login.response.parse(await answer.json()).token}` });
      }
      const ours = { url: url + siteDetails.path, people };
      const theirs = { url: `http://127.0.0.1:${plainPort.trim()}/`, people: people.map(() => ({})) };
      const first = await fetch(ours.url, { headers: people[0] ?? {} });
      const ourRows = siteDetails.response.parse(await first.json());
      const theirRows = siteDetails.response.parse(await (await fetch(theirs.url)).json());
      if (JSON.stringify(ourRows) !== JSON.stringify(theirRows)) throw new Error("The two answer different rows.");
      await compare("nothing changes", ours, theirs);
      await whileRobotsChange(db, () => compare("333 robots change a second", ours, theirs));
      const zipped = people.map((headers) => ({ ...headers, "accept-encoding": "br" }));
      await whileRobotsChange(db, () => compare("the same, sent with Brotli", { ...ours, people: zipped }, theirs));
      const etag = (await fetch(ours.url, { headers: people[0] ?? {} })).headers.get("etag") ?? "";
      const known = people.map((headers) => ({ ...headers, "if-none-match": etag }));
      await compare("nothing changes, asked with the ETag", { ...ours, people: known }, theirs, 304);
    } finally {
      plain.kill();
      await suncrew.interrupt();
    }
  } finally {
    await opened.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const connection = process.argv[2];
if (connection === undefined) await main();
else await servePlainly(connection);
