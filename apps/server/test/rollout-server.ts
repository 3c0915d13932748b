import { randomUUID } from "node:crypto";
import type { KyselyPlugin } from "kysely";
import pino from "pino";
import { z } from "zod";
import { buildApp } from "../src/app.ts";
import { type Broker, openBroker } from "../src/platform/broker.ts";
import { SystemClock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/database/database.ts";
import { testSettings } from "./test-app.ts";

/** When this process kills itself, around its first offer; "never" waits for its parent to kill it. */
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
  // The signal may arrive after the next line would run.
  for (;;);
}

/** Once an offer was stored and committed, kills the process before the query that would claim it. */
function dieBeforeClaim(): KyselyPlugin {
  let isStored = false;
  return {
    transformQuery({ node }) {
      const has = (text: string) => node.kind === "RawNode" && node.sqlFragments.some((part) => part.includes(text));
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

/** The real server in a separate process, configured by its parent; it serves only robots. */
async function run({ connection: options, mqttUrl: url, username, password, publicUrl, killAt }: Setup): Promise<void> {
  const log = pino({ level: "silent" });
  const { db, connection } = openDatabase(options);
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
// The test has ended.
process.once("disconnect", () => process.exit(1));
