import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NotificationHarness, type Send } from "../../../test/notification-harness.ts";
import { mailTexts } from "../../platform/mail-texts.ts";
import { delivered, refused, retry } from "./channels/channel.ts";

let people: NotificationHarness;
beforeEach(async () => {
  people = await NotificationHarness.open();
});
afterEach(() => people.close());

const busy = retry(deliveryTexts.text("SERVICE_BUSY", { service: "Slack" }), 90_000);
const failing = retry(deliveryTexts.text("SERVICE_FAILING", { service: "Slack", status: 500 }));
const silent = retry(deliveryTexts.text("SERVICE_SILENT", { service: "Slack", code: "ECONNRESET" }));

test("Notifications: a service that asks to wait is asked again then, and delays no other contact point", async () => {
  await people.rule(await people.contact("Limited"), { name: "One" });
  await people.rule(await people.contact("Free"), { name: "Two" });
  people.answer = async ({ name }) => (name === "Limited" && people.received.length < 4 ? busy : delivered());
  await people.alert();
  await people.round();
  expect(people.received.map(({ to }) => to).toSorted()).toEqual(["Free", "Limited"]);
  await people.pass(1);
  expect(people.received).toHaveLength(2);
  people.answer = async () => delivered("m-1");
  await people.pass(1);
  expect(people.received.filter(({ to }) => to === "Limited")).toHaveLength(2);
  expect(new Set(people.received.map(({ message }) => message.id)).size).toBe(2);
  expect(await people.outcomes()).toEqual(["SENT", "SENT"]);
});

test("Notifications: a contact point that nothing reaches is an alert told through the others, until something does", async () => {
  await people.rule(await people.contact("Broken"), { name: "One" });
  await people.rule(await people.contact("Works"), { name: "Two" });
  people.answer = async ({ name }) => (name === "Broken" ? failing : delivered());
  await people.alert();
  await people.pass(5);
  const titles = people.received.filter(({ message }) => message.title.includes("Broken"));
  expect(titles.map(({ to }) => to)).toEqual(["Works"]);
  people.answer = async () => delivered();
  await people.pass(6);
  expect(people.news().filter((news) => news.includes("Cleared"))).toEqual([expect.stringContaining("Works: Cleared")]);
});

