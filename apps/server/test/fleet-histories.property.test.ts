import { createGroup, groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { createSchedule, deleteSchedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { SENSOR_STALE_MS } from "@suncrew/domain/guard/weather-guard.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type HarnessServer, CommandHarness } from "./command-harness.ts";
import { type Evening, EveningsByNeed } from "./evenings-by-need.ts";
import { InterruptibleBroker } from "./interruptible-broker.ts";
import { FastClock } from "./fast-clock.ts";
import type { TestRobot } from "./fixtures.ts";
import { MotionRecorder } from "./motion-recorder.ts";
import type { Answer, TestClient } from "./test-client.ts";

const { factor, seed } = inject("soak");
const histories = 3 * factor;
const SPEED = 25;
/** How late a busy machine may be, in milliseconds of the harness's time. */
const TOLERANCE_MS = 400 * SPEED;

/** How long planned runs last. */
const MINUTES = 1;
/** Gusts in km/h: within the site's limit, and beyond it. */
const CALM = 20;
const STORM = 80;
/**
 * Until all know of a storm, in milliseconds of the harness's time: the forecast is judged every 5 s, and a robot whose
 * messages are late by 10 s may not be known to move until its START has failed after 8 s.
 */
const STORM_KNOWN_MS = 24_000 + TOLERANCE_MS;
/** Who presses Start and Stop of a robot; the admin does the rest, so each start by her follows a release. */
const PRESSES = "owner";
const ADMIN = "Anita Rao";

let harness: CommandHarness;
let evenings: EveningsByNeed;
let groupId = 0;
let tried = 0;
let motionsSeen = 0;
const brokers: InterruptibleBroker[] = [];
/** The interval in which the schedule was being deleted or disabled. */
const ended: { readonly askedMs: number; readonly answeredMs: number }[] = [];
/** `untilMs` is null in a storm that has not ended; the silence of the site's sensor is one. */
const storms: { readonly of: "forecast" | "sensor"; readonly fromMs: number; untilMs: number | null }[] = [];
let limitKmh = 45;
const recorders = new Map<number, MotionRecorder>();
const clock = new FastClock(SPEED);
const robots = (): readonly TestRobot[] => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2];

beforeAll(async () => {
  const wrapBroker = (inner: ConstructorParameters<typeof InterruptibleBroker>[0]) => {
    const broker = new InterruptibleBroker(inner);
    brokers.push(broker);
    return broker;
  };
  harness = await CommandHarness.open({ clock, servers: 2, wrapBroker, sensor: true });
  for (const robot of robots()) {
    await harness.live(robot);
    recorders.set(robot.id, new MotionRecorder(harness.robot(robot), clock));
  }
  const admin = await harness.server.as("admin");
  const robot_ids = robots().map(({ id }) => id);
  const created = await admin.call(createGroup, {
    body: { site_id: harness.fixtures.ownSiteId, group_name: "East", robot_ids },
  });
  groupId = createGroup.response.parse(created.body).groupId;
  evenings = await EveningsByNeed.of(harness.db, clock, harness.fixtures.ownSiteId, robots());
  await blow(CALM);
  await setLimit();
  await onServer(0, (client) => plan(client, 3_600, "worth it"));
  await harness.until(async () =>
    (await evenings.decisions()).some(({ reason_code: code }) => code === "RUNS_WORTH_IT"),
  );
  await onServer(0, unplan);
});
afterAll(async () => {
  const byNeed = await evenings.text();
  await harness.close();
  process.stdout.write(
    `fleet histories: ${tried} tried, ${motionsSeen} motions seen, by need ${byNeed} (seed ${seed})\n`,
  );
});

const which = fc.nat({ max: 1 });
const ms = (max: number) => fc.integer({ min: 0, max });
const verb = fc.constantFrom("START" as const, "START" as const, "STOP" as const);
const forSeconds = fc.double({ min: 0.1, max: 20, noNaN: true });
const what = fc.constantFrom("answers" as const, "commands" as const);
const fault = fc.oneof(
  fc.record({ kind: fc.constantFrom("silent", "deaf", "twice", "away", "jam", "refuse", "drop-link"), forSeconds }),
  fc.record({ kind: fc.constant("late" as const), ms: ms(10_000), what, forSeconds }),
  fc.record({ kind: fc.constant("shuffle" as const), ms: ms(5_000), forSeconds }),
);

const measured = ["calm", "gusts", "gusts", "silent", "silent-for-long", "away"] as const;
const kinds: Evening[] = ["not yet", "least days", "unknown", "worth it", "worth it", "most days"];
const soonDueS = fc.integer({ min: 3, max: 15 });
/** `evening` is null for a schedule that runs once. */
const planOf = (evening: fc.Arbitrary<Evening | null>, inS: fc.Arbitrary<number>, thenMs: fc.Arbitrary<number>) =>
  fc.record({ do: fc.constant("plan" as const), server: which, inS, evening, thenMs });
const calmSteps = [
  { weight: 5, arbitrary: fc.record({ do: fc.constant("press" as const), robot: which, server: which, verb }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("group" as const), server: which, verb }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stop-site" as const), server: which }) },
  { weight: 3, arbitrary: planOf(fc.constant(null), soonDueS, fc.constant(0)) },
  // Few others would not be replaced before they are due.
  { weight: 4, arbitrary: planOf(fc.constantFrom(...kinds), soonDueS, ms(25_000)) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unplan" as const), server: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("switch-off" as const), server: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("lock" as const), robot: which, server: which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("release" as const),
      robot: which,
      server: which,
      startAfter: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lock-group" as const), server: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release-group" as const), server: which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fault" as const), robot: which, fault }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("power-cycle" as const), robot: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), server: which, forMs: ms(6_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose" as const), server: which, forMs: ms(6_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("replay" as const), pick: fc.nat({ max: 10 }) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: ms(4_000) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: ms(30_000) }) },
] as const;
const calmStep = fc.oneof(...calmSteps);
/** All robots can start when it is due; some wait until its runs would be over. */
const firstEvening = planOf(
  fc.constantFrom(...kinds),
  fc.constant(8),
  fc.constantFrom(16_000, MINUTES * 60_000 + 12_000),
);
/** Somebody starts all robots before it, and tries to again in it. */
const storm = fc
  .oneof(
    fc.record({ do: fc.constant("blow" as const), gust: fc.constant(STORM) }),
    fc.record({ do: fc.constant("measure" as const), what: fc.constantFrom("gusts", "gusts", "silent-for-long") }),
  )
  .map((begins) => [
    { do: "group" as const, server: 0, verb: "START" as const },
    { do: "wait" as const, ms: 3_000 },
    begins,
    { do: "wait" as const, ms: STORM_KNOWN_MS + 2_000 },
    { do: "group" as const, server: 0, verb: "START" as const },
    { do: "wait" as const, ms: 2_000 },
  ]);
