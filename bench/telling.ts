import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { claimDeliveries as claimEvents } from "@suncrew/server/features/events/event-deliveries.repository.ts";
import { delivered } from "@suncrew/server/features/notifications/channels/channel.ts";
import { claimDeliveries as claimMessages } from "@suncrew/server/features/notifications/delivery-claims.repository.ts";
import { DeliveryRunner } from "@suncrew/server/features/notifications/delivery-runner.ts";
import { Notifier } from "@suncrew/server/features/notifications/notifier.ts";
import { ManualClock } from "@suncrew/server/platform/clock.ts";
import { type Db, openDatabase, type Tx } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { sql } from "kysely";
import pino from "pino";
import { addFixtures } from "../apps/server/test/fixtures.ts";
import { report } from "./result.ts";

// What it costs to tell people and programs: a round of the notifier with many open alerts against one with none, a storm
// of many sites against one of a few, and claiming from much that waits against claiming from little.

const SITES = 1_000;
const FEW_SITES = 10;
const ROBOTS = 5_000;
const RULES = 5;
const PHONES = 20;
const WAITING = 100_000;
const LITTLE = 1_000;
const FEW_EACH = 10;
const TIMES = 9;

const clock = new ManualClock(new Date());
const log = pino({ level: "silent" });

/** The median of some times, in milliseconds; each may be prepared, which does not count. */
async function medianMs(work: () => Promise<unknown>, prepare: () => Promise<unknown> = async () => {}) {
  const all: number[] = [];
  for (let time = 0; time <= TIMES; time += 1) {
    await prepare();
    const beganMs = performance.now();
    await work();
    // The first warms up.
    if (time > 0) all.push(performance.now() - beganMs);
  }
  return all.toSorted((one, other) => one - other)[Math.floor(TIMES / 2)] ?? Infinity;
}

/** A fleet, and rules that tell one person of everything by many contact points, again every half hour. */
async function fill(db: Db): Promise<void> {
  const { userIds } = await addFixtures(db);
  await sql`
    insert into sites (name, address, district, state, pin_code, commissioning_date, latitude, longitude, timezone)
    select 'Storm Park ' || n, 'Bench Road 1', 'Jodhpur', 'Rajasthan', '342301', '2023-03-31', 27, 72, 'Asia/Kolkata'
    from generate_series(1, ${SITES}::int) n`.execute(db);
  await sql`
    insert into devices (serial, secret_sha256)
    select 'BENCH-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${ROBOTS}::int) n`.execute(db);
  await sql`
    insert into robots (robot_name, serial_number, site_id, installation_date)
    select 'BENCH-' || n, 'BENCH-' || n, s.id, '2024-02-29' from generate_series(1, ${ROBOTS}::int) n
      join sites s on s.name = 'Storm Park ' || 1 + n % ${SITES}::int`.execute(db);
  await addContactPoints(db, userIds.admin, PHONES);
  const steps = JSON.stringify([{ after_minutes: 0, to: [{ kind: "PERSON", id: userIds.admin }] }]);
  const filter = JSON.stringify({ kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] });
  await sql`
    insert into notification_rules (name, enabled, filter, wait_seconds, repeat_minutes, tells_cleared, steps, created_at)
    select 'Rule ' || n, true, ${filter}::jsonb, 0, 30, false, ${steps}::jsonb, ${clock.now()}
    from generate_series(1, ${RULES}::int) n`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function addContactPoints(db: Db, userId: number, count: number): Promise<void> {
  await sql`
    insert into contact_points (name, owner_kind, user_id, channel, address, timezone, created_at)
    select 'Phone ' || n, 'PERSON', ${userId}::int, 'SLACK', 'hooks.example', 'Asia/Kolkata', ${clock.now()}
    from generate_series(1, ${count}::int) n`.execute(db);
}

async function measureRounds(db: Db, notifier: Notifier): Promise<void> {
  await notifier.runOnce();
  const none = await medianMs(() => notifier.runOnce());
  await sql`
    insert into alerts (robot_id, site_id, source, severity, code, text, raised_at)
    select id, site_id, 'ROBOT', 'WARNING', 'DUST', 'Dusty.', ${clock.now()} from robots
    where serial_number like 'BENCH-%'`.execute(db);
  await notifier.runOnce();
  await sql`vacuum analyze`.execute(db);
  const open = await medianMs(() => notifier.runOnce());
  report({
    what: `a round of the notifier with ${ROBOTS.toLocaleString("en")} open alerts under ${RULES} rules against one with none`,
    figure: open / none,
    unit: "times",
    atMost: 1.5,
    detail: `${open.toFixed(2)} and ${none.toFixed(2)} ms`,
  });
  await forgetAll(db, notifier);
}

/** Ends all alerts and forgets who was told. */
async function forgetAll(db: Db, notifier: Notifier): Promise<void> {
  await sql`update alerts set cleared_at = greatest(raised_at, ${clock.now()}), change_no = pg_current_xact_id()
    where cleared_at is null`.execute(db);
  await notifier.runOnce();
  await sql`truncate deliveries, delivery_alerts, alert_notices`.execute(db);
}

