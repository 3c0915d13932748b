import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type {
  createReportTemplate,
  SectionType,
  TemplateField,
  TemplateSection,
} from "@suncrew/contract/report-templates/report-templates.ts";

/** A field that a section can show; `name` is the figure's key. */
type CatalogueField = Readonly<Pick<TemplateField, "name" | "label" | "dataType" | "required">>;

interface CatalogueSection {
  readonly type: SectionType;
  /** Its heading. */
  readonly name: string;
  readonly fields: readonly CatalogueField[];
}

/** §3 Report template: the five sections with their fields, in default print order. */
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

/** The name of any field; unique across sections. */
export type FieldName = (typeof sectionCatalogue)[number]["fields"][number]["name"];

/** The same list with wider types, for looking up arbitrary names. */
export const sections: readonly CatalogueSection[] = sectionCatalogue;

/** A stored section: the names of its enabled fields, in catalogue order. */
export interface StoredSection {
  readonly type: SectionType;
  readonly enabled: boolean;
  readonly fields: readonly string[];
}

/** A section as printed in a report. */
export interface PrintedSection {
  readonly type: SectionType;
  readonly fields: readonly FieldName[];
}

type SentSections = BodyOf<typeof createReportTemplate>["sections"];

type ComposedSections =
  | { readonly kind: "sections"; readonly sections: readonly StoredSection[] }
  /** `field` is the path in the request body. */
  | { readonly kind: "problem"; readonly field: string; readonly message: string };

/**
 * §3 Report template: all five sections in their requested order. Omitted sections are off and go last; required fields
 * of a section that is off count as on, so that the section can be turned on without further changes.
 */
export function composeSections(sent: SentSections): ComposedSections {
  const seen = new Set<SectionType>();
  for (const [nth, { type, enabled, fields }] of sent.entries()) {
    const problem = problemOf(sectionOf(type), enabled, fields, `sections.${nth}`, seen.has(type));
    if (problem !== null) return { kind: "problem", ...problem };
    seen.add(type);
  }
  if (!sent.some(({ enabled }) => enabled)) {
    return { kind: "problem", field: "sections", message: "At least one section must be enabled." };
  }
  const placeOf = (type: SectionType) => sent.find((one) => one.type === type)?.order ?? Number.MAX_SAFE_INTEGER;
  const composed = sections.map(({ type, fields }) => {
    const own = sent.find((one) => one.type === type);
    const on = (name: string) => own?.fields.some((field) => field.name === name && field.enabled) === true;
    const names = fields.filter(({ name, required }) => required || on(name)).map(({ name }) => name);
    return { type, enabled: own?.enabled ?? false, fields: names };
  });
  // The sort is stable: sections with the same order stay in catalogue order.
  return { kind: "sections", sections: composed.toSorted((one, other) => placeOf(one.type) - placeOf(other.type)) };
}

function problemOf(
  section: CatalogueSection,
  enabled: boolean,
  fields: SentSections[number]["fields"],
  place: string,
  isTwice: boolean,
): { readonly field: string; readonly message: string } | null {
  if (isTwice) return { field: `${place}.type`, message: `${section.name} is named more than once.` };
  for (const [nth, { name }] of fields.entries()) {
    const field = `${place}.fields.${nth}.name`;
    if (!section.fields.some((one) => one.name === name)) {
      return { field, message: `${section.name} has no field "${name}".` };
    }
    if (fields.findIndex((one) => one.name === name) !== nth) {
      return { field, message: `${section.name} names the field "${name}" more than once.` };
    }
  }
  const isOn = (name: string) => fields.some((one) => one.name === name && one.enabled);
  const off = enabled ? section.fields.find(({ name, required }) => required && !isOn(name)) : undefined;
  if (off === undefined) return null;
  return { field: `${place}.fields`, message: `${off.label} is required in ${section.name}.` };
}

/** All five sections with all their fields, for responses. */
export function answeredSections(stored: readonly StoredSection[]): TemplateSection[] {
  return stored.map(({ type, enabled, fields: on }, nth) => {
    const { name, fields } = sectionOf(type);
    const shown = fields.map((field) => ({
      id: `${type}.${field.name}`,
      ...field,
      enabled: field.required || on.includes(field.name),
    }));
    return { id: type, name, type, enabled, order: nth + 1, fields: shown };
  });
}

/** The sections and fields that a report with this template prints, in order. */
export function printedSections(stored: readonly StoredSection[]): PrintedSection[] {
  return stored
    .filter(({ enabled }) => enabled)
    .map(({ type, fields: on }) => {
      const { fields } = catalogued(type);
      return { type, fields: fields.filter((one) => one.required || on.includes(one.name)).map(({ name }) => name) };
    });
}

/** The sections of a report without a template. */
export const allSections: readonly PrintedSection[] = sectionCatalogue.map(({ type, fields }) => ({
  type,
  fields: fields.map(({ name }) => name),
}));

function sectionOf(type: SectionType): CatalogueSection {
  return catalogued(type);
}

function catalogued(type: SectionType): (typeof sectionCatalogue)[number] {
  const section = sectionCatalogue.find((one) => one.type === type);
  if (section === undefined) throw new RangeError(`no section ${type}`);
  return section;
}

/** Template names are compared trimmed and case-insensitively. */
export function templateNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

export const TEMPLATE_NAME_TAKEN = "A report template with this name already exists. Please choose a different name.";
