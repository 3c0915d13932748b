import type { ColumnType, Generated } from "kysely";

type WithDefault<T> = ColumnType<T, T | undefined, T>;
/** Set by the database to the writing transaction; writers pass `changedNow`. */
type ChangeNo = ColumnType<string, string | undefined, string>;

export interface FirmwareTable {
  id: Generated<number>;
  version: string;
  file_name: string;
  bytes: number;
  sha256: Buffer;
  /** Null once it was deleted. */
  content: Buffer | null;
  created_by_user_id: number | null;
  created_by: string;
  created_at: Date;
  deleted_at: WithDefault<Date | null>;
}

export interface RolloutsTable {
  id: Generated<number>;
  firmware_id: number;
  state: "RUNNING" | "PAUSED" | "DONE" | "CANCELLED";
  reason: WithDefault<string | null>;
  batch_size: number;
  failure_threshold_percent: number;
  deadline_minutes: number;
  wait_limit_hours: WithDefault<number>;
  created_by_user_id: number | null;
  created_by: string;
  created_at: Date;
  resumed_at: WithDefault<Date | null>;
  ended_at: WithDefault<Date | null>;
  change_no: ChangeNo;
}

export interface RolloutRobotsTable {
  rollout_id: number;
  robot_id: number;
  place: number;
  site_id: number;
  site_name: string;
  robot_name: string;
  serial_number: string;
  state: "WAITING" | "OFFERED" | "DOWNLOADING" | "INSTALLING" | "DONE" | "FAILED" | "SKIPPED" | "CANCELLED";
  canary: WithDefault<boolean>;
  from_version: string | null;
  reason: WithDefault<string | null>;
  gave_up: WithDefault<boolean>;
  wait_until: WithDefault<Date | null>;
  offer_id: WithDefault<string | null>;
  offered_at: WithDefault<Date | null>;
  deadline_at: WithDefault<Date | null>;
  sent_at: WithDefault<Date | null>;
  percent: WithDefault<number | null>;
  report_session: WithDefault<number | null>;
  report_seq: WithDefault<number | null>;
  ended_at: WithDefault<Date | null>;
  overdue: WithDefault<boolean>;
  installing_until: WithDefault<Date | null>;
  change_no: ChangeNo;
}
