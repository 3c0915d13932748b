import {
  createWebhook,
  eventDeliveryList,
  testWebhook,
  webhookList,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import {
  contactPointList,
  createContactPoint,
  testContactPoint,
} from "@suncrew/contract/notifications/contact-points.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../test/test-app.ts";
import { EventSender } from "../features/events/public.ts";
import { ManualClock } from "../platform/clock.ts";
import { moveAddresses, seedNotifications } from "./demo-notifications.repository.ts";
import { demoParks } from "./demo-parks.ts";
import { FakeServices, type ReceivedMessage } from "./fake-services.ts";

let server: TestApp;
let services: FakeServices;
const received: ReceivedMessage[] = [];
beforeEach(async () => {
  server = await createTestApp({
    // Deliveries count from when the database noted them.
    clock: new ManualClock(new Date()),
    settings: { outgoingPrivateAddresses: ["127.0.0.1"] },
  });
  received.length = 0;
  services = await FakeServices.open({ clock: server.clock, onMessage: (message) => received.push(message) });
});
afterEach(async () => {
  await services.close();
  await server.close();
});

test("demo: contact points and webhooks at its mailbox work where that got another port; others stay as they are", async () => {
  const admin = await server.as("admin");
  const former = 1;
  const people = { timezone: "Asia/Kolkata", quiet_from: null, quiet_to: null, days_off: [], enabled: true };
  const owner = { kind: "PERSON" as const, id: server.fixtures.userIds.admin };
  const contact = (name: string, url: string) =>
    admin.ask(createContactPoint, {
      body: { ...people, critical_pierces: true, owner, name, channel: "WEBHOOK", url },
    });
  const webhook = (name: string, url: string) =>
    admin.ask(createWebhook, { body: { name, url, event_types: null, enabled: true } });
  const { contactPointId } = await contact("Mailbox", `http://127.0.0.1:${former}/webhook/phone`);
  await contact("Elsewhere", "https://hooks.example/phone");
  const { webhookId } = await webhook("Mailbox", `http://127.0.0.1:${former}/webhook/depot`);
  await webhook("Elsewhere", "https://hooks.example/depot");

  await moveAddresses(server.deps, former, services.port);
  const host = `127.0.0.1:${services.port}`;
  const hosts = async () => [
    (await admin.ask(contactPointList)).map(({ name, address }) => `${name} ${address}`).toSorted(),
    (await admin.ask(webhookList)).map((one) => `${one.name} ${one.host}`).toSorted(),
  ];
  const expected = ["Elsewhere hooks.example", `Mailbox ${host}`];
  expect(await hosts()).toEqual([expected, expected]);
  expect(await admin.ask(testContactPoint, { params: { contactPointId } })).toMatchObject({ delivered: true });
  expect(await admin.ask(testWebhook, { params: { webhookId } })).toMatchObject({ delivered: true });
  expect(received.map(({ to }) => to)).toHaveLength(2);
});

test("demo: a webhook is told of the events of its parks from the start, and its calls are no messages to people", async () => {
  const { ownRobot, foreignRobot } = server.fixtures;
  const [park] = demoParks;
  await server.db
    .updateTable("sites")
    .set({ name: park?.name ?? "" })
    .where("id", "=", ownRobot.siteId)
    .execute();
  await seedNotifications(server.deps, services.urls);
  const admin = await server.as("admin");
  const [webhook] = await admin.ask(webhookList);
  expect(webhook).toMatchObject({
    name: "Control room",
    enabled: true,
    event_types: null,
    site_ids: [ownRobot.siteId],
  });
  for (const { id, siteId } of [ownRobot, foreignRobot]) {
    await sql`
      insert into alerts (robot_id, site_id, source, code, severity, text, raised_at)
      values (${id}, ${siteId}, 'ROBOT', 'JAMMED', 'CRITICAL', 'Jammed.', now())`.execute(server.db);
  }
  const sender = new EventSender(server.deps);
  await sender.runOnce();
  await sender.idle();
  const { deliveries } = await admin.ask(eventDeliveryList);
  expect(deliveries).toMatchObject([{ type: "alert.raised", serial_number: ownRobot.serial, status: "SENT" }]);
  const params = { webhookId: webhook?.id ?? 0 };
  expect(await admin.ask(testWebhook, { params })).toMatchObject({ delivered: true });
  expect(received).toEqual([]);
});