describe("Notifications: what was not delivered", () => {
  test.each([
    ["a problem of the service's own", failing],
    ["an answer that was cut in the middle", silent],
  ])("is tried again under the same id after %s", async (_, outcome) => {
    const contact = await people.contact("Anita");
    await people.rule(contact);
    people.answer = async () => outcome;
    await people.alert();
    await people.round();
    expect(await people.outcomes()).toEqual([`WAITING ${outcome.outcome === "RETRY" ? outcome.reason.code : ""}`]);
    people.answer = async () => delivered();
    await people.pass(1);
    expect(new Set(people.received.map(({ message }) => message.id)).size).toBe(1);
    expect(people.received).toHaveLength(2);
    expect(await people.outcomes()).toEqual(["SENT"]);
    const row = people.db.selectFrom("contact_points").select(["failures", "failure_reason"]).where("id", "=", contact);
    expect(await row.executeTakeFirst()).toEqual({ failures: 0, failure_reason: null });
  });

  test("is on record with each try, its time and its answer; what is dropped was not tried", async () => {
    await people.rule(await people.contact("Anita"));
    people.answer = async () => failing;
    await people.alert();
    await people.round();
    people.clock.advance(60_000);
    people.answer = async () => delivered("m-7");
    await people.round();
    const row = people.db.selectFrom("deliveries").select(["tries", "reference"]);
    expect(await row.executeTakeFirst()).toMatchObject({
      tries: [
        { attempt: 1, reason: failing.outcome === "RETRY" ? failing.reason.text : "", reason_code: "SERVICE_FAILING" },
        { attempt: 2, at: people.clock.now().toISOString(), reason: null, reason_code: null },
      ],
      reference: "m-7",
    });
  });

  test("is given up at once where its service refuses it for good", async () => {
    await people.rule(await people.contact("Anita"));
    people.answer = async () => refused(deliveryTexts.text("SLACK_WEBHOOK_GONE", {}));
    await people.alert();
    await people.round();
    await people.pass(5);
    expect(people.received).toHaveLength(1);
    expect(await people.outcomes()).toEqual(["FAILED SLACK_WEBHOOK_GONE"]);
  });

  test("ends all calls to a webhook that answers 410, on record, and is an alert until somebody has seen to it", async () => {
    const hook = await people.contact("Hook", { channel: "WEBHOOK" });
    await people.rule(hook, { name: "One" });
    await people.rule(await people.contact("Works"), { name: "Two" });
    people.answer = async ({ name }) =>
      name === "Hook" ? refused(deliveryTexts.text("WEBHOOK_GONE", {})) : delivered();
    await people.alert();
    await people.round();
    expect(people.reached()).toEqual(["Hook", "Works"]);
    await people.round();
    expect(people.news()).toEqual([expect.stringMatching(/^Works: .*Hook/)]);
    await people.alert({ code: "MORE" });
    await people.pass(1);
    expect(people.reached()).toEqual(["Works"]);
    const contact = people.db.selectFrom("contact_points").select(["enabled", "version"]).where("id", "=", hook);
    expect(await contact.executeTakeFirst()).toEqual({ enabled: false, version: 2 });
    const audit = people.db.selectFrom("audit").select(["actor", "action", "entity_id", "reason"]);
    expect(await audit.execute()).toEqual([
      {
        actor: "Suncrew",
        action: "UPDATE_CONTACT_POINT",
        entity_id: String(hook),
        reason: deliveryTexts.text("WEBHOOK_GONE", {}).text,
      },
    ]);
    await people.db
      .updateTable("contact_points")
      .set({ deleted_at: people.clock.now() })
      .where("id", "=", hook)
      .execute();
    await people.pass(1);
    expect(people.news()).toEqual([expect.stringMatching(/^Works: Cleared/)]);
  });

  test("is given up after a day", async () => {
    await people.rule(await people.contact("Anita"));
    people.answer = async () => failing;
    await people.alert();
    for (let hour = 0; hour < 25; hour += 1) {
      await people.round();
      people.clock.advance(3_600_000);
    }
    expect(await people.outcomes()).toEqual(["FAILED SERVICE_FAILING"]);
  });

  test("is given up where the secrets of its contact point cannot be opened any more", async () => {
    await people.rule(await people.contact("Anita"));
    people.answer = async () => null;
    await people.alert();
    await people.round();
    expect(await people.outcomes()).toEqual(["FAILED SECRET_MISSING"]);
  });

  test("is dropped once its contact point is switched off", async () => {
    const contact = await people.contact("Anita", { days_off: [1] });
    await people.rule(contact);
    await people.alert();
    await people.round();
    await people.db.updateTable("contact_points").set({ enabled: false }).where("id", "=", contact).execute();
    people.clock.advance(24 * 3_600_000);
    await people.round();
    expect(people.received).toEqual([]);
    expect(await people.outcomes()).toEqual(["DROPPED CONTACT_POINT_OFF"]);
    expect(await people.db.selectFrom("deliveries").select("tries").execute()).toEqual([{ tries: [] }]);
  });
});

