import { Button, Modal, Switch, Textarea, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import { type FormEvent, useRef, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { DeletedNotice, EditConflict, RESOLVE_FIRST } from "../../ui/edit-conflict.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useReturnFocus } from "../../ui/use-return-focus.ts";
import { useMergedEdits } from "../../ui/use-merged-edits.ts";
import { SectionEditor } from "./section-editor.tsx";
import { saveTemplate } from "./template-calls.ts";
import { storedDraft, templateEdits, type TemplateProblem, templateProblems } from "./template-draft.ts";
import classes from "./report-management.module.css";

export interface TemplateDialogProps {
  /** The template to edit, as the list has it now; null adds one. */
  readonly template: ReportTemplate | null;
  readonly others: readonly ReportTemplate[];
  /** The list has not got it any more. */
  readonly isGone: boolean;
  readonly onClose: () => void;
}

/** §2 Report Management: the create/edit dialog with name, description and the five sections. */
export function TemplateDialog({ template, others, isGone, onClose }: TemplateDialogProps) {
  useReturnFocus();
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const [isTried, setTried] = useState(false);
  const [told, setTold] = useState<TemplateProblem>({});
  const [refusedFor, setRefusedFor] = useState<ReportTemplate | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isSaving = useRef(false);
  const nameField = useRef<HTMLInputElement>(null);
  const saveButton = useRef<HTMLButtonElement>(null);
  const newest = refusedFor !== null && refusedFor.version > (template?.version ?? 0) ? refusedFor : template;
  const { form, change, base, isChanged, meanwhile } = useMergedEdits(
    storedDraft(template),
    isBusy || newest === null ? null : storedDraft(newest),
    templateEdits,
  );
  const problems = { ...told, ...templateProblems(form, others) };
  const [firstProblem] = Object.values(problems);
  const gone = isGone && !isBusy ? "This template has been deleted meanwhile." : null;
  const obstacle =
    gone ??
    (meanwhile?.kind === "collides" ? RESOLVE_FIRST : null) ??
    firstProblem ??
    (template !== null && !isChanged ? "Nothing has been changed." : null);
  const close = useGuardedClose({ isChanged, isSaving: isBusy }, onClose);
  const edit = (part: Parameters<typeof change>[0]) => {
    change(part);
    setTold({});
  };
  const refuse = () => {
    setTried(true);
    if (problems.name !== undefined) nameField.current?.focus();
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (obstacle !== null) return refuse();
    // A second press may come before the first has been drawn.
    if (isSaving.current) return;
    isSaving.current = true;
    setBusy(true);
    const outcome = await saveTemplate(template === null ? null : { id: template.id, version: base.version }, form);
    isSaving.current = false;
    setBusy(false);
    if (outcome.kind === "saved") return onClose();
    // While it was busy it could not have the focus.
    setTimeout(() => saveButton.current?.focus());
    if (outcome.kind === "conflict") setRefusedFor(outcome.theirs);
    else setTold(outcome.problems);
  };
  const shown = (part: keyof TemplateProblem) =>
    isTried || told[part] !== undefined || (part === "name" && form.name !== "") ? problems[part] : undefined;
  return (
    <Modal
      opened
      onClose={close}
      size="xl"
      fullScreen={isNarrow}
      title={template === null ? "Create Template" : "Edit Template"}
    >
      <form className={classes["form"]} onSubmit={(event) => void save(event)} noValidate>
        {gone !== null ? (
          <DeletedNotice what="template" reason={gone} />
        ) : (
          meanwhile !== null && <EditConflict what="template" meanwhile={meanwhile} />
        )}
        <TextInput
          ref={nameField}
          label="Name"
          withAsterisk
          data-autofocus
          value={form.name}
          error={shown("name")}
          onChange={(event) => edit({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxRows={5}
          value={form.description}
          error={shown("description")}
          onChange={(event) => edit({ description: event.currentTarget.value })}
        />
        <Switch
          label="Active: offered in Site Reports"
          checked={form.isActive}
          onChange={(event) => edit({ isActive: event.currentTarget.checked })}
        />
        <SectionEditor sections={form.sections} onChange={(sections) => edit({ sections })} />
        {problems.sections !== undefined && (
          <p className={classes["wrong"]} role="alert">
            {problems.sections}
          </p>
        )}
        <div className={classes["foot"]}>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={obstacle} onRefused={refuse}>
            <Button ref={saveButton} type="submit" loading={isBusy}>
              {template === null ? "Create Template" : "Save"}
            </Button>
          </DisabledReason>
        </div>
      </form>
    </Modal>
  );
}
