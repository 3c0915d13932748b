import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { findInvisibleCharacter, stripInvisible } from "@suncrew/contract/http/text.ts";
import {
  type createReportTemplate,
  type reportSettings,
  reportSettingsFields,
  type ReportTemplate,
  type SectionType,
  type TemplateSection,
} from "@suncrew/contract/report-templates/report-templates.ts";
import {
  answeredSections,
  sections as catalogue,
  TEMPLATE_NAME_TAKEN,
  templateNameKey,
} from "@suncrew/domain/report-templates/template-sections.ts";
import type { EntityRules, FieldProblems } from "../../platform/form/entity-form.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";

export interface TemplateDraft {
  readonly name: string;
  readonly description: string;
  readonly sections: readonly TemplateSection[];
  readonly isActive: boolean;
}

type Field = keyof TemplateDraft;

/** A new template has every section, with all its fields. */
export const newDraft: TemplateDraft = {
  name: "",
  description: "",
  sections: answeredSections(
    catalogue.map(({ type, fields }) => ({ type, enabled: true, fields: fields.map(({ name }) => name) })),
  ),
  isActive: true,
};

export function storedDraft(template: ReportTemplate | null): StoredForm<TemplateDraft> {
  if (template === null) return { form: newDraft, version: 0 };
  const { name, description, sections, isActive, version } = template;
  const typed = { name: stripInvisible(name), description: stripInvisible(description, "several lines") };
  return { form: { ...typed, sections, isActive }, version };
}

/** The body of the call. */
export function bodyOf({ name, description, sections, isActive }: TemplateDraft): BodyOf<typeof createReportTemplate> {
  return {
    name: name.trim(),
    description: description.trim(),
    isActive,
    sections: sections.map(({ type, enabled, fields }, index) => ({
      type,
      enabled,
      order: index + 1,
      fields: fields.map((field) => ({ name: field.name, enabled: field.enabled })),
    })),
  };
}

/** What is wrong with the form, by field; `others` are the templates beside the edited one. */
export function templateProblems(
  draft: TemplateDraft,
  others: readonly { readonly name: string }[],
): FieldProblems<Field> {
  const name = draft.name.trim();
  const invisible = {
    name: findInvisibleCharacter(name, "one line"),
    description: findInvisibleCharacter(draft.description, "several lines"),
  };
  return {
    ...(invisible.name !== null && { name: `Name must not have ${invisible.name}` }),
    ...(invisible.description !== null && { description: `Description must not have ${invisible.description}` }),
    ...(name === "" && { name: "Name is required" }),
    ...(name.length > 120 && { name: "Name must have at most 120 characters" }),
    ...(others.some((other) => templateNameKey(other.name) === templateNameKey(name)) && { name: TEMPLATE_NAME_TAKEN }),
    ...(draft.description.trim().length > 500 && { description: "Description must have at most 500 characters" }),
    ...(!draft.sections.some(({ enabled }) => enabled) && { sections: "At least one section must be enabled." }),
  };
}

/** The sections with one of them moved up (-1) or down (1). */
export function moved(sections: readonly TemplateSection[], type: SectionType, by: -1 | 1): readonly TemplateSection[] {
  const from = sections.findIndex((section) => section.type === type);
  const next = [...sections];
  const [section] = next.splice(from, 1);
  if (section !== undefined) next.splice(Math.max(0, from + by), 0, section);
  return next;
}

/** The sections with one of them toggled. */
export function switched(sections: readonly TemplateSection[], type: SectionType, enabled: boolean) {
  return sections.map((section) => (section.type === type ? { ...section, enabled } : section));
}

/** The sections with one field toggled. */
export function fieldSwitched(
  sections: readonly TemplateSection[],
  type: SectionType,
  name: string,
  enabled: boolean,
): TemplateSection[] {
  return sections.map((section) =>
    section.type === type
      ? { ...section, fields: section.fields.map((field) => (field.name === name ? { ...field, enabled } : field)) }
      : section,
  );
}

/** The enabled sections as text, in order. */
export function sectionsText(sections: readonly TemplateSection[]): string {
  return sections
    .filter(({ enabled }) => enabled)
    .map(({ name, fields }) => `${name} (${fields.filter((field) => field.enabled).length})`)
    .join(", ");
}

const labels: Record<Field, string> = {
  name: "Name",
  description: "Description",
  sections: "Sections",
  isActive: "Status",
};

/**
 * How two people's edits of a template are merged, and which field an error of the server belongs to: sections are one
 * fact.
 */
export const templateRules: EntityRules<TemplateDraft, Field> = {
  units: [["name"], ["description"], ["sections"], ["isActive"]],
  isSame: (one, other, field) =>
    field === "sections"
      ? JSON.stringify(bodyOf(one).sections) === JSON.stringify(bodyOf(other).sections)
      : one[field] === other[field],
  labelOf: (field) => labels[field],
  fieldOf: (wire) =>
    (["name", "description", "sections"] as const).find((field) => wire.split(".")[0] === field) ?? null,
  textOf: (form, field) =>
    field === "sections"
      ? sectionsText(form.sections)
      : field === "isActive"
        ? form.isActive
          ? "Active"
          : "Inactive"
        : form[field],
};

export type ReportSettings = ResponseOf<typeof reportSettings>;

const address = reportSettingsFields.shape.recipients.element;

/** Email addresses from the input: one per line, or separated by commas. */
export function recipientsOf(text: string): { readonly recipients: string[]; readonly wrong: string | null } {
  const recipients = [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ""))];
  const bad = recipients.find((part) => !address.safeParse(part).success);
  if (bad !== undefined) return { recipients, wrong: `${bad} is not an email address` };
  return { recipients, wrong: recipients.length > 50 ? "There can be at most 50 recipients" : null };
}
