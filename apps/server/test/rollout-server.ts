import { randomUUID } from "node:crypto";
import type { KyselyPlugin } from "kysely";
import pino from "pino";
import { z } from "zod";
import { buildApp } from "../src/app.ts";
import { type Broker, openBroker } from "../src/platform/broker.ts";
import { SystemClock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/database/database.ts";
import { testSettings } from "./test-app.ts";

/** Where this process kills itself: around the first offer that it makes; "never" waits for another to kill it. */
const killPoints = ["stored", "claimed", "published", "never"] as const;
export type OfferKillPoint = (typeof killPoints)[number];

const setupSchema = z.object({
  connection: z.record(z.string(), z.unknown()),
  mqttUrl: z.string(),
  username: z.string(),
  password: z.string(),
  publicUrl: z.string(),
  killAt: z.enum(killPoints),
});
export type RolloutServerSetup = z.input<typeof setupSchema>;
type Setup = z.output<typeof setupSchema>;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal is not always there before the next line would run.
  for (;;);
}

/** An offer was stored and is committed, and this is the query that would take it for sending. */
function dieBeforeClaim(): KyselyPlugin {
  let isStored = false;
  return {
    transformQuery({ node }) {
      const has = (words: string) => node.kind === "RawNode" && node.sqlFragments.some((part) => part.includes(words));
      if (has("set state = 'OFFERED'")) isStored = true;
      if (isStored && has("set sent_at =")) die();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

function dyingBroker(inner: Broker, killAt: Setup["killAt"]): Broker {
  return {
    get connected() {
      return inner.connected;
    },
    async publish(topic, payload) {
      const isOffer = topic.endsWith("/firmware");
      if (isOffer && killAt === "claimed") die();
      await inner.publish(topic, payload);
      if (isOffer && killAt === "published") die();
    },
    subscribe: (topics, onMessage) => inner.subscribe(topics, onMessage),
    onConnectionChange: (listener) => inner.onConnectionChange(listener),
    close: () => inner.close(),
  };
}

/** The real server in a process of its own, told by its parent what to open; it serves nobody but robots. */
async function run({ connection: given, mqttUrl: url, username, password, publicUrl, killAt }: Setup): Promise<void> {
  const log = pino({ level: "silent" });
  const { db, connection } = openDatabase(given);
  const serverId = randomUUID();
  const broker = openBroker({ url, clientId: `server-${serverId}`, username, password, log });
  const app = await buildApp({
    db: killAt === "stored" ? db.withPlugin(dieBeforeClaim()) : db,
    connection,
    broker: dyingBroker(broker, killAt),
    clock: new SystemClock(),
    log,
    settings: { ...testSettings, publicUrl: () => publicUrl },
    serverId,
  });
  await app.start();
  process.send?.({ started: true });
}

process.once("message", (message) => void run(setupSchema.parse(message)));
// The test has gone.
process.once("disconnect", () => process.exit(1));
