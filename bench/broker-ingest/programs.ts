import { setTimeout as pause } from "node:timers/promises";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { robotTopics } from "@suncrew/server/features/devices/devices.mqtt.ts";
import { connectAsync } from "mqtt";
import pg from "pg";
import { Robots, type Sent, serialOf } from "./robots.ts";

// The programs beside the server, each a process of its own: robots that publish, and the two bare programs that the
// server is compared with. A message from the parent asks for the counts so far; "pause" comes first where sending is
// to end.

/** What a program is started with, as JSON. */
export interface Program {
  readonly role: "publish" | "subscribe" | "insert";
  /** Of the broker or of the database. */
  readonly url: string;
  readonly robots: number;
  /** States a second. */
  readonly rate: number;
}

const EVERY_MS = 20;
/** As often as the bridge stores. */
const BATCH_MS = 100;

let isPaused = false;

/** Calls `send` as often as the rate asks, however late a timer comes. */
async function atRate(rate: number, everyMs: number, send: (count: number) => Promise<void> | void): Promise<void> {
  let beganMs = performance.now();
  let sent = 0;
  while (true) {
    await pause(everyMs);
    if (isPaused) {
      beganMs = performance.now();
      sent = 0;
      continue;
    }
    const due = Math.floor(((performance.now() - beganMs) / 1_000) * rate) - sent;
    if (due > 0) await send(due);
    sent += due;
  }
}

/** All robots through one connection: the broker's work for each message is the same, and the generator's little. */
async function publish({ url, robots, rate }: Program): Promise<void> {
  const client = await connectAsync(url, { clean: true, keepalive: 60 });
  const all = new Robots(robots);
  answerWith(() => all.counts);
  const connection = JSON.stringify(all.connection());
  for (let index = 0; index < robots; index += 1) {
    await client.publishAsync(topicOf(serialOf(index), "connection"), connection, { qos: 1, retain: true });
  }
  process.send?.("connected");
  const send = (index: number, leaf: "state" | "event", message: object) =>
    client.publish(topicOf(serialOf(index), leaf), JSON.stringify(message), { qos: 1, retain: leaf === "state" });
  await atRate(rate, EVERY_MS, (count) => {
    const ts = new Date().toISOString();
    for (let nth = 0; nth < count; nth += 1) {
      const { index, state, event } = all.next(ts);
      if (event !== null) send(index, "event", event);
      send(index, "state", state);
    }
  });
}

/** Only receives and counts. */
async function subscribe({ url }: Program): Promise<void> {
  let messages = 0;
  answerWith(() => ({ states: messages, events: 0, begun: 0, ended: 0 }));
  const client = await connectAsync(url, { clean: true, clientId: "bare" });
  client.on("message", () => (messages += 1));
  await client.subscribeAsync([...robotTopics], { qos: 1 });
  process.send?.("connected");
}

const statement = (name: string, text: string) => ({ name, text });
const [updateStates, insertReadings, insertEvents, insertRuns, endRuns, insertActivity] = [
  statement(
    "states",
    `update robot_state s set online = true, session = n.session, connection = 'ONLINE', state_seq = n.state_seq,
      status = n.status, robot_status = n.robot_status, motion = n.motion, mode = n.mode, battery = n.battery,
      charging = n.charging, applied_direction = n.applied_direction, applied_main_speed = n.applied_main_speed,
      applied_brush_speed = n.applied_brush_speed, run_id = n.run_id, last_seq = n.last_seq, firmware = n.firmware,
      robot_ts = n.robot_ts, received_at = n.received_at, live_at = n.received_at, clock_skew_ms = 0,
      change_no = pg_current_xact_id()
    from json_populate_recordset(null::robot_state, $1::json) n where s.robot_id = n.robot_id`,
  ),
  statement("readings", "insert into readings select n.* from json_populate_recordset(null::readings, $1::json) n"),
  statement(
    "events",
    `insert into robot_events (robot_id, site_id, event_seq, session, received_at, kind, body)
    select n.robot_id, n.site_id, n.event_seq, n.session, n.received_at, n.kind, n.body
    from json_populate_recordset(null::robot_events, $1::json) n`,
  ),
  statement(
    "runs",
    `insert into runs (id, robot_id, site_id, planned, action_type, started_by, began_at, battery_began)
    select n.id, n.robot_id, n.site_id, false, 'SYSTEM', 'Robot', n.began_at, n.battery_began
    from json_populate_recordset(null::runs, $1::json) n`,
  ),
  statement(
    "ends",
    `update runs r set ended_at = n.ended_at, battery_ended = n.battery_ended, reason = 'FINISHED', outcome = 'COMPLETED',
      change_no = pg_current_xact_id()
    from json_populate_recordset(null::runs, $1::json) n where r.id = n.id`,
  ),
  statement(
    "activity",
    `insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name,
      robot_name, serial_number, details, params, ended_run_id)
    select n.created_at, n.site_id, n.robot_id, 'STOP', 'SYSTEM', 'SUCCESS', 'Robot', 'Bench Park', n.robot_name,
      n.serial_number, 'The robot finished.', '{}', n.ended_run_id
    from json_populate_recordset(null::activity, $1::json) n`,
  ),
] as const;

