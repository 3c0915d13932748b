import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pino from "pino";
import { buildApp } from "./app.ts";
import { documentFiles, documentText } from "./features/api-docs/public.ts";
import type { Broker } from "./platform/broker.ts";
import { SystemClock } from "./platform/clock.ts";
import { openDatabase } from "./platform/database/database.ts";
import { repositoryDir } from "./process/data-folder.ts";

/**
 * Writes docs/api: `npm run api-docs`, after each change to a route, a schema or a topic. The calls are those of an app that is
 * built but never started, so that it needs neither database nor broker.
 */
const database = openDatabase({});
const broker: Broker = {
  connected: false,
  publish: () => Promise.reject(new Error("There is no broker.")),
  subscribe: () => Promise.reject(new Error("There is no broker.")),
  onConnectionChange: () => () => {},
  close: () => Promise.resolve(),
};
const app = await buildApp({
  db: database.db,
  connection: {},
  broker,
  clock: new SystemClock(),
  log: pino({ level: "silent" }),
  serverId: "00000000-0000-4000-8000-000000000000",
  settings: {
    mode: "production",
    secretKey: "signs nothing, because nobody signs in here",
    tokenHours: 1,
    manualRunMaxMinutes: 1,
    mapTiles: null,
    weather: { provider: "sample", delayMs: 0 },
    consoleDir: null,
  },
});
await app.http.ready();

const folder = join(repositoryDir, "docs/api");
await mkdir(folder, { recursive: true });
for (const name of documentFiles) {
  await writeFile(join(folder, name), documentText(name, app.http));
  process.stdout.write(`docs/api/${name}\n`);
}
await app.stop();
await database.close();
