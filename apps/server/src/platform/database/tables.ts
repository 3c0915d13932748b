/** Written by `npm run database-types` from the migrations; do not edit it. */

import type { ActionType, ActivityParams, ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import type { AlertSource } from "@suncrew/contract/alerts/alerts.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { AuditOutcome } from "@suncrew/contract/audit/audit.ts";
import type { Role } from "@suncrew/contract/auth/auth.ts";
import type { StartOrStop, TravelDirection } from "@suncrew/contract/commands/commands.ts";
import type { AckStatus, CommandParams, CommandVerb, ConnectionState } from "@suncrew/contract/devices/messages.ts";
import type { RolloutRobotState, RolloutState } from "@suncrew/contract/firmware/firmware.ts";
import type { MailStatus, MonthlyReportStatus } from "@suncrew/contract/reports/reports.ts";
import type { CommandMode, DeviceMode, OperatingMode, UnlockedMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { CleaningDirection, Motion, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { Frequency, ScheduleStatus } from "@suncrew/contract/schedules/schedules.ts";
import type { StoredSection } from "@suncrew/domain/report-templates/template-sections.ts";
import type { ColumnType, GeneratedAlways, JSONColumnType } from "kysely";

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export interface Activity {
  action: StartOrStop;
  action_type: ActionType;
  change_no: Generated<string>;
  command_id: string | null;
  created_at: Date;
  details: string;
  /**
   * What the details were made of; null for rows of servers of an older version.
   */
  details_code: string | null;
  details_params: Readonly<Record<string, unknown>> | null;
  /**
   * Of the end of a run that no STOP brought about.
   */
  ended_run_id: string | null;
  log_id: Generated<number>;
  /**
   * Hash of `details`, too large for a number.
   */
  outcome_key: GeneratedAlways<string>;
  params: JSONColumnType<ActivityParams>;
  partner_name: string | null;
  /**
   * Hash of where it happened, too large for a number.
   */
  place_key: GeneratedAlways<string>;
  robot_id: number;
  robot_name: string;
  sample: Generated<boolean>;
  serial_number: string;
  site_id: number;
  site_name: string;
  status: ActivityStatus;
  user_id: number | null;
  user_name: string;
}

export interface ActivityTexts {
  key: number;
  kind: "PLACE" | "OUTCOME" | "PERSON";
  user_name: string | null;
  /**
   * Folded by `search_fold`; rows are maintained by triggers of `activity`.
   */
  words: string;
}

export interface Alerts {
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  acknowledged_by_user_id: number | null;
  change_no: Generated<string>;
  cleared_at: Date | null;
  code: string;
  id: Generated<number>;
  /**
   * What the text was made of; null for a robot's own, and for those of older servers.
   */
  params: Readonly<Record<string, unknown>> | null;
  raised_at: Date;
  /**
   * Null where it is about a whole site, or about Suncrew's own servers.
   */
  robot_id: number | null;
  /**
   * This and the serial number as they were then; filled in by the database.
   */
  robot_name: string | null;
  sample: Generated<boolean>;
  serial_number: string | null;
  severity: Severity;
  /**
   * Null where it is about Suncrew's own servers.
   */
  site_id: number | null;
  source: AlertSource;
  text: string;
}

export interface Audit {
  action: string;
  actor: string;
  after: JSONColumnType<Record<string, unknown>> | null;
  at: Date;
  before: JSONColumnType<Record<string, unknown>> | null;
  entity: string;
  entity_id: string | null;
  id: Generated<number>;
  outcome: AuditOutcome;
  reason: string | null;
  site_id: number | null;
  site_name: string | null;
  target_name: string | null;
  user_id: number | null;
}

export interface AuditNames {
  entity: string;
  entity_id: string;
  words: string;
}

export interface AuditReasons {
  key: number;
  words: string;
}

export interface AuditSeals {
  audit_id: number;
  hash: Buffer;
  number: number;
  sealed_at: Date;
}

export interface AuditUnsealed {
  audit_id: number;
}

export interface CommandRequests {
  at: Date;
  /**
   * What a call with this Idempotency-Key asked for.
   */
  body: string;
  command_id: string | null;
  key: string;
  refused_code: string | null;
  refused_message: string | null;
  refused_status: number | null;
  user_id: number;
}

export interface Commands {
  ack: AckStatus | null;
  ack_code: string | null;
  action_type: Generated<ActionType>;
  answered_at: Date | null;
  claimed_at: Date | null;
  claimed_by: string | null;
  expires_at: Date;
  follows_id: string | null;
  id: string;
  issued_at: Date;
  max_duration_s: number | null;
  mode: Generated<CommandMode>;
  /**
   * When a state proved that the robot never took this START and never will.
   */
  not_taken_at: Date | null;
  outcome: "CONFIRMED" | "REJECTED" | "UNCONFIRMED" | "NEVER_SENT" | null;
  /**
   * As on the wire; a SET has only those that it changes.
   */
  params: Generated<JSONColumnType<Partial<CommandParams>>>;
  /**
   * The session of the press behind it; `pressed_ms` is its time by the browser's clock.
   */
  pressed_in: string | null;
  pressed_ms: number | null;
  published_at: Date | null;
  requested_by: string;
  robot_id: number;
  robot_name: Generated<string>;
  run_id: string | null;
  seq: number;
  serial_number: string;
  session: number;
  settle_by: Date;
  settled_at: Date | null;
  /**
   * The transaction that settled it: from there on the live stream shows what became of it.
   */
  settled_change: string | null;
  site_id: number;
  user_id: number | null;
  verb: CommandVerb;
}

export interface Devices {
  broker_pending: "SECRET" | "RETIRE" | null;
  broker_pending_at: Date | null;
  broker_refusals: Generated<number>;
  created_at: Generated<Date>;
  last_site_id: number | null;
  partner_id: Generated<number>;
  retired_at: Date | null;
  secret_at: Generated<Date>;
  secret_sha256: Buffer;
  secret_unsure_at: Date | null;
  serial: string;
}

export interface Firmware {
  bytes: number;
  /**
   * Null once it was deleted.
   */
  content: Buffer | null;
  created_at: Date;
  created_by: string;
  created_by_user_id: number | null;
  deleted_at: Date | null;
  file_name: string;
  id: Generated<number>;
  sha256: Buffer;
  version: string;
}

export interface Installation {
  key: string;
  value: string;
}

export interface KeptReportFiles {
  pdf: Buffer;
  report_id: number;
}

export interface KeptReports {
  attempts: Generated<number>;
  bytes: number | null;
  created_at: Date;
  id: Generated<number>;
  mail_attempts: Generated<number>;
  mail_reason: string | null;
  mail_status: Generated<MailStatus>;
  mail_try_at: Date | null;
  mailed_to: Generated<string[]>;
  /**
   * `YYYY-MM-01`, by the site's calendar.
   */
  month: string;
  partner_id: number | null;
  reason: string | null;
  site_id: number;
  status: Generated<MonthlyReportStatus>;
  template_name: string | null;
  try_at: Date | null;
}

export interface KnownCallers {
  key: string;
  last_signed_in_at: Date;
  user_id: number;
}

export interface MaintenanceLocks {
  command_id: string | null;
  confirmed_at: Date | null;
  former_mode: UnlockedMode;
  id: Generated<number>;
  locked_at: Date;
  locked_by: string;
  locked_by_user_id: number | null;
  reason: string;
  released_at: Date | null;
  released_by: string | null;
  released_by_user_id: number | null;
  robot_id: number;
  sample: Generated<boolean>;
  site_id: number;
}

export interface Partners {
  address: string | null;
  built_in: Generated<boolean>;
  certifications: string | null;
  city: string | null;
  contact_info: string | null;
  contact_person: string | null;
  country: string | null;
  created_at: Generated<Date>;
  deleted_at: Date | null;
  email: string | null;
  id: Generated<number>;
  name: string;
  registration: string | null;
  state: string | null;
  status: Generated<string>;
  tax_id: string | null;
  version: Generated<number>;
  zip_code: string | null;
}

export interface Readings {
  battery: number;
  charging: boolean;
  mode: DeviceMode;
  motion: Motion;
  received_at: Date;
  robot_id: number;
  robot_status: RobotStatus;
  robot_ts: Date;
  sample: Generated<boolean>;
  seq: number;
  session: number;
  site_id: number;
  status: string;
}

export interface ReportSettings {
  auto_generate_monthly: Generated<boolean>;
  auto_since: Date | null;
  email_notifications: Generated<boolean>;
  is_only: Generated<boolean>;
  recipients: Generated<string[]>;
  send_to_partners: Generated<boolean>;
  template_id: number | null;
  version: Generated<number>;
}

export interface ReportTemplates {
  created_at: Generated<Date>;
  created_by: string;
  created_by_user_id: number | null;
  deleted_at: Date | null;
  description: Generated<string>;
  id: Generated<number>;
  is_active: Generated<boolean>;
  name: string;
  sections: JSONColumnType<StoredSection[]>;
  updated_at: Generated<Date>;
  version: Generated<number>;
}

export interface RobotEvents {
  body: JSONColumnType<Record<string, unknown>>;
  event_seq: number;
  kind: string;
  received_at: Date;
  robot_id: number;
  session: number;
  site_id: number;
}

export interface RobotGroupMembers {
  group_id: number;
  robot_id: number;
  site_id: number;
}

export interface RobotGroups {
  change_no: Generated<string>;
  created_at: Generated<Date>;
  deleted_at: Date | null;
  group_name: string;
  id: Generated<number>;
  name_key: string;
  site_id: number;
  updated_at: Generated<Date>;
  version: Generated<number>;
}

export interface RobotPresence {
  id: Generated<number>;
  /**
   * Null while the robot is reachable.
   */
  offline_at: Date | null;
  online_at: Date;
  robot_id: number;
  sample: Generated<boolean>;
  site_id: number;
}

export interface Robots {
  brush_motor_speed: Generated<number>;
  cleaning_direction: Generated<CleaningDirection>;
  control_type: string | null;
  created_at: Generated<Date>;
  deleted_at: Date | null;
  id: Generated<number>;
  initial_battery_level: Generated<number>;
  initial_firmware_version: Generated<string>;
  initial_status: Generated<string>;
  installation_date: string;
  last_command_seq: Generated<number>;
  main_motor_speed: Generated<number>;
  motor_type: string | null;
  operating_mode: Generated<OperatingMode>;
  robot_name: string;
  serial_number: string;
  site_id: number;
  version: Generated<number>;
}

export interface RobotState {
  applied_brush_speed: number | null;
  applied_direction: TravelDirection | null;
  applied_main_speed: number | null;
  battery: number | null;
  change_no: Generated<string>;
  charging: Generated<boolean>;
  clock_skew_ms: number | null;
  connection: ConnectionState | null;
  connection_at: Date | null;
  firmware: string | null;
  /**
   * When it last reported OFFLINE, as robots do that somebody switches off.
   */
  goodbye_at: Date | null;
  last_command_id: string | null;
  last_seq: Generated<number>;
  live_at: Date | null;
  mode: DeviceMode | null;
  motion: Motion | null;
  online: Generated<boolean>;
  received_at: Date | null;
  robot_id: number;
  robot_status: Generated<RobotStatus>;
  robot_ts: Date | null;
  run_id: string | null;
  session: Generated<number>;
  site_id: number;
  state_seq: number | null;
  status: string | null;
}

export interface RolloutRobots {
  canary: Generated<boolean>;
  change_no: Generated<string>;
  deadline_at: Date | null;
  ended_at: Date | null;
  from_version: string | null;
  gave_up: Generated<boolean>;
  installing_until: Date | null;
  offer_id: string | null;
  offered_at: Date | null;
  overdue: Generated<boolean>;
  percent: number | null;
  place: number;
  reason: string | null;
  report_seq: number | null;
  report_session: number | null;
  robot_id: number;
  robot_name: string;
  rollout_id: number;
  sent_at: Date | null;
  serial_number: string;
  site_id: number;
  site_name: string;
  state: RolloutRobotState;
  wait_until: Date | null;
}

export interface Rollouts {
  batch_size: number;
  change_no: Generated<string>;
  created_at: Date;
  created_by: string;
  created_by_user_id: number | null;
  deadline_minutes: number;
  ended_at: Date | null;
  failure_threshold_percent: number;
  firmware_id: number;
  id: Generated<number>;
  reason: string | null;
  resumed_at: Date | null;
  state: RolloutState;
  wait_limit_hours: Generated<number>;
}

export interface Runs {
  action_type: Generated<ActionType>;
  /**
   * `due_at`, or else `began_at`.
   */
  at: GeneratedAlways<Date>;
  battery_began: number | null;
  battery_ended: number | null;
  /**
   * Null for what never moved: skipped, missed, failed, or due just now.
   */
  began_at: Date | null;
  change_no: Generated<string>;
  command_id: string | null;
  due_at: Date | null;
  ended_at: Date | null;
  group_id: number | null;
  group_name: string | null;
  id: string;
  outcome: RunOutcome | null;
  planned: Generated<boolean>;
  planned_end_at: Date | null;
  reason: string | null;
  /**
   * What a sentence in `reason` was made of; null for codes of the protocol and older rows.
   */
  reason_code: string | null;
  reason_params: Readonly<Record<string, unknown>> | null;
  robot_id: number;
  robot_name: Generated<string>;
  sample: Generated<boolean>;
  schedule_id: number | null;
  serial_number: Generated<string>;
  site_id: number;
  started_by: string;
  started_by_user_id: number | null;
  stop_command_id: string | null;
  stop_due_at: Date | null;
}

export interface Schedules {
  created_at: Generated<Date>;
  duration_minutes: number;
  frequency: Frequency;
  group_id: number;
  id: Generated<number>;
  next_run_at: Date | null;
  site_id: number;
  skip_on_rain: Generated<boolean>;
  /**
   * `YYYY-MM-DD HH:MM:SS` in the site's zone.
   */
  start_time: string;
  status: ScheduleStatus;
  updated_at: Generated<Date>;
  version: Generated<number>;
  /**
   * What the run that is due at `waiting_due_at` waits for.
   */
  waiting: string | null;
  waiting_due_at: Date | null;
}

export interface ServerClocks {
  name: string;
  seen_at: Date;
  server_id: string;
  words: string;
}

export interface Sessions {
  created_at: Date;
  ended_at: Date | null;
  expires_at: Date;
  id: string;
  user_id: number;
}

export interface SignInFailures {
  failures: number;
  key: string;
  last_failed_at: Date;
  locked_until: Date | null;
  /**
   * When a waiting caller is heard; on an account's row, when the next turn is free.
   */
  turn_at: Date | null;
}

export interface Sites {
  address: string;
  change_no: Generated<string>;
  commissioning_date: string;
  created_at: Generated<Date>;
  deleted_at: Date | null;
  district: string;
  id: Generated<number>;
  latitude: number;
  longitude: number;
  maintenance_contact: string | null;
  maintenance_contact_name: string | null;
  maintenance_email: string | null;
  maintenance_partner_id: number | null;
  name: string;
  pin_code: string;
  state: string;
  timezone: string;
  version: Generated<number>;
}

export interface Users {
  created_at: Generated<Date>;
  deleted_at: Date | null;
  email: Generated<string>;
  /**
   * A generated password, encrypted; null once the user has chosen one.
   */
  enc_password: string | null;
  id: Generated<number>;
  name: string;
  partner_id: number | null;
  password_hash: string;
  /**
   * When the server generated the password; null where a person chose it.
   */
  password_made_at: Date | null;
  role: Role;
  username: string;
}

export interface Tables {
  activity: Activity;
  activity_texts: ActivityTexts;
  alerts: Alerts;
  audit: Audit;
  audit_names: AuditNames;
  audit_reasons: AuditReasons;
  audit_seals: AuditSeals;
  audit_unsealed: AuditUnsealed;
  command_requests: CommandRequests;
  commands: Commands;
  devices: Devices;
  firmware: Firmware;
  installation: Installation;
  kept_report_files: KeptReportFiles;
  kept_reports: KeptReports;
  known_callers: KnownCallers;
  maintenance_locks: MaintenanceLocks;
  partners: Partners;
  readings: Readings;
  report_settings: ReportSettings;
  report_templates: ReportTemplates;
  robot_events: RobotEvents;
  robot_group_members: RobotGroupMembers;
  robot_groups: RobotGroups;
  robot_presence: RobotPresence;
  robot_state: RobotState;
  robots: Robots;
  rollout_robots: RolloutRobots;
  rollouts: Rollouts;
  runs: Runs;
  schedules: Schedules;
  server_clocks: ServerClocks;
  sessions: Sessions;
  sign_in_failures: SignInFailures;
  sites: Sites;
  users: Users;
}
