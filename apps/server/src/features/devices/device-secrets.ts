import { DEVICES_AT_ONCE, type DeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { deviceLeaves, parseTopic, serverLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import { serialRange } from "@suncrew/domain/devices/serial-numbers.ts";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import {
  AccountNameTakenError,
  type BrokerAccounts,
  BrokerUpdateError,
  type DeviceAccount,
  storesSecrets,
} from "../../platform/broker-accounts/broker-accounts.ts";
import { type AdvisoryLocks, type HeldLock, LockUnavailableError } from "../../platform/database/advisory-locks.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import { type AuditActor, type AuditedChange, auditedChange, recordChanges, recordChange } from "../audit/public.ts";
import { seenAt } from "../sites/public.ts";
import { deviceMessages } from "./device-messages.ts";
import {
  clearSecretUnsure,
  deviceSecretSha256,
  insertDevices,
  isKnownDevice,
  lockDevice,
  lockPartner,
  lockProvisioning,
  markSecretUnsure,
  readMovingRobot,
  readTakenSerials,
  retireAgain,
  storeNewSecret,
} from "./devices.repository.ts";

/** Accounts per broker call. If the broker stops accepting them, no more than these have to be taken back. */
const PUT_BATCH = 50;
/** After this many failures to take back accounts, the broker counts as unreachable. */
const MAX_TAKE_BACK_FAILURES = 2;
const SECRET_BYTES = 32;

interface ProvisionRequest {
  readonly first: string;
  readonly last: string;
  /** The partner that the devices are allocated to. */
  readonly partnerId: number;
  readonly by: AuditActor;
  readonly at: Date;
}

interface ProvisionDependencies {
  readonly db: Db;
  readonly accounts: BrokerAccounts;
  /** Reserved for this kind of change. */
  readonly locks: AdvisoryLocks;
}

/**
 * Creates devices with their secrets, all or none; returns them with the partner's name. The broker receives their
 * accounts before they are stored, and before anyone sees a secret. Throws 400 (not a range), 404 (no such partner),
 * 409 (serial number taken) or 503 (the broker could not be updated).
 */
export async function provision(
  deps: ProvisionDependencies,
  request: ProvisionRequest,
): Promise<{ devices: DeviceSecret[]; partner: string }> {
  const { first, last, partnerId, by: actor, at } = request;
  const serials = serialRange(first, last, DEVICES_AT_ONCE);
  if (serials === null) throw invalid("last_serial", deviceMessages.noRange(DEVICES_AT_ONCE), "SERIAL_RANGE");
  const devices = serials.map((serial) => ({ serial, secret: newSecret() }));
  const after = { first_serial: first, last_serial: last, partner_id: partnerId };
  const change = { actor, action: "PROVISION_DEVICE", entity: "device", entityId: first, after, at };
  const partner = await recordingRefusals(deps.db, change, provisionRefusal, () =>
    storesSecrets(deps.accounts)
      ? provisionAtBroker(deps, devices, request)
      : transactionWithRetry(deps.db, (tx) => storeDevices(tx, devices, request)),
  );
  return { devices, partner };
}

/**
 * Serialized across all servers, so that no account gets another secret before the devices are stored. No transaction
 * is open during the calls to the broker, which take seconds for many devices. If the process dies in between, the
 * accounts have secrets that nobody has seen; the next to provision these serial numbers takes them over.
 */
async function provisionAtBroker(
  { db, accounts, locks }: ProvisionDependencies,
  devices: readonly DeviceAccount[],
  request: ProvisionRequest,
): Promise<string> {
  return locks.holding("all", async (lock) => {
    await transactionWithRetry(db, (tx) => lockPartner(tx, request.partnerId));
    const taken = await readTakenSerials(db, serialsOf(devices));
    if (taken.length > 0) throw serialsTaken(taken);
    await putAll(accounts, devices, lock);
    return transactionWithRetry(db, (tx) => storeDevices(tx, devices, request)).catch(async (error: unknown) => {
      // A writer not bound by this lock stored some of them. After any other error, all may have been stored.
      if (error instanceof HttpError) {
        const stored = new Set(await readTakenSerials(db, serialsOf(devices)));
        const ours = devices.filter(({ serial }) => !stored.has(serial));
        await takeBack(accounts, ours, lock);
      }
      throw error;
    });
  });
}

/** Returns the name of the partner. */
async function storeDevices(tx: Tx, devices: readonly DeviceAccount[], request: ProvisionRequest): Promise<string> {
  const { by: actor, at, partnerId } = request;
  const partner = await lockPartner(tx, partnerId);
  await lockProvisioning(tx);
  const taken = await readTakenSerials(tx, serialsOf(devices));
  if (taken.length > 0) throw serialsTaken(taken);
  const hashed = devices.map(({ serial, secret }) => ({ serial, secretSha256: hashDeviceSecret(secret) }));
  if ((await insertDevices(tx, hashed, partnerId, at)) < devices.length) throw new ConcurrentChangeError();
  const change = { actor, action: "PROVISION_DEVICE", entity: "device", after: { partner_id: partnerId, partner }, at };
  const changes = devices.map(({ serial }) => ({ ...change, entityId: serial }));
  await recordChanges(tx, changes);
  return partner;
}

async function putAll(accounts: BrokerAccounts, devices: readonly DeviceAccount[], lock: HeldLock): Promise<void> {
  for (let from = 0; from < devices.length; from += PUT_BATCH) {
    try {
      await accounts.put(devices.slice(from, from + PUT_BATCH));
    } catch (error) {
      await takeBack(accounts, devices.slice(0, from + PUT_BATCH), lock);
      throw error;
    }
    if (!lock.held) throw new HttpError(503, "PROVISIONING_LOST", deviceMessages.provisioningLockLost);
  }
}

/** Accounts whose secrets were never shown are harmless, so an unreachable broker is not waited for. */
async function takeBack(accounts: BrokerAccounts, devices: readonly DeviceAccount[], lock: HeldLock): Promise<void> {
  let failed = 0;
  for (const { serial } of devices) {
    // Without the lock, they may belong to someone else by now.
    if (!lock.held || failed > MAX_TAKE_BACK_FAILURES) return;
    await accounts.retire(serial).catch(() => {
      // The next to provision this serial number takes the account over.
      failed += 1;
    });
  }
}

function serialsTaken(serials: readonly string[]): HttpError {
  const message = deviceMessages.taken(serials);
  return new HttpError(409, "SERIAL_TAKEN", message, { errors: [{ field: "first_serial", message }] });
}

function provisionRefusal(error: unknown): HttpError | null {
  if (error instanceof HttpError) return error;
  if (error instanceof AccountNameTakenError) return serialsTaken([error.serial]);
  if (error instanceof LockUnavailableError)
    return new HttpError(503, "PROVISIONING_BUSY", deviceMessages.provisionedElsewhere);
  if (error instanceof BrokerUpdateError)
    return new HttpError(503, "BROKER_REFUSED", deviceMessages.nothingProvisioned(error.message));
  return null;
}

interface RotationDependencies
  extends ProvisionDependencies, Pick<Dependencies, "clock" | "broker" | "settings" | "log"> {}

/**
 * Gives a device a new secret and returns it; the old one becomes invalid with the commit. No row is locked during the
 * call to a broker that stores secrets itself, which may be slow: until the secret is stored, the device is marked
 * because the broker may have one that nobody has seen. Throws 404, 409 (retired, or its robot may be moving) or 503
 * (the broker could not be updated, or the secret could not be stored).
 */
export async function rotate(
  deps: RotationDependencies,
  serial: string,
  { actor, at }: Pick<AuditedChange, "actor" | "at">,
): Promise<string> {
  const { db, accounts, locks } = deps;
  const secret = newSecret();
  const change = { actor, action: "ROTATE_DEVICE", entity: "device", entityId: serial, at };
  if (storesSecrets(accounts)) {
    const refusalOf = (error: unknown) => rotationRefusal(error, serial);
    // Concurrent rotations run one after the other, so that broker and database agree.
    await recordingRefusals(db, change, refusalOf, () =>
      locks.holding(serial, (lock) => rotateAtBroker(deps, change, { serial, secret }, lock)),
    );
  } else {
    await auditedChange(db, change, async (tx) => {
      await requireRotatable(tx, deps, serial);
      await storeNewSecret(tx, serial, hashDeviceSecret(secret), at);
    });
  }
  return secret;
}

async function rotateAtBroker(
  deps: RotationDependencies,
  change: AuditedChange,
  { serial, secret }: DeviceAccount,
  lock: HeldLock,
): Promise<void> {
  const { db, accounts, log } = deps;
  const wasUnsure = await db.transaction().execute(async (tx) => {
    await requireRotatable(tx, deps, serial);
    return markSecretUnsure(tx, serial, change.at);
  });
  try {
    await accounts.put([{ serial, secret }]);
  } catch (error) {
    const isUnchanged =
      error instanceof AccountNameTakenError || (error instanceof BrokerUpdateError && !error.mayHaveChanged);
    if (isUnchanged && !wasUnsure) await clearSecretUnsure(db, serial);
    throw error;
  }
  try {
    if (!lock.held) throw new LockUnavailableError();
    await storeRotated(db, change, { serial, secret });
  } catch (error) {
    if (error instanceof HttpError) throw error;
    log.error({ reason: error, serial }, "the broker has a new secret that was not stored");
    throw new HttpError(503, "SECRET_NOT_STORED", deviceMessages.notStored(serial));
  }
}

/** Stores the secret that the broker has; throws 409 if the device has been retired since. */
async function storeRotated(db: Db, change: AuditedChange, { serial, secret }: DeviceAccount): Promise<void> {
  const isRetired = await db.transaction().execute(async (tx) => {
    const device = await lockDevice(tx, serial);
    if (device === null) throw notFound("Device");
    if (device.retired_at !== null) {
      // The broker received the secret after it had retired the account.
      await retireAgain(tx, serial, change.at);
      return true;
    }
    await storeNewSecret(tx, serial, hashDeviceSecret(secret), change.at);
    await recordChange(tx, change);
    return false;
  });
  if (isRetired) throw conflict("DEVICE_RETIRED", deviceMessages.retiredAlready(serial));
}

/** Locks the device. Throws 404, or 409 if it cannot get a new secret now. */
async function requireRotatable(tx: Tx, deps: RotationDependencies, serial: string): Promise<void> {
  const device = await lockDevice(tx, serial);
  if (device === null) throw notFound("Device");
  if (device.retired_at !== null) throw conflict("DEVICE_RETIRED", deviceMessages.retiredAlready(serial));
  // Rotation ends its connection, and a cleaning robot could not be stopped until it has the new secret.
  const moving = await readMovingRobot(tx, serial, seenAt(deps));
  if (moving !== null) throw conflict("ROBOT_MAY_BE_MOVING", deviceMessages.notRotatedMoving(serial, moving.message));
}

/** Null if the error is not a refusal, or the device does not exist: then there is nothing to record. */
function rotationRefusal(error: unknown, serial: string): HttpError | null {
  if (error instanceof HttpError) return error.status === 404 ? null : error;
  if (error instanceof AccountNameTakenError) return conflict("ACCOUNT_NAME_TAKEN", error.message);
  if (error instanceof LockUnavailableError)
    return new HttpError(503, "ROTATION_BUSY", deviceMessages.rotatedElsewhere(serial));
  if (error instanceof BrokerUpdateError) {
    return new HttpError(503, "BROKER_REFUSED", deviceMessages.notRotated(error.message, error.mayHaveChanged));
  }
  return null;
}

/** Records and throws the refusal of a change at the broker, which spans several transactions. */
async function recordingRefusals<T>(
  db: Db,
  change: AuditedChange,
  refusalOf: (error: unknown) => HttpError | null,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    await recordChange(db, change, refusal);
    throw refusal;
  }
}

function serialsOf(devices: readonly DeviceAccount[]): string[] {
  return devices.map(({ serial }) => serial);
}

/** Never starts with a dash, which programs take for an option and spreadsheets for a formula. */
function newSecret(): string {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  return secret.startsWith("-") ? newSecret() : secret;
}

export type DeviceAccess = ReturnType<typeof deviceAccess>;

/** What a device may do at the broker: use its own topics only, and publish to none of the server's (rule 9). */
export function deviceAccess(db: Db) {
  return {
    async signIn(serial: string, secret: string): Promise<boolean> {
      const stored = await deviceSecretSha256(db, serial);
      const hash = hashDeviceSecret(secret);
      // Compared even if the device does not exist, so that timing reveals nothing.
      const same = timingSafeEqual(stored ?? Buffer.alloc(hash.length), hash);
      return same && stored !== null;
    },
    /** Whether it was ever provisioned, even if retired since. */
    isDevice: (name: string) => isKnownDevice(db, name),
    /** Provisioned and not retired. */
    isInService: async (serial: string) => (await deviceSecretSha256(db, serial)) !== null,
    mayPublish(serial: string, topic: string): boolean {
      const parsed = parseTopic(topic);
      return parsed !== null && parsed.serial === serial && deviceLeaves.some((leaf) => leaf === parsed.leaf);
    },
    maySubscribe: (serial: string, filter: string) => serverLeaves.some((leaf) => filter === topicOf(serial, leaf)),
  };
}

/** The stored form of a device's secret; secrets are long and random, so a plain hash is enough. */
export function hashDeviceSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}