describe("Notifications: a message that nobody can have got yet", () => {
  test("waits for the end of a quiet time that begins between two tries, and critical ones do not where that was chosen", async () => {
    const quiet = { quiet_from: "12:10", quiet_to: "13:00" };
    await people.rule(await people.contact("Asleep", { ...quiet, critical_pierces: false }), { name: "One" });
    await people.rule(await people.contact("Woken", quiet), { name: "Two" });
    people.answer = async () => failing;
    await people.alert({ severity: "CRITICAL" });
    await people.round();
    await people.pass(9);
    people.news();
    people.answer = async () => delivered();
    await people.pass(50);
    expect(people.reached()).toEqual(["Woken"]);
    await people.pass(2);
    expect(people.reached()).toEqual(["Asleep"]);
    expect(await people.outcomes()).toEqual(["SENT", "SENT"]);
  });

  test("waits on where its quiet time was prolonged, and then has a day for its tries", async () => {
    const anita = await people.contact("Anita", { quiet_from: "11:00", quiet_to: "13:00" });
    await people.rule(anita);
    await people.alert();
    await people.round();
    const longer = people.db.updateTable("contact_points").set({ quiet_to: "14:00", days_off: [2, 3] });
    await longer.where("id", "=", anita).execute();
    await people.pass(119);
    expect(people.reached()).toEqual([]);
    people.answer = async () => failing;
    await people.pass(1);
    expect(people.reached()).toEqual(["Anita"]);
    people.answer = async () => delivered();
    // Tuesday and Wednesday are off.
    people.clock.advance(58 * 3_600_000 - 60_000);
    await people.round();
    expect(people.reached()).toEqual([]);
    await people.pass(1);
    expect(people.reached()).toEqual(["Anita"]);
    expect(await people.outcomes()).toEqual(["SENT"]);
  });

  test("becomes one with what comes in a quiet time, so that its end brings one message", async () => {
    const anita = await people.contact("Anita", { quiet_from: "12:10", quiet_to: "13:00" });
    await people.rule(anita);
    people.answer = async () => failing;
    for (const code of ["ONE", "TWO"]) {
      await people.alert({ code, text: `${code}.` });
      await people.pass(4);
    }
    // Both were tried; one of them is tried next within the quiet time, as are those that come in it.
    await people.pass(3);
    await people.alert({ code: "THREE", text: "THREE." });
    await people.pass(30);
    await people.alert({ code: "FOUR", text: "FOUR." });
    people.news();
    people.answer = async () => delivered();
    await people.pass(20);
    const told = people.received.map(({ message }) => message.lines.map(({ text }) => text).toSorted());
    expect(told).toEqual([["FOUR.", "ONE.", "THREE.", "TWO."]]);
    expect((await people.outcomes()).toSorted()).toEqual(["DROPPED TOLD_TOGETHER", "SENT"]);
    // Nobody is told any of it again.
    people.news();
    await people.pass(60);
    expect(people.news()).toEqual([]);
  });

  test("is not joined in a quiet time if it may disturb", async () => {
    await people.rule(await people.contact("Anita", { quiet_from: "12:10", quiet_to: "13:00" }));
    people.answer = async () => failing;
    await people.alert({ code: "FIRE", severity: "CRITICAL", text: "Fire." });
    await people.pass(11);
    await people.alert();
    await people.pass(1);
    people.news();
    people.answer = async () => delivered();
    await people.pass(20);
    expect(people.news()).toEqual(["Anita: Critical: Robot OWN-1 at Ownfield Park: Fire"]);
    await people.pass(30);
    expect(people.news()).toEqual(["Anita: Warning: Robot OWN-1 at Ownfield Park: Dusty"]);
  });

  test("leaves out what was acknowledged, muted or over before a try succeeded", async () => {
    const { ownSiteId: site_id, foreignRobot, foreignSiteId, userIds } = people.fixtures;
    const elsewhere = { site_id: foreignSiteId, robot_id: foreignRobot.id };
    await people.rule(await people.contact("Anita"));
    people.answer = async () => failing;
    const seen = await people.alert({ ...elsewhere, text: "Seen." });
    const over = await people.alert({ ...elsewhere, code: "OVER", text: "Over." });
    await people.alert({ text: "Muted." });
    await people.alert({ ...elsewhere, code: "OPEN", text: "Open." });
    await people.round();
    people.received.splice(0);
    await people.acknowledge(seen);
    await people.clear(over);
    const until = new Date(people.clock.now().getTime() + 3_600_000);
    const muted = { reason: "Works.", user_id: userIds.admin, muted_by: "Anita", muted_at: people.clock.now() };
    await people.db
      .insertInto("mutes")
      .values({ site_id, until, ...muted })
      .execute();
    people.answer = async () => delivered();
    await people.pass(5);
    expect(people.received.flatMap(({ message }) => message.lines.map(({ text }) => text))).toEqual(["Open."]);
    people.received.splice(0);
    // What was muted is told once it is not any more.
    await people.pass(60);
    expect(people.news()).toEqual([expect.stringContaining("Muted")]);
  });

  test.each([
    mailTexts.text("SMTP_UNREACHABLE", { code: "ECONNREFUSED" }),
    mailTexts.text("SMTP_TOO_SLOW", {}),
    mailTexts.text("SMTP_REJECTED", { response: "421 later" }),
  ])("is dropped where its mail server has not taken it before it is over: $code", async (reason) => {
    await people.rule(await people.contact("Anita"));
    people.answer = async () => retry(reason);
    const alert = await people.alert();
    await people.round();
    people.news();
    await people.clear(alert);
    people.answer = async () => delivered();
    await people.pass(5);
    expect(people.news()).toEqual([]);
    expect(await people.outcomes()).toEqual(["DROPPED ALERTS_OVER"]);
  });

  test("tells what was acknowledged for a moment after all, and whoever got it before hears the end", async () => {
    await people.rule(await people.contact("Fails"), { name: "One" });
    await people.rule(await people.contact("Works"), { name: "Two" });
    people.answer = async ({ name }) => (name === "Fails" ? failing : delivered());
    const alert = await people.alert();
    await people.round();
    await people.acknowledge(alert);
    await people.pass(2);
    people.news();
    people.answer = async () => delivered();
    const over = await people.alert({ code: "OVER", text: "Over." });
    await people.change(alert, { acknowledged_at: null, acknowledged_by: null });
    await people.round();
    expect(people.received.find(({ to }) => to === "Fails")?.message.lines).toHaveLength(2);
    people.answer = async ({ name }) => (name === "Fails" ? failing : delivered());
    const other = await people.alert({ code: "OTHER", text: "Other." });
    await people.round();
    for (const id of [over, other]) await people.acknowledge(id);
    await people.pass(2);
    people.news();
    await people.clear(other);
    await people.pass(1);
    expect(people.news()).toEqual(["Works: Cleared: Robot OWN-1 at Ownfield Park: Other"]);
  });

  test("is dropped once all of it is over: an alert that comes and goes while a channel is down is told once", async () => {
    await people.rule(await people.contact("Anita"));
    people.answer = async () => failing;
    for (let nth = 0; nth < 20; nth += 1) {
      const alert = await people.alert();
      await people.round();
      await people.clear(alert);
      await people.pass(1);
    }
    await people.alert();
    await people.round();
    people.news();
    people.answer = async () => delivered();
    await people.pass(60);
    expect(people.news()).toEqual(["Anita: Warning: Robot OWN-1 at Ownfield Park: Dusty"]);
  });

  test("is not told beside its repetitions once a channel works again", async () => {
    await people.rule(await people.contact("Anita"), { repeat_minutes: 10 });
    people.answer = async () => failing;
    await people.alert();
    await people.round();
    await people.pass(45);
    people.news();
    people.answer = async () => delivered();
    await people.pass(4.5);
    expect(people.reached()).toEqual(["Anita"]);
  });
});

