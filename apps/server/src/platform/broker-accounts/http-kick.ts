import type { Logger } from "pino";
import { BrokerNotTold } from "./broker-accounts.ts";

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
    const status = await statusOf(ask, url, username === "" ? {} : { authorization: `Basic ${key}` });
    // 404: it is not connected.
    if (status === 404 || (status !== null && status >= 200 && status < 300)) return;
    log.warn({ status, host: url.host }, "the broker did not end a device's connection");
    const why = status === null ? "away" : "refused";
    throw new BrokerNotTold("The broker did not end the device's connection.", why, false);
  };
}

/** Null where there was no answer. */
async function statusOf(ask: typeof fetch, url: URL, headers: Record<string, string>): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { status, body } = await ask(url, { method: "DELETE", headers, redirect: "error", signal });
    await body?.cancel();
    return status;
  } catch {
    return null;
  }
}
