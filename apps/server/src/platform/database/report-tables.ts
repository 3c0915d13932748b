import type { ColumnType, Generated, JSONColumnType } from "kysely";

type WithDefault<T> = ColumnType<T, T | undefined, T>;

/** One section of a template as it is stored: `fields` names those that are on. */
export interface TemplateSectionColumn {
  readonly type: "performance" | "activities" | "robot_health" | "maintenance" | "alerts";
  readonly enabled: boolean;
  readonly fields: readonly string[];
}

export interface ReportTemplatesTable {
  id: Generated<number>;
  name: string;
  description: WithDefault<string>;
  sections: JSONColumnType<readonly TemplateSectionColumn[]>;
  is_active: WithDefault<boolean>;
  created_by_user_id: number | null;
  created_by: string;
  created_at: WithDefault<Date>;
  updated_at: WithDefault<Date>;
  deleted_at: Date | null;
  version: WithDefault<number>;
}

/** One row. */
export interface ReportSettingsTable {
  is_only: WithDefault<boolean>;
  auto_generate_monthly: WithDefault<boolean>;
  auto_since: Date | null;
  email_notifications: WithDefault<boolean>;
  template_id: number | null;
  recipients: WithDefault<string[]>;
  send_to_partners: WithDefault<boolean>;
  version: WithDefault<number>;
}

export interface MonthlyReportsTable {
  id: Generated<number>;
  site_id: number;
  /** `YYYY-MM-01`, by the site's calendar. */
  month: string;
  partner_id: number | null;
  template_name: string | null;
  status: WithDefault<"PENDING" | "READY" | "EMPTY" | "FAILED">;
  reason: string | null;
  bytes: number | null;
  created_at: Date;
  attempts: WithDefault<number>;
  try_at: Date | null;
  mail_status: WithDefault<"NONE" | "PENDING" | "SENT" | "FAILED" | "UNCONFIGURED">;
  mail_reason: string | null;
  mail_attempts: WithDefault<number>;
  mail_try_at: Date | null;
  mailed_to: WithDefault<string[]>;
}

export interface MonthlyReportFilesTable {
  report_id: number;
  pdf: Buffer;
}
