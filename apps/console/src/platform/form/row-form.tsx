import { TextInput } from "@mantine/core";
import type { StoredForm } from "../../ui/merged-edits.ts";
import { EntityDialog, type EntityDialogProps } from "./entity-dialog.tsx";
import { type EntityForm, type EntityFormOptions, useEntityForm } from "./entity-form.ts";
import { rowDialogTitle, type RowDialogProps } from "./row-dialogs.tsx";

interface RowFormOptions<Form extends object, Field extends keyof Form & string, Answer>
  extends
    Omit<EntityFormOptions<Form, Field, Answer>, "opened" | "latest" | "deleted">,
    Pick<RowDialogProps<unknown>, "isDeleted"> {
  /** The row as the list has it now; of a new one, what it starts from. */
  readonly stored: StoredForm<Form>;
}

/** The form of a dialog that adds a row to a list, or edits one of a list that is kept current. */
export function useRowForm<Form extends object, Field extends keyof Form & string, Answer>(
  options: RowFormOptions<Form, Field, Answer>,
): EntityForm<Form, Field> {
  const { stored, isDeleted, ...form } = options;
  return useEntityForm<Form, Field, Answer>({
    ...form,
    opened: stored,
    latest: form.isNew ? null : stored,
    deleted: isDeleted ? `This ${form.what} was deleted in the meantime.` : null,
  });
}

/** Its dialog, which fills a phone's screen. */
export function RowFormDialog<Form, Field extends string>(
  props: Omit<EntityDialogProps<Form, Field>, "title" | "submitLabel" | "fullScreenBelow">,
) {
  const { what, isNew } = props.state;
  const title = rowDialogTitle(what, isNew);
  return <EntityDialog title={title} submitLabel={isNew ? title : "Save"} fullScreenBelow="48em" {...props} />;
}

interface NameFieldProps {
  readonly state: {
    readonly form: { readonly name: string };
    readonly change: (by: { readonly name: string }) => void;
    readonly touch: (field: "name") => void;
    readonly problemAt: (field: "name") => string | null;
  };
  readonly maxLength: number;
  readonly description?: string | undefined;
  readonly placeholder?: string;
}

/** The name that people give a row, where they begin to type. */
export function NameField({ state, ...input }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      name="name"
      withAsterisk
      data-autofocus
      autoComplete="off"
      value={state.form.name}
      error={state.problemAt("name")}
      onChange={(event) => state.change({ name: event.currentTarget.value })}
      onBlur={() => state.form.name !== "" && state.touch("name")}
      {...input}
    />
  );
}
