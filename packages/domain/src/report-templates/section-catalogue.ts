import type { SectionType, TemplateField } from "@suncrew/contract/report-templates/report-templates.ts";

/** What a section can show; `name` names the figure. */
type CatalogueField = Readonly<Pick<TemplateField, "name" | "label" | "dataType" | "required">>;

export interface CatalogueSection {
  readonly type: SectionType;
  /** Its heading. */
  readonly name: string;
  readonly fields: readonly CatalogueField[];
}

/** §3 Report template: the five sections with their fields, in the order in which a report prints them. */
export const sectionCatalogue = [
  {
    type: "performance",
    name: "Robot Performance",
    fields: [
      { name: "uptime", label: "Uptime %", dataType: "number", required: true },
      { name: "cleaning_cycles", label: "Cleaning Cycles", dataType: "number", required: true },
      { name: "efficiency", label: "Efficiency", dataType: "number", required: false },
      { name: "average_battery", label: "Average Battery", dataType: "number", required: false },
      { name: "performance_chart", label: "Performance Chart", dataType: "chart", required: false },
    ],
  },
  {
    type: "activities",
    name: "Activity Log",
    fields: [
      { name: "maintenance_activities", label: "Maintenance Activities", dataType: "number", required: true },
      { name: "system_changes", label: "System Changes", dataType: "number", required: false },
      { name: "user_actions", label: "User Actions", dataType: "number", required: false },
      { name: "timeline", label: "Timeline", dataType: "text", required: false },
    ],
  },
  {
    type: "robot_health",
    name: "Robot Health Status",
    fields: [
      { name: "current_status", label: "Current Status", dataType: "text", required: true },
      { name: "error_count", label: "Error Count", dataType: "number", required: true },
      { name: "maintenance_due_date", label: "Maintenance Due Date", dataType: "date", required: false },
      { name: "active_alerts", label: "Active Alerts", dataType: "number", required: false },
    ],
  },
  {
    type: "maintenance",
    name: "Maintenance History",
    fields: [
      { name: "scheduled_maintenance", label: "Scheduled Maintenance", dataType: "number", required: true },
      { name: "completed_maintenance", label: "Completed Maintenance", dataType: "number", required: true },
      { name: "partner_details", label: "Partner Details", dataType: "text", required: false },
      { name: "maintenance_history", label: "Maintenance History", dataType: "text", required: false },
    ],
  },
  {
    type: "alerts",
    name: "Alerts Summary",
    fields: [
      { name: "critical_alerts", label: "Critical Alerts", dataType: "number", required: true },
      { name: "resolved_alerts", label: "Resolved Alerts", dataType: "number", required: false },
      { name: "average_resolution_time", label: "Average Resolution Time", dataType: "number", required: false },
    ],
  },
] as const satisfies readonly CatalogueSection[];

/** Every field there is; no two sections have one of the same name. */
export type FieldName = (typeof sectionCatalogue)[number]["fields"][number]["name"];

/** The same list where a field is looked for by a name that may be none. */
export const sections: readonly CatalogueSection[] = sectionCatalogue;
