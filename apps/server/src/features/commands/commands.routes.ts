import { robotStatus, sendCommand } from "@suncrew/contract/commands/commands.ts";
import { PRESS_HEADER, pressSchema } from "@suncrew/contract/commands/press.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { invalid } from "../../platform/http/http-error.ts";
import { register } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { Press } from "./commands.repository.ts";
import { type Commands, RobotStatusCall } from "./commands.service.ts";

export function commandRoutes(
  app: FastifyInstance,
  deps: Dependencies,
  changes: ChangeSignal,
  commands: Commands,
): void {
  const status = new RobotStatusCall(deps, changes);
  register(app, sendCommand, ({ viewer, body, request }) =>
    commands.send(viewer, body, keyOf(request), pressOf(request, viewer, deps.clock)),
  );
  register(app, robotStatus, ({ viewer, query, signal }) => status.ask(viewer, query.robotId, signal));
}

/** The caller's Idempotency-Key: 1 to 200 printable characters. */
export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw invalid("Idempotency-Key", "Idempotency-Key must be 1 to 200 printable characters");
  }
  return key;
}

/** Throws 400 if the header is malformed; null without one. */
export function pressOf({ headers }: FastifyRequest, { sessionId }: Viewer, clock: Clock): Press | null {
  const header = headers[PRESS_HEADER.toLowerCase()];
  if (header === undefined) return null;
  const parsed = pressSchema.safeParse(header);
  if (!parsed.success)
    throw invalid(PRESS_HEADER, `${PRESS_HEADER} ${parsed.error.issues[0]?.message ?? "is invalid"}`);
  const { atMs, waitedMs } = parsed.data;
  return { sessionId, atMs, waitsSince: waitedMs === 0 ? null : new Date(clock.now().getTime() - waitedMs) };
}
