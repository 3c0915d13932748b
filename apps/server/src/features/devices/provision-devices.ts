import { type DeviceSecret, DEVICES_AT_ONCE } from "@suncrew/contract/devices/devices.ts";
import { serialRange } from "@suncrew/domain/devices/serial-numbers.ts";
import {
  type BrokerAccounts,
  BrokerNotTold,
  type DeviceAccount,
  keepsSecrets,
  NameTaken,
} from "../../platform/broker-accounts/broker-accounts.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, transactionWithRetry } from "../../platform/database/transactions.ts";
import { type AdvisoryLocks, type HeldLock, LockUnavailableError } from "../../platform/database/advisory-locks.ts";
import { HttpError, invalid } from "../../platform/http/http-error.ts";
import { type AuditActor, recordAudit, recordAudits } from "../audit/public.ts";
import { holdPartner } from "./allocate-devices.ts";
import { hashDeviceSecret } from "./device-access.ts";
import { holdProvisioning, insertDevices, readTaken } from "./devices.repository.ts";
import { deviceSentences } from "./device-sentences.ts";
import { newSecret } from "./new-secret.ts";

/** Of more than so many accounts not all need be taken back where the broker stops taking them. */
const TOLD_AT_ONCE = 50;
/** Accounts that cannot be taken back before the broker counts as away. */
const FAILED_AT_MOST = 2;

export interface Provision {
  readonly first: string;
  readonly last: string;
  /** The partner that they are allocated to. */
  readonly partnerId: number;
  readonly by: AuditActor;
  readonly at: Date;
}

/** What devices are provisioned with; `locks` are of provisioning alone. */
export interface ProvisionDependencies {
  readonly db: Db;
  readonly accounts: BrokerAccounts;
  readonly locks: AdvisoryLocks;
}

export interface Provisioned {
  readonly devices: readonly DeviceSecret[];
  /** The name of the partner that they are allocated to. */
  readonly partner: string;
}

/**
 * Makes devices with their secrets, all of them or none: the broker has their accounts before they are stored, and before
 * anybody is told a secret. Throws 400 (no range), 404 (no such partner), 409 (taken) or 503 (the broker cannot be told).
 */
export async function provision(deps: ProvisionDependencies, asked: Provision): Promise<Provisioned> {
  const { first, last, by, at } = asked;
  const serials = serialRange(first, last, DEVICES_AT_ONCE);
  if (serials === null) throw invalid("last_serial", deviceSentences.noRange(DEVICES_AT_ONCE));
  const devices = serials.map((serial) => ({ serial, secret: newSecret() }));
  try {
    const partner = keepsSecrets(deps.accounts)
      ? await provisionAtBroker(deps, devices, asked)
      : await transactionWithRetry(deps.db, (tx) => store(tx, devices, asked));
    return { devices, partner };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const after = { first_serial: first, last_serial: last, partner_id: asked.partnerId };
    const refused = { action: "PROVISION_DEVICE", entity: "device", entityId: first, after };
    await recordAudit(deps.db, { ...refused, actor: by, outcome: "REFUSED", reason: refusal.message, at });
    throw refusal;
  }
}

/**
 * One at a time over all servers, so that nobody else gives an account another secret before the devices are stored. No
 * transaction is open while the broker is told, which takes seconds for many. Where the process dies in between, the
 * accounts have secrets that nobody was told; whoever provisions these serial numbers next takes them over.
 */
async function provisionAtBroker(
  { db, accounts, locks }: ProvisionDependencies,
  devices: readonly DeviceAccount[],
  asked: Provision,
): Promise<string> {
  const serials = devices.map(({ serial }) => serial);
  return locks.holding("all", async (lock) => {
    await transactionWithRetry(db, (tx) => holdPartner(tx, asked.partnerId));
    const taken = await readTaken(db, serials);
    if (taken.length > 0) throw takenAlready(taken);
    await tell(accounts, devices, lock);
    return transactionWithRetry(db, (tx) => store(tx, devices, asked)).catch(async (error: unknown) => {
      // Stored by whom the lock does not bind. After any other failure the devices may be stored all the same.
      if (error instanceof HttpError) await takeBack(accounts, await notTaken(db, devices), lock);
      throw error;
    });
  });
}

async function notTaken(db: Db, devices: readonly DeviceAccount[]): Promise<DeviceAccount[]> {
  const serials = devices.map(({ serial }) => serial);
  const taken = new Set(await readTaken(db, serials));
  return devices.filter(({ serial }) => !taken.has(serial));
}

/** Answers the name of the partner. */
async function store(tx: Tx, devices: readonly DeviceAccount[], asked: Provision): Promise<string> {
  const { by: actor, at, partnerId } = asked;
  const partner = await holdPartner(tx, partnerId);
  await holdProvisioning(tx);
  const taken = await readTaken(
    tx,
    devices.map(({ serial }) => serial),
  );
  if (taken.length > 0) throw takenAlready(taken);
  const hashed = devices.map(({ serial, secret }) => ({ serial, secretSha256: hashDeviceSecret(secret) }));
  if ((await insertDevices(tx, hashed, partnerId, at)) < devices.length) throw new ConcurrentChangeError();
  const audited = { actor, action: "PROVISION_DEVICE", entity: "device", outcome: "DONE", at } as const;
  await recordAudits(
    tx,
    devices.map(({ serial }) => ({ ...audited, entityId: serial, after: { partner_id: partnerId, partner } })),
  );
  return partner;
}

function takenAlready(serials: readonly string[]): HttpError {
  const message = deviceSentences.taken(serials);
  return new HttpError(409, message, { errors: [{ field: "first_serial", message }] });
}

/** Null for what is none of ours. */
function refusalOf(error: unknown): HttpError | null {
  if (error instanceof HttpError) return error;
  if (error instanceof NameTaken) return takenAlready([error.serial]);
  if (error instanceof LockUnavailableError) return new HttpError(503, deviceSentences.provisionedElsewhere);
  if (error instanceof BrokerNotTold) return new HttpError(503, deviceSentences.nothingProvisioned(error.message));
  return null;
}

async function tell(accounts: BrokerAccounts, devices: readonly DeviceAccount[], lock: HeldLock): Promise<void> {
  for (let from = 0; from < devices.length; from += TOLD_AT_ONCE) {
    try {
      await accounts.put(devices.slice(from, from + TOLD_AT_ONCE));
    } catch (error) {
      await takeBack(accounts, devices.slice(0, from + TOLD_AT_ONCE), lock);
      throw error;
    }
    if (!lock.held) throw new HttpError(503, deviceSentences.notHeld);
  }
}

/** Accounts of which nobody was told the secret do no harm, so a broker that is away is not waited for. */
async function takeBack(accounts: BrokerAccounts, told: readonly DeviceAccount[], lock: HeldLock): Promise<void> {
  let failed = 0;
  for (const { serial } of told) {
    // Without the lock they may be somebody else's by now.
    if (!lock.held || failed > FAILED_AT_MOST) return;
    await accounts.retire(serial).catch(() => {
      // Whoever provisions it next takes the account over.
      failed += 1;
    });
  }
}
