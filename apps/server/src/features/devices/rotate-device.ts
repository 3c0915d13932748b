import { type BrokerAccounts, BrokerNotTold, NameTaken } from "../../platform/broker-accounts/broker-accounts.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { conflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import { type AuditActor, recordAudit } from "../audit/public.ts";
import { hashDeviceSecret } from "./device-access.ts";
import { lockDevice, storeNewSecret } from "./device-rows.writes.ts";
import { deviceSentences } from "./device-sentences.ts";
import { newSecret } from "./provision-devices.ts";

/**
 * Gives a device a new secret under the lock on its row, so that of two who do so at once the broker and the database
 * keep the same one. The old one ends with the commit. Throws 404, 409 (retired) or 503 (the broker cannot be told).
 */
export async function rotate(
  db: Db,
  accounts: BrokerAccounts,
  serial: string,
  actor: AuditActor,
  at: Date,
): Promise<string> {
  const secret = newSecret();
  const refusal = await db.transaction().execute(async (tx) => {
    const error = await rotateLocked(tx, accounts, { serial, secret }, at);
    await recordAudit(tx, {
      actor,
      action: "ROTATE_DEVICE",
      entity: "device",
      entityId: serial,
      outcome: error === null ? "DONE" : "REFUSED",
      reason: error?.message ?? null,
      at,
    });
    return error;
  });
  if (refusal !== null) throw refusal;
  return secret;
}

async function rotateLocked(
  tx: Tx,
  accounts: BrokerAccounts,
  device: { readonly serial: string; readonly secret: string },
  at: Date,
): Promise<HttpError | null> {
  const { serial, secret } = device;
  const known = await lockDevice(tx, serial);
  if (known === null) throw notFound("Device");
  if (known.retired_at !== null) return conflict(deviceSentences.retiredAlready(serial));
  try {
    await accounts.put([device]);
  } catch (error) {
    if (error instanceof NameTaken) return conflict(error.message);
    if (error instanceof BrokerNotTold) return new HttpError(503, deviceSentences.notRotated(error.message));
    throw error;
  }
  await storeNewSecret(tx, serial, hashDeviceSecret(secret), at);
  return null;
}
