import type { Dependencies } from "../../platform/dependencies.ts";
import { publishCommandMessage, questionEnvelope } from "../commands/public.ts";

/**
 * Asks devices that have just become robots' for their state. They may be connected already, and what they told while no
 * robot had their serial number was dropped. A STATUS is taken whatever its session (protocol rule 1), and none is known
 * yet. Never rejects; one after the other, so that an import does not flood the broker.
 */
export async function askForStatus(
  { broker, clock, log }: Pick<Dependencies, "broker" | "clock" | "log">,
  serials: readonly string[],
): Promise<void> {
  for (const serial of serials) {
    if (!broker.connected) return;
    const envelope = questionEnvelope(clock.now(), 0, "Suncrew");
    try {
      await publishCommandMessage(broker, serial, { ...envelope, verb: "STATUS" });
    } catch (error) {
      // It reports by itself within 30 s.
      log.warn({ error, serial }, "a robot that was added could not be asked for its status");
    }
  }
}
