import {
  createWebhook,
  deleteWebhook,
  eventDeliveryList,
  replaceWebhookSecret,
  replayEventDelivery,
  replayWebhook,
  testWebhook,
  updateWebhook,
  webhookList,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { type ReceivedCall, WebhookReceiver } from "../../../test/webhook-receiver.ts";
import { ManualClock } from "../../platform/clock.ts";
import { OutgoingHttp } from "../../platform/outgoing-http.ts";
import { readFleetFigures } from "../metrics/fleet-figures.repository.ts";
import { RegularMessages } from "../notifications/public.ts";
import { EventSender, eventTries } from "./event-sender.ts";

const HOUR_MS = 3_600_000;
let server: TestApp;
let admin: TestClient;
let receiver: WebhookReceiver;
let sender: EventSender;

beforeEach(async () => {
  receiver = await WebhookReceiver.open();
  server = await createTestApp({
    // Deliveries count from when the database noted them.
    clock: new ManualClock(new Date()),
    settings: { outgoingPrivateAddresses: ["127.0.0.1"] },
  });
  admin = await server.as("admin");
  sender = new EventSender(server.deps);
});
afterEach(async () => {
  await sender.stop();
  await receiver.close();
  await server.close();
});

const everything = { event_types: null, enabled: true };
const webhook = (name = "Control room", more = {}) =>
  admin.ask(createWebhook, { body: { name, url: receiver.url, ...everything, ...more } });

/** Sends whatever is due until nothing is, and after each pause. */
async function sends(afterMs = 0, by = sender): Promise<void> {
  server.clock.advance(afterMs);
  await by.runOnce();
  await by.idle();
}

const raises = (robot: { readonly id: number; readonly siteId: number }, code: string, severity = "WARNING") =>
  sql`
  insert into alerts (robot_id, site_id, source, code, severity, text, raised_at)
  values (${robot.id}, ${robot.siteId}, 'ROBOT', ${code}, ${severity}, ${`${code}.`}, now())`.execute(server.db);
/** One event of each of so many robots. */
const eventsOfRobots = (count: number) =>
  sql`
    with made as (insert into events (event_type, at, data)
      select 'alert.raised', now(), jsonb_build_object('id', n::text, 'severity', 'INFO', 'source', 'SERVER',
        'code', 'DUST', 'text', 'Dust.', 'raised_at', now(), 'acknowledged_at', null, 'acknowledged_by', null,
        'comment', null, 'cleared_at', null)
      from generate_series(1, ${count}::int) n returning id)
    insert into event_deliveries (event_id, webhook_id, lane)
    select id, (select max(id) from webhooks), row_number() over () from made`.execute(server.db);
const codes = (calls: readonly ReceivedCall[]) =>
  calls.map(({ body }) => (JSON.parse(body) as { data: { alert: { code: string } } }).data.alert.code);
const deliveries = async (query = {}) => (await admin.ask(eventDeliveryList, { query })).deliveries;

function isSignedWith(secret: string, { id, headers, body }: ReceivedCall): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = createHmac("sha256", key).update(`${id}.${headers["webhook-timestamp"]}.${body}`).digest("base64");
  return headers["webhook-signature"]?.split(" ").includes(`v1,${signed}`) === true;
}