/** Only writes the same rows, as many in a transaction as the bridge does. */
async function insert({ url, robots, rate }: Program): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: number; site_id: number }>("select id, site_id from robots order by id");
  const all = new Robots(robots);
  answerWith(() => all.counts);
  process.send?.("connected");
  await atRate(rate, BATCH_MS, async (count) => {
    const now = new Date().toISOString();
    const sent = Array.from({ length: count }, () => all.next(now));
    const write = async (query: { name: string; text: string }, of: readonly object[]) => {
      if (of.length > 0) await client.query({ ...query, values: [JSON.stringify(of)] });
    };
    const place = ({ index }: Sent) => ({ robot_id: rows[index]?.id, site_id: rows[index]?.site_id });
    const shown = ({ state }: Sent) => {
      const { session, seq, status, motion, mode, battery, charging } = state;
      const robot_status = motion === "MOVING" ? "normal" : "idle";
      return { session, seq, status, robot_status, motion, mode, battery, charging, robot_ts: now, received_at: now };
    };
    const events = sent.flatMap((each) => (each.event === null ? [] : [{ each, event: each.event }]));
    const of = (kind: "RUN_BEGAN" | "RUN_ENDED") =>
      events.flatMap(({ each, event }) => (event.kind === kind ? [{ ...place(each), event, index: each.index }] : []));
    await client.query("begin");
    await write(
      updateStates,
      sent.map((each) => ({
        ...place(each),
        ...shown(each),
        state_seq: each.state.seq,
        applied_direction: each.state.applied.direction,
        applied_main_speed: each.state.applied.mainSpeed,
        applied_brush_speed: each.state.applied.brushSpeed,
        run_id: each.state.runId,
        last_seq: each.state.lastSeq,
        firmware: each.state.firmware,
      })),
    );
    await write(
      insertReadings,
      sent.map((each) => ({ ...place(each), ...shown(each), sample: false })),
    );
    await write(
      insertEvents,
      events.map(({ each, event }) => {
        const { eventSeq: event_seq, session, kind } = event;
        return { ...place(each), event_seq, session, received_at: now, kind, body: event };
      }),
    );
    await write(
      insertRuns,
      of("RUN_BEGAN").map(({ event, ...at }) => ({
        ...at,
        id: "runId" in event ? event.runId : null,
        began_at: now,
        battery_began: "battery" in event ? event.battery : null,
      })),
    );
    await write(
      endRuns,
      of("RUN_ENDED").map(({ event }) => ({
        id: "runId" in event ? event.runId : null,
        ended_at: now,
        battery_ended: "battery" in event ? event.battery : null,
      })),
    );
    await write(
      insertActivity,
      of("RUN_ENDED").map(({ event, index, ...at }) => ({
        ...at,
        created_at: now,
        robot_name: `Robot ${serialOf(index)}`,
        serial_number: serialOf(index),
        ended_run_id: "runId" in event ? event.runId : null,
      })),
    );
    await client.query("commit");
  });
}

function answerWith(counts: () => object): void {
  process.on("message", (message) => {
    if (message === "pause") isPaused = true;
    if (message === "go on") isPaused = false;
    process.send?.({ ...counts() });
  });
}

const program = JSON.parse(process.argv[2] ?? "{}") as Program;
await { publish, subscribe, insert }[program.role](program);
