import { databaseNow } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Parts } from "../../platform/parts.ts";

const PATIENCE_MS = 3_000;

/** Throws 503 naming the part that is not reached. */
export async function requireReady({ db, broker, clock }: Parts): Promise<void> {
  const answered = await new Promise<boolean>((resolve) => {
    const giveUp = clock.after(PATIENCE_MS, () => resolve(false));
    databaseNow(db)
      .then(() => resolve(true))
      .catch(() => resolve(false))
      .finally(giveUp);
  });
  if (!answered) throw new HttpError(503, "The database is not reached.");
  if (!broker.connected) throw new HttpError(503, "The MQTT broker is not reached.");
}
