import { createWebhook, replayEventDelivery, eventDeliveryList } from "@suncrew/contract/events/webhook-endpoints.ts";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { WebhookReceiver } from "../../../test/webhook-receiver.ts";

const EXAMPLE = fileURLToPath(new URL("../../../../../docs/examples/webhook-receiver.mjs", import.meta.url));

let harness: CommandHarness;
let admin: TestClient;
beforeEach(async () => {
  harness = await CommandHarness.open({ settings: { outgoingPrivateAddresses: ["127.0.0.1"] } });
  await harness.live();
  const [server] = harness.servers;
  if (server === undefined) throw new Error("no server");
  admin = await server.as("admin");
});
afterEach(() => harness.close());

const addWebhook = (url: string) =>
  admin.ask(createWebhook, {
    body: { name: "Example", url, event_types: ["run.started", "run.ended", "command.settled"], enabled: true },
  });

describe("events out", () => {
  test("who starts and stops a robot is told to a webhook: the run and the commands, in order", async () => {
    const receiver = await WebhookReceiver.open();
    const enough = Promise.withResolvers<void>();
    receiver.answer = () => {
      if (receiver.calls.length === 4) enough.resolve();
      return { status: 204 };
    };
    await addWebhook(receiver.url);
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
    await enough.promise;
    await receiver.close();
    const types = receiver.types("OWN-1");
    const at = (nth: number) => types.slice(nth, nth + 2).toSorted();
    expect(at(0)).toEqual(["command.settled", "run.started"]);
    expect(at(2)).toEqual(["command.settled", "run.ended"]);
    const verbs = receiver.calls.flatMap(({ body }) => /"verb":"(\w+)"/.exec(body)?.[1] ?? []);
    expect(verbs).toEqual(["START", "STOP"]);
  });

  test("the receiver in the documents takes real deliveries, each once, and refuses a wrong signature", async () => {
    const { webhookId, signing_secret } = await addWebhook("http://127.0.0.1:1/");
    const example = await startExample(signing_secret);
    await admin.raw(`/api/webhooks/${webhookId}`, {
      method: "PUT",
      body: {
        name: "Example",
        url: `http://127.0.0.1:${example.port}/`,
        event_types: ["command.settled"],
        enabled: true,
      },
    });
    await harness.press("START");
    const first = await example.line();
    expect(JSON.parse(first)).toMatchObject({ type: "command.settled", data: { command: { outcome: "CONFIRMED" } } });
    const { deliveries } = await admin.ask(eventDeliveryList, { query: { type: "command.settled" } });
    // Replayed, it is not printed again: the next line is the next command.
    await admin.ask(replayEventDelivery, { params: { deliveryId: deliveries[0]?.id ?? "" } });
    await harness.press("STOP");
    expect(JSON.parse(await example.line())).toMatchObject({ data: { command: { verb: "STOP" } } });
    const forged = await fetch(`http://127.0.0.1:${example.port}/`, {
      method: "POST",
      body: first,
      headers: {
        "webhook-id": "1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}`,
      },
    });
    expect(forged.status).toBe(401);
    await example.stop();
  });
});

/** The program of the documents, listening. */
async function startExample(secret: string) {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, [EXAMPLE], {
    env: { WEBHOOK_SECRET: secret, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: Interface = createInterface({ input: child.stdout });
  const lines = printed[Symbol.asyncIterator]();
  const [said] = (await once(createInterface({ input: child.stderr }), "line")) as [string];
  return {
    port: Number(/\d+$/.exec(said)?.[0]),
    line: async () => String((await lines.next()).value),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
