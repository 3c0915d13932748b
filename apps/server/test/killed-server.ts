import { randomUUID } from "node:crypto";
import type { KyselyPlugin } from "kysely";
import pino from "pino";
import { z } from "zod";
import { buildApp } from "../src/app.ts";
import { type Broker, openBroker } from "../src/platform/broker.ts";
import { SystemClock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/database/database.ts";

/** Where this process kills itself: around its first command of this verb. */
const killPoints = ["stored", "claimed", "published"] as const;
export type KillPoint = (typeof killPoints)[number];

const setupSchema = z.object({
  connection: z.record(z.string(), z.unknown()),
  mqttUrl: z.string(),
  username: z.string(),
  password: z.string(),
  killAt: z.enum(killPoints),
  verb: z.enum(["START", "MAINTENANCE_ON", "MAINTENANCE_OFF"]).default("START"),
});
export type KilledServerSetup = z.input<typeof setupSchema>;
type Setup = z.output<typeof setupSchema>;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal may arrive after the next line would run.
  for (;;);
}

/** The command is committed, and this is the query that would claim it. */
const dieBeforeClaim: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === "RawNode" && node.sqlFragments.some((part) => part.includes("c.claimed_by is null"))) die();
    return node;
  },
  transformResult: async ({ result }) => result,
};

function dyingBroker(inner: Broker, { killAt, verb }: Setup): Broker {
  return {
    get connected() {
      return inner.connected;
    },
    async publish(topic, payload) {
      const isMeant = payload.includes(`"${verb}"`);
      if (isMeant && killAt === "claimed") die();
      await inner.publish(topic, payload);
      if (isMeant && killAt === "published") die();
    },
    subscribe: (topics, onMessage) => inner.subscribe(topics, onMessage),
    onConnectionChange: (listener) => inner.onConnectionChange(listener),
    close: () => inner.close(),
  };
}

/** The real server in a separate process, configured by its parent; reports its port. */
async function run(setup: Setup): Promise<void> {
  const { mqttUrl: url, username, password, killAt } = setup;
  const log = pino({ level: "silent" });
  const { db, connection } = openDatabase(setup.connection);
  const serverId = randomUUID();
  const broker = openBroker({ url, clientId: `server-${serverId}`, username, password, log });
  const app = await buildApp({
    db: killAt === "stored" ? db.withPlugin(dieBeforeClaim) : db,
    connection,
    broker: dyingBroker(broker, setup),
    clock: new SystemClock(),
    log,
    settings: {
      mode: "production",
      secretKey: "a key that only this process has, long enough",
      tokenHours: 1,
      manualRunMaxMinutes: 480,
      mapTiles: null,
      weather: { provider: "sample", delayMs: 0 },
      consoleDir: null,
    },
    serverId,
  });
  await app.start();
  const address = await app.http.listen({ host: "127.0.0.1", port: 0 });
  process.send?.({ address });
}

process.once("message", (message) => void run(setupSchema.parse(message)));
// The test has ended.
process.once("disconnect", () => process.exit(1));