test.each([
  ["a service", silent],
  ["a mail server", retry(mailTexts.text("SMTP_SILENT", {}))],
])(
  "Notifications: a message that %s may have taken is sent to the end, so that whoever got it hears that it is over",
  async (_, mayHaveArrived) => {
    await people.rule(await people.contact("Anita"));
    const alert = await people.alert();
    for (const outcome of [mayHaveArrived, failing]) {
      people.answer = async () => outcome;
      await people.pass(1);
    }
    await people.clear(alert);
    await people.round();
    people.news();
    people.answer = async () => delivered();
    await people.pass(5);
    expect(people.news()).toEqual([
      "Anita: Warning: Robot OWN-1 at Ownfield Park: Dusty",
      "Anita: Cleared: Robot OWN-1 at Ownfield Park: Dusty",
    ]);
  },
);

test("§6: a message that waits while its site is given to another partner is not sent, and the log says why", async () => {
  await people.rule(await people.contact("Omkar", { user_id: people.fixtures.userIds.owner }));
  people.answer = async () => failing;
  await people.alert();
  await people.round();
  const { ownSiteId, strangerPartnerId } = people.fixtures;
  const sites = people.db.updateTable("sites").where("id", "=", ownSiteId);
  await sites.set({ maintenance_partner_id: strangerPartnerId }).execute();
  people.answer = async () => delivered();
  await people.pass(2);
  expect(people.received).toHaveLength(1);
  expect(await people.outcomes()).toEqual(["DROPPED OUT_OF_SIGHT"]);
});

test("Notifications: a service that does not answer within half a minute is tried again, and others are not delayed", async () => {
  await people.rule(await people.contact("Slow"), { name: "One" });
  await people.rule(await people.contact("Quick"), { name: "Two" });
  const sent = Promise.withResolvers<void>();
  people.answer = async ({ name }, _, signal) => {
    if (name === "Quick") return delivered();
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => aborted.reject(new Error("aborted")));
    sent.resolve();
    return aborted.promise;
  };
  await people.alert();
  const round = people.round();
  await sent.promise;
  people.clock.advance(30_000);
  await round;
  expect((await people.outcomes()).toSorted()).toEqual(["SENT", "WAITING SEND_TOO_SLOW"]);
});

