import { Switch, Textarea, TextInput } from "@mantine/core";
import type { ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { SectionEditor } from "./section-editor.tsx";
import { saveTemplate } from "./template-calls.ts";
import { storedDraft, templateProblems, templateRules } from "./template-draft.ts";
import classes from "./report-management.module.css";

export interface TemplateDialogProps {
  /** The template to edit, as the list has it now; null adds one. */
  readonly template: ReportTemplate | null;
  readonly others: readonly ReportTemplate[];
  /** The list does not have it any more. */
  readonly isGone: boolean;
  readonly onClose: () => void;
}

/** §2 Report Management: the create/edit dialog with name, description and the five sections. */
export function TemplateDialog({ template, others, isGone, onClose }: TemplateDialogProps) {
  const isNew = template === null;
  const state = useEntityForm({
    what: "template",
    opened: storedDraft(template),
    isNew,
    latest: isNew ? null : storedDraft(template),
    deleted: isGone ? "This template was deleted in the meantime." : null,
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
      <div className={classes["form"]}>
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
          <p className={classes["wrong"]} role="alert">
            {wrongSections}
          </p>
        )}
      </div>
    </EntityDialog>
  );
}
