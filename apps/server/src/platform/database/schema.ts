import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { FirmwareTable, RolloutRobotsTable, RolloutsTable } from "./firmware-tables.ts";
import type {
  MonthlyReportFilesTable,
  MonthlyReportsTable,
  ReportSettingsTable,
  ReportTemplatesTable,
} from "./report-tables.ts";

/** The tables of `migrations/`, as the drivers of `pool.ts` answer them: bigint and numeric as numbers, dates as text. */

type WithDefault<T> = ColumnType<T, T | undefined, T>;
type Json = Readonly<Record<string, unknown>>;
/** The parameters of a stored text, which its code makes the text of. */
type TextParamsColumn = ColumnType<Json | null, Json | null | undefined, Json | null>;
/** Set by the database to the writing transaction; writers pass `changedNow`. */
type ChangeNo = ColumnType<string, string | undefined, string>;

export interface PartnersTable {
  id: Generated<number>;
  name: string;
  contact_person: string | null;
  contact_info: string | null;
  email: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip_code: string | null;
  country: string | null;
  tax_id: string | null;
  registration: string | null;
  certifications: string | null;
  status: WithDefault<string>;
  built_in: WithDefault<boolean>;
  created_at: WithDefault<Date>;
  deleted_at: Date | null;
  version: WithDefault<number>;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  name: string;
  email: WithDefault<string>;
  role: "SUPER_ADMIN" | "PARTNER";
  partner_id: number | null;
  password_hash: string;
  created_at: WithDefault<Date>;
  deleted_at: Date | null;
  /** A generated password as `StoredPasswords` seals it; null once the user has set an own one. */
  enc_password: WithDefault<string | null>;
  /** When the server generated the password that the user has; null where a person chose it. */
  password_made_at: WithDefault<Date | null>;
}

