import { join } from "node:path";
import type { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";

/** Signs the tokens. */
export const SECRET_KEY = "vQ8kd0Zp3mYt7LwXr5Hs9Bn2Fj6Gc4Ta";

type Connection = Awaited<ReturnType<typeof startEmbeddedPostgres>>["connection"];

/** The environment of a production server on a benchmark's own PostgreSQL, with its data beside that one's. */
export function serverEnvironment({ host, port, user, database }: Connection, dataDir: string, adminPassword: string) {
  return {
    EMBEDDED: "yes",
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    DATA_DIR: join(dataDir, "server"),
    SECRET_KEY,
    ADMIN_PASSWORD: adminPassword,
    WEATHER_PROVIDER: "sample",
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
  };
}
