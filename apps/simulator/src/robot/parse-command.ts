import {
  type CommandMessage,
  commandMessageSchema,
  type FirmwareOfferMessage,
  firmwareOfferMessageSchema,
} from "@suncrew/contract/devices/messages.ts";
import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import type { z } from "zod";

/** The command in a payload, or null where it is oversized or malformed and so to be ignored (rule 10). */
export function parseCommand(payload: Uint8Array): CommandMessage | null {
  return parsed(payload, commandMessageSchema);
}

/** The same of an offer of firmware. */
export function parseOffer(payload: Uint8Array): FirmwareOfferMessage | null {
  return parsed(payload, firmwareOfferMessageSchema);
}

function parsed<T>(payload: Uint8Array, schema: z.ZodType<T>): T | null {
  if (payload.byteLength > MAX_MESSAGE_BYTES) return null;
  try {
    return schema.safeParse(JSON.parse(new TextDecoder().decode(payload))).data ?? null;
  } catch {
    return null;
  }
}
