import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { addSite } from "../../../test/fixtures.ts";
import { NotificationHarness } from "../../../test/notification-harness.ts";
import { delivered, refused, retry } from "./channels/channel.ts";
import { removeRule } from "./rules.repository.ts";

let people: NotificationHarness;
beforeEach(async () => {
  people = await NotificationHarness.open();
});
afterEach(() => people.close());

const at = (iso: string) => new Date(iso);
const to = (id: number) => [{ kind: "CONTACT_POINT" as const, id }];
const all = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
const turn = (rule: number, enabled: boolean) =>
  people.db.updateTable("notification_rules").set({ enabled }).where("id", "=", rule).execute();

test("Notifications: what belongs together waits a moment and goes in one message, across rules", async () => {
  const anita = await people.contact("Anita");
  await people.rule(anita, { wait_seconds: 60 });
  await people.rule(anita, { wait_seconds: 60, name: "Once more" });
  await people.alert();
  await people.round();
  people.clock.advance(30_000);
  await people.alert({ robot_id: people.fixtures.ownRobot2.id, severity: "CRITICAL", text: "Stuck." });
  await people.round();
  expect(people.received).toEqual([]);
  await people.pass(1);
  const [{ message } = { message: null }] = people.received;
  expect(message?.severity).toBe("CRITICAL");
  expect(message?.lines.map(({ text }) => text)).toEqual(["Stuck.", "Dusty."]);
  expect(message?.footer).toContain("“All” and “Once more”");
  expect(people.news()).toEqual(["Anita: 2 alerts at Ownfield Park: 1 critical, 1 warning"]);
  await people.pass(5);
  expect(people.news()).toEqual([]);
  expect(await people.outcomes()).toEqual(["SENT"]);
});

test("Notifications: whom one rule has told of an alert is not told of it by another that waits longer, until it gets worse", async () => {
  const [anita, omkar] = [await people.contact("Anita"), await people.contact("Omkar")];
  await people.rule(anita);
  await people.rule([{ after_minutes: 0, to: [...to(anita), ...to(omkar)] }], { name: "Later", wait_seconds: 60 });
  const alert = await people.alert();
  await people.pass(3);
  expect(people.reached()).toEqual(["Anita", "Omkar"]);
  await people.change(alert, { severity: "CRITICAL" });
  await people.pass(3);
  expect(people.reached()).toEqual(["Anita", "Omkar"]);
});

test("Notifications: of an alert that got worse everybody is told, also whom a rule that is off now told of the lesser one", async () => {
  const [anita, omkar] = [await people.contact("Anita"), await people.contact("Omkar")];
  const first = await people.rule(anita);
  await people.rule(omkar);
  await people.rule(anita, { name: "Later", wait_seconds: 300 });
  const alert = await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Anita", "Omkar"]);
  await turn(first, false);
  await people.change(alert, { severity: "CRITICAL" });
  await people.pass(6);
  expect(people.reached()).toEqual(["Anita", "Omkar"]);
});

test("Notifications: a storm of 1,000 dark sites tells each person once", async () => {
  const steps = [{ after_minutes: 0, to: [{ kind: "PERSON" as const, id: people.fixtures.userIds.admin }] }];
  for (let nth = 0; nth < 20; nth += 1) await people.contact(`Phone ${nth}`);
  for (let nth = 0; nth < 5; nth += 1) await people.rule(steps, { wait_seconds: 90, name: `Rule ${nth}` });
  const sites: number[] = [];
  for (let nth = 0; nth < 1_000; nth += 1) sites.push(await addSite(people.db, `Site ${nth}`, null));
  for (const half of [sites.slice(0, 500), sites.slice(500)]) {
    const dark = { robot_id: null, source: "SERVER", severity: "CRITICAL", code: "SITE_DARK", text: "Dark." } as const;
    await people.db
      .insertInto("alerts")
      .values(half.map((site_id) => ({ ...dark, site_id, raised_at: people.clock.now() })))
      .execute();
    await people.round();
    people.clock.advance(30_000);
  }
  await people.pass(3);
  expect(people.received.map(({ to }) => to).toSorted()).toEqual(
    Array.from({ length: 20 }, (_, nth) => `Phone ${nth}`).toSorted(),
  );
  expect(new Set(people.received.map(({ message }) => message.title))).toEqual(
    new Set(["1,000 alerts at 1,000 sites: 1,000 critical"]),
  );
});

