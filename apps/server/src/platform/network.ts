import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { hasCode } from "./embedded/files.ts";
import { StartError } from "./embedded/start-error.ts";

/** How many ports after a taken one are tried. */
const ATTEMPTS = 100;

/** Listens on the port, or on the next free one if that will do. `variable` is where a person would set it. */
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
      const onward = orNext && hasCode(error, "EADDRINUSE") && candidate < Math.min(port + ATTEMPTS, 65_535);
      if (!onward) throw portError(error, variable, candidate, host);
    }
  }
}

/**
 * A port that is free on every one of these addresses, the wished one or one after it, for a server that listens by
 * itself afterwards. Addresses that this machine does not have are left out.
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

/** One sentence for a port that cannot be listened on. */
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

/** Whether a host name or address reaches this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || name === "::ffff:127.0.0.1" || /^127(\.\d{1,3}){3}$/.test(name);
}
