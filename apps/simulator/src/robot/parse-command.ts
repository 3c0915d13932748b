import { type CommandMessage, commandMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";

/** The command in a payload, or null where it is oversized or malformed and so to be ignored (rule 10). */
export function parseCommand(payload: Uint8Array): CommandMessage | null {
  if (payload.byteLength > MAX_MESSAGE_BYTES) return null;
  try {
    const parsed = commandMessageSchema.safeParse(JSON.parse(new TextDecoder().decode(payload)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
