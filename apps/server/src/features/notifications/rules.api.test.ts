import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { createContactPoint, deleteContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import {
  createNotificationRule,
  createSubscription,
  createTeam,
  deleteNotificationRule,
  deleteSubscription,
  notificationRules,
  subscriptionList,
  SUBSCRIPTIONS_PER_USER,
  updateNotificationRule,
  updateSubscription,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";

type RuleBody = SentBodyOf<typeof createNotificationRule>;
type SubscriptionBody = SentBodyOf<typeof createSubscription>;

let server: TestApp;
let admin: TestClient;
let owner: TestClient;
let stranger: TestClient;
beforeEach(async () => {
  server = await createTestApp();
  [admin, owner, stranger] = await Promise.all([server.as("admin"), server.as("owner"), server.as("stranger")]);
});
afterEach(() => server.close());

const NOBODYS = 999_999;
const anything = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
const telling = { enabled: true, wait_seconds: 60, repeat_minutes: 30, tells_cleared: true };
const rule: RuleBody = {
  name: " Critical at night ",
  filter: { ...anything, kinds: ["LOST_WHILE_MOVING"], severities: ["CRITICAL"], states: ["Rajasthan"] },
  ...telling,
  steps: [
    { after_minutes: 0, to: [{ kind: "PARTNER" }, { kind: "SITE", role: "CARETAKER" }, { kind: "SITE" }] },
    { after_minutes: 10, to: [{ kind: "PARTNER" }] },
  ],
};
const subscription: SubscriptionBody = { name: "My sites", filter: anything, ...telling, contact_point_ids: [] };
const audits = async () =>
  server.db
    .selectFrom("audit")
    .select(["action", "entity_id", "outcome", "before", "after"])
    .where("entity", "in", ["notification_rule", "subscription"])
    .orderBy("id")
    .execute();

async function addMail(client: TestClient): Promise<number> {
  const quiet = { timezone: "Asia/Kolkata", quiet_from: null, quiet_to: null, days_off: [], critical_pierces: true };
  const body = { name: "Mail", channel: "EMAIL", address: "a@own.example", ...quiet, enabled: true } as const;
  return (await client.ask(createContactPoint, { body: { owner: { kind: "PERSON" }, ...body } })).contactPointId;
}

describe("rules of the installation", () => {
  test("one is added, listed with whom it tells, changed and deleted; each change is on record", async () => {
    const { userIds, ownSiteId, ownerPartnerId } = server.fixtures;
    const { teamId } = await admin.ask(createTeam, { body: { name: "Night watch", member_ids: [userIds.admin] } });
    const { ruleId } = await admin.ask(createNotificationRule, { body: rule });
    expect(await admin.ask(notificationRules)).toEqual([
      {
        ...rule,
        id: ruleId,
        name: "Critical at night",
        target_names: [["Maintenance partner", "Site caretaker", "Site contacts"], ["Maintenance partner"]],
        version: 1,
      },
    ]);
    const body: RuleBody = {
      ...rule,
      filter: { ...anything, site_ids: [ownSiteId], partner_ids: [ownerPartnerId] },
      steps: [
        {
          after_minutes: 0,
          to: [
            { kind: "TEAM", id: teamId },
            { kind: "PERSON", id: userIds.owner },
          ],
        },
      ],
    };
    const params = { ruleId };
    await admin.ask(updateNotificationRule, { params, body: { ...body, version: 1 } });
    const [changed] = await admin.ask(notificationRules);
    expect(changed).toMatchObject({ target_names: [["Night watch", "Omkar Jain"]], version: 2 });
    const late = await admin.call(updateNotificationRule, { params, body: { ...body, version: 1 } });
    expect(late).toMatchObject({ status: 409, body: { errors: [{ field: "version" }] } });
    await admin.ask(deleteNotificationRule, { params });
    expect(await admin.call(deleteNotificationRule, { params })).toMatchObject({
      status: 404,
      body: { code: "RULE_NOT_FOUND" },
    });
    expect(await audits()).toMatchObject([
      { action: "CREATE_NOTIFICATION_RULE", outcome: "DONE", after: { name: "Critical at night" } },
      { action: "UPDATE_NOTIFICATION_RULE", after: { steps: [{ tells: ["Night watch", "Omkar Jain"] }] } },
      { action: "UPDATE_NOTIFICATION_RULE", outcome: "REFUSED" },
      { action: "DELETE_NOTIFICATION_RULE", before: { name: "Critical at night" } },
    ]);
  });

  test("§5: one that names something unknown, or nobody, is 400 with the field named", async () => {
    const to = (...targets: RuleBody["steps"][number]["to"]): Partial<RuleBody> => ({
      steps: [{ after_minutes: 0, to: targets }],
    });
    const wrong: [Partial<RuleBody>, string][] = [
      [{ filter: { ...anything, site_ids: [server.fixtures.ownSiteId, NOBODYS] } }, "filter.site_ids.1"],
      [{ filter: { ...anything, partner_ids: [NOBODYS] } }, "filter.partner_ids.0"],
      [to({ kind: "PARTNER" }, { kind: "TEAM", id: NOBODYS }), "steps.0.to.1.id"],
      [to({ kind: "PERSON", id: NOBODYS }), "steps.0.to.0.id"],
      [to({ kind: "ROTA", id: NOBODYS }), "steps.0.to.0.id"],
      [to({ kind: "CONTACT_POINT", id: NOBODYS }), "steps.0.to.0.id"],
      [to({ kind: "CONTACT_POINT" }), "steps.0.to.0.id"],
      [to(), "steps.0.to"],
      [{ steps: [{ after_minutes: 5, to: [{ kind: "PARTNER" }] }] }, "steps"],
      [{ wait_seconds: -1 }, "wait_seconds"],
      [{ repeat_minutes: 1 }, "repeat_minutes"],
    ];
    for (const [part, field] of wrong) {
      const answer = await admin.call(createNotificationRule, { body: { ...rule, ...part } });
      expect([field, answer.status, answer.body]).toMatchObject([field, 400, { errors: [{ field }] }]);
    }
    expect(await admin.ask(notificationRules)).toEqual([]);
  });

  test("only Super Admins see and change them", async () => {
    const { ruleId } = await admin.ask(createNotificationRule, { body: rule });
    const nobody = await server.as(null);
    for (const [client, status] of [
      [owner, 403],
      [nobody, 401],
    ] as const) {
      const answers = [
        await client.call(notificationRules),
        await client.call(createNotificationRule, { body: rule }),
        await client.call(updateNotificationRule, { params: { ruleId }, body: rule }),
        await client.call(deleteNotificationRule, { params: { ruleId } }),
      ];
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
    }
  });

  test("whoever was told and no longer exists has no name in it", async () => {
    const { userIds } = server.fixtures;
    const steps = [{ after_minutes: 0, to: [{ kind: "PERSON" as const, id: userIds.stranger }] }];
    await admin.ask(createNotificationRule, { body: { ...rule, steps } });
    await server.db.updateTable("users").set({ deleted_at: TEST_NOW }).where("id", "=", userIds.stranger).execute();
    expect(await admin.ask(notificationRules)).toMatchObject([{ target_names: [[null]] }]);
  });
});

describe("subscriptions", () => {
  test("everybody has the own ones only, and not even a Super Admin another's", async () => {
    const { subscriptionId } = await owner.ask(createSubscription, { body: subscription });
    expect(await owner.ask(subscriptionList)).toEqual([{ ...subscription, id: subscriptionId, version: 1 }]);
    const params = { subscriptionId };
    for (const client of [stranger, admin]) {
      expect(await client.ask(subscriptionList)).toEqual([]);
      const answers = [
        await client.call(updateSubscription, { params, body: subscription }),
        await client.call(deleteSubscription, { params }),
      ];
      expect(answers).toMatchObject([{ status: 404, body: { code: "SUBSCRIPTION_NOT_FOUND" } }, { status: 404 }]);
    }
    expect((await (await server.as(null)).call(createSubscription, { body: subscription })).status).toBe(401);
    expect(await admin.ask(notificationRules)).toEqual([]);
    await owner.ask(deleteSubscription, { params });
    expect((await audits()).map(({ action }) => action)).toEqual(["CREATE_SUBSCRIPTION", "DELETE_SUBSCRIPTION"]);
  });

  test("it tells its person by the own contact points, and keeps them from being deleted", async () => {
    const contactPointId = await addMail(owner);
    const other = await addMail(stranger);
    const { subscriptionId } = await owner.ask(createSubscription, { body: subscription });
    const params = { subscriptionId };
    const body = { ...subscription, contact_point_ids: [contactPointId, other] };
    expect(await owner.call(updateSubscription, { params, body })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "contact_point_ids.1" }] },
    });
    const own = { ...subscription, contact_point_ids: [contactPointId], version: 1 };
    await owner.ask(updateSubscription, { params, body: own });
    expect(await owner.ask(subscriptionList)).toMatchObject([{ contact_point_ids: [contactPointId], version: 2 }]);
    expect(await owner.call(updateSubscription, { params, body: own })).toMatchObject({ status: 409 });
    expect(await owner.call(deleteContactPoint, { params: { contactPointId } })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("subscription My sites") },
    });
  });

  test("§6: a site or partner of others is as unknown as one that does not exist", async () => {
    const { foreignSiteId, strangerPartnerId } = server.fixtures;
    const wrong: [Partial<SubscriptionBody["filter"]>, string][] = [
      [{ site_ids: [foreignSiteId] }, "filter.site_ids.0"],
      [{ partner_ids: [strangerPartnerId] }, "filter.partner_ids.0"],
    ];
    for (const [part, field] of wrong) {
      const answer = await owner.call(createSubscription, {
        body: { ...subscription, filter: { ...anything, ...part } },
      });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    }
  });

  test("each person may have so many", async () => {
    for (let nth = 0; nth < SUBSCRIPTIONS_PER_USER; nth += 1) {
      await owner.ask(createSubscription, { body: subscription });
    }
    expect(await owner.call(createSubscription, { body: subscription })).toMatchObject({
      status: 409,
      body: { code: "SUBSCRIPTIONS_LIMIT" },
    });
  });
});
