import { join } from "node:path";
import type { Db } from "@suncrew/server/platform/database/database.ts";
import type { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { planInputs } from "@suncrew/server/features/weather/site-inputs.repository.ts";

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

const DAY_MS = 24 * 3_600_000;

/** As where a server has known the sites for long: it need not first store a year of air and weather at each of them. */
export async function expectNoInputs(db: Db): Promise<void> {
  await planInputs(db, ["AIR", "WEATHER"], "sample", new Date(Date.now() + DAY_MS));
}
