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
  WEBHOOKS_MAX,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { WebhookReceiver } from "../../../test/webhook-receiver.ts";

let server: TestApp;
let admin: TestClient;
beforeEach(async () => {
  server = await createTestApp();
  admin = await server.as("admin");
});
afterEach(() => server.close());

const NOBODYS = 999_999;
const url = "https://hooks.example/events?key=of-the-receiver";
const body = (more: Partial<Parameters<typeof fields>[0]> = {}) => fields({ name: "Control room", url, ...more });
function fields(more: {
  readonly name: string;
  readonly url: string;
  readonly site_ids?: number[];
  readonly partner_ids?: number[];
  readonly event_types?: ("run.ended" | "alert.raised")[] | null;
}) {
  return { event_types: null, enabled: true, ...more };
}
const refusals = async () =>
  (
    await server.db
      .selectFrom("audit")
      .select(["action", "outcome"])
      .where("entity", "=", "webhook")
      .where("outcome", "=", "REFUSED")
      .orderBy("id")
      .execute()
  ).map(({ action }) => action);

describe("webhooks", () => {
  test("§5: a name that another one has, in any case, is 409 in a new one and in an edit, and on record", async () => {
    await admin.ask(createWebhook, { body: body() });
    const { webhookId } = await admin.ask(createWebhook, { body: body({ name: "Depot" }) });
    const taken = { status: 409, body: { code: "WEBHOOK_NAME_TAKEN", errors: [{ field: "name" }] } };
    const name = " CONTROL room ";
    expect(await admin.call(createWebhook, { body: body({ name }) })).toMatchObject(taken);
    const params = { webhookId };
    expect(await admin.call(updateWebhook, { params, body: body({ name }) })).toMatchObject(taken);
    expect(await refusals()).toEqual(["CREATE_WEBHOOK", "UPDATE_WEBHOOK"]);
    // Its own name is no other's, and a deleted one's is free.
    await admin.ask(updateWebhook, { params, body: body({ name: "DEPOT" }) });
    await admin.ask(deleteWebhook, { params });
    await admin.ask(createWebhook, { body: body({ name: "Depot" }) });
    expect((await admin.ask(webhookList)).map((one) => one.name)).toEqual(["Control room", "Depot"]);
  });

  test("there are so many at most; deleted ones do not count", async () => {
    const ids: number[] = [];
    for (let nth = 1; nth <= WEBHOOKS_MAX; nth += 1) {
      ids.push((await admin.ask(createWebhook, { body: body({ name: `W${nth}` }) })).webhookId);
    }
    expect(await admin.call(createWebhook, { body: body() })).toMatchObject({
      status: 409,
      body: { code: "WEBHOOKS_LIMIT" },
    });
    await admin.ask(deleteWebhook, { params: { webhookId: ids[0] ?? 0 } });
    await admin.ask(createWebhook, { body: body() });
  });

  test.each([
    ["site_ids", { site_ids: [NOBODYS] }],
    ["partner_ids", { partner_ids: [NOBODYS] }],
    ["url", { url: "ftp://hooks.example/" }],
    ["url", { url: "http://hooks.example/" }],
    ["url", { url: "https://somebody:secret@hooks.example/" }],
    ["url", { url: "nowhere" }],
    ["name", { name: " " }],
  ])("§5: what is wrong is 400 with the field named, in a new one and in an edit: %s %j", async (field, more) => {
    const refused = { status: 400, body: { errors: [{ field: expect.stringMatching(`^${field}\\b`) as string }] } };
    expect(await admin.call(createWebhook, { body: body(more) })).toMatchObject(refused);
    const params = { webhookId: (await admin.ask(createWebhook, { body: body() })).webhookId };
    expect(await admin.call(updateWebhook, { params, body: body(more) })).toMatchObject(refused);
    expect(await admin.ask(webhookList)).toMatchObject([{ name: "Control room", host: "hooks.example", version: 1 }]);
  });

  test("§5: an event that does not exist, one named twice, and none at all are 400", async () => {
    for (const event_types of [["robot.exploded"], ["run.ended", "run.ended"], []]) {
      const sent = { method: "POST", body: JSON.stringify({ ...body(), event_types }) };
      const answer = await admin.raw(createWebhook.path, { ...sent, headers: { "content-type": "application/json" } });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('"event_types')]);
    }
    expect(await admin.call(eventDeliveryList, { query: { type: "run.ended" } })).toMatchObject({ status: 200 });
    const unknown = await admin.raw(`${eventDeliveryList.path}?type=robot.exploded`);
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('"type"')]);
  });

  test("an edit based on an outdated version is 409, changes nothing and is on record", async () => {
    const { webhookId } = await admin.ask(createWebhook, { body: body() });
    const params = { webhookId };
    await admin.ask(updateWebhook, { params, body: { ...body({ name: "First" }), version: 1 } });
    expect(
      await admin.call(updateWebhook, { params, body: { ...body({ name: "Second" }), version: 1 } }),
    ).toMatchObject({
      status: 409,
      body: { code: "EDIT_CONFLICT", errors: [{ field: "version" }] },
    });
    expect(await admin.ask(webhookList)).toMatchObject([{ name: "First", version: 2 }]);
    expect(await refusals()).toEqual(["UPDATE_WEBHOOK"]);
  });

  test("one that was deleted is 404 for every call, and what was sent to it stays listed", async () => {
    const { webhookId } = await admin.ask(createWebhook, { body: body() });
    const params = { webhookId };
    await admin.ask(deleteWebhook, { params });
    const since = { since: TEST_NOW.toISOString() };
    for (const answer of [
      await admin.call(updateWebhook, { params, body: body() }),
      await admin.call(deleteWebhook, { params }),
      await admin.call(replaceWebhookSecret, { params }),
      await admin.call(testWebhook, { params }),
      await admin.call(replayWebhook, { params, body: since }),
      await admin.call(eventDeliveryList, { query: { webhook_id: NOBODYS } }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: "WEBHOOK_NOT_FOUND" } });
    }
    expect(await admin.call(eventDeliveryList, { query: { webhook_id: webhookId } })).toMatchObject({ status: 200 });
    expect(await admin.call(replayEventDelivery, { params: { deliveryId: "1" } })).toMatchObject({ status: 404 });
  });

  test("§5: one at a private address is called neither by a test nor by an event, and the test says why", async () => {
    const receiver = await WebhookReceiver.open();
    const { webhookId } = await admin.ask(createWebhook, { body: body({ url: receiver.url }) });
    expect(await admin.ask(testWebhook, { params: { webhookId } })).toEqual({
      delivered: false,
      message: expect.stringContaining("OUTGOING_PRIVATE_ADDRESSES") as string,
    });
    await receiver.close();
    expect(receiver.calls).toEqual([]);
  });
});
