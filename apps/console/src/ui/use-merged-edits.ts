import { useState } from "react";
import type { ConcurrentEdit } from "./edit-conflict.tsx";
import { mergeEdits } from "./merge-edits.ts";
import type { MergeRules } from "./merge-edits.ts";

/** A form as it is stored, and the version of what is stored. */
export interface StoredForm<Form> {
  readonly form: Form;
  readonly version: number;
}

export interface EditedFields<Form, Field extends keyof Form> extends MergeRules<Form, Field> {
  readonly labelOf: (field: Field) => string;
  /** As a person reads it; empty where there is nothing. */
  readonly textOf: (form: Form, field: Field) => string;
}

export interface MergedEdits<Form> {
  readonly form: Form;
  readonly change: (by: Partial<Form>) => void;
  /** What the form is compared with and saved over. */
  readonly base: StoredForm<Form>;
  readonly isChanged: boolean;
  /** What somebody else saved since; null where nobody did. */
  readonly meanwhile: ConcurrentEdit | null;
}

/**
 * A form that other people may change while it is open. What they alone changed is taken over at once and told; where
 * both changed something differently the person chooses. `latest` is what is stored now, null where that is not known.
 */
export function useMergedEdits<Form extends object, Field extends keyof Form>(
  begun: StoredForm<Form>,
  latest: StoredForm<Form> | null,
  fields: EditedFields<Form, Field>,
): MergedEdits<Form> {
  const [{ base, form, taken }, setState] = useState<{
    readonly base: StoredForm<Form>;
    readonly form: Form;
    readonly taken: readonly Field[];
  }>({ base: begun, form: begun.form, taken: [] });

  const newer = latest !== null && latest.version > base.version ? latest : null;
  const merge = newer === null ? null : mergeEdits(base.form, form, newer.form, fields);
  const told = [...new Set([...taken, ...(merge?.taken ?? [])])];
  if (newer !== null && merge !== null && merge.collisions.length === 0) {
    setState({ base: newer, form: merge.mine, taken: told });
  }

  // Whoever chooses has read the notice.
  const choose = (chosen: Form) => newer !== null && setState({ base: newer, form: chosen, taken: [] });
  const labelsOf = (some: readonly Field[]) => some.map((field) => fields.labelOf(field));
  const changed = fields.units.flat().filter((field) => !fields.isSame(form, base.form, field));
  const stillTheirs = told.filter((field) => !changed.includes(field));
  return {
    form,
    change: (by) => setState((former) => ({ ...former, form: { ...former.form, ...by } })),
    base,
    isChanged: changed.length > 0,
    meanwhile:
      newer !== null && merge !== null && merge.collisions.length > 0
        ? {
            kind: "collides",
            taken: labelsOf(stillTheirs),
            differences: merge.collisions.map((field) => ({
              label: fields.labelOf(field),
              mine: fields.textOf(form, field),
              theirs: fields.textOf(newer.form, field),
            })),
            takeTheirs: () => choose(merge.theirs),
            keepMine: () => choose(merge.mine),
          }
        : stillTheirs.length > 0
          ? { kind: "fits", taken: labelsOf(stillTheirs), kept: labelsOf(changed) }
          : null,
  };
}
