import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { TokenClaims } from "@suncrew/contract/auth/auth.ts";
import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import type { Db } from "@suncrew/server/platform/database/database.ts";
import { sql } from "kysely";
import { busySecondsOf } from "./process-figures.ts";
import {
  partnerOf,
  PARTNERS,
  reportInTurn,
  type ReportingFleet,
  ROBOTS,
  withReportingFleet,
} from "./reporting-fleet.ts";
import { report } from "./result.ts";
import { SECRET_KEY } from "./server-environment.ts";

// How soon a robot's report arrives at every live stream that may see it, with 5,000 streams open on one server, 10,000
// robots at 1,000 sites of 100 partners, and 333 reports a second through Mosquitto and the bridge into a durable
// PostgreSQL. Robots and streams are in this process; the time is from a robot's publish until this process has read the
// update, so it contains this process's own work. It reads from sockets itself, into memory that all share: Node's client
// takes more of the processor to read than the server to send.

const STREAMS = Number(process.env["BENCH_STREAMS"] ?? 5_000);
/** Each has a session; the others belong to partners, as many to one as to another. */
const PEOPLE_PER_ADMIN = 25;
const ADMINS = STREAMS / PEOPLE_PER_ADMIN;
const REPORTS_PER_SECOND = 333;
/** Every robot has reported once by then. */
const WARM_UP_MS = 32_000;
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 60);
const OPENED_AT_ONCE = 500;
const LIMIT_MS = 300;
const REOPENED_AFTER_MS = 1_000;
/** How a line with an event begins; a heartbeat begins otherwise. */
const DATA = "d".charCodeAt(0);
const END = "\n".charCodeAt(0);

interface Person {
  readonly scope: number | "admin";
  readonly token: string;
}

/** Sessions as sign-in makes them: to check 5,000 passwords would take minutes. */
async function signIn(db: Db): Promise<Person[]> {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { rows } = await sql<{ id: number; email: string; partnerId: number | null; sid: string }>`
    with people as (
      insert into users (username, name, email, role, partner_id, password_hash)
      select 'person' || n, 'Person ' || n, 'person' || n || '@bench.example',
        case when n % ${PEOPLE_PER_ADMIN}::int = 0 then 'SUPER_ADMIN' else 'PARTNER' end,
        case when n % ${PEOPLE_PER_ADMIN}::int > 0 then 2 + (n * 7) % ${PARTNERS}::int end, 'none' from generate_series(1, ${STREAMS}::int) n
      returning id, email, partner_id
    ), opened as (
      insert into sessions (id, user_id, created_at, expires_at)
      select gen_random_uuid(), id, now(), ${expiresAt} from people returning id, user_id)
    select p.id, p.email, p.partner_id as "partnerId", o.id as sid from people p join opened o on o.user_id = p.id
  `.execute(db);
  return rows.map(({ partnerId, ...person }) => {
    const role = partnerId === null ? "SUPER_ADMIN" : "PARTNER";
    const exp = Math.floor(expiresAt.getTime() / 1_000);
    return { scope: partnerId ?? "admin", token: signed({ ...person, role, partnerId, exp }) };
  });
}