test("Notifications: without acknowledgement the next step is told, by a rota whoever is on duty, then all again", async () => {
  const { admin, owner } = people.fixtures.userIds;
  await people.contact("Anita", { user_id: admin });
  await people.contact("Omkar", { user_id: owner });
  const { id: rota } = await people.db
    .insertInto("rotas")
    .values({
      name: "Night",
      timezone: "Asia/Kolkata",
      starts_on: "2026-06-01",
      handover_at: "08:00",
      weeks: 1,
      created_at: people.clock.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await people.db
    .insertInto("rota_members")
    .values([
      { rota_id: rota, position: 0, user_id: owner },
      { rota_id: rota, position: 1, user_id: admin },
    ])
    .execute();
  const first = await people.contact("Desk", { owner_kind: "PARTNER", partner_id: people.fixtures.ownerPartnerId });
  await people.rule(
    [
      { after_minutes: 0, to: [{ kind: "CONTACT_POINT", id: first }] },
      { after_minutes: 10, to: [{ kind: "ROTA", id: rota }] },
    ],
    { repeat_minutes: 30 },
  );
  const alert = await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Desk"]);
  await people.pass(9.5);
  expect(people.reached()).toEqual([]);
  await people.pass(0.5);
  // The third week is the first member's again.
  expect(people.reached()).toEqual(["Omkar"]);
  await people.pass(30);
  expect(people.received.every(({ message }) => message.title.includes("still open"))).toBe(true);
  expect(people.reached()).toEqual(["Desk", "Omkar"]);
  await people.acknowledge(alert);
  await people.pass(60);
  expect(people.reached()).toEqual([]);
});

test("Notifications: a step that reaches nobody does not delay the next one", async () => {
  const { admin, owner } = people.fixtures.userIds;
  const off = await people.contact("Off", { enabled: false });
  await people.contact("Anita", { user_id: admin });
  await people.rule(
    [
      { after_minutes: 0, to: to(off) },
      { after_minutes: 30, to: [{ kind: "PERSON", id: owner }] },
      { after_minutes: 60, to: to(await people.contact("Desk")) },
      { after_minutes: 75, to: [{ kind: "PERSON", id: admin }] },
    ],
    { repeat_minutes: 30 },
  );
  await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Desk"]);
  await people.pass(74.5);
  expect(people.reached()).toEqual([]);
  await people.pass(1);
  expect(people.reached()).toEqual(["Anita", "Desk"]);
});

test("Notifications: a rota's turns stay as they were when a member is removed", async () => {
  const { admin, owner, stranger } = people.fixtures.userIds;
  const times = { timezone: "Asia/Kolkata", starts_on: "2026-06-01", handover_at: "08:00", weeks: 1 };
  const { id: rota_id } = await people.db
    .insertInto("rotas")
    .values({ name: "Night", ...times, created_at: people.clock.now() })
    .returning("id")
    .executeTakeFirstOrThrow();
  const members = [owner, stranger, admin].map((user_id, position) => ({ rota_id, position, user_id }));
  await people.db.insertInto("rota_members").values(members).execute();
  await people.contact("Anita", { user_id: admin });
  await people.contact("Omkar", { user_id: owner });
  await people.rule([{ after_minutes: 0, to: [{ kind: "ROTA", id: rota_id }] }]);
  await people.db.updateTable("users").set({ deleted_at: people.clock.now() }).where("id", "=", stranger).execute();
  await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Anita"]);
});

test("Notifications: a team's channel that may not be told of a site leaves it to the members who may", async () => {
  const { owner, stranger } = people.fixtures.userIds;
  const { id: team_id } = await people.db
    .insertInto("teams")
    .values({ name: "Night watch", created_at: people.clock.now() })
    .returning("id")
    .executeTakeFirstOrThrow();
  const members = [owner, stranger].map((user_id) => ({ team_id, user_id }));
  await people.db.insertInto("team_members").values(members).execute();
  await people.contact("Omkar", { user_id: owner });
  await people.contact("Sadia", { user_id: stranger });
  await people.contact("Channel", { owner_kind: "TEAM", team_id });
  await people.rule([{ after_minutes: 0, to: [{ kind: "TEAM", id: team_id }] }]);
  await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Omkar"]);
  await people.db.deleteFrom("team_members").where("user_id", "=", stranger).execute();
  await people.alert({ code: "OTHER" });
  await people.round();
  expect(people.reached()).toEqual(["Channel"]);
});

test("Notifications: an alert that gets worse is told again, although it was acknowledged", async () => {
  await people.rule(await people.contact("Anita"));
  const alert = await people.alert();
  await people.round();
  await people.acknowledge(alert);
  await people.pass(1);
  expect(people.news()).toEqual(["Anita: Warning: Robot OWN-1 at Ownfield Park: Dusty"]);
  await people.change(alert, { severity: "CRITICAL", acknowledged_at: null, acknowledged_by: null });
  await people.round();
  expect(people.news()).toEqual([expect.stringContaining("Anita: Critical")]);
});

test("Notifications: the all-clear goes to whoever was told, in one message, and to nobody else", async () => {
  const [anita, late] = [await people.contact("Anita"), await people.contact("Later")];
  await people.rule([
    { after_minutes: 0, to: [{ kind: "CONTACT_POINT", id: anita }] },
    { after_minutes: 30, to: [{ kind: "CONTACT_POINT", id: late }] },
  ]);
  const quiet = await people.contact("No all-clear");
  await people.rule(quiet, { tells_cleared: false });
  const alerts = [await people.alert(), await people.alert({ robot_id: people.fixtures.ownRobot2.id })];
  await people.round();
  expect(people.reached()).toEqual(["Anita", "No all-clear"]);
  for (const alert of alerts) await people.clear(alert);
  await people.pass(40);
  expect(people.news()).toEqual(["Anita: Cleared: 2 alerts at Ownfield Park"]);
});

test.each([
  ["switched off", (rule: number) => turn(rule, false)],
  ["deleted", (rule: number) => people.db.transaction().execute((tx) => removeRule(tx, rule, people.clock.now()))],
])("Notifications: whoever was told by a rule that was then %s hears the end, and nothing else", async (_, end) => {
  const rule = await people.rule(await people.contact("Anita"), { repeat_minutes: 5 });
  const told = await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Anita"]);
  await end(rule);
  await people.alert({ code: "OTHER" });
  await people.change(told, { text: "Dustier.", severity: "CRITICAL" });
  await people.pass(6);
  expect(people.news()).toEqual([]);
  await people.clear(told);
  await people.pass(6);
  expect(people.news()).toEqual(["Anita: Cleared: Robot OWN-1 at Ownfield Park: Dustier"]);
});

test("Notifications: two rules that wait for different times tell the same person once that it is over", async () => {
  const anita = await people.contact("Anita");
  await people.rule(anita);
  await people.rule(anita, { name: "Later", wait_seconds: 300 });
  const alert = await people.alert();
  await people.pass(10);
  await people.clear(alert);
  await people.pass(10);
  expect(people.reached()).toEqual(["Anita", "Anita"]);
});

test("Notifications: a rule that is off for a moment tells what it waited to tell, unless somebody has acknowledged it", async () => {
  const rule = await people.rule(await people.contact("Anita"), { wait_seconds: 60 });
  const [open, known] = [await people.alert(), await people.alert({ code: "KNOWN", text: "Known." })];
  await people.round();
  await turn(rule, false);
  await people.change(open, { text: "Dustier." });
  await people.acknowledge(known);
  await people.pass(2);
  expect(people.news()).toEqual([]);
  await turn(rule, true);
  await people.pass(1);
  expect(people.news()).toEqual(["Anita: Warning: Robot OWN-1 at Ownfield Park: Dustier"]);
});

test("Notifications: a second contact point that fails is told like the first, although that was acknowledged", async () => {
  await people.rule(await people.contact("Works"), { filter: { ...all, kinds: ["CHANNEL"] } });
  for (const severity of ["WARNING", "INFO"] as const) {
    const broken = await people.contact(`Broken ${severity}`);
    await people.rule(broken, { filter: { ...all, kinds: ["ROBOT_FAULT"], severities: [severity] } });
  }
  const failing = retry(deliveryTexts.text("SERVICE_UNREACHABLE", { service: "Slack", code: "ECONNREFUSED" }));
  people.answer = async ({ name }) => (name.startsWith("Broken") ? failing : delivered());
  const toWorks = () => people.news().filter((line) => line.startsWith("Works"));
  await people.alert();
  await people.pass(5);
  expect(toWorks()).toEqual(["Works: Warning: Suncrew: Messages cannot be delivered to Anita Rao: Broken WARNING"]);
  const { id } = await people.db
    .selectFrom("alerts")
    .select("id")
    .where("code", "=", "CHANNEL_FAILING")
    .executeTakeFirstOrThrow();
  await people.acknowledge(id);
  await people.alert({ severity: "INFO", code: "OTHER" });
  await people.pass(5);
  expect(toWorks()).toEqual([expect.stringMatching(/^Works: Warning.*Broken INFO and .*Broken WARNING$/)]);
});

test("Notifications: nobody hears of an alert that was over before its wait, or of one older than the rule", async () => {
  await people.alert({ code: "OLD" });
  people.clock.advance(1_000);
  await people.rule(await people.contact("Anita"), { wait_seconds: 60 });
  const alert = await people.alert();
  await people.round();
  await people.clear(alert);
  await people.pass(5);
  expect(people.news()).toEqual([]);
});

test("Notifications: in quiet hours messages wait for their end and become one; what is over by then is left out", async () => {
  await people.rule(await people.contact("Anita", { quiet_from: "11:00", quiet_to: "13:00" }));
  const over = await people.alert({ text: "Over by then." });
  await people.round();
  await people.alert({ robot_id: people.fixtures.ownRobot2.id, text: "Still there." });
  await people.pass(10);
  await people.clear(over);
  await people.pass(49);
  expect(people.news()).toEqual([]);
  await people.pass(2);
  expect(people.news()).toEqual(["Anita: Warning: Robot OWN-2 at Ownfield Park: Still there"]);
  expect(await people.outcomes()).toEqual(["SENT"]);
});

test("Notifications: a held message whose alerts are all over is dropped, and nobody is told that they are", async () => {
  await people.rule(await people.contact("Anita", { days_off: [1] }));
  const alert = await people.alert();
  await people.pass(1);
  await people.clear(alert);
  await people.pass(1);
  people.clock.advance(24 * 3_600_000);
  await people.round();
  expect(people.news()).toEqual([]);
  expect(await people.outcomes()).toEqual(["DROPPED ALERTS_OVER"]);
});

describe("Notifications: an address that several contact points have", () => {
  const mail = { channel: "EMAIL" } as const;
  const steps = (...ids: readonly number[]) => [{ after_minutes: 0, to: ids.flatMap(to) }];
  const refusing = (name: string) => {
    people.answer = async (contact) =>
      contact.name === name ? refused(deliveryTexts.text("SECRET_MISSING", {})) : delivered();
  };

  test("is told once of each alert and of its end, and the others say so", async () => {
    const own = await people.contact("Own", { ...mail, address: "desk@sun.example" });
    const shared = await people.contact("Shared", { ...mail, address: "Desk@sun.example" });
    await people.rule(steps(own, shared, await people.contact("Other", { ...mail, address: "other@sun.example" })));
    await people.rule(shared, { name: "Later", wait_seconds: 300 });
    const alert = await people.alert();
    await people.round();
    expect(people.reached().filter((name) => name !== "Other")).toHaveLength(1);
    expect((await people.outcomes()).toSorted()).toEqual(["DROPPED ADDRESS_TOLD", "SENT", "SENT"]);
    await people.pass(10);
    expect(people.news()).toEqual([]);
    await people.clear(alert);
    await people.pass(10);
    expect(people.reached().filter((name) => name !== "Other")).toHaveLength(1);
  });

  test("is told by whichever can: one that fails leaves it to the other, one that is quiet is not waited for", async () => {
    const contact = (name: string, more = {}) =>
      people.contact(name, { ...mail, address: "desk@sun.example", ...more });
    const [own, shared] = [await contact("Own"), await contact("Shared", { quiet_from: "11:00", quiet_to: "13:00" })];
    await people.rule(steps(own, shared));
    await people.alert();
    await people.round();
    await people.pass(90);
    expect(people.reached()).toEqual(["Own"]);
    refusing("Own");
    await people.alert({ robot_id: people.fixtures.ownRobot2.id });
    await people.round();
    expect(people.reached().at(-1)).toBe("Shared");
    expect((await people.outcomes()).filter((outcome) => outcome === "SENT")).toHaveLength(2);
  });

  test("is told the rest by a contact point that is to tell more", async () => {
    const contact = (name: string) => people.contact(name, { ...mail, address: "desk@sun.example" });
    const [own, shared] = [await contact("Own"), await contact("Shared")];
    await people.rule(own, { filter: { ...all, severities: ["CRITICAL"] } });
    await people.rule(shared);
    const busy = retry(deliveryTexts.text("SERVICE_BUSY", { service: "The mail server" }));
    people.answer = async ({ name }) => (name === "Own" ? delivered() : busy);
    await people.alert({ severity: "CRITICAL", text: "Jammed." });
    await people.alert({ robot_id: people.fixtures.ownRobot2.id, text: "Dusty." });
    await people.round();
    people.answer = async () => delivered();
    await people.pass(2);
    const last = people.received.at(-1);
    expect([last?.to, last?.message.lines.map(({ text }) => text)]).toEqual(["Shared", ["Dusty."]]);
    expect(await people.outcomes()).toEqual(["SENT", "SENT"]);
  });
});

test("Notifications: a critical alert pierces the quiet hours of those who chose that", async () => {
  const quiet = { quiet_from: "11:00", quiet_to: "13:00" };
  for (const [name, critical_pierces] of [
    ["Woken", true],
    ["Asleep", false],
  ] as const) {
    await people.rule(await people.contact(name, { ...quiet, critical_pierces }), { name });
  }
  await people.alert({ severity: "CRITICAL" });
  await people.round();
  expect(people.reached()).toEqual(["Woken"]);
  await people.pass(61);
  expect(people.reached()).toEqual(["Asleep"]);
});

test("Notifications: of a muted site nothing is told until the mute ends; what is open then is told", async () => {
  await people.rule(await people.contact("Anita"));
  const { ownSiteId: site_id, userIds } = people.fixtures;
  const { id: mute } = await people.db
    .insertInto("mutes")
    .values({
      site_id,
      until: at("2026-06-15T08:30:00Z"),
      reason: "Works on the grid.",
      user_id: userIds.admin,
      muted_by: "Anita Rao",
      muted_at: people.clock.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const over = await people.alert({ text: "Over." });
  await people.alert({ robot_id: people.fixtures.ownRobot2.id, text: "Open." });
  await people.alert({ robot_id: null, site_id: people.fixtures.foreignSiteId, source: "SERVER", text: "Elsewhere." });
  await people.round();
  expect(people.news()).toEqual(["Anita: Warning: Farfield Park: Elsewhere"]);
  await people.clear(over);
  await people.pass(5);
  expect(people.news()).toEqual([]);
  await people.db.updateTable("mutes").set({ ended_at: people.clock.now() }).where("id", "=", mute).execute();
  await people.round();
  expect(people.news()).toEqual(["Anita: Warning: Robot OWN-2 at Ownfield Park: Open"]);
});

test("Notifications: steps that a mute kept back are not all told at its end", async () => {
  const { ownSiteId: site_id, userIds } = people.fixtures;
  await people.rule([
    { after_minutes: 0, to: to(await people.contact("One")) },
    { after_minutes: 15, to: to(await people.contact("Two")) },
    { after_minutes: 30, to: to(await people.contact("Three")) },
  ]);
  await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["One"]);
  const muted = {
    site_id,
    user_id: userIds.admin,
    muted_by: "Anita Rao",
    muted_at: people.clock.now(),
    reason: "Works.",
  };
  await people.db
    .insertInto("mutes")
    .values({ ...muted, until: at("2026-06-15T14:30:00Z") })
    .execute();
  people.clock.advance(8 * 3_600_000);
  await people.pass(15);
  expect(people.reached()).toEqual(["Two"]);
  await people.pass(0.5);
  expect(people.reached()).toEqual(["Three"]);
});

test("Notifications: whoever was told that a robot was lost while it moved is not told as well that this cut its run short", async () => {
  const run = { source: "SERVER", code: "RUN_CUT_SHORT", text: "A planned run was cut short." } as const;
  const lost = { source: "SERVER", severity: "CRITICAL", code: "LOST_WHILE_MOVING", text: "Lost contact." } as const;
  await people.rule(await people.contact("Anita"), { repeat_minutes: 30 });
  const ofRuns = { kinds: ["RUN_FAILED" as const], severities: [], site_ids: [], states: [], partner_ids: [] };
  await people.rule(await people.contact("Planner"), { filter: ofRuns });
  const loss = await people.alert(lost);
  await people.round();
  expect(people.reached()).toEqual(["Anita"]);
  await people.alert(run);
  await people.round();
  expect(people.reached()).toEqual(["Planner"]);
  // Of another robot, and once the robot was seen again.
  await people.alert({ ...run, robot_id: people.fixtures.ownRobot2.id });
  await people.clear(loss);
  await people.round();
  expect(people.news().toSorted()).toEqual([
    "Anita: Cleared: Robot OWN-1 at Ownfield Park: Lost contact",
    "Anita: Warning: Robot OWN-2 at Ownfield Park: A planned run was cut short",
    "Planner: Warning: Robot OWN-2 at Ownfield Park: A planned run was cut short",
  ]);
});

test("Notifications: of a site that was deleted nothing is told, neither what waited nor an end", async () => {
  const { ownSiteId } = people.fixtures;
  await people.rule(await people.contact("Anita"));
  await people.rule(await people.contact("Later"), { wait_seconds: 60 });
  await people.rule(await people.contact("Asleep", { quiet_from: "11:00", quiet_to: "13:00" }));
  const alert = await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Anita"]);
  await people.db.updateTable("sites").set({ deleted_at: people.clock.now() }).where("id", "=", ownSiteId).execute();
  await people.pass(62);
  await people.clear(alert);
  await people.pass(1);
  expect(people.news()).toEqual([]);
});

test("§6 Tenancy: nobody is told of a site that they may not see, and of Suncrew's servers only Super Admins are", async () => {
  const { userIds, ownerPartnerId, strangerPartnerId, ownSiteId, foreignSiteId } = people.fixtures;
  const contacts = [
    await people.contact("Anita", { user_id: userIds.admin }),
    await people.contact("Omkar", { user_id: userIds.owner }),
    await people.contact("Sadia", { user_id: userIds.stranger }),
    await people.contact("Owncare", { owner_kind: "PARTNER", partner_id: ownerPartnerId }),
    await people.contact("Farcare", { owner_kind: "PARTNER", partner_id: strangerPartnerId }),
    await people.contact("Own site", { owner_kind: "SITE", site_id: ownSiteId, site_role: "OWNER" }),
    await people.contact("Far site", { owner_kind: "SITE", site_id: foreignSiteId, site_role: "OWNER" }),
  ];
  await people.rule([{ after_minutes: 0, to: contacts.map((id) => ({ kind: "CONTACT_POINT" as const, id })) }]);
  const mine = [{ after_minutes: 0, to: [{ kind: "PERSON" as const, id: userIds.stranger }] }];
  await people.rule(mine, { userId: userIds.stranger });
  const own = await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Anita", "Omkar", "Own site", "Owncare"]);
  await people.alert({ robot_id: null, site_id: null, source: "SERVER", code: "DISK_NEARLY_FULL" });
  await people.round();
  expect(people.reached()).toEqual(["Anita"]);
  // The robot moved to the other partner's site: whoever was told may not know of it there, and its people were not told.
  await people.change(own, { site_id: foreignSiteId });
  await people.clear(own);
  await people.round();
  expect(people.reached()).toEqual(["Anita"]);
});

test("Notifications: a contact point or a rota in a zone that this computer does not know keeps nobody from being told", async () => {
  const quiet = { quiet_from: "22:00", quiet_to: "05:00" };
  await people.rule(await people.contact("Elsewhere", { ...quiet, timezone: "IST" }), { name: "One" });
  await people.rule(await people.contact("Anita", quiet), { name: "Two" });
  const rota = { timezone: "Asia/Nowhere", starts_on: "2026-06-01", handover_at: "08:00", weeks: 1 };
  const { id } = await people.db
    .insertInto("rotas")
    .values({ ...rota, name: "Nights", created_at: people.clock.now() })
    .returning("id")
    .executeTakeFirstOrThrow();
  await people.db
    .insertInto("rota_members")
    .values({ rota_id: id, position: 0, user_id: people.fixtures.userIds.owner })
    .execute();
  await people.contact("Omkar", { user_id: people.fixtures.userIds.owner });
  await people.rule([{ after_minutes: 0, to: [{ kind: "ROTA", id }] }], { name: "Three" });
  await people.alert();
  await people.round();
  expect(people.reached()).toEqual(["Anita", "Elsewhere", "Omkar"]);
});
