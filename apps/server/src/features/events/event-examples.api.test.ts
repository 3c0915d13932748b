import { eventSchemas, eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import { createWebhook } from "@suncrew/contract/events/webhook-endpoints.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { WebhookReceiver } from "../../../test/webhook-receiver.ts";
import { EventSender } from "./event-sender.ts";

let server: TestApp;
let receiver: WebhookReceiver;
const uuid = (number: number) => `01980a6e-5f00-7000-8000-${String(number).padStart(12, "0")}`;
const [RUN, SKIPPED, MISSED, START] = [1, 2, 3, 4].map(uuid);

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  server = await createTestApp({ settings: { outgoingPrivateAddresses: ["127.0.0.1"] } });
  const admin = await server.as("admin");
  await admin.ask(createWebhook, { body: { name: "Examples", url: receiver.url, event_types: null, enabled: true } });
  await makeEverythingHappen();
  const sender = new EventSender(server.deps);
  await sender.runOnce();
  await sender.idle();
});
afterAll(async () => {
  await receiver.close();
  await server.close();
});

/** Each kind of event once, as servers write it. */
async function makeEverythingHappen(): Promise<void> {
  const { db, fixtures } = server;
  const { id: robot, siteId: site } = fixtures.ownRobot;
  await sql`update robot_state set online = true, connection = 'ONLINE', connection_at = '2026-11-21T05:00:00Z',
    live_at = '2026-11-21T05:00:01Z' where robot_id = ${robot}`.execute(db);
  await sql`insert into alerts (robot_id, site_id, source, code, severity, text, raised_at)
    values (${robot}, ${site}, 'ROBOT', 'BRUSH_JAM', 'CRITICAL', 'The brush is jammed.', '2026-11-21T05:31:00Z')`.execute(
    db,
  );
  await sql`update alerts set acknowledged_at = '2026-11-21T05:35:00Z', acknowledged_by = 'Asha Rathore',
    acknowledgement_comment = 'On my way.' where robot_id = ${robot}`.execute(db);
  await sql`update alerts set cleared_at = '2026-11-21T05:50:00Z' where robot_id = ${robot}`.execute(db);
  const run = (id: string | undefined, more: object = {}) => {
    const row = {
      id,
      robot_id: robot,
      site_id: site,
      planned: true,
      action_type: "SCHEDULED",
      started_by: "Scheduler",
      schedule_id: 1,
      group_name: "Row 1 to 8",
      due_at: "2026-11-21T20:30:00Z",
      stop_due_at: "2026-11-21T22:30:00Z",
      ...more,
    };
    return sql`insert into runs (id, robot_id, site_id, schedule_id, planned, action_type, started_by, group_name, due_at,
        stop_due_at, ended_at, outcome, reason, reason_code)
      select id, robot_id, site_id, schedule_id, planned, action_type, started_by, group_name, due_at, stop_due_at, ended_at, outcome,
        reason, reason_code from json_populate_record(null::runs, ${JSON.stringify(row)}::json)`.execute(db);
  };
  await run(RUN);
  await sql`insert into commands (id, robot_id, site_id, serial_number, verb, action_type, seq, session, issued_at,
      expires_at, settle_by, run_id, max_duration_s, requested_by)
    values (${START}, ${robot}, ${site}, 'OWN-1', 'START', 'SCHEDULED', 5, 1, '2026-11-21T20:30:00Z',
      '2026-11-21T20:30:05Z', '2026-11-21T20:30:08Z', ${RUN}, 7200, 'Scheduler')`.execute(db);
  await sql`update commands set settled_at = '2026-11-21T20:30:01Z', outcome = 'CONFIRMED', ack = 'DONE'`.execute(db);
  await sql`update runs set began_at = '2026-11-21T20:30:01Z', battery_began = 96 where id = ${RUN}`.execute(db);
  await sql`update runs set ended_at = '2026-11-21T22:30:00Z', battery_ended = 61.5, outcome = 'COMPLETED',
    reason = 'FINISHED' where id = ${RUN}`.execute(db);
  await run(SKIPPED, {
    due_at: "2026-11-22T20:30:00Z",
    stop_due_at: "2026-11-22T22:30:00Z",
    ended_at: "2026-11-22T20:30:00Z",
    outcome: "SKIPPED",
    reason: "Held: the weather recommendation for the day is Not Recommended, and the schedule skips rain.",
    reason_code: "RUN_HELD_FOR_RAIN",
  });
  await run(MISSED, {
    due_at: "2026-11-23T20:30:00Z",
    stop_due_at: "2026-11-23T22:30:00Z",
    ended_at: "2026-11-23T20:45:00Z",
    outcome: "MISSED",
    reason: "Suncrew could not start it within 10 minutes of its time.",
    reason_code: "RUN_TOO_LATE",
  });
  await sql`insert into maintenance_locks (robot_id, site_id, reason, locked_by, locked_at, former_mode)
    values (${robot}, ${site}, 'New brush', 'Asha Rathore', '2026-11-24T06:00:00Z', 'auto')`.execute(db);
  await sql`update maintenance_locks set released_at = '2026-11-24T07:10:00Z', released_by = 'Asha Rathore'`.execute(
    db,
  );
  await sql`
    with file as (insert into firmware (version, file_name, bytes, sha256, content, created_by, created_at)
        values ('2.5.0', 'scr-2.5.0.bin', 1, decode(repeat('00', 32), 'hex'), decode('00', 'hex'), 'Anita Rao', now()) returning id),
      rollout as (insert into rollouts (firmware_id, state, created_at, created_by, batch_size,
          failure_threshold_percent, deadline_minutes)
        select id, 'RUNNING', now(), 'Anita Rao', 10, 20, 15 from file returning id)
    insert into rollout_robots (rollout_id, robot_id, place, robot_name, serial_number, site_id, site_name, state,
      from_version, offer_id, offered_at, deadline_at, sent_at)
    select id, ${robot}, 1, 'OWN-1', 'OWN-1', ${site}, 'Ownfield Park', 'DOWNLOADING', '2.4.1', ${uuid(9)}, now(), now(), now()
    from rollout`.execute(db);
  await sql`update rollout_robots set state = 'DONE', ended_at = '2026-11-25T08:00:00Z'`.execute(db);
  await sql`update robot_state set online = false, connection = 'CONNECTION_BROKEN', connection_at = '2026-11-25T09:00:00Z'
    where robot_id = ${robot}`.execute(db);
}

/** What differs from one database to the next: ids, which count from 1 here by what they are of. */
function normalised(body: string): unknown {
  return JSON.parse(body, (key, value: unknown) => {
    if (typeof value === "object" && value !== null) {
      if (key === "site") return { ...value, id: 1 };
      if (key === "robot") return { ...value, id: 12 };
    }
    if (key === "id" && typeof value === "string" && /^\d+$/.test(value)) return "1042";
    return key === "rollout_id" ? 3 : value;
  });
}

test("events out: every type is sent, with what its schema says and nothing else", () => {
  expect(new Set(receiver.types())).toEqual(new Set(eventTypeSchema.options));
  for (const { body, type } of receiver.calls) {
    const schema: z.ZodType = eventSchemas[eventTypeSchema.parse(type)];
    expect([type, schema.parse(JSON.parse(body))]).toEqual([type, JSON.parse(body)]);
  }
});

test("events out: the examples of the AsyncAPI document are what is really sent; `-u` writes them", async () => {
  const examples = Object.fromEntries(
    eventTypeSchema.options.map((type) => {
      const call = receiver.calls.find((each) => each.type === type);
      return [type, call === undefined ? null : normalised(call.body)];
    }),
  );
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot("../api-docs/event-examples.json");
});