function signed(claims: TokenClaims): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ ...claims, iat: claims.exp - 3_600 })}`;
  return `${text}.${createHmac("sha256", SECRET_KEY).update(text).digest("base64url")}`;
}

/** What has arrived, and when; times by this process's clock. */
class Arrivals {
  /** Deliveries by milliseconds that they took. */
  readonly #times = new Uint32Array(60_000);
  readonly #sent = new Map<number, { battery: number; atMs: number }>();
  /** The last event of each scope: all its streams get the same bytes. */
  readonly #events = new Map<Person["scope"], { head: string; reports: readonly number[] }>();
  isCounting = false;
  arrived = 0;
  events = 0;
  bytes = 0;
  expected = 0;

  sent(robotId: number, battery: number, receivers: number): void {
    if (!this.isCounting) return;
    this.#sent.set(robotId, { battery, atMs: performance.now() });
    this.expected += receivers;
  }

  note(scope: Person["scope"], event: Buffer): void {
    if (this.expected === 0 || isOver) return;
    this.events += 1;
    this.bytes += event.length;
    const head = event.toString("latin1", 0, 150);
    let known = this.#events.get(scope);
    if (known?.head !== head) {
      known = { head, reports: this.#reportsIn(event.toString("utf8")) };
      this.#events.set(scope, known);
    }
    const nowMs = performance.now();
    for (const atMs of known.reports) {
      const tookMs = Math.min(this.#times.length - 1, Math.round(nowMs - atMs));
      this.#times[tookMs] = (this.#times[tookMs] ?? 0) + 1;
    }
    this.arrived += known.reports.length;
  }

  /** When the reports in this event were sent. */
  #reportsIn(text: string): number[] {
    const event = JSON.parse(text.slice(6)) as LiveEvent;
    if (event.type !== "update") return [];
    return event.robots.flatMap(({ robot_id, battery_level }) => {
      const sent = this.#sent.get(robot_id);
      return sent?.battery === battery_level ? [sent.atMs] : [];
    });
  }

  at(share: number): number {
    let left = share * this.arrived;
    return this.#times.findIndex((count) => (left -= count) <= 0);
  }
}

/** Streams that were refused or ended, by why; each was opened again, as the console does. */
const lost = new Map<string, number>();
let isOver = false;

/** Keeps a stream open; resolves when its snapshot has arrived. */
function keepOpen(url: string, person: Person, from: string, arrivals: Arrivals): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const open = () => {
    let isOpen = true;
    const lose = (why: string) => {
      if (!isOpen || isOver) return;
      isOpen = false;
      lost.set(why, (lost.get(why) ?? 0) + 1);
      setTimeout(open, REOPENED_AFTER_MS);
    };
    let isFirst = true;
    const body = new EventsIn((event) => {
      if (!isFirst) arrivals.note(person.scope, event);
      isFirst = false;
      resolve();
    });
    const onRead = (length: number) => {
      const refusal = body.take(READ.subarray(0, length));
      if (refusal !== null) socket.destroy(new Error(`answered ${refusal}`));
      return true;
    };
    const { hostname, port, host } = new URL(url);
    const reading = { buffer: READ, callback: onRead };
    const socket = connect({ host: hostname, port: Number(port), localAddress: from, onread: reading });
    socket.on("error", ({ message }) => lose(message)).on("close", () => lose("ended"));
    const head = [`GET ${live.path} HTTP/1.1`, `host: ${host}`, "connection: close"];
    socket.write([...head, `authorization: Bearer ${person.token}`, "", ""].join("\r\n"));
  };
  open();
  return promise;
}

/** Whatever arrives, is read here, and used before the next. */
const READ = Buffer.alloc(65_536);

/** Events of an answer in chunks, of which each event has its own. */
class EventsIn {
  readonly #onEvent: (event: Buffer) => void;
  /** The beginning of a line of the head, or of one that says how long the next chunk is. */
  #line = "";
  #isHead = true;
  #leftOfChunk = 0;
  #waiting: Buffer[] = [];

  constructor(onEvent: (event: Buffer) => void) {
    this.#onEvent = onEvent;
  }

  /** The status, if it is not 200. */
  take(read: Buffer): number | null {
    for (let at = 0; at < read.length;) {
      if (this.#leftOfChunk > 0) {
        const part = read.subarray(at, at + this.#leftOfChunk);
        this.#leftOfChunk -= part.length;
        at += part.length;
        this.#takePart(part);
        continue;
      }
      const end = read.indexOf(END, at);
      this.#line += read.toString("latin1", at, end < 0 ? read.length : end);
      if (end < 0) return null;
      at = end + 1;
      const line = this.#line.trim();
      this.#line = "";
      const [, status] = this.#isHead ? (/^HTTP\S+ (\d+)/.exec(line) ?? []) : [];
      if (status !== undefined && status !== "200") return Number(status);
      if (!this.#isHead && line !== "") this.#leftOfChunk = Number.parseInt(line, 16);
      else if (line === "") this.#isHead = false;
    }
    return null;
  }

  #takePart(part: Buffer): void {
    const isLast = part.at(-1) === END && (part.at(-2) ?? this.#waiting.at(-1)?.at(-1)) === END;
    if (!isLast) {
      this.#waiting.push(Buffer.from(part));
      return;
    }
    const event = this.#waiting.length === 0 ? part : Buffer.concat([...this.#waiting, part]);
    this.#waiting = [];
    if (event[0] === DATA) this.#onEvent(event.subarray(0, -2));
  }
}

async function measure({ db, url, robotUrl, pid }: ReportingFleet): Promise<void> {
  const people = await signIn(db);
  const arrivals = new Arrivals();
  const receivers = (robotId: number) => ADMINS + people.filter((one) => one.scope === partnerOf(robotId)).length;
  const receiversOf = Array.from({ length: ROBOTS + 1 }, (_, id) => receivers(id));
  const robotIds = Array.from({ length: ROBOTS }, (_, nth) => 1 + ((nth * 301) % ROBOTS));
  const stop = await reportInTurn({ robotUrl }, robotIds, REPORTS_PER_SECOND, (robotId, battery) =>
    arrivals.sent(robotId, battery, receiversOf[robotId] ?? 0),
  );
  await pause(WARM_UP_MS);
  const beganMs = performance.now();
  const left = [...people.entries()];
  const opener = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [nth, person] = next;
      // No address may have more than 3,000.
      await keepOpen(url, person, `127.0.0.${2 + (nth % 2)}`, arrivals);
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, opener));
  const openedS = (performance.now() - beganMs) / 1_000;
  console.log(`${STREAMS} streams opened in ${openedS.toFixed(1)} s`);
  await pause(5_000);
  const cpu = process.cpuUsage();
  const serverBusyBefore = await busySecondsOf(pid);
  arrivals.isCounting = true;
  await pause(SECONDS * 1_000);
  const busy = process.cpuUsage(cpu);
  const serverBusyS = (await busySecondsOf(pid)) - serverBusyBefore;
  arrivals.isCounting = false;
  await pause(2_000);
  await stop();
  isOver = true;
  report({
    what: `update of a live stream, ${STREAMS} streams on one server, 99 of 100`,
    figure: arrivals.at(0.99),
    unit: "ms",
    atMost: LIMIT_MS,
    detail:
      `median ${arrivals.at(0.5)} ms, most ${arrivals.at(1)} ms; ${arrivals.arrived} of ${arrivals.expected} deliveries in ` +
      `${arrivals.events} events, ${(arrivals.bytes / 1e6 / SECONDS).toFixed(0)} MB/s; opened in ${openedS.toFixed(0)} s; ` +
      `lost and opened again: ${[...lost].map(([why, times]) => `${times} ${why}`).join(", ") || "none"}; processor ` +
      `time of the server ${(serverBusyS / SECONDS).toFixed(2)} s a second, of streams and robots here ` +
      `${((busy.user + busy.system) / 1e6 / SECONDS).toFixed(2)} s`,
  });
}

await withReportingFleet(measure);
process.exit();