test("Notifications: many slow services keep a message from its own only for a moment", async () => {
  for (let nth = 0; nth < 9; nth += 1) await people.rule(await people.contact(`Phone ${nth}`), { name: `${nth}` });
  const [full, arrived, answered] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  people.answer = async () => {
    if (people.received.length === 8) full?.resolve();
    if (people.received.length === 9) arrived?.resolve();
    else await answered?.promise;
    return delivered();
  };
  await people.alert();
  const round = people.round();
  await full?.promise;
  expect(people.received).toHaveLength(8);
  people.clock.advance(5_000);
  await arrived?.promise;
  answered?.resolve();
  await round;
  expect(new Set(await people.outcomes())).toEqual(new Set(["SENT"]));
});

test("Notifications: a contact point gets one message at a time, also from two servers", async () => {
  const contact = await people.contact("Anita");
  await people.rule(contact);
  const [one, other] = [people.server(), people.server()];
  let [now, most] = [0, 0];
  people.answer = async () => {
    now += 1;
    most = Math.max(most, now);
    await people.deliveries();
    now -= 1;
    return delivered();
  };
  for (let nth = 0; nth < 6; nth += 1) {
    await people.alert({ code: `CODE_${nth}` });
    await one.notifier.runOnce();
    // What was planned before is being sent: it takes nothing more in.
    await people.db.updateTable("deliveries").set({ reason_code: "TRIED", attempts: 1 }).execute();
  }
  await Promise.all([one.runner.runOnce(), other.runner.runOnce()]);
  await people.round();
  expect(most).toBe(1);
  expect(people.received).toHaveLength(6);
  expect(new Set(people.received.map(({ message }) => message.id)).size).toBe(6);
});

test("Notifications: two servers that decide and send at the same time tell nothing twice and lose nothing", async () => {
  const names = Array.from({ length: 10 }, (_, nth) => `Phone ${nth}`);
  for (const name of names) await people.rule(await people.contact(name), { name });
  const servers = [people.server(), people.server()];
  for (let nth = 0; nth < 5; nth += 1) {
    await people.alert({ code: `CODE_${nth}` });
    await Promise.all(servers.map(({ notifier }) => notifier.runOnce()));
    await Promise.all(servers.map(({ runner }) => runner.runOnce()));
    people.clock.advance(1_000);
  }
  for (const { notifier, runner } of servers) {
    await notifier.runOnce();
    await runner.runOnce();
  }
  expect(new Set(people.received.map(({ message }) => message.id)).size).toBe(people.received.length);
  for (const name of names) {
    const lines = people.received.filter(({ to }) => to === name).flatMap(({ message }) => message.lines);
    expect(lines).toHaveLength(5);
  }
});

test("Notifications: of two servers one is killed between claim and record, 500 times: nothing is lost, and nothing comes twice but under the same id", async () => {
  await people.rule(await people.contact("Anita"));
  // A fixed sequence: before the send, after it, or not at all.
  let seed = 20_260_615;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const never = new Promise<never>(() => {});
  const arrived: string[] = [];
  let kills = 0;
  for (let nth = 0; nth < 500; nth += 1) {
    const { notifier, runner } = people.server();
    const killed = Promise.withResolvers<void>();
    const isBefore = random() < 0.5;
    const dying: Send = async (_, { id }) => {
      if (!isBefore) arrived.push(id);
      kills += 1;
      killed.resolve();
      return never;
    };
    people.answer = dying;
    const alert = await people.alert({ code: `CODE_${nth}` });
    await notifier.runOnce();
    // Its promise never ends, as a killed server's does not.
    void runner.runOnce();
    await killed.promise;
    people.answer = async (_, { id }) => {
      arrived.push(id);
      return delivered();
    };
    const before = arrived.length;
    await people.round();
    expect(arrived).toHaveLength(before);
    people.clock.advance(2 * 60_000);
    await people.round();
    expect(arrived).toHaveLength(before + 1);
    expect(arrived.slice(-2).every((id) => isBefore || id === arrived.at(-1))).toBe(true);
    await people.db.deleteFrom("alerts").where("id", "=", alert).execute();
  }
  expect(kills).toBe(500);
  expect(new Set(arrived).size).toBe(500);
  expect(new Set(await people.outcomes())).toEqual(new Set(["SENT"]));
});

test("Notifications: a message calls a robot by its name and by its serial number, which is what its card shows", async () => {
  const { ownRobot } = people.fixtures;
  await people.db.updateTable("robots").set({ robot_name: "Row 1" }).where("id", "=", ownRobot.id).execute();
  await people.rule(await people.contact("Anita"));
  await people.alert();
  await people.pass(1);
  expect(people.news()).toEqual([`Anita: Warning: Robot Row 1 (${ownRobot.serial}) at Ownfield Park: Dusty`]);
});
