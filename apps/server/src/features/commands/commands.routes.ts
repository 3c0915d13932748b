import { robotStatus, sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import { invalid } from "../../platform/http/http-error.ts";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Commands } from "./commands.service.ts";
import { pressOf } from "./press.ts";
import { RobotStatusCall } from "./robot-status.service.ts";

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
function keyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw invalid("Idempotency-Key", "Idempotency-Key must be 1 to 200 printable characters");
  }
  return key;
}
