import { randomBytes } from "node:crypto";
import { type DeviceSecret, DEVICES_AT_ONCE } from "@suncrew/contract/devices/devices.ts";
import { serialRange } from "@suncrew/domain/devices/serial-range.ts";
import { sql } from "kysely";
import {
  type BrokerAccounts,
  BrokerNotTold,
  type DeviceAccount,
  NameTaken,
} from "../../platform/broker-accounts/broker-accounts.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { ChangedMeanwhile, decide } from "../../platform/database/decide.ts";
import { conflict, HttpError, invalid } from "../../platform/http/http-error.ts";
import { type AuditActor, recordAudit, recordAudits } from "../audit/public.ts";
import { hashDeviceSecret } from "./device-access.ts";
import { insertDevices, readTaken } from "./device-rows.writes.ts";
import { deviceSentences } from "./device-sentences.ts";

/** So many are told to the broker before the database hears of this transaction again, which ends silent ones. */
const TOLD_AT_ONCE = 50;
const SECRET_BYTES = 32;
/** Accounts that cannot be taken back before the broker counts as away. */
const FAILED_AT_MOST = 2;

/** Never with a dash at its beginning, which programs take for an option and spreadsheets for a formula. */
export function newSecret(): string {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  return secret.startsWith("-") ? newSecret() : secret;
}

export interface Provision {
  readonly first: string;
  readonly last: string;
  readonly by: AuditActor;
  readonly at: Date;
}

/**
 * Makes devices with their secrets, all of them or none: the broker has their accounts before anybody is told a secret.
 * Throws 400 (no range), 409 (taken) or 503 (the broker cannot be told).
 */
export async function provision(db: Db, accounts: BrokerAccounts, asked: Provision): Promise<DeviceSecret[]> {
  const { first, last, by, at } = asked;
  const serials = serialRange(first, last, DEVICES_AT_ONCE);
  if (serials === null) throw invalid("last_serial", deviceSentences.noRange(DEVICES_AT_ONCE));
  const devices = serials.map((serial) => ({ serial, secret: newSecret() }));
  try {
    await decide(db, async (tx) => {
      await store(tx, devices, asked);
      await tell(tx, accounts, devices);
    });
    return devices;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const after = { first_serial: first, last_serial: last };
    const refused = { action: "PROVISION_DEVICE", entity: "device", entityId: first, after };
    await recordAudit(db, { ...refused, actor: by, outcome: "REFUSED", reason: refusal.message, at });
    throw refusal;
  }
}

async function store(tx: Tx, devices: readonly DeviceAccount[], { by: actor, at }: Provision): Promise<void> {
  const taken = await readTaken(
    tx,
    devices.map(({ serial }) => serial),
  );
  if (taken.length > 0) throw conflict(deviceSentences.taken(taken));
  const hashed = devices.map(({ serial, secret }) => ({ serial, secretSha256: hashDeviceSecret(secret) }));
  if ((await insertDevices(tx, hashed, at)) < devices.length) throw new ChangedMeanwhile();
  const audited = { actor, action: "PROVISION_DEVICE", entity: "device", outcome: "DONE", at } as const;
  await recordAudits(
    tx,
    devices.map(({ serial }) => ({ ...audited, entityId: serial })),
  );
}

/** Null for what is none of ours. */
function refusalOf(error: unknown): HttpError | null {
  if (error instanceof HttpError) return error;
  if (error instanceof NameTaken) return conflict(deviceSentences.taken([error.serial]));
  if (error instanceof BrokerNotTold) return new HttpError(503, deviceSentences.nothingProvisioned(error.message));
  return null;
}

/** Tells the broker while the serial numbers are held: nobody else provisions them before it is all told or taken back. */
async function tell(tx: Tx, accounts: BrokerAccounts, devices: readonly DeviceAccount[]): Promise<void> {
  for (let from = 0; from < devices.length; from += TOLD_AT_ONCE) {
    try {
      await accounts.put(devices.slice(from, from + TOLD_AT_ONCE));
    } catch (error) {
      await takeBack(tx, accounts, devices.slice(0, from + TOLD_AT_ONCE));
      throw error;
    }
    await sql`select 1`.execute(tx);
  }
}

/** Accounts of which nobody was told the secret do no harm, so a broker that is away is not waited for. */
async function takeBack(tx: Tx, accounts: BrokerAccounts, told: readonly DeviceAccount[]): Promise<void> {
  let failed = 0;
  for (const { serial } of told) {
    await accounts.retire(serial).catch(() => {
      // Whoever provisions it next takes the account over.
      failed += 1;
    });
    if (failed > FAILED_AT_MOST) return;
    await sql`select 1`.execute(tx);
  }
}
