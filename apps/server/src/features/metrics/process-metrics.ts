import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | null = null;

/** Memory, processor, event loop and garbage of the process, measured once for all servers in it (tests have several). */
export function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