async function measureStorms(db: Db, notifier: Notifier, runner: DeliveryRunner): Promise<void> {
  const storm = (sites: number) =>
    medianMs(
      async () => {
        await notifier.runOnce();
        await runner.runOnce();
      },
      async () => {
        await forgetAll(db, notifier);
        await sql`
          insert into alerts (robot_id, site_id, source, severity, code, text, raised_at)
          select null, id, 'SERVER', 'CRITICAL', 'SITE_DARK', 'Dark.', ${clock.now()} from sites
          where name like 'Storm Park %' order by id limit ${sites}`.execute(db);
      },
    );
  const [few, many] = [await storm(FEW_SITES), await storm(SITES)];
  const { count } = await db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("status", "=", "SENT")
    .executeTakeFirstOrThrow();
  if (count !== PHONES) throw new Error(`${count} messages were sent to ${PHONES} contact points.`);
  report({
    what: `telling ${PHONES} contact points of a storm of ${SITES.toLocaleString("en")} dark sites against ${FEW_SITES}, a site`,
    figure: many / SITES / (few / FEW_SITES),
    unit: "times",
    atMost: 0.5,
    detail: `${many.toFixed(0)} and ${few.toFixed(0)} ms`,
  });
}

/** Of what is claimed in it nothing stays so. */
async function undone(db: Db, work: (tx: Tx) => Promise<readonly unknown[]>, expected: number): Promise<void> {
  const rollback = new Error("rolled back");
  await db
    .transaction()
    .execute(async (tx) => {
      const { length } = await work(tx);
      if (length !== expected) throw new Error(`${length} were claimed, not ${expected}.`);
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
}

async function measureEventClaims(db: Db): Promise<void> {
  const add = async (name: string, events: number, robots: number) => {
    const { id } = await db
      .insertInto("webhooks")
      .values({ name, host: "hooks.example", secret: "", enabled: true, created_at: clock.now() })
      .returning("id")
      .executeTakeFirstOrThrow();
    await sql`
      with made as (insert into events (event_type, at, robot_id, data)
        select 'alert.raised', now(), 1 + n % ${robots}::int, '{}' from generate_series(1, ${events}::int) n
        returning id, robot_id)
      insert into event_deliveries (event_id, webhook_id, lane) select id, ${id}::int, robot_id from made`.execute(db);
    return id;
  };
  const few = await add("Little", LITTLE, ROBOTS / (WAITING / LITTLE));
  const many = await add("Much", WAITING, ROBOTS);
  await sql`vacuum analyze`.execute(db);
  const claim = (webhookId: number) =>
    medianMs(() => undone(db, (tx) => claimEvents(tx, webhookId, { limit: 32, after: null, now: clock.now() }), 32));
  const [little, much] = [await claim(few), await claim(many)];
  report({
    what: `claiming 32 events where ${WAITING.toLocaleString("en")} of ${ROBOTS.toLocaleString("en")} robots wait against ${LITTLE.toLocaleString("en")}`,
    figure: much / little,
    unit: "times",
    atMost: 2,
    detail: `${much.toFixed(1)} and ${little.toFixed(1)} ms`,
  });
}

async function measureMessageClaims(db: Db, userId: number): Promise<void> {
  await addContactPoints(db, userId, LITTLE - PHONES);
  const add = async (each: number) => {
    await sql`
      insert into deliveries (id, message_kind, contact_point_id, channel, contact_point_name, told, address, title,
        created_at, due_at)
      select gen_random_uuid(), 'ALERTS', c.id, 'SLACK', c.name, 'Bench', c.address, 'Dark', ${clock.now()}, ${clock.now()}
      from contact_points c, generate_series(1, ${each}::int) n`.execute(db);
    await sql`vacuum analyze`.execute(db);
  };
  const claim = () =>
    medianMs(() => undone(db, (tx) => claimMessages(tx, { count: 8, busy: [], now: clock.now() }), 8));
  await sql`truncate deliveries, delivery_alerts`.execute(db);
  await add(FEW_EACH);
  const little = await claim();
  await add(WAITING / LITTLE - FEW_EACH);
  const much = await claim();
  report({
    what: `claiming 8 messages where ${WAITING.toLocaleString("en")} wait at ${LITTLE.toLocaleString("en")} contact points against ${(FEW_EACH * LITTLE).toLocaleString("en")}, a message that waits`,
    figure: much / WAITING / (little / (FEW_EACH * LITTLE)),
    unit: "times",
    atMost: 0.5,
    detail: `${much.toFixed(1)} and ${little.toFixed(1)} ms`,
  });
}

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
const database = openDatabase(postgres.connection, { queryLimitMs: 0, idleLimitMs: 0 });
const { db } = database;
try {
  await migrate(db);
  await fill(db);
  const deps = { db, clock, log };
  const notifier = new Notifier(deps);
  const runner = new DeliveryRunner({ ...deps, settings: {}, send: async () => delivered() });
  await measureRounds(db, notifier);
  await measureStorms(db, notifier, runner);
  await runner.stop();
  await measureEventClaims(db);
  const { user_id: userId } = await db.selectFrom("contact_points").select("user_id").executeTakeFirstOrThrow();
  await measureMessageClaims(db, userId ?? 0);
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
