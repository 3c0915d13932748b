import type { Logger } from "pino";

export interface DeviceAccount {
  readonly serial: string;
  readonly secret: string;
}

/**
 * The accounts that devices use to sign in to the broker (protocol rule 9), however the broker stores them. Any server
 * may call it, and calls may be repeated. Every call rejects with BrokerUpdateError if the broker could not be updated.
 */
export interface BrokerAccounts {
  /** "manual": people manage the accounts, and must enter each change at the broker. */
  readonly form: "embedded" | "dynamic-security" | "http" | "manual";
  /** The broker cannot be told to close a connection: that of a retired device lasts until it breaks. */
  readonly keepsConnections?: true;
  /**
   * Call it before storing secrets: if the broker has its own accounts, creates or updates one per device with this
   * secret, and closes its connection. Otherwise does nothing.
   */
  put(devices: readonly DeviceAccount[]): Promise<void>;
  /** Call it after storing a new secret: closes the connection that uses the old one. */
  disconnect(serial: string): Promise<void>;
  /** Call it after retiring a device: it can no longer sign in, and its connection closes. */
  retire(serial: string): Promise<void>;
}

/** "away": unreachable. "refused": it said no. "silent": it did not answer. */
export type BrokerFailure = "away" | "refused" | "silent";

/** The broker could not be updated; `message` is for people and contains no secret. */
export class BrokerUpdateError extends Error {
  readonly why: BrokerFailure;
  /** Whether it may have changed an account nevertheless. */
  readonly mayHaveChanged: boolean;

  constructor(message: string, why: BrokerFailure, mayHaveChanged: boolean) {
    super(message);
    this.name = "BrokerUpdateError";
    this.why = why;
    this.mayHaveChanged = mayHaveChanged;
  }
}

/** True if the broker stores secrets itself, so that it and Suncrew can disagree. */
export function storesSecrets({ form }: BrokerAccounts): boolean {
  return form === "dynamic-security";
}

/** The broker has an account of this name that does not belong to a device. */
export class AccountNameTakenError extends Error {
  readonly serial: string;

  constructor(serial: string) {
    super(`The broker has an account named ${serial} that is no device's.`);
    this.name = "AccountNameTakenError";
    this.serial = serial;
  }
}

const nothing = async (): Promise<void> => {};

/** People manage the broker's accounts themselves. */
export const manualAccounts: BrokerAccounts = {
  form: "manual",
  keepsConnections: true,
  put: nothing,
  disconnect: nothing,
  retire: nothing,
};

/** The broker calls Suncrew for every sign-in, and cannot be told to close a connection. */
export const accountsWithoutKick: BrokerAccounts = { ...manualAccounts, form: "http" };

/** Every sign-in is checked against the database: only connections must be closed. */
export function authCallbackAccounts(
  form: "embedded" | "http",
  disconnect: (serial: string) => Promise<void>,
): BrokerAccounts {
  return { form, put: nothing, disconnect, retire: disconnect };
}

const ANSWER_MS = 5_000;

/**
 * Closes a device's connection with the broker's own HTTP API, such as EMQX's `DELETE /api/v5/clients/{clientid}`. The
 * URL contains key and secret as user and password; neither is ever logged.
 */
export function kickByHttp(address: string, request: typeof fetch, log: Logger): (serial: string) => Promise<void> {
  const { username, password } = new URL(address);
  const key = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return async (serial) => {
    const url = new URL(address.replaceAll("{clientid}", encodeURIComponent(serial)));
    url.username = "";
    url.password = "";
    const status = await deleteAt(request, url, username === "" ? {} : { authorization: `Basic ${key}` });
    // 404: it is not connected.
    if (status === 404 || (status !== null && status >= 200 && status < 300)) return;
    log.warn({ status, host: url.host }, "the broker did not end a device's connection");
    const why = status === null ? "away" : "refused";
    throw new BrokerUpdateError("The broker did not end the device's connection.", why, false);
  };
}

/** Null if there was no answer. */
async function deleteAt(request: typeof fetch, url: URL, headers: Record<string, string>): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { status, body } = await request(url, { method: "DELETE", headers, redirect: "error", signal });
    await body?.cancel();
    return status;
  } catch {
    return null;
  }
}