describe("events out: what is noted", () => {
  test("nothing while nobody wants it: no webhook, a disabled one, other types, other sites", async () => {
    const { ownRobot, secondSiteId, strangerPartnerId } = server.fixtures;
    await raises(ownRobot, "BEFORE");
    await webhook("Off", { enabled: false });
    await webhook("Runs", { event_types: ["run.ended"] });
    await webhook("Annex", { site_ids: [secondSiteId] });
    await webhook("Farcare", { partner_ids: [strangerPartnerId] });
    await raises(ownRobot, "DUST");
    expect(await server.db.selectFrom("events").selectAll().execute()).toEqual([]);
    await raises(server.fixtures.foreignRobot, "DUST");
    await sends();
    expect(receiver.calls.map(({ serial }) => serial)).toEqual(["FAR-1"]);
  });

  test("many rows of one statement are as many events, each once for each webhook", async () => {
    await webhook("One");
    await webhook("Two");
    const { ownRobot, ownRobot2, foreignRobot } = server.fixtures;
    for (const robot of [ownRobot, ownRobot2, foreignRobot]) await raises(robot, "DUST");
    await sql`update alerts set cleared_at = now()`.execute(server.db);
    await sends();
    expect(receiver.types()).toHaveLength(12);
    for (const serial of ["OWN-1", "OWN-2", "FAR-1"]) {
      expect(receiver.types(serial).toSorted()).toEqual([
        "alert.cleared",
        "alert.cleared",
        "alert.raised",
        "alert.raised",
      ]);
    }
    expect(new Set(receiver.calls.map(({ id }) => id)).size).toBe(6);
  });

  test("what is rolled back, or changes nothing that matters, is no event", async () => {
    await webhook();
    const { ownRobot } = server.fixtures;
    await server.db
      .transaction()
      .execute(async (tx) => {
        await sql`insert into alerts (robot_id, site_id, source, code, severity, text, raised_at)
          values (${ownRobot.id}, ${ownRobot.siteId}, 'ROBOT', 'DUST', 'INFO', 'Dust.', now())`.execute(tx);
        throw new Error("rolled back");
      })
      .catch(() => {});
    await sql`update robot_state set battery = 40, live_at = now(), online = online`.execute(server.db);
    expect(await server.db.selectFrom("events").selectAll().execute()).toEqual([]);
  });
});

