import { ActionIcon, Badge, Box, Checkbox, Group, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import type { ReportTemplate, TemplateSection } from "@suncrew/contract/report-templates/report-templates.ts";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import classes from "./report-management.module.css";
import { saveTemplate } from "./template-calls.ts";
import { fieldSwitched, moved, storedDraft, switched, templateProblems, templateRules } from "./report-drafts.ts";

interface TemplateDialogProps {
  /** The template to edit, as the list has it now; null adds one. */
  readonly template: ReportTemplate | null;
  readonly others: readonly ReportTemplate[];
  /** It is no longer in the list. */
  readonly isDeleted: boolean;
  readonly onClose: () => void;
}

/** §2 Report Management: the create/edit dialog with name, description and the five sections. */
export function TemplateDialog({ template, others, isDeleted, onClose }: TemplateDialogProps) {
  const isNew = template === null;
  const state = useEntityForm({
    what: "template",
    opened: storedDraft(template),
    isNew,
    latest: isNew ? null : storedDraft(template),
    deleted: isDeleted ? "This template was deleted in the meantime." : null,
    rules: templateRules,
    problemsOf: (draft) => templateProblems(draft, others),
    immediate: ["name", "sections"],
    save: (draft, version) => saveTemplate(template && { id: template.id, version }, draft),
    onSaved: onClose,
  });
  const { form, change, problemAt } = state;
  const wrongSections = problemAt("sections");
  return (
    <EntityDialog
      state={state}
      title={isNew ? "Create Template" : "Edit Template"}
      submitLabel={isNew ? "Create Template" : "Save"}
      size="xl"
      fullScreenBelow="48em"
      onClose={onClose}
    >
      <Stack gap={12}>
        <TextInput
          label="Name"
          name="name"
          withAsterisk
          data-autofocus
          value={form.name}
          error={problemAt("name")}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          name="description"
          autosize
          minRows={2}
          maxRows={5}
          value={form.description}
          error={problemAt("description")}
          onChange={(event) => change({ description: event.currentTarget.value })}
        />
        <Switch
          label="Active: offered in Site Reports"
          checked={form.isActive}
          onChange={(event) => change({ isActive: event.currentTarget.checked })}
        />
        <SectionEditor sections={form.sections} onChange={(sections) => change({ sections })} />
        {wrongSections !== null && (
          <Box component="p" fz={13} c="var(--sc-danger)" role="alert">
            {wrongSections}
          </Box>
        )}
      </Stack>
    </EntityDialog>
  );
}

interface SectionEditorProps {
  readonly sections: readonly TemplateSection[];
  readonly onChange: (sections: readonly TemplateSection[]) => void;
}

/** §2 the five sections: each can be toggled, moved, and its fields chosen; required ones stay. */
function SectionEditor({ sections, onChange }: SectionEditorProps) {
  return (
    <ol aria-label="Sections, in the order of the report">
      {sections.map((section, index) => (
        <li key={section.type} className={classes["section"]} data-off={!section.enabled || undefined}>
          <Group gap={8} justify="space-between" wrap="nowrap" fw={600}>
            <Switch
              label={section.name}
              checked={section.enabled}
              onChange={(event) => onChange(switched(sections, section.type, event.currentTarget.checked))}
            />
            <span className={classes["moves"]}>
              {/* Pressed until the section is at the end, the button keeps the focus there. */}
              <DisabledReason reason={index === 0 ? "It is the first section." : null}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Move ${section.name} up`}
                  onClick={() => onChange(moved(sections, section.type, -1))}
                >
                  <IconChevronUp size={16} aria-hidden />
                </ActionIcon>
              </DisabledReason>
              <DisabledReason reason={index === sections.length - 1 ? "It is the last section." : null}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Move ${section.name} down`}
                  onClick={() => onChange(moved(sections, section.type, 1))}
                >
                  <IconChevronDown size={16} aria-hidden />
                </ActionIcon>
              </DisabledReason>
            </span>
          </Group>
          <ul className={classes["fields"]} aria-label={`Fields of ${section.name}`}>
            {section.fields.map((field) => (
              <Box key={field.name} component="li" display="flex" style={{ gap: 8, alignItems: "center" }}>
                <Checkbox
                  size="sm"
                  label={field.label}
                  checked={field.enabled}
                  disabled={!section.enabled || field.required}
                  onChange={(event) =>
                    onChange(fieldSwitched(sections, section.type, field.name, event.currentTarget.checked))
                  }
                />
                {field.required && (
                  <Badge size="sm" variant="default" tt="none" fw={500} flex="none">
                    Required
                  </Badge>
                )}
              </Box>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
