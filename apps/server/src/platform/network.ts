import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { hasCode, StartError } from "./errors.ts";

/** How many ports after a taken one to try. */
const ATTEMPTS = 100;

/** Listens on the port, or with `orNext` on the next free one. `variable` is the setting that errors name. */
export async function listenNear(
  server: Server,
  port: number,
  host: string,
  orNext: boolean,
  variable: string,
): Promise<number> {
  for (let candidate = port; ; candidate++) {
    try {
      server.listen(candidate, host);
      await once(server, "listening");
      const address = server.address();
      return address !== null && typeof address === "object" ? address.port : candidate;
    } catch (error) {
      const canTryNext = orNext && hasCode(error, "EADDRINUSE") && candidate < Math.min(port + ATTEMPTS, 65_535);
      if (!canTryNext) throw portError(error, variable, candidate, host);
    }
  }
}

/**
 * Finds a port that is free on all of these addresses, `port` or one after it, for a server that then listens by
 * itself. Addresses that this machine does not have are ignored.
 */
export async function choosePort(
  port: number,
  hosts: readonly string[],
  orNext: boolean,
  variable: string,
): Promise<number> {
  let lastError: unknown = null;
  for (let candidate = port; candidate <= Math.min(port + (orNext ? ATTEMPTS : 0), 65_535); candidate++) {
    lastError = null;
    for (const host of hosts) lastError ??= await tryPort(candidate, host);
    if (lastError === null) return candidate;
    if (!hasCode(lastError, "EADDRINUSE")) break;
  }
  throw portError(lastError, variable, port, hosts[0] ?? "");
}

async function tryPort(port: number, host: string): Promise<unknown> {
  const probe = createServer();
  try {
    probe.listen({ port, host, exclusive: true });
    await once(probe, "listening");
    probe.close();
    await once(probe, "close");
    return null;
  } catch (error) {
    return host === "::1" && hasCode(error, "EADDRNOTAVAIL", "EAFNOSUPPORT") ? null : error;
  }
}

/** Explains why a port cannot be listened on. */
export function portError(error: unknown, variable: string, port: number, host: string): StartError {
  if (hasCode(error, "EADDRINUSE")) {
    return new StartError(
      `Port ${port} is taken by another program: set ${variable} to a free one, or leave it out to get the next free one.`,
    );
  }
  if (hasCode(error, "EACCES")) {
    return new StartError(`Port ${port} may not be opened by this user: set ${variable} to one above 1023.`);
  }
  if (hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN")) {
    return new StartError(`This machine has no address ${host} to listen on: change HOST.`);
  }
  return error instanceof StartError ? error : new StartError(`Port ${port} cannot be opened: ${String(error)}.`);
}

/** The host to write into a URL for this machine; every address is `localhost` too. */
export function urlHost(host: string): string {
  if (isEverywhere(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

export const isEverywhere = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Whether a host name or address reaches this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || name === "::ffff:127.0.0.1" || /^127(\.\d{1,3}){3}$/.test(name);
}