export interface SessionsTable {
  id: string;
  user_id: number;
  created_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

export interface SignInFailuresTable {
  key: string;
  failures: number;
  last_failed_at: Date;
  locked_until: Date | null;
  /** When a waiting caller is heard; on an account's row when the next turn is free. */
  turn_at: WithDefault<Date | null>;
}

export interface KnownCallersTable {
  user_id: number;
  key: string;
  last_signed_in_at: Date;
}

export interface SitesTable {
  id: Generated<number>;
  name: string;
  address: string;
  district: string;
  state: string;
  pin_code: string;
  commissioning_date: string;
  maintenance_partner_id: number | null;
  maintenance_contact: string | null;
  maintenance_contact_name: string | null;
  maintenance_email: string | null;
  latitude: number;
  longitude: number;
  timezone: string;
  created_at: WithDefault<Date>;
  deleted_at: Date | null;
  version: WithDefault<number>;
  change_no: ChangeNo;
}

export interface DevicesTable {
  serial: string;
  secret_sha256: Buffer;
  created_at: WithDefault<Date>;
  retired_at: Date | null;
  secret_at: WithDefault<Date>;
  broker_pending: WithDefault<"SECRET" | "RETIRE" | null>;
  broker_pending_at: Date | null;
  secret_unsure_at: Date | null;
  broker_refusals: WithDefault<number>;
  partner_id: WithDefault<number>;
  last_site_id: WithDefault<number | null>;
}

export interface RobotsTable {
  id: Generated<number>;
  site_id: number;
  robot_name: string;
  serial_number: string;
  motor_type: string | null;
  control_type: string | null;
  installation_date: string;
  operating_mode: WithDefault<"auto" | "manual" | "maintenance">;
  cleaning_direction: WithDefault<"FORWARD" | "REVERSE">;
  main_motor_speed: WithDefault<number>;
  brush_motor_speed: WithDefault<number>;
  initial_battery_level: WithDefault<number>;
  initial_status: WithDefault<string>;
  initial_firmware_version: WithDefault<string>;
  last_command_seq: WithDefault<number>;
  created_at: WithDefault<Date>;
  deleted_at: Date | null;
  version: WithDefault<number>;
}

export type RobotStatusColumn = "normal" | "idle" | "warning" | "offline" | "standby" | "critical";

export interface RobotStateTable {
  robot_id: number;
  site_id: number;
  online: WithDefault<boolean>;
  session: WithDefault<number>;
  connection: "ONLINE" | "OFFLINE" | "CONNECTION_BROKEN" | null;
  connection_at: Date | null;
  state_seq: number | null;
  status: string | null;
  robot_status: WithDefault<RobotStatusColumn>;
  motion: "STOPPED" | "MOVING" | null;
  mode: "AUTO" | "MANUAL" | "MAINTENANCE" | null;
  battery: number | null;
  charging: WithDefault<boolean>;
  applied_direction: "FWD" | "REV" | null;
  applied_main_speed: number | null;
  applied_brush_speed: number | null;
  run_id: string | null;
  last_seq: WithDefault<number>;
  last_command_id: string | null;
  firmware: string | null;
  robot_ts: Date | null;
  received_at: Date | null;
  live_at: Date | null;
  clock_skew_ms: number | null;
  /** When it last said OFFLINE, as robots do that somebody switches off. */
  goodbye_at: Date | null;
  change_no: ChangeNo;
}

export interface ReadingsTable {
  robot_id: number;
  site_id: number;
  received_at: Date;
  robot_ts: Date;
  session: number;
  seq: number;
  status: string;
  robot_status: RobotStatusColumn;
  motion: "STOPPED" | "MOVING";
  mode: "AUTO" | "MANUAL" | "MAINTENANCE";
  battery: number;
  charging: boolean;
  sample: WithDefault<boolean>;
}

export type CommandVerbColumn = "START" | "STOP" | "SET" | "MAINTENANCE_ON" | "MAINTENANCE_OFF";
export type CommandOutcome = "CONFIRMED" | "REJECTED" | "UNCONFIRMED" | "NEVER_SENT";
export type ActionTypeColumn = "MANUAL" | "GROUP" | "SCHEDULED" | "SYSTEM";

/** Parameters as they go on the wire; a SET has only those it changes. */
export interface CommandParamsColumn {
  status?: "start" | "stop";
  direction?: "FWD" | "REV";
  "main-speed"?: number;
  "brush-speed"?: number;
}

export interface CommandsTable {
  id: string;
  robot_id: number;
  site_id: number;
  serial_number: string;
  /** As the robot was called then; the database fills it in. */
  robot_name: WithDefault<string>;
  verb: CommandVerbColumn;
  seq: number;
  session: number;
  issued_at: Date;
  expires_at: Date;
  settle_by: Date;
  run_id: string | null;
  max_duration_s: number | null;
  params: JSONColumnType<CommandParamsColumn>;
  mode: WithDefault<"AUTO" | "MANUAL">;
  action_type: WithDefault<ActionTypeColumn>;
  user_id: number | null;
  requested_by: string;
  follows_id: string | null;
  /** The session of the press behind it, and its time by the browser's clock. */
  pressed_in: string | null;
  pressed_ms: number | null;
  claimed_by: string | null;
  claimed_at: Date | null;
  published_at: Date | null;
  ack: "ACCEPTED" | "DONE" | "REJECTED" | null;
  ack_code: string | null;
  answered_at: Date | null;
  settled_at: Date | null;
  /** The transaction that settled it: from there on the live stream shows what became of it. */
  settled_change: ChangeNo | null;
  outcome: CommandOutcome | null;
  /** When a state proved that the robot never took this START and never will. */
  not_taken_at: Date | null;
}

/** What a press with an Idempotency-Key came to. */
export interface CommandRequestsTable {
  user_id: number;
  key: string;
  body: string;
  at: Date;
  command_id: string | null;
  refused_status: number | null;
  refused_code: string | null;
  refused_message: string | null;
}

export interface RunsTable {
  id: string;
  robot_id: number;
  site_id: number;
  /** This and the name as they were then; the database fills them in. */
  serial_number: WithDefault<string>;
  robot_name: WithDefault<string>;
  command_id: string | null;
  planned: WithDefault<boolean>;
  started_by_user_id: number | null;
  started_by: string;
  /** Null for what never moved: skipped, missed, failed, or due just now. */
  began_at: Date | null;
  battery_began: number | null;
  planned_end_at: Date | null;
  ended_at: Date | null;
  battery_ended: number | null;
  outcome: "COMPLETED" | "STOPPED" | "CUT_SHORT" | "FAILED" | "SKIPPED" | "MISSED" | null;
  reason: string | null;
  /** What a sentence in `reason` was made of; null for codes of the device protocol and rows of older servers. */
  reason_code: ColumnType<string | null, string | null | undefined, string | null>;
  reason_params: TextParamsColumn;
  schedule_id: number | null;
  group_id: number | null;
  group_name: string | null;
  action_type: WithDefault<ActionTypeColumn>;
  due_at: Date | null;
  stop_due_at: Date | null;
  stop_command_id: string | null;
  /** `due_at`, else `began_at`; made by the database. */
  at: ColumnType<Date, never, never>;
  sample: WithDefault<boolean>;
  change_no: ChangeNo;
}

export interface RobotGroupsTable {
  id: Generated<number>;
  site_id: number;
  group_name: string;
  name_key: string;
  created_at: WithDefault<Date>;
  updated_at: WithDefault<Date>;
  deleted_at: Date | null;
  change_no: ChangeNo;
  version: WithDefault<number>;
}

export interface RobotGroupMembersTable {
  robot_id: number;
  group_id: number;
  site_id: number;
}

export interface SchedulesTable {
  id: Generated<number>;
  group_id: number;
  site_id: number;
  frequency: "ONCE" | "DAILY" | "WEEKLY" | "MONTHLY";
  /** `YYYY-MM-DD HH:MM:SS` in the site's zone. */
  start_time: string;
  duration_minutes: number;
  skip_on_rain: WithDefault<boolean>;
  status: "ACTIVE" | "INACTIVE" | "COMPLETED";
  next_run_at: Date | null;
  /** What the run that is due at `waiting_due_at` waits for, in words. */
  waiting: string | null;
  waiting_due_at: Date | null;
  created_at: WithDefault<Date>;
  updated_at: WithDefault<Date>;
  version: WithDefault<number>;
}

export interface MaintenanceLocksTable {
  id: Generated<number>;
  robot_id: number;
  site_id: number;
  reason: string;
  locked_by_user_id: number | null;
  locked_by: string;
  locked_at: Date;
  former_mode: "auto" | "manual";
  command_id: string | null;
  confirmed_at: Date | null;
  released_by_user_id: number | null;
  released_by: string | null;
  released_at: Date | null;
  sample: WithDefault<boolean>;
}

export interface RobotEventsTable {
  robot_id: number;
  site_id: number;
  event_seq: number;
  session: number;
  received_at: Date;
  kind: string;
  body: JSONColumnType<Record<string, unknown>>;
}

export interface AlertsTable {
  id: Generated<number>;
  /** Null where it is about the whole site, or about Suncrew's own servers. */
  robot_id: number | null;
  /** Null where it is about Suncrew's own servers. */
  site_id: number | null;
  source: "ROBOT" | "SERVER";
  code: string;
  severity: "INFO" | "WARNING" | "CRITICAL";
  text: string;
  /** What the text was made of; null for a robot's own, and for those of servers of an older version. */
  params: TextParamsColumn;
  raised_at: Date;
  cleared_at: Date | null;
  sample: WithDefault<boolean>;
  /** This and the serial number as they were then; the database fills them in where it is about a robot. */
  robot_name: WithDefault<string | null>;
  serial_number: WithDefault<string | null>;
  acknowledged_at: Date | null;
  acknowledged_by_user_id: number | null;
  acknowledged_by: string | null;
  change_no: ChangeNo;
}

/** Servers whose clock does not agree. */
export interface ServerClocksTable {
  server_id: string;
  name: string;
  words: string;
  seen_at: Date;
}

export interface ActivityTable {
  log_id: Generated<number>;
  created_at: Date;
  site_id: number;
  robot_id: number;
  command_id: string | null;
  /** Of the end of a run that no STOP brought about. */
  ended_run_id: WithDefault<string | null>;
  action: "START" | "STOP";
  action_type: ActionTypeColumn;
  status: "SUCCESS" | "FAILED" | "REFUSED";
  user_id: number | null;
  user_name: string;
  site_name: string;
  partner_name: string | null;
  robot_name: string;
  serial_number: string;
  details: string;
  /** What the details were made of; null for rows of servers of an older version. */
  details_code: ColumnType<string | null, string | null | undefined, string | null>;
  details_params: TextParamsColumn;
  params: JSONColumnType<{
    robotSerial: string;
    mode: "AUTO" | "MANUAL";
    direction: "FWD" | "REV";
    "main-speed": number;
    "brush-speed": number;
  }>;
  /** Hash of where it happened; made by the database, as is the next. Numbers here do not fit: they travel as text. */
  place_key: ColumnType<string, never, never>;
  /** Hash of `details`. */
  outcome_key: ColumnType<string, never, never>;
  sample: WithDefault<boolean>;
  change_no: ChangeNo;
}

/** What can be searched in the activity log, once for each text; kept by triggers of `activity`. */
export interface ActivityTextsTable {
  kind: "PLACE" | "OUTCOME" | "PERSON";
  key: ColumnType<string, never, never>;
  /** Folded by `search_fold`. */
  words: ColumnType<string, never, never>;
  user_name: ColumnType<string | null, never, never>;
}

/** When a robot was reachable; kept by the database as `robot_state` changes. */
export interface RobotPresenceTable {
  id: Generated<number>;
  robot_id: number;
  site_id: number;
  online_at: Date;
  /** Null while it lasts. */
  offline_at: Date | null;
  sample: WithDefault<boolean>;
}

export interface AuditTable {
  id: Generated<number>;
  at: Date;
  user_id: number | null;
  actor: string;
  action: string;
  entity: string;
  entity_id: string | null;
  site_id: number | null;
  outcome: "DONE" | "REFUSED" | "FAILED";
  reason: string | null;
  before: JSONColumnType<Record<string, unknown>> | null;
  after: JSONColumnType<Record<string, unknown>> | null;
  target_name: string | null;
  site_name: string | null;
}

export interface AuditSealsTable {
  number: number;
  audit_id: number;
  hash: Buffer;
  sealed_at: Date;
}

export interface AuditUnsealedTable {
  audit_id: number;
}

export interface InstallationTable {
  key: string;
  value: string;
}

export interface Tables {
  partners: PartnersTable;
  users: UsersTable;
  sessions: SessionsTable;
  sign_in_failures: SignInFailuresTable;
  known_callers: KnownCallersTable;
  sites: SitesTable;
  devices: DevicesTable;
  robots: RobotsTable;
  robot_state: RobotStateTable;
  readings: ReadingsTable;
  commands: CommandsTable;
  command_requests: CommandRequestsTable;
  runs: RunsTable;
  robot_groups: RobotGroupsTable;
  robot_group_members: RobotGroupMembersTable;
  schedules: SchedulesTable;
  maintenance_locks: MaintenanceLocksTable;
  robot_events: RobotEventsTable;
  robot_presence: RobotPresenceTable;
  alerts: AlertsTable;
  server_clocks: ServerClocksTable;
  activity: ActivityTable;
  activity_texts: ActivityTextsTable;
  audit: AuditTable;
  audit_seals: AuditSealsTable;
  audit_unsealed: AuditUnsealedTable;

  report_templates: ReportTemplatesTable;
  report_settings: ReportSettingsTable;
  kept_reports: MonthlyReportsTable;
  kept_report_files: MonthlyReportFilesTable;
  firmware: FirmwareTable;
  rollouts: RolloutsTable;
  rollout_robots: RolloutRobotsTable;
  installation: InstallationTable;
}
