import { useState } from "react";
import type { ConcurrentEdit } from "./edit-conflict.tsx";

/** A form as it is stored, and the version of what is stored. */
export interface StoredForm<Form> {
  readonly form: Form;
  readonly version: number;
}

export interface EditedFields<Form, Field extends keyof Form> extends MergeRules<Form, Field> {
  readonly labelOf: (field: Field) => string;
  /** As shown to people; empty if there is nothing. */
  readonly textOf: (form: Form, field: Field) => string;
}

interface MergedEdits<Form> {
  readonly form: Form;
  readonly change: (by: Partial<Form>) => void;
  /** What the form is compared with and saved over. */
  readonly base: StoredForm<Form>;
  readonly isChanged: boolean;
  /** What somebody else saved since; null if nobody did. */
  readonly concurrentEdit: ConcurrentEdit | null;
}

/**
 * A form that other people may change while it is open. What only they changed is applied at once and reported; if
 * both changed something differently the person chooses. `latest` is what is stored now, null if that is not known.
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
  const reported = [...new Set([...taken, ...(merge?.taken ?? [])])];
  if (newer !== null && merge !== null && merge.collisions.length === 0) {
    setState({ base: newer, form: merge.mine, taken: reported });
  }

  // Choosing means that the notice was read.
  const choose = (chosen: Form) => newer !== null && setState({ base: newer, form: chosen, taken: [] });
  const labelsOf = (some: readonly Field[]) => some.map((field) => fields.labelOf(field));
  const changed = fields.units.flat().filter((field) => !fields.isSame(form, base.form, field));
  const stillTheirs = reported.filter((field) => !changed.includes(field));
  return {
    form,
    change: (by) => setState((former) => ({ ...former, form: { ...former.form, ...by } })),
    base,
    isChanged: changed.length > 0,
    concurrentEdit:
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

/** Which fields of a form belong together and how they are compared. */
export interface MergeRules<Form, Field extends keyof Form> {
  /**
   * Fields of one unit are one fact, such as latitude and longitude: they are mine together, or theirs. In the form's
   * order.
   */
  readonly units: readonly (readonly Field[])[];
  /** Whether two forms would store the same value there. */
  readonly isSame: (one: Form, other: Form, field: Field) => boolean;
  /** What else in the form depends on a field's value, such as the name of what is chosen. */
  readonly companions?: Partial<Record<Field, keyof Form>>;
}

interface Merge<Form, Field> {
  /** My form, with what only the other person changed. */
  readonly mine: Form;
  /** The same, with theirs where both changed something differently. */
  readonly theirs: Form;
  /** Only the other person changed them. */
  readonly taken: readonly Field[];
  /** Both changed them, and differently: somebody has to choose. */
  readonly collisions: readonly Field[];
}

/** Three-way merge: what each of two people made of the `original` that both started from. */
export function mergeEdits<Form extends object, Field extends keyof Form>(
  original: Form,
  mine: Form,
  theirs: Form,
  rules: MergeRules<Form, Field>,
): Merge<Form, Field> {
  let [keepingMine, takingTheirs] = [mine, mine];
  const taken: Field[] = [];
  const collisions: Field[] = [];
  for (const unit of rules.units) {
    const isChangedIn = (one: Form, other: Form) => unit.some((field) => !rules.isSame(one, other, field));
    if (!isChangedIn(original, theirs)) continue;
    takingTheirs = withUnit(takingTheirs, theirs, unit, rules);
    const differing = unit.filter((field) => !rules.isSame(mine, theirs, field));
    if (isChangedIn(original, mine) && differing.length > 0) {
      collisions.push(...differing);
    } else {
      keepingMine = withUnit(keepingMine, theirs, unit, rules);
      taken.push(...differing);
    }
  }
  return { mine: keepingMine, theirs: takingTheirs, taken, collisions };
}

function withUnit<Form extends object, Field extends keyof Form>(
  form: Form,
  from: Form,
  unit: readonly Field[],
  { companions }: MergeRules<Form, Field>,
): Form {
  let changed = form;
  for (const field of unit) {
    changed = { ...changed, [field]: from[field] };
    const companion = companions?.[field];
    if (companion !== undefined) changed = { ...changed, [companion]: from[companion] };
  }
  return changed;
}
