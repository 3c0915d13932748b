import {
  type BrokerAccounts,
  BrokerNotTold,
  keepsSecrets,
  NameTaken,
} from "../../platform/broker-accounts/broker-accounts.ts";
import type { Tx } from "../../platform/database/database.ts";
import { type AdvisoryLocks, type HeldLock, LockUnavailableError } from "../../platform/database/advisory-locks.ts";
import { conflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type AuditActor, recordAudit } from "../audit/public.ts";
import { hashDeviceSecret } from "./device-access.ts";
import {
  clearUnsure,
  lockDevice,
  markUnsure,
  readMovingRobot,
  retireAgain,
  storeNewSecret,
} from "./devices.repository.ts";
import { deviceSentences } from "./device-sentences.ts";
import { seenAt } from "../sites/public.ts";
import { newSecret } from "./new-secret.ts";

export interface Rotation {
  readonly serial: string;
  readonly by: AuditActor;
  readonly at: Date;
}

/** What a rotation is done with; `locks` are of rotations alone, a key for each serial number. */
export interface RotationDependencies extends Pick<Dependencies, "db" | "clock" | "broker" | "settings" | "log"> {
  readonly accounts: BrokerAccounts;
  readonly locks: AdvisoryLocks;
}

/**
 * Gives a device a new secret; the old one ends with the commit. While a broker with secrets of its own is told, which
 * may take long, no row is held: a mark on the device says that the broker may have a secret that nobody was told, until
 * it is stored. Throws 404, 409 (retired, or its robot may move) or 503 (the broker cannot be told, or the secret not be
 * stored).
 */
export async function rotate(deps: RotationDependencies, rotation: Rotation): Promise<string> {
  const secret = newSecret();
  if (!keepsSecrets(deps.accounts)) {
    await inRecord(deps, rotation, async (tx) => (await refusalOf(tx, deps, rotation)) ?? store(tx, rotation, secret));
    return secret;
  }
  try {
    await deps.locks.holding(rotation.serial, (lock) => rotateAtBroker(deps, rotation, secret, lock));
    return secret;
  } catch (error) {
    if (!(error instanceof LockUnavailableError)) throw error;
    const refusal = new HttpError(503, deviceSentences.rotatedElsewhere(rotation.serial));
    await inRecord(deps, rotation, async () => refusal);
    throw refusal;
  }
}

/** Of two who rotate at once the second one begins when the first one has ended, so that both sides keep the same. */
async function rotateAtBroker(
  deps: RotationDependencies,
  rotation: Rotation,
  secret: string,
  lock: HeldLock,
): Promise<void> {
  const { serial, at } = rotation;
  let wasUnsure = false;
  await inRecord(deps, rotation, async (tx) => {
    const error = await refusalOf(tx, deps, rotation);
    if (error !== null) return error;
    wasUnsure = await markUnsure(tx, serial, at);
    return "open";
  });
  try {
    await deps.accounts.put([{ serial, secret }]);
  } catch (error) {
    const { refusal, mayHaveChanged } = notPut(error);
    await inRecord(deps, rotation, async (tx) => {
      if (!mayHaveChanged && !wasUnsure) await clearUnsure(tx, serial);
      return refusal;
    });
  }
  try {
    if (!lock.held) throw new LockUnavailableError();
    await inRecord(deps, rotation, (tx) => store(tx, rotation, secret));
  } catch (error) {
    if (error instanceof HttpError) throw error;
    deps.log.error({ reason: error, serial }, "the broker has a new secret that was not stored");
    await inRecord(deps, rotation, async () => new HttpError(503, deviceSentences.notStored(serial)));
  }
}

/** Why the device gets no new secret; null where it may. Throws 404. */
async function refusalOf(tx: Tx, deps: RotationDependencies, { serial }: Rotation): Promise<HttpError | null> {
  const device = await lockDevice(tx, serial);
  if (device === null) throw notFound("Device");
  if (device.retired_at !== null) return conflict(deviceSentences.retiredAlready(serial));
  // Its connection ends: a robot that cleans could not be stopped until it has the new secret.
  const moving = await readMovingRobot(tx, serial, seenAt(deps));
  return moving && conflict(deviceSentences.notRotatedMoving(serial, moving.sentence));
}

/** Stores the secret that the broker has; refused where the device was retired meanwhile. */
async function store(tx: Tx, { serial, at }: Rotation, secret: string): Promise<HttpError | null> {
  const device = await lockDevice(tx, serial);
  if (device === null) throw notFound("Device");
  if (device.retired_at === null) {
    await storeNewSecret(tx, serial, hashDeviceSecret(secret), at);
    return null;
  }
  // The broker was told of the secret after it was told of the retirement.
  await retireAgain(tx, serial, at);
  return conflict(deviceSentences.retiredAlready(serial));
}

/** What is told where the broker was not given the secret. Throws what is none of ours. */
function notPut(error: unknown): { readonly refusal: HttpError; readonly mayHaveChanged: boolean } {
  if (error instanceof NameTaken) return { refusal: conflict(error.message), mayHaveChanged: false };
  if (!(error instanceof BrokerNotTold)) throw error;
  const { message, mayHaveChanged } = error;
  return { refusal: new HttpError(503, deviceSentences.notRotated(message, mayHaveChanged)), mayHaveChanged };
}

/** A step of a rotation in a transaction, on record with what it came to; "open" where it goes on. Throws a refusal. */
async function inRecord(
  { db }: RotationDependencies,
  { serial, by, at }: Rotation,
  step: (tx: Tx) => Promise<HttpError | null | "open">,
): Promise<void> {
  const error = await db.transaction().execute(async (tx) => {
    const result = await step(tx);
    if (result === "open") return null;
    await recordAudit(tx, {
      actor: by,
      action: "ROTATE_DEVICE",
      entity: "device",
      entityId: serial,
      outcome: result === null ? "DONE" : "REFUSED",
      reason: result?.message ?? null,
      at,
    });
    return result;
  });
  if (error !== null) throw error;
}
