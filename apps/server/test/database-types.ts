import { actionTypeSchema, activityStatusSchema } from "@suncrew/contract/activity/activity.ts";
import { alertSourceSchema } from "@suncrew/contract/alerts/alerts.ts";
import { severitySchema } from "@suncrew/contract/alerts/severity.ts";
import { auditOutcomeSchema } from "@suncrew/contract/audit/audit.ts";
import { roleSchema } from "@suncrew/contract/auth/auth.ts";
import { commandVerbSchema, travelDirectionSchema } from "@suncrew/contract/commands/commands.ts";
import { ackMessageSchema, commandVerbs, connectionMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { eventDeliveryStatusSchema } from "@suncrew/contract/events/webhook-endpoints.ts";
import { rolloutRobotStateSchema, rolloutStateSchema } from "@suncrew/contract/firmware/firmware.ts";
import { withoutSensorSchema } from "@suncrew/contract/guard/site-guard.ts";
import { guardVerdictSchema } from "@suncrew/contract/guard/guard-state.ts";
import {
  channelKindSchema,
  contactOwnerKindSchema,
  mailLanguageSchema,
  siteRoleSchema,
} from "@suncrew/contract/notifications/contact-points.ts";
import { deliveryStatusSchema, messageKindSchema } from "@suncrew/contract/notifications/deliveries.ts";
import { logoMediaTypeSchema } from "@suncrew/contract/report-templates/report-templates.ts";
import { mailEncryptionSchema } from "@suncrew/contract/reports/mail-server.ts";
import { monthlyReportStatusSchema, mailStatusSchema } from "@suncrew/contract/reports/reports.ts";
import {
  commandModeSchema,
  deviceModeSchema,
  operatingModeSchema,
  unlockedModeSchema,
} from "@suncrew/contract/robots/robot-mode.ts";
import { cleaningDirectionSchema, motionSchema, robotStatusSchema } from "@suncrew/contract/robots/robots.ts";
import { runOutcomeSchema } from "@suncrew/contract/robots/run-outcome.ts";
import { frequencySchema, scheduleStatusSchema } from "@suncrew/contract/schedules/schedules.ts";
import { cleaningPricePerSchema } from "@suncrew/contract/sites/site-energy-facts.ts";
import { weatherSourceSchema } from "@suncrew/contract/weather/weather.ts";
import { sql } from "kysely";
import {
  ArrayExpressionNode,
  type ColumnMetadata,
  type ExpressionNode,
  generate,
  GenericExpressionNode,
  IdentifierNode,
  LiteralNode,
  PostgresDialect,
  UnionExpressionNode,
} from "kysely-codegen";
import type { Db } from "../src/platform/database/database.ts";

/** A type of the contract used by a column: its name, its file and its values. */
type ContractType = readonly [name: string, file: string, values: readonly string[]];

const actionType: ContractType = ["ActionType", "activity/activity.ts", actionTypeSchema.options];
const channelKind: ContractType = ["ChannelKind", "notifications/contact-points.ts", channelKindSchema.options];
const deviceMode: ContractType = ["DeviceMode", "robots/robot-mode.ts", deviceModeSchema.options];
const mailLanguage: ContractType = ["MailLanguage", "notifications/contact-points.ts", mailLanguageSchema.options];
const deliveryStatus: ContractType = ["DeliveryStatus", "notifications/deliveries.ts", deliveryStatusSchema.options];
const motion: ContractType = ["Motion", "robots/robots.ts", motionSchema.options];
const severity: ContractType = ["Severity", "alerts/severity.ts", severitySchema.options];
const weatherSource: ContractType = ["WeatherSource", "weather/weather.ts", weatherSourceSchema.options];
const robotStatus: ContractType = ["RobotStatus", "robots/robots.ts", robotStatusSchema.options];

/**
 * By column. The column's CHECK lists the same values, which a test verifies; without an entry here the type lists
 * them.
 */
export const contractTypes: ReadonlyMap<string, ContractType> = new Map([
  ["activity.action", ["StartOrStop", "commands/commands.ts", commandVerbSchema.options]],
  ["activity.action_type", actionType],
  ["activity.status", ["ActivityStatus", "activity/activity.ts", activityStatusSchema.options]],
  ["alert_notices.severity", severity],
  ["alerts.severity", severity],
  ["alerts.source", ["AlertSource", "alerts/alerts.ts", alertSourceSchema.options]],
  ["audit.outcome", ["AuditOutcome", "audit/audit.ts", auditOutcomeSchema.options]],
  ["commands.ack", ["AckStatus", "devices/messages.ts", ackMessageSchema.shape.status.options]],
  ["commands.action_type", actionType],
  ["commands.mode", ["CommandMode", "robots/robot-mode.ts", commandModeSchema.options]],
  ["commands.verb", ["CommandVerb", "devices/messages.ts", commandVerbs]],
  ["contact_points.channel", channelKind],
  ["contact_points.language", mailLanguage],
  [
    "contact_points.owner_kind",
    ["ContactOwnerKind", "notifications/contact-points.ts", contactOwnerKindSchema.options],
  ],
  ["contact_points.site_role", ["SiteRole", "notifications/contact-points.ts", siteRoleSchema.options]],
  ["deliveries.channel", channelKind],
  ["deliveries.message_kind", ["MessageKind", "notifications/deliveries.ts", messageKindSchema.options]],
  ["deliveries.severity", severity],
  ["deliveries.status", deliveryStatus],
  [
    "event_deliveries.status",
    ["EventDeliveryStatus", "events/webhook-endpoints.ts", eventDeliveryStatusSchema.options],
  ],
  ["kept_reports.mail_status", ["MailStatus", "reports/reports.ts", mailStatusSchema.options]],
  ["kept_reports.status", ["MonthlyReportStatus", "reports/reports.ts", monthlyReportStatusSchema.options]],
  ["mail_settings.encryption", ["MailEncryption", "reports/mail-server.ts", mailEncryptionSchema.options]],
  ["maintenance_locks.former_mode", ["UnlockedMode", "robots/robot-mode.ts", unlockedModeSchema.options]],
  ["readings.mode", deviceMode],
  ["readings.motion", motion],
  ["readings.robot_status", robotStatus],
  ["robot_state.applied_direction", ["TravelDirection", "commands/commands.ts", travelDirectionSchema.options]],
  ["robot_state.connection", ["ConnectionState", "devices/messages.ts", connectionMessageSchema.shape.state.options]],
  ["robot_state.mode", deviceMode],
  ["robot_state.motion", motion],
  ["robot_state.robot_status", robotStatus],
  ["site_guards.without_sensor", ["WithoutSensor", "guard/site-guard.ts", withoutSensorSchema.options]],
  ["site_guards.verdict", ["GuardVerdict", "guard/guard-state.ts", guardVerdictSchema.options]],
  ["robots.cleaning_direction", ["CleaningDirection", "robots/robots.ts", cleaningDirectionSchema.options]],
  ["robots.operating_mode", ["OperatingMode", "robots/robot-mode.ts", operatingModeSchema.options]],
  ["rollout_robots.state", ["RolloutRobotState", "firmware/firmware.ts", rolloutRobotStateSchema.options]],
  ["report_logo.media_type", ["LogoMediaType", "report-templates/report-templates.ts", logoMediaTypeSchema.options]],
  ["report_deliveries.language", mailLanguage],
  ["report_deliveries.status", deliveryStatus],
  ["rollouts.state", ["RolloutState", "firmware/firmware.ts", rolloutStateSchema.options]],
  ["runs.action_type", actionType],
  ["runs.outcome", ["RunOutcome", "robots/run-outcome.ts", runOutcomeSchema.options]],
  ["schedules.frequency", ["Frequency", "schedules/schedules.ts", frequencySchema.options]],
  ["schedules.status", ["ScheduleStatus", "schedules/schedules.ts", scheduleStatusSchema.options]],
  ["sites.cleaning_price_per", ["CleaningPricePer", "sites/site-energy-facts.ts", cleaningPricePerSchema.options]],
  ["site_air_days.source", weatherSource],
  ["site_weather_days.source", weatherSource],
  ["users.role", ["Role", "auth/auth.ts", roleSchema.options]],
]);

const named = (name: string): ExpressionNode => new IdentifierNode(name);
const anyObject = named("Record<string, unknown>");

/** The contents of JSON columns, by column. */
const jsonTypes: ReadonlyMap<string, ExpressionNode> = new Map([
  ["activity.params", named("ActivityParams")],
  ["audit.after", anyObject],
  ["audit.before", anyObject],
  ["events.data", anyObject],
  ["commands.params", new GenericExpressionNode("Partial", [named("CommandParams")])],
  ["report_templates.sections", new ArrayExpressionNode(named("StoredSection"))],
  ["robot_events.body", anyObject],
  ["site_guards.passed", named("PassedLimit")],
]);

/** Their elements may be null; a column of hours has 24. */
const isHours = (column: ColumnMetadata) => column.isArray && column.dataType === "float4";
const hours = new ArrayExpressionNode(named("(number | null)"));

const imports = {
  ActivityParams: "@suncrew/contract/activity/activity.ts",
  CommandParams: "@suncrew/contract/devices/messages.ts",
  GeneratedAlways: "kysely",
  PassedLimit: "@suncrew/domain/texts/passed-limit.ts",
  StoredSection: "@suncrew/domain/report-templates/template-sections.ts",
  ...Object.fromEntries([...contractTypes.values()].map(([name, file]) => [name, `@suncrew/contract/${file}`])),
};

/** Set by a trigger if the row does not contain them. */
const filledByTrigger: ReadonlySet<string> = new Set(["commands.robot_name", "runs.robot_name", "runs.serial_number"]);

/** Comments for columns whose name does not say enough. */
const comments: ReadonlyMap<string, string> = new Map([
  ["activity.details_code", "What the details were made of; null for rows of servers of an older version."],
  ["activity.ended_run_id", "Of the end of a run that no STOP brought about."],
  ["activity.outcome_key", "Hash of `details`, too large for a number."],
  ["activity.place_key", "Hash of where it happened, too large for a number."],
  ["activity_texts.words", "Folded by `search_fold`; rows are maintained by triggers of `activity`."],
  ["alerts.params", "What the text was made of; null for a robot's own, and for those of older servers."],
  ["alerts.robot_id", "Null where it is about a whole site, or about Suncrew's own servers."],
  ["alerts.robot_name", "This and the serial number as they were then; filled in by the database."],
  ["alerts.site_id", "Null where it is about Suncrew's own servers."],
  ["command_requests.body", "What a call with this Idempotency-Key asked for."],
  [
    "commands.not_taken_at",
    "When a state, or the server that did not send it, proved that the robot never took this START and never will.",
  ],
  ["commands.params", "As on the wire; a SET has only those that it changes."],
  [
    "commands.settled_change",
    "The transaction that settled it: from there on the live stream shows what became of it.",
  ],
  ["commands.pressed_in", "The session of the press behind it; `pressed_ms` is its time by the browser's clock."],
  ["firmware.content", "Null once it was deleted."],
  ["kept_reports.month", "`YYYY-MM-01`, by the site's calendar."],
  ["robot_presence.offline_at", "Null while the robot is reachable."],
  ["robot_state.goodbye_at", "When it last reported OFFLINE, as robots do that somebody switches off."],
  ["runs.at", "`due_at`, or else `began_at`."],
  ["runs.began_at", "Null for what never moved: skipped, missed, failed, or due just now."],
  ["runs.reason_code", "What a sentence in `reason` was made of; null for codes of the protocol and older rows."],
  ["schedules.start_time", "`YYYY-MM-DD HH:MM:SS` in the site's zone."],
  ["schedules.waiting", "What the run that is due at `waiting_due_at` waits for."],
  ["sign_in_failures.turn_at", "When a waiting caller is heard; on an account's row, when the next turn is free."],
  ["sites.azimuth_degrees", "As on a compass: 180 is south."],
  ["sites.currency", "ISO 4217; of the tariff and of the price of a cleaning."],
  ["users.enc_password", "A generated password, encrypted; null once the user has chosen one."],
  ["users.password_made_at", "When the server generated the password; null where a person chose it."],
]);

/** What a stored text was made from, in JSON that the driver serialises itself. */
const textParams: ReadonlySet<string> = new Set([
  "activity.details_params",
  "alerts.params",
  "contact_points.failure_reason_params",
  "deliveries.reason_params",
  "event_deliveries.reason_params",
  "kept_reports.mail_reason_params",
  "kept_reports.reason_params",
  "outgoing_mails.reason_params",
  "report_deliveries.reason_params",
  "rollout_robots.reason_params",
  "rollouts.reason_params",
  "runs.reason_params",
  "schedule_decisions.reason_params",
]);

interface Checked {
  readonly column: string;
  readonly definition: string;
}

/** The values listed by the CHECKs of single columns, by column. */
export async function checkedValues(db: Db): Promise<Map<string, string[]>> {
  const { rows } = await sql<Checked>`
    select r.relname || '.' || a.attname as column, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class r on r.oid = c.conrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'c' and cardinality(c.conkey) = 1 and not r.relispartition
      and pg_get_constraintdef(c.oid) ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\['
    order by 1`.execute(db);
  return new Map(
    rows.map(({ column, definition }) => [
      column,
      [...definition.matchAll(/'([\w/-]+)'/g)].map(([, value = ""]) => value),
    ]),
  );
}

/** Its path in the repository. */
export const TYPES_FILE = "apps/server/src/platform/database/tables.ts";

/** The file's contents: the tables of a migrated database, with the types that the driver of `database.ts` returns. */
export async function databaseTypes(db: Db): Promise<string> {
  const unions = await checkedValues(db);
  const { rows: computed } = await sql<{ column: string }>`
    select attrelid::regclass || '.' || attname as column from pg_attribute where attgenerated <> ''`.execute(db);
  const isComputed = new Set(computed.map(({ column }) => column));
  const columns: Record<string, ExpressionNode> = {};
  const describe = (path: string, column: ColumnMetadata) => {
    column.comment = comments.get(path) ?? null;
    const [name] = contractTypes.get(path) ?? [];
    const values = unions.get(path)?.map((value) => new LiteralNode(value));
    const json = jsonTypes.get(path);
    const type =
      (name !== undefined && named(name)) ||
      (values !== undefined && new UnionExpressionNode(values)) ||
      (json !== undefined && new GenericExpressionNode("JSONColumnType", [json])) ||
      (textParams.has(path) && named("Readonly<Record<string, unknown>>")) ||
      (filledByTrigger.has(path) && named("string")) ||
      (isHours(column) && hours);
    if (isComputed.has(path)) {
      // PostgreSQL does not report that they always have a value.
      column.isNullable = false;
      const computedType = column.dataType === "timestamptz" ? "Date" : "string";
      columns[path] = new GenericExpressionNode("GeneratedAlways", [named(computedType)]);
    } else if (type !== false) {
      const isOptional = column.hasDefaultValue || filledByTrigger.has(path);
      columns[path] = isOptional ? new GenericExpressionNode("Generated", [type]) : type;
    }
  };
  const text = await generate({
    db,
    dialect: new PostgresDialect({ dateParser: "string", numericParser: "number" }),
    outFile: null,
    excludePattern: "migrations",
    partitions: false,
    async postprocess({ metadata }) {
      for (const table of metadata.tables) {
        for (const column of table.columns) describe(`${table.name}.${column.name}`, column);
      }
      return metadata;
    },
    customImports: imports,
    overrides: { columns },
    typeMapping: { int8: "number", numeric: "number", timestamptz: "Date" },
    typeOnlyImports: true,
    skipAutogeneratedFileComment: true,
  });
  const head = "// Generated by `npm run database-types` from the migrations; do not edit it.";
  return `${head}\n\n${text.replace("interface DB ", "interface Tables ")}`;
}
