import type { ConnectionMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import { robotStatusOf } from "@suncrew/domain/robots/status-mapping.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/database/tables.ts";

/** A robot's stored state, read under the lock on its row. */
export interface StateRow extends Omit<Selectable<Tables["robot_state"]>, "change_no"> {
  readonly operating_mode: OperatingMode;
}

/** One message as received; `retained` ones carry last-known values only. */
export type PresenceMessage = { readonly receivedAt: Date; readonly retained: boolean } & (
  | { readonly leaf: "connection"; readonly message: ConnectionMessage }
  | { readonly leaf: "state"; readonly message: StateMessage }
);

/**
 * Protocol rule 7, for what a robot sends; its silence is judged in presence.repository.ts. Returns the row after the message, or null if the message
 * is not newer than what is stored and changes nothing.
 */
export function applyMessage(row: StateRow, incoming: PresenceMessage): StateRow | null {
  const next =
    incoming.leaf === "connection"
      ? afterConnection(row, incoming.message, incoming.receivedAt)
      : afterState(row, incoming.message, incoming.receivedAt, incoming.retained);
  return next && withRobotStatus(next);
}

/** Messages of the previous session may arrive this long after a new one has begun. */
const LATE_MS = 5_000;

/**
 * Protocol rule 14: the robot itself publishes in a lower session than before, and nothing of the earlier one has
 * arrived for a while. A will, or a message in transit, may be older than what is stored.
 */
export function hasLostSession(row: StateRow, incoming: PresenceMessage): boolean {
  const { message, receivedAt, retained } = incoming;
  if (retained || message.session >= row.session) return false;
  if (incoming.leaf === "connection" && incoming.message.state !== "ONLINE") return false;
  const heardAt = Math.max(row.live_at?.getTime() ?? 0, row.connection_at?.getTime() ?? 0);
  return receivedAt.getTime() - heardAt > LATE_MS;
}

/** Recomputes the status from what has just changed. */
export function withRobotStatus(row: StateRow): StateRow {
  const { online, operating_mode: operatingMode, status: deviceStatus } = row;
  return { ...row, robot_status: robotStatusOf({ online, operatingMode, deviceStatus }) };
}

/**
 * A new session inherits nothing that was seen in the previous one. A retained state raises the session too: it proves
 * that the robot had that session, and (session, seq) must never go back.
 */
function inSession(row: StateRow, session: number): StateRow {
  if (session === row.session) return row;
  return { ...row, session, state_seq: null, live_at: null, connection: null, connection_at: null, online: false };
}

function afterConnection(row: StateRow, message: ConnectionMessage, receivedAt: Date): StateRow | null {
  if (message.session < row.session) return null;
  const current = inSession(row, message.session);
  if (message.state === "ONLINE") {
    // A session is one connection: its ONLINE comes once, so a repeated or late one proves nothing.
    if (current.connection !== null) return null;
    return { ...current, connection: "ONLINE", connection_at: receivedAt, online: true };
  }
  if (current.connection === message.state && !current.online) return null;
  const goodbye_at = message.state === "OFFLINE" ? receivedAt : current.goodbye_at;
  return { ...current, connection: message.state, connection_at: receivedAt, online: false, goodbye_at };
}

function afterState(row: StateRow, message: StateMessage, receivedAt: Date, retained: boolean): StateRow | null {
  if (message.session < row.session) return null;
  const current = inSession(row, message.session);
  if (current.state_seq !== null && message.seq <= current.state_seq) return null;
  const robotTime = new Date(message.ts);
  const shown: StateRow = {
    ...current,
    state_seq: message.seq,
    status: message.status,
    motion: message.motion,
    mode: message.mode,
    battery: message.battery,
    charging: message.charging,
    applied_direction: message.applied.direction,
    applied_main_speed: message.applied.mainSpeed,
    applied_brush_speed: message.applied.brushSpeed,
    run_id: message.runId,
    last_seq: message.lastSeq,
    last_command_id: message.lastCommandId,
    firmware: message.firmware,
    robot_ts: robotTime,
    received_at: receivedAt,
  };
  if (retained) return shown;
  const provedAgain = !current.online || current.connection === null;
  return {
    ...shown,
    online: true,
    live_at: receivedAt,
    clock_skew_ms: robotTime.getTime() - receivedAt.getTime(),
    ...(provedAgain && { connection: "ONLINE", connection_at: receivedAt }),
  };
}
