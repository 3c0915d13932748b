import { PRESS_HEADER, pressSchema } from "@suncrew/contract/commands/press.ts";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import { invalid } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";

/** The press of a button behind an order, as far as its caller told of it. */
export interface Press {
  /** Presses of one session are in the order of `atMs`; those of two are not compared. */
  readonly sessionId: string;
  /** By the clock of the browser, in milliseconds. */
  readonly atMs: number;
  /** When the order began to wait in the browser, by this server's clock; null where it did not wait. */
  readonly waitsSince: Date | null;
}

/** Throws 400 where the header is not what it must be; null where there is none. */
export function pressOf({ headers }: FastifyRequest, { sessionId }: Viewer, clock: Clock): Press | null {
  const header = headers[PRESS_HEADER.toLowerCase()];
  if (header === undefined) return null;
  const parsed = pressSchema.safeParse(header);
  if (!parsed.success)
    throw invalid(PRESS_HEADER, `${PRESS_HEADER} ${parsed.error.issues[0]?.message ?? "is invalid"}`);
  const { atMs, waitedMs } = parsed.data;
  return { sessionId, atMs, waitsSince: waitedMs === 0 ? null : new Date(clock.now().getTime() - waitedMs) };
}
