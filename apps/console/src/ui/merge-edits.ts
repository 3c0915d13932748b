/** What of a form belongs together and how it is compared. */
export interface MergeRules<Form, Field extends keyof Form> {
  /** Fields of one unit are one fact, as latitude and longitude are: they are mine together, or theirs. In the form's order. */
  readonly units: readonly (readonly Field[])[];
  /** Whether two forms would store the same there. */
  readonly isSame: (one: Form, other: Form, field: Field) => boolean;
  /** What else of the form goes along with a field's value, such as the name of what is chosen. */
  readonly companions?: Partial<Record<Field, keyof Form>>;
}

export interface Merge<Form, Field> {
  /** My form, with what the other alone changed. */
  readonly mine: Form;
  /** The same, with theirs where both changed something differently. */
  readonly theirs: Form;
  /** Only the other changed them. */
  readonly taken: readonly Field[];
  /** Both changed them, and differently: somebody has to choose. */
  readonly collisions: readonly Field[];
}

/** Compares three ways: what each of two people made of the `original` that both began from. */
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
