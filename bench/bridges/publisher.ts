import { setTimeout as pause } from "node:timers/promises";
import type { ConnectionMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { connectAsync, type MqttClient } from "mqtt";
import { connectionMessage, stateMessage } from "../../apps/server/test/robot-messages.ts";
import { type Order, serialOf, SESSION } from "./orders.ts";

// Publishes what a fleet would, over a few connections; a process of its own, told by messages what to do.

const STEP_MS = 20;

const stateOf = (seq: number, battery: number): StateMessage =>
  stateMessage(new Date(), SESSION, seq, { battery, charging: true });

const [url = "", count = "0"] = process.argv.slice(2);
const robots = Number(count);
const clients: MqttClient[] = [];
for (let index = 0; index < 4; index += 1) clients.push(await connectAsync(url, { clientId: `publisher-${index}` }));
let next = 0;
let seq = 1;

function publish(
  index: number,
  leaf: "connection" | "state",
  message: ConnectionMessage | StateMessage,
  retain = false,
): Promise<unknown> {
  const client = clients[index % clients.length];
  if (client === undefined) throw new Error("There is no connection.");
  return client.publishAsync(topicOf(serialOf(index), leaf), JSON.stringify(message), { qos: 1, retain });
}

async function retain(): Promise<number> {
  for (let from = 0; from < robots; from += 500) {
    const sent: Promise<unknown>[] = [];
    for (let index = from; index < Math.min(robots, from + 500); index += 1) {
      const online = connectionMessage(new Date(), SESSION);
      sent.push(publish(index, "connection", online, true), publish(index, "state", stateOf(seq, 80), true));
    }
    await Promise.all(sent);
  }
  return 2 * robots;
}

async function live(perSecond: number, seconds: number): Promise<number> {
  const beganMs = performance.now();
  const sent: Promise<unknown>[] = [];
  let published = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1_000; elapsedMs = performance.now() - beganMs) {
    for (const due = (elapsedMs / 1_000) * perSecond; published < due; published += 1) {
      if (next === 0) seq += 1;
      sent.push(publish(next, "state", stateOf(seq, published % 100)));
      next = (next + 1) % robots;
    }
    await pause(STEP_MS);
  }
  await Promise.all(sent);
  return published;
}

process.on("message", (order: Order) => {
  const done = order.do === "retain" ? retain() : live(order.perSecond, order.seconds);
  void done.then((published) => process.send?.({ published }));
});
process.on("disconnect", () => process.exit());
process.send?.({ published: 0 });