const step = fc.oneof(
  ...calmSteps,
  { weight: 3, arbitrary: fc.record({ do: fc.constant("blow" as const), gust: fc.constantFrom(CALM, STORM, STORM) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("measure" as const), what: fc.constantFrom(...measured) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function live(steps: readonly Step[]): Promise<void> {
  tried += 1;
  const beganAt = clock.now();
  const calls: Promise<Answer>[] = [];
  const call = (server: number, work: (client: TestClient) => Promise<Answer>) =>
    void calls.push(onServer(server, work));
  let restarts = Promise.resolve();
  for (const each of steps) {
    switch (each.do) {
      case "press":
        call(each.server, () =>
          harness.press(each.verb, { robot: robotAt(each.robot), on: serverOf(each.server), as: PRESSES }),
        );
        break;
      case "group": {
        const body = { siteId: harness.fixtures.ownSiteId, groupId, command: each.verb };
        call(each.server, (client) => client.call(groupSendCommand, { body }));
        break;
      }
      case "stop-site":
        call(each.server, (client) => client.call(siteStop, { body: { siteId: harness.fixtures.ownSiteId } }));
        break;
      case "plan":
        call(each.server, (client) => plan(client, each.inS, each.evening));
        await passed(each.thenMs);
        break;
      case "unplan":
        call(each.server, unplan);
        break;
      case "switch-off":
        call(each.server, switchOff);
        break;
      case "lock":
      case "release": {
        const params = { robotId: robotAt(each.robot).id };
        const body =
          each.do === "lock" ? { enabled: true, reason: "Brush" } : { enabled: false, start_after: each.startAfter };
        call(each.server, (client) => client.call(robotMaintenance, { params, body }));
        break;
      }
      case "lock-group":
      case "release-group": {
        const body = { enabled: each.do === "lock-group", reason: "Inspection" };
        call(each.server, (client) => client.call(groupMaintenance, { params: { groupId }, body }));
        break;
      }
      case "blow":
        await blow(each.gust);
        break;
      case "measure":
        await measure(each.what);
        break;
      case "fault":
        harness.robot(robotAt(each.robot)).inject(each.fault);
        break;
      case "power-cycle":
        harness.robot(robotAt(each.robot)).powerCycle();
        break;
      case "restart":
        restarts = restarts.then(restart);
        break;
      case "cut": {
        const broker = brokerOf(each.server);
        broker.setCut(true);
        void passed(each.forMs).then(() => broker.setCut(false));
        break;
      }
      case "lose": {
        const broker = brokerOf(each.server);
        broker.deliveryOf = () => "lose";
        void passed(each.forMs).then(() => (broker.deliveryOf = () => "pass"));
        break;
      }
      case "replay":
        await replay(each.pick);
        break;
      case "wait":
        await passed(each.ms);
    }
  }
  for (const broker of brokers) {
    broker.deliveryOf = () => "pass";
    broker.setCut(false);
  }
  for (const robot of robots()) harness.robot(robot).clear();
  const answers = await soon(Promise.all(calls), "every call is answered");
  expect(answers.filter(({ status }) => ![200, 201, 400, 404, 409, 502, 503, 504].includes(status))).toEqual([]);
  await soon(restarts, "a server that was told to stop has stopped");
  await settle();
  for (const robot of robots()) await check(robot, beganAt);
  await cleanUp();
}

/** Everything is healed: commands are settled, and planned runs are over, each with its end. */
async function settle(): Promise<void> {
  let left: unknown[] = [];
  const settled = harness.until(async () => {
    left = [
      ...(await harness.db.selectFrom("commands").selectAll().where("settled_at", "is", null).execute()),
      // A plan that came too late for its time waits for tomorrow.
      ...(await harness.db.selectFrom("schedules").selectAll().where("next_run_at", "<", soonDue()).execute()),
      // In a storm, robots that have been started before it stand.
      ...(storms.some(({ fromMs, untilMs }) => untilMs === null && fromMs <= clock.now().getTime())
        ? await harness.db.selectFrom("robot_state").selectAll().where("motion", "=", "MOVING").execute()
        : []),
      ...(await harness.db
        .selectFrom("runs")
        .selectAll()
        .where("planned", "=", true)
        .where("ended_at", "is", null)
        .execute()),
    ];
    return left.length === 0;
  });
  await soon(settled, "every command is settled and every planned run is over", () => JSON.stringify(left));
}

function soonDue(): Date {
  return new Date(clock.now().getTime() + 3_600_000);
}

async function check(robot: TestRobot, beganAt: Date): Promise<void> {
  const recorder = recorders.get(robot.id);
  if (recorder === undefined) throw new Error("The robot has no recorder.");
  const commands = await harness.commands(robot);
  const byId = new Map(commands.map((command) => [command.id, command]));
  const byRun = new Map(commands.filter(({ run_id: id }) => id !== null).map((command) => [command.run_id, command]));
  // Protocol rule 8: a robot in maintenance never moves.
  expect(recorder.moments.filter(({ moving, inMaintenance }) => moving && inMaintenance)).toEqual([]);
  const locks = await harness.db.selectFrom("maintenance_locks").selectAll().where("robot_id", "=", robot.id).execute();
  for (const lock of locks) {
    const until = lock.released_at?.getTime() ?? Infinity;
    const ordered = commands.filter(
      ({ verb: of, issued_at: at }) => of === "START" && at > lock.locked_at && at.getTime() < until,
    );
    expect(ordered, "no start is ordered while the lock stands").toEqual([]);
    // From the moment the robot confirmed the lock until it was released.
    const keptMs = lock.confirmed_at?.getTime() ?? until;
    const moved = recorder.motions().filter(({ beganMs }) => beganMs > keptMs && beganMs < until - TOLERANCE_MS);
    expect(moved, "no motion begins while the lock is confirmed").toEqual([]);
  }
  checkPeopleDecide(commands);
  checkStorms(commands, recorder, byRun);
  const planned = commands.filter(({ verb: of, action_type: by }) => of === "START" && by === "SCHEDULED");
  const broken = await evenings.findBroken(
    planned.map((start) => ({ ...start, dueMs: dueMsOf(start) })),
    MINUTES,
    TOLERANCE_MS,
  );
  const rule = "nothing starts by need that was not decided, and everything is decided once";
  expect(broken, `${rule}: ${JSON.stringify(broken)}`).toEqual([]);
  // Protocol rules 1 and 5: no old START acts, and none twice.
  const { starts, startsTaken } = harness.robot(robot).truth();
  expect(new Set(startsTaken).size).toBe(startsTaken.length);
  for (const move of starts) {
    const start = byId.get(move.commandId);
    expect(start).toMatchObject({ verb: "START", session: move.session });
    expect(move.atMs).toBeLessThan(start?.expires_at.getTime() ?? 0);
    expect(start?.outcome).not.toBe("NEVER_SENT");
  }
  // Protocol rule 4: nothing runs past its time.
  const nowMs = clock.now().getTime();
  for (const { runId, beganMs, endMs } of recorder.motions()) {
    if (beganMs >= beganAt.getTime()) motionsSeen += 1;
    const longestMs = (byRun.get(runId)?.max_duration_s ?? 0) * 1_000;
    expect((endMs ?? nowMs) - beganMs, "a motion within its time").toBeLessThanOrEqual(longestMs + TOLERANCE_MS);
  }
  // Whatever became of its name: a new start gets another one.
  for (const { runId, endMs } of recorder.motions()) {
    const start = byRun.get(runId);
    if (start?.action_type !== "SCHEDULED") continue;
    const lastMs = plannedEndMs(start) + TOLERANCE_MS;
    expect(endMs ?? nowMs, "no motion by schedule lasts beyond the planned end").toBeLessThanOrEqual(lastMs);
  }
  const plannedRuns = await harness.db
    .selectFrom("runs")
    .selectAll()
    .where("robot_id", "=", robot.id)
    .where("planned", "=", true)
    .execute();
  for (const run of plannedRuns) {
    const lastMs = (run.stop_due_at?.getTime() ?? 0) + TOLERANCE_MS;
    const late = recorder.motions().filter(({ runId, endMs }) => runId === run.id && (endMs ?? nowMs) > lastMs);
    expect(late, "no planned run lasts beyond its planned end").toEqual([]);
  }
}

type Command = Awaited<ReturnType<CommandHarness["commands"]>>[number];

/** Wind and rain guard: no robot runs past a limit, unless nothing can reach it. */
function checkStorms(
  commands: readonly Command[],
  recorder: MotionRecorder,
  byRun: ReadonlyMap<string | null, Command>,
): void {
  const nowMs = clock.now().getTime();
  for (const { fromMs, untilMs } of storms) {
    const knownMs = fromMs + STORM_KNOWN_MS;
    const endMs = untilMs ?? nowMs;
    const started = commands.filter(
      ({ verb, issued_at: at }) => verb === "START" && at.getTime() > knownMs && at.getTime() < endMs,
    );
    expect(started, "no start is accepted where a weather limit is passed").toEqual([]);
    for (const motion of recorder.motions()) {
      const latestMs = Math.max(knownMs, motion.beganMs + STORM_KNOWN_MS);
      if ((motion.endMs ?? nowMs) <= latestMs || latestMs >= endMs) continue;
      const start = byRun.get(motion.runId);
      const stops = commands.filter(
        ({ verb, seq, issued_at: at }) =>
          (verb === "STOP" || verb === "MAINTENANCE_ON") && seq > (start?.seq ?? 0) && at.getTime() <= latestMs,
      );
      expect(stops, "every robot that moves where a weather limit is passed is sent a Stop").not.toEqual([]);
    }
  }
}

/** When a planned run ends, by its START: the robot gets whole seconds, and schedules have no others. */
function plannedEndMs({ issued_at, max_duration_s }: Command): number {
  return Math.ceil((issued_at.getTime() + (max_duration_s ?? 0) * 1_000) / 1_000) * 1_000;
}

const dueMsOf = (start: Command) => plannedEndMs(start) - MINUTES * 60_000;

/** Sequence numbers show which command of a robot came first, whatever the clocks say. */
function checkPeopleDecide(commands: readonly Command[]): void {
  const byPeople = commands.filter(({ action_type: by }) => by === "MANUAL" || by === "GROUP");
  const stops = byPeople.filter(({ verb }) => verb === "STOP" || verb === "MAINTENANCE_ON");
  for (const start of commands.filter(({ verb, action_type: by }) => verb === "START" && by === "SCHEDULED")) {
    const dueMs = dueMsOf(start);
    const undone = stops.filter(({ seq, issued_at: at }) => seq < start.seq && at.getTime() >= dueMs);
    expect(undone, "nothing that was due when a person stopped or locked the robot is started after it").toEqual([]);
    const over = ended.filter(({ askedMs, answeredMs }) => dueMs <= askedMs && start.issued_at.getTime() > answeredMs);
    expect(over, "nothing that was due is started after its schedule was deleted or switched off").toEqual([]);
  }
  const afterRelease = byPeople.filter(
    ({ verb, action_type: by, requested_by: name }) => verb === "START" && by === "MANUAL" && name === ADMIN,
  );
  for (const start of afterRelease) {
    const release = byPeople.findLast(({ verb, seq }) => verb === "MAINTENANCE_OFF" && seq < start.seq);
    const between = stops.filter(({ seq }) => seq < start.seq && seq > (release?.seq ?? 0));
    expect(between, "a start that was asked for with a release gives way to a Stop or lock since").toEqual([]);
  }
}

/** Every hour's forecast of the site, received just now, and the dust in its air. */
async function blow(gust: number): Promise<void> {
  const last = openStorm("forecast");
  // Over before it is stored, and not begun until it is.
  if (gust === CALM && last !== undefined) last.untilMs = clock.now().getTime();
  await evenings.storeWeather(gust);
  if (gust === STORM && last === undefined)
    storms.push({ of: "forecast", fromMs: clock.now().getTime(), untilMs: null });
}

const openStorm = (of: "forecast" | "sensor") => storms.find((each) => each.of === of && each.untilMs === null);

/** What the site's weather sensor does from now on. Gusts begin once a server has stored them, and so does the calm. */
async function measure(what: (typeof measured)[number]): Promise<void> {
  const [sensor] = harness.fleet.sensors;
  if (sensor === undefined) throw new Error("The site has no sensor.");
  const at = clock.now().getTime();
  const last = openStorm("sensor");
  if (last !== undefined) last.untilMs = at;
  sensor.clear();
  if (what === "calm" || what === "gusts") {
    if (what === "gusts") sensor.inject({ kind: "gusts", kmh: STORM });
    const stored = async () => {
      const reading = await harness.db.selectFrom("site_sensors").selectAll().executeTakeFirstOrThrow();
      if (Number(reading.received_at) > at && (reading.gust_kmh === STORM) === (what === "gusts")) return;
      await passed(1_000);
      await stored();
    };
    await soon(stored(), "what the sensor measures is stored");
    if (what === "gusts") storms.push({ of: "sensor", fromMs: clock.now().getTime(), untilMs: null });
    return;
  }
  sensor.inject({ kind: what === "away" ? "away" : "silent" });
  storms.push({ of: "sensor", fromMs: at + SENSOR_STALE_MS, untilMs: null });
  if (what === "silent-for-long") await passed(SENSOR_STALE_MS + STORM_KNOWN_MS + 5_000);
}

/** Other limits than before: what was passed by them counts for nothing. */
async function setLimit(): Promise<void> {
  const { ownSiteId: siteId } = harness.fixtures;
  limitKmh = limitKmh === 45 ? 46 : 45;
  const others = { max_rain_mm: null, min_temperature_c: null, max_temperature_c: null };
  const body = { max_gust_kmh: limitKmh, ...others, without_sensor: "STOP" as const };
  const answer = await onServer(0, (client) => client.call(updateSiteGuard, { params: { siteId }, body }));
  expect(answer.status).toBe(200);
  const judged = harness.until(async () => {
    const guard = await harness.db.selectFrom("site_guards").selectAll().executeTakeFirst();
    return guard?.verdict === "CLEAR";
  });
  await soon(judged, "the weather is judged by the new limits");
}

/** Leaves the robots stopped, free and without a schedule for the next history, in calm weather. */
async function cleanUp(): Promise<void> {
  await blow(CALM);
  await measure("calm");
  await setLimit();
  await onServer(0, unplan);
  for (const robot of robots()) {
    await soon(harness.press("STOP", { robot }), "the last STOP is answered");
    const standing = harness.robot(robot).until(({ motion }) => motion === "STOPPED");
    await soon(standing, "the robot stands after the last STOP");
    const params = { robotId: robot.id };
    const free = harness.until(async () => {
      const client = await harness.server.as("admin");
      const { status } = await client.call(robotMaintenance, { params, body: { enabled: false } });
      const row = await harness.state(robot);
      return (status === 200 || status === 409) && row.mode !== "MAINTENANCE" && row.online && row.live_at !== null;
    });
    await soon(free, "the robot can be released");
  }
}

/** Once; or with an evening when worth it, which is decided as soon as it is planned. */
async function plan(client: TestClient, inS: number, evening: Evening | null): Promise<Answer> {
  const { date, time } = localTimeOf(new Date(clock.now().getTime() + inS * 1_000), "Asia/Kolkata");
  const body = {
    site_id: harness.fixtures.ownSiteId,
    group_id: groupId,
    start_time: `${date} ${time}`,
    duration_minutes: MINUTES,
  };
  await unplan(client);
  const when = evening === null ? ({ frequency: "ONCE" } as const) : await evenings.prepare(evening);
  const answer = await client.call(createSchedule, { body: { ...body, ...when } });
  evenings.planned(answer, evening !== null);
  return answer;
}

async function unplan(client: TestClient): Promise<Answer> {
  const found = await harness.db
    .selectFrom("schedules")
    .select("id")
    .where("group_id", "=", groupId)
    .executeTakeFirst();
  return ending(client.call(deleteSchedule, { params: { scheduleId: found?.id ?? 1 } }));
}

async function switchOff(client: TestClient): Promise<Answer> {
  const found = await harness.db.selectFrom("schedules").selectAll().where("group_id", "=", groupId).executeTakeFirst();
  const body = {
    site_id: harness.fixtures.ownSiteId,
    group_id: groupId,
    start_time: found?.start_time ?? "2099-01-01 06:00:00",
    duration_minutes: MINUTES,
    frequency: "DAILY" as const,
    status: "INACTIVE" as const,
  };
  return ending(client.call(updateSchedule, { params: { scheduleId: found?.id ?? 1 }, body }));
}

/** Records when a schedule was deleted or disabled. */
async function ending(call: Promise<Answer>): Promise<Answer> {
  const askedMs = clock.now().getTime();
  const answer = await call;
  if (answer.status === 200) ended.push({ askedMs, answeredMs: clock.now().getTime() });
  return answer;
}

function robotAt(index: number): TestRobot {
  return robots()[index] ?? harness.fixtures.ownRobot;
}

function serverOf(index: number): HarnessServer {
  return harness.servers[index] ?? harness.server;
}

function brokerOf(index: number): InterruptibleBroker {
  const { broker } = serverOf(index);
  if (!(broker instanceof InterruptibleBroker)) throw new Error("The server's broker connection cannot be cut.");
  return broker;
}

/** A server that is stopping accepts no call; the browser's next try reaches another. */
async function onServer(index: number, work: (client: TestClient) => Promise<Answer>): Promise<Answer> {
  try {
    return await work(await serverOf(index).as("admin"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "FST_ERR_REOPENED_CLOSE_SERVER")) throw error;
    return work(await serverOf(index).as("admin"));
  }
}

/** A new server replaces the oldest one, which answers its callers first. One restart at a time. */
async function restart(): Promise<void> {
  const old = harness.server;
  await harness.startServer();
  await old.stop();
}

/** The network delivers one of the latest command messages again. */
async function replay(pick: number): Promise<void> {
  const sent = brokers
    .flatMap(({ published }) => published.slice(-5))
    .filter(({ payload }) => payload.includes('"seq"'));
  const again = sent[pick % Math.max(1, sent.length)];
  if (again !== undefined) await harness.observer.publish(again.topic, again.payload);
}

function passed(waitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(waitMs, resolve);
  return promise;
}

/** Once all faults are healed, this happens within ten minutes of the harness's time. */
async function soon<T>(event: Promise<T>, expected: string, found = () => ""): Promise<T> {
  const late = Symbol(expected);
  const came = await Promise.race([event, passed(600_000).then(() => late)]);
  if (came === late) throw new Error(`Not so, though everything is healed: ${expected}. ${found()}`);
  return came as T;
}

test(
  `protocol rules 1, 3, 4, 5, 8: in ${histories} random histories of commands, groups, schedules, evenings by need, locks, storms and faults no robot in maintenance moves, none starts or is left running past a weather limit or without the readings that its site wants, no old start acts, nothing starts that a person stopped or that was not decided to run, and nothing runs past its time (seed ${seed})`,
  { timeout: 120_000 + histories * 90_000 },
  async () => {
    // After a storm nothing starts for ten minutes, which few histories last: storms come late.
    const parts = fc.tuple(
      firstEvening,
      fc.array(calmStep, { minLength: 5, maxLength: 18, size: "max" }),
      storm,
      fc.array(step, { minLength: 2, maxLength: 15, size: "max" }),
    );
    // Else the first ones would be short, of steps of one kind.
    const steps = fc.noBias(parts.map((each): Step[] => each.flat()));
    await fc.assert(fc.asyncProperty(steps, live), { numRuns: histories, seed, endOnFailure: true });
  },
);