describe("events out: Standard Webhooks", () => {
  test("a call has id, timestamp and signature; the body says what happened, where and to which robot", async () => {
    const { signing_secret } = await webhook();
    await raises(server.fixtures.ownRobot, "DUST", "CRITICAL");
    await sends();
    const [call] = receiver.calls;
    if (call === undefined) throw new Error("nothing was sent");
    expect(isSignedWith(signing_secret, call)).toBe(true);
    expect(isSignedWith("whsec_" + Buffer.alloc(32).toString("base64"), call)).toBe(false);
    expect(Number(call.headers["webhook-timestamp"])).toBe(Math.floor(server.clock.now().getTime() / 1000));
    expect(JSON.parse(call.body)).toMatchObject({
      type: "alert.raised",
      data: {
        site: { id: server.fixtures.ownSiteId, name: "Ownfield Park" },
        robot: { id: server.fixtures.ownRobot.id, serial_number: "OWN-1" },
        alert: { severity: "CRITICAL", code: "DUST", text: "DUST.", cleared_at: null },
      },
    });
    expect(await deliveries()).toMatchObject([
      { event_id: call.id, type: "alert.raised", status: "SENT", attempts: 1, payload: call.body, reason: null },
    ]);
    expect(await admin.ask(webhookList)).toMatchObject([
      { failing: null, waiting: 0, last_sent_at: expect.any(String) },
    ]);
  });

  test("while a secret is replaced, calls are signed with both for a day, then with the new one alone", async () => {
    const { webhookId, signing_secret: former } = await webhook();
    const { signing_secret: current } = await admin.ask(replaceWebhookSecret, { params: { webhookId } });
    const signedWith = (call: ReceivedCall | undefined) =>
      [former, current].map((secret) => call !== undefined && isSignedWith(secret, call));
    await raises(server.fixtures.ownRobot, "FIRST");
    await sends();
    await raises(server.fixtures.ownRobot, "SECOND");
    await sends(24 * HOUR_MS);
    expect(receiver.calls.map(signedWith)).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  test("a try that fails is repeated with the same id and bytes and a new timestamp, until it is taken", async () => {
    await webhook();
    receiver.answer = () => ({ status: receiver.calls.length < 3 ? 500 : 200 });
    await raises(server.fixtures.ownRobot, "DUST");
    await sends();
    expect(await deliveries()).toMatchObject([
      { status: "WAITING", attempts: 1, reason_code: "SERVICE_FAILING", reason: expect.stringContaining("500") },
    ]);
    expect(await admin.ask(webhookList)).toMatchObject([
      { failing: { reason_code: "SERVICE_FAILING" }, waiting: 1, last_sent_at: null },
    ]);
    // Its name at the time of the event stays in the body.
    await sql`update robots set robot_name = 'Renamed' where id = ${server.fixtures.ownRobot.id}`.execute(server.db);
    await sends(10_000);
    expect(receiver.calls).toHaveLength(1);
    await sends(20_000);
    await sends(60_000);
    expect(receiver.calls).toHaveLength(3);
    expect(new Set(receiver.calls.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    expect(new Set(receiver.calls.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(3);
    expect(await deliveries()).toMatchObject([{ status: "SENT", attempts: 3, reason: null }]);
    expect(await admin.ask(webhookList)).toMatchObject([{ failing: null, waiting: 0 }]);
  });

  test("Retry-After is respected, of 429 and of 503: nothing else is sent to it meanwhile", async () => {
    await webhook();
    receiver.answer = ({ serial }) =>
      serial === "OWN-1" ? { status: 429, headers: { "retry-after": "600" } } : { status: 204 };
    await raises(server.fixtures.ownRobot, "DUST");
    await sends();
    await raises(server.fixtures.ownRobot2, "DUST");
    await sends(599_000);
    expect(receiver.types()).toHaveLength(1);
    receiver.answer = () => ({ status: 204 });
    await sends(1_000);
    expect(receiver.calls.map(({ serial }) => `${serial}`).toSorted()).toEqual(["OWN-1", "OWN-1", "OWN-2"]);
  });

  test("410 disables the webhook with a reason, gives up what waits, and is recorded", async () => {
    await webhook();
    receiver.answer = () => ({ status: 410 });
    await raises(server.fixtures.ownRobot, "FIRST");
    await raises(server.fixtures.ownRobot, "SECOND");
    await sends();
    expect(receiver.calls).toHaveLength(1);
    expect(await admin.ask(webhookList)).toMatchObject([
      { enabled: false, disabled_reason: expect.stringContaining("410"), waiting: 0 },
    ]);
    expect((await deliveries()).map(({ status, reason_code }) => [status, reason_code])).toEqual([
      ["FAILED", "WEBHOOK_SAID_GONE"],
      ["FAILED", "WEBHOOK_GONE"],
    ]);
    const audited = await server.db.selectFrom("audit").select(["actor", "action"]).orderBy("id", "desc").execute();
    expect(audited[0]).toEqual({ actor: "Suncrew", action: "DISABLE_WEBHOOK" });
  });

  test("410 to a test event disables the webhook in the same way", async () => {
    const { webhookId } = await webhook();
    await raises(server.fixtures.ownRobot, "WAITS");
    receiver.answer = () => ({ status: 410 });
    const answer = await admin.ask(testWebhook, { params: { webhookId } });
    expect(answer).toMatchObject({ delivered: false, message: expect.stringContaining("410") });
    expect(await admin.ask(webhookList)).toMatchObject([
      { enabled: false, disabled_reason: expect.stringContaining("410"), waiting: 0 },
    ]);
    expect(await deliveries()).toMatchObject([{ status: "FAILED", reason_code: "WEBHOOK_SAID_GONE" }]);
    const audited = await server.db.selectFrom("audit").select(["actor", "action"]).orderBy("id", "desc").execute();
    expect(audited.slice(0, 2)).toEqual([
      { actor: "Suncrew", action: "DISABLE_WEBHOOK" },
      { actor: "Anita Rao", action: "TEST_WEBHOOK" },
    ]);
  });
});

describe("events out: the order of each robot", () => {
  test("a robot's later events wait while an earlier one is tried again; those of other robots do not", async () => {
    await webhook();
    const { ownRobot, ownRobot2 } = server.fixtures;
    let fails = 2;
    receiver.answer = ({ body }) => ({ status: body.includes("SECOND") && (fails -= 1) >= 0 ? 500 : 200 });
    for (const code of ["FIRST", "SECOND", "THIRD"]) await raises(ownRobot, code);
    await raises(ownRobot2, "OTHER");
    await sends();
    await sends(30_000);
    expect(codes(receiver.calls).filter((code) => code !== "OTHER")).toEqual(["FIRST", "SECOND", "SECOND"]);
    expect(receiver.types("OWN-2")).toHaveLength(1);
    await sends(60_000);
    await sends(60_000);
    expect(codes(receiver.calls.filter(({ serial }) => serial === "OWN-1"))).toEqual([
      "FIRST",
      "SECOND",
      "SECOND",
      "SECOND",
      "THIRD",
    ]);
  });

  test("what nobody takes for a day is given up with its reason; then the next goes on", async () => {
    await webhook();
    receiver.answer = ({ body }) => ({ status: body.includes("POISON") ? 422 : 200 });
    await raises(server.fixtures.ownRobot, "POISON");
    await raises(server.fixtures.ownRobot, "NEXT");
    for (let hours = 0; hours <= 25; hours += 1) await sends(HOUR_MS);
    admin = await server.signIn("admin");
    const [next, poison] = await deliveries();
    expect(poison).toMatchObject({ status: "FAILED", reason_code: "WEBHOOK_NOT_ACCEPTED" });
    expect(poison?.attempts).toBeGreaterThan(8);
    expect(next).toMatchObject({ status: "SENT", attempts: 1 });
    expect(codes(receiver.calls).at(-1)).toBe("NEXT");
  });

  test("at most eight calls are under way to a webhook, of as many robots", async () => {
    await webhook();
    const release = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    receiver.answer = async () => {
      if (receiver.busy === 8) full.resolve();
      await release.promise;
      return { status: 200 };
    };
    await eventsOfRobots(40);
    await sender.runOnce();
    await full.promise;
    expect(receiver.busy).toBe(8);
    release.resolve();
    await sender.idle();
    expect([receiver.calls.length, receiver.busiest]).toEqual([40, 8]);
  });

  test("however many robots wait, each has its turn before the others have their next", async () => {
    await webhook();
    const lanes = 40;
    await sql`
      with made as (insert into events (event_type, at, data, serial_number, robot_id)
        select 'alert.raised', now(), jsonb_build_object('id', n::text, 'severity', 'INFO', 'source', 'SERVER',
          'code', 'DUST', 'text', 'Dust.', 'raised_at', now(), 'acknowledged_at', null, 'acknowledged_by', null,
          'comment', null, 'cleared_at', null), 'R' || n % ${lanes}, 1 + n % ${lanes}
        from generate_series(1, ${3 * lanes}) n returning id, robot_id)
      insert into event_deliveries (event_id, webhook_id, lane)
      select id, (select max(id) from webhooks), robot_id from made`.execute(server.db);
    // Of the eight calls that are under way none overtakes another, however slow its connection is.
    let [waiting, together] = [0, Promise.withResolvers<void>()];
    receiver.answer = async () => {
      const { promise, resolve } = together;
      waiting += 1;
      if (waiting === 8) {
        [waiting, together] = [0, Promise.withResolvers<void>()];
        resolve();
      }
      await promise;
      return { status: 200 };
    };
    await sends();
    expect(receiver.calls).toHaveLength(3 * lanes);
    const first = receiver.calls.slice(0, lanes).map(({ serial }) => serial);
    expect(new Set(first).size).toBe(lanes);
  });

  test("two servers send each event once, and a robot's in order", async () => {
    await webhook();
    const other = new EventSender(server.deps);
    const { ownRobot, ownRobot2, foreignRobot } = server.fixtures;
    const expected: string[] = [];
    for (let number = 1; number <= 30; number += 1) {
      expected.push(`C${number}`);
      for (const robot of [ownRobot, ownRobot2, foreignRobot]) await raises(robot, `C${number}`);
      void sender.runOnce();
      void other.runOnce();
    }
    await Promise.all([sends(), sends(0, other)]);
    await sends();
    await other.stop();
    for (const serial of ["OWN-1", "OWN-2", "FAR-1"]) {
      expect(codes(receiver.calls.filter((call) => call.serial === serial))).toEqual(expected);
    }
  });

  test("a server that dies during a call costs no event: another sends it with the same id, and the later ones after it", async () => {
    await webhook();
    receiver.answer = () => null;
    await raises(server.fixtures.ownRobot, "FIRST");
    await raises(server.fixtures.ownRobot, "SECOND");
    // As a server leaves it that was killed after its claim.
    await sends();
    await sql`update event_deliveries set due_at = ${new Date(server.clock.now().getTime() + 120_000)}
      where attempts > 0`.execute(server.db);
    await sql`update webhooks set paused_until = null`.execute(server.db);
    receiver.answer = () => ({ status: 200 });
    const other = new EventSender(server.deps);
    await sends(119_000, other);
    expect(receiver.calls).toHaveLength(1);
    await sends(1_000, other);
    await other.stop();
    expect(codes(receiver.calls)).toEqual(["FIRST", "FIRST", "SECOND"]);
    expect(receiver.calls[0]?.id).toBe(receiver.calls[1]?.id);
  });

  test("a server that stops ends its calls, and leaves what it claimed to the others at once", async () => {
    await webhook();
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    receiver.answer = async () => {
      reached.resolve();
      await release.promise;
      return { status: 200 };
    };
    await sender.start();
    await raises(server.fixtures.ownRobot, "DUST");
    void sender.runOnce();
    await reached.promise;
    await sender.stop();
    release.resolve();
    receiver.answer = () => ({ status: 200 });
    const other = new EventSender(server.deps);
    await sends(0, other);
    await other.stop();
    expect(await deliveries()).toMatchObject([{ status: "SENT", attempts: 2 }]);
  });

  test("a server that stops also leaves to the others at once what it claimed and has not begun to send", async () => {
    await webhook();
    const full = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    receiver.answer = async () => {
      if (receiver.busy === 8) full.resolve();
      await release.promise;
      return { status: 200 };
    };
    await eventsOfRobots(20);
    await sender.start();
    void sender.runOnce();
    await full.promise;
    await sender.stop();
    release.resolve();
    receiver.answer = () => ({ status: 200 });
    const other = new EventSender(server.deps);
    await sends(0, other);
    await other.stop();
    const rows = await server.db.selectFrom("event_deliveries").select(["status", "attempts"]).execute();
    expect(rows.filter(({ status }) => status === "SENT")).toHaveLength(20);
    expect(rows.filter(({ attempts }) => attempts === 1)).toHaveLength(12);
  });
});

describe("events out: a webhook that nothing reaches", () => {
  const alerts = async () => {
    await new RegularMessages(server.deps).runOnce();
    const rows = await server.db
      .selectFrom("alerts")
      .select(["text", "cleared_at"])
      .where("code", "=", "CHANNEL_FAILING")
      .execute();
    return rows.map(({ text, cleared_at }) => [text, cleared_at === null]);
  };
  const text = expect.stringMatching(/^Events cannot be delivered to the webhook Control room\./) as string;

  test("is an alert once it has failed for five minutes, until an event arrives", async () => {
    await webhook();
    receiver.answer = () => ({ status: 500 });
    await raises(server.fixtures.ownRobot, "DUST");
    await sends();
    await sends(299_000);
    expect(await alerts()).toEqual([]);
    await sends(1_000);
    expect(await alerts()).toEqual([[text, true]]);
    receiver.answer = () => ({ status: 200 });
    await sends(600_000);
    expect(await alerts()).toEqual([[text, false]]);
  });

  test("is an alert if it was disabled because it is gone, until somebody enables or deletes it, not if a person did", async () => {
    const { webhookId } = await webhook();
    const params = { webhookId };
    await admin.ask(updateWebhook, { params, body: { name: "Control room", ...everything, enabled: false } });
    expect(await alerts()).toEqual([]);
    await admin.ask(updateWebhook, { params, body: { name: "Control room", ...everything } });
    receiver.answer = () => ({ status: 410 });
    await raises(server.fixtures.ownRobot, "DUST");
    await sends();
    expect(await alerts()).toEqual([[text, true]]);
    await admin.ask(deleteWebhook, { params });
    expect(await alerts()).toEqual([[text, false]]);
  });

  test("shows in the metrics: tries by outcome, what waits, and how long ago the oldest happened", async () => {
    const counts = async () => {
      const { values } = await eventTries.get();
      return ["sent", "retried", "given_up"].map(
        (outcome) => values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0,
      );
    };
    // Of the process, which has run other tests.
    const before = await counts();
    const counted = async () => (await counts()).map((count, nth) => count - (before[nth] ?? 0));
    await webhook();
    const { ownRobot, ownRobot2 } = server.fixtures;
    receiver.answer = ({ serial }) => ({ status: serial === "OWN-1" ? 500 : 200 });
    for (const code of ["FIRST", "SECOND"]) await raises(ownRobot, code);
    await raises(ownRobot2, "DUST");
    await sends();
    expect(await counted()).toEqual([1, 1, 0]);
    const figures = await readFleetFigures(server.db, new Date(Date.now() + 60_000));
    expect(figures).toMatchObject({ eventsWaiting: 2 });
    expect(figures.eventOldestMs).toBeGreaterThanOrEqual(60_000);
    receiver.answer = () => ({ status: 410 });
    await sends(60_000);
    expect(await counted()).toEqual([1, 1, 2]);
    expect(await readFleetFigures(server.db, server.clock.now())).toMatchObject({ eventsWaiting: 0, eventOldestMs: 0 });
  });
});

describe("events out: replay", () => {
  test("one, or all that were given up since a time: in order, with the same ids and bytes, each once", async () => {
    const { webhookId } = await webhook();
    const params = { webhookId };
    const since = server.clock.now();
    const { ownRobot } = server.fixtures;
    for (const code of ["FIRST", "SECOND"]) await raises(ownRobot, code);
    await admin.ask(updateWebhook, { params, body: { name: "Control room", ...everything, enabled: false } });
    expect((await deliveries()).map(({ reason }) => reason)).toEqual([
      "Anita Rao disabled the webhook before this was sent.",
      "Anita Rao disabled the webhook before this was sent.",
    ]);
    const body = { since: since.toISOString() };
    expect(await admin.call(replayWebhook, { params, body })).toMatchObject({
      status: 409,
      body: { code: "WEBHOOK_DISABLED" },
    });
    await admin.ask(updateWebhook, { params, body: { name: "Control room", ...everything } });
    expect(await admin.ask(replayWebhook, { params, body })).toMatchObject({ replayed: 2 });
    expect(await admin.ask(replayWebhook, { params, body })).toMatchObject({ replayed: 0 });
    await sends();
    expect(codes(receiver.calls)).toEqual(["FIRST", "SECOND"]);
    const [newest] = await deliveries({ status: "SENT", webhook_id: webhookId });
    expect(newest).toMatchObject({ replay: true, status: "SENT" });
    await admin.ask(replayEventDelivery, { params: { deliveryId: newest?.id ?? "" } });
    await sends();
    expect(codes(receiver.calls)).toEqual(["FIRST", "SECOND", "SECOND"]);
    expect(receiver.calls[1]?.id).toBe(receiver.calls[2]?.id);
    expect(receiver.calls[1]?.body).toBe(receiver.calls[2]?.body);
    expect(await admin.call(replayEventDelivery, { params: { deliveryId: "999999" } })).toMatchObject({ status: 404 });
  });

  test("of one, pressed twice at the same moment, sends it once more; later it can be sent again", async () => {
    const { webhookId } = await webhook();
    await raises(server.fixtures.ownRobot, "DUST");
    await sends();
    const [first] = await deliveries({ webhook_id: webhookId });
    const replay = () => admin.call(replayEventDelivery, { params: { deliveryId: first?.id ?? "" } });
    const presses = await Promise.all([replay(), replay(), replay()]);
    expect(presses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(presses.find(({ status }) => status === 409)).toMatchObject({ body: { code: "EVENT_ON_ITS_WAY" } });
    await sends();
    expect(codes(receiver.calls)).toEqual(["DUST", "DUST"]);
    expect(await replay()).toMatchObject({ status: 200 });
  });
});

describe("events out: private addresses", () => {
  test("none is called unless it is allowed, also once a name has another address", async () => {
    let address = "93.184.215.14";
    const http = new OutgoingHttp([], { resolve: async () => [address], maxMs: 500 });
    const guarded = new EventSender(server.deps, http);
    await webhook("Named", { url: `https://hooks.example:${receiver.port}/` });
    await raises(server.fixtures.ownRobot, "DUST");
    address = "127.0.0.1";
    await sends(0, guarded);
    await guarded.stop();
    expect(receiver.calls).toEqual([]);
    expect(await deliveries()).toMatchObject([{ status: "FAILED", reason_code: "ADDRESS_IS_PRIVATE" }]);
  });

  test("a redirect is not followed", async () => {
    await webhook();
    receiver.answer = () => ({ status: 307, headers: { location: "http://127.0.0.1:1/" } });
    await raises(server.fixtures.ownRobot, "DUST");
    await sends();
    expect(receiver.calls).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: "WAITING", reason: expect.stringContaining("307") }]);
  });
});
