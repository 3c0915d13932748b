import type { Machine } from "../robot/body.ts";
import type { RobotMemory } from "../robot/memory.ts";
import type { FleetClock } from "./clock.ts";
import type { ConnectGate } from "./connect-gate.ts";
import type { DownloadSlots } from "./firmware-download.ts";
import type { MemoryStore } from "./store.ts";

/** What all robots of a fleet share. */
export interface FleetParts {
  readonly mqttUrl: string;
  readonly protocolVersion: 4 | 5;
  readonly clock: FleetClock;
  readonly store: MemoryStore;
  readonly gate: ConnectGate;
  readonly machine: Machine;
  readonly linkLossStopMs: number;
  readonly downloads: DownloadSlots;
  /** How long new firmware takes, in milliseconds. */
  readonly firmware: FirmwareTimes;
  readonly onConnectFailed: (serial: string, reason: Error) => void;
}

export interface FirmwareTimes {
  /** At least; none where 0. */
  readonly downloadMs: number;
  readonly installMs: number;
}

/** What a person at the robot could set. */
export type Condition = Partial<Pick<RobotMemory, "battery" | "mode" | "maintenance" | "applied" | "firmware">>;
