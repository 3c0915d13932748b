import type { Logger } from "pino";

export interface DeviceAccount {
  readonly serial: string;
  readonly secret: string;
}

/**
 * The accounts that devices sign in to the broker with (protocol rule 9), whichever way the broker keeps them. Any server
 * may call it; repeating a call is harmless. Every call rejects with BrokerUpdateError where the broker could not be updated.
 */
export interface BrokerAccounts {
  /** "manual": people keep the accounts, and each change must be entered at the broker by them. */
  readonly form: "embedded" | "dynamic-security" | "http" | "manual";
  /** Nobody tells the broker to end a connection: that of a retired device lasts until the device loses it. */
  readonly keepsConnections?: true;
  /**
   * Before secrets are stored: where the broker keeps accounts of its own, each device has one with this secret from now
   * on, and its connection ends. Elsewhere nothing.
   */
  put(devices: readonly DeviceAccount[]): Promise<void>;
  /** After a new secret was stored: the connection that was signed in with the old one ends. */
  disconnect(serial: string): Promise<void>;
  /** After a device was retired: it cannot sign in any more, and its connection ends. */
  retire(serial: string): Promise<void>;
}

/** "away": it cannot be reached. "refused": it answered no. "silent": it did not answer. */
export type BrokerFailure = "away" | "refused" | "silent";

/** The broker could not be told; `message` is a sentence for people and carries no secret. */
export class BrokerUpdateError extends Error {
  readonly why: BrokerFailure;
  /** Whether it may have changed an account all the same. */
  readonly mayHaveChanged: boolean;

  constructor(message: string, why: BrokerFailure, mayHaveChanged: boolean) {
    super(message);
    this.name = "BrokerUpdateError";
    this.why = why;
    this.mayHaveChanged = mayHaveChanged;
  }
}

/** The broker keeps secrets of its own, so that it and Suncrew can have different ones. */
export function keepsSecrets({ form }: BrokerAccounts): boolean {
  return form === "dynamic-security";
}

/** The broker has an account of this name that is no device's. */
export class AccountNameTakenError extends Error {
  readonly serial: string;

  constructor(serial: string) {
    super(`The broker has an account named ${serial} that is no device's.`);
    this.name = "AccountNameTakenError";
    this.serial = serial;
  }
}

const nothing = async (): Promise<void> => {};

/** People keep the broker's accounts by themselves. */
export const manualAccounts: BrokerAccounts = {
  form: "manual",
  keepsConnections: true,
  put: nothing,
  disconnect: nothing,
  retire: nothing,
};

/** The broker asks for every sign-in, and cannot be told to end a connection. */
export const accountsWithoutKick: BrokerAccounts = { ...manualAccounts, form: "http" };

/** The broker asks for every sign-in and looks into the database: only connections must be ended. */
export function authCallbackAccounts(
  form: "embedded" | "http",
  disconnect: (serial: string) => Promise<void>,
): BrokerAccounts {
  return { form, put: nothing, disconnect, retire: disconnect };
}

const ANSWER_MS = 5_000;

/**
 * Ends a device's connection by the broker's own HTTP call, such as EMQX's `DELETE /api/v5/clients/{clientid}`. The
 * address carries key and secret as user and password; neither is ever logged.
 */
export function kickByHttp(address: string, ask: typeof fetch, log: Logger): (serial: string) => Promise<void> {
  const { username, password } = new URL(address);
  const key = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return async (serial) => {
    const url = new URL(address.replaceAll("{clientid}", encodeURIComponent(serial)));
    url.username = "";
    url.password = "";
    const status = await deleteAt(ask, url, username === "" ? {} : { authorization: `Basic ${key}` });
    // 404: it is not connected.
    if (status === 404 || (status !== null && status >= 200 && status < 300)) return;
    log.warn({ status, host: url.host }, "the broker did not end a device's connection");
    const why = status === null ? "away" : "refused";
    throw new BrokerUpdateError("The broker did not end the device's connection.", why, false);
  };
}

/** Null where there was no answer. */
async function deleteAt(ask: typeof fetch, url: URL, headers: Record<string, string>): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { status, body } = await ask(url, { method: "DELETE", headers, redirect: "error", signal });
    await body?.cancel();
    return status;
  } catch {
    return null;
  }
}
