import type { FieldError } from "@suncrew/contract/http/error.ts";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { RESOLVE_FIRST, type ConcurrentEdit } from "../../ui/edit-conflict.tsx";
import { type EditedFields, type StoredForm, useMergedEdits } from "../../ui/merged-edits.ts";
import type { Changed } from "../api/change.ts";

/** What is wrong, by field, in whole sentences. */
export type FieldProblems<Field extends string> = Readonly<Partial<Record<Field, string>>>;

/** A kind of row that people create and edit in a dialog: its fields in the dialog's order and its rules. */
export interface EntityRules<Form extends object, Field extends keyof Form & string> extends EditedFields<Form, Field> {
  /** The dialog's field for a field of the API; null if the dialog has none. */
  readonly fieldOf: (wireField: string) => Field | null;
}

export interface EntityFormOptions<Form extends object, Field extends keyof Form & string, Answer> {
  /** Such as "site", for sentences. */
  readonly what: string;
  /** What the edit starts from; read when the dialog opens. */
  readonly opened: StoredForm<Form>;
  readonly isNew: boolean;
  /** What is stored now; null if that is not known. */
  readonly latest: StoredForm<Form> | null;
  /** Why it can never be saved again; null if it can. */
  readonly deleted: string | null;
  readonly rules: EntityRules<Form, Field>;
  /** What must be corrected before it can be saved. */
  readonly problemsOf: (form: Form) => FieldProblems<Field>;
  /** Further problems, shown once a field was left, such as a name that is taken; Save reports them too. */
  readonly warningsOf?: (form: Form) => FieldProblems<Field>;
  /** Save is enabled even if nothing was changed. */
  readonly savesUnchanged?: boolean;
  /** Fields whose problem is shown while they are being filled in. */
  readonly immediate?: readonly Field[];
  readonly save: (form: Form, version: number) => Promise<Changed<Answer>>;
  readonly onSaved: (answer: Answer) => void;
}

export interface EntityForm<Form, Field extends string> {
  readonly what: string;
  readonly form: Form;
  readonly change: (by: Partial<Form>) => void;
  /** Shows what is wrong with these fields from now on. */
  readonly touch: (...fields: readonly Field[]) => void;
  /** The message at a field; null if nothing is wrong, or nobody has visited it yet. */
  readonly problemAt: (field: Field) => string | null;
  readonly isChanged: boolean;
  readonly isNew: boolean;
  /** Why Save is disabled; null if it is not. */
  readonly blockedReason: string | null;
  readonly isSaving: boolean;
  /** What somebody else saved in the meantime. */
  readonly concurrentEdit: ConcurrentEdit | null;
  readonly deleted: string | null;
  /** Somebody else saved first, and their version could not be loaded. */
  readonly isConflictUnknown: boolean;
  /** Shows every field's problem and moves the focus to the first. */
  readonly showProblems: () => void;
  readonly submit: (event: FormEvent) => void;
  readonly element: RefObject<HTMLFormElement | null>;
}

/** The form of a dialog that creates or edits one row, while other people may edit the same one. */
export function useEntityForm<Form extends object, Field extends keyof Form & string, Answer>(
  options: EntityFormOptions<Form, Field, Answer>,
): EntityForm<Form, Field> {
  const { rules, isNew, latest, what } = options;
  const fields = rules.units.flat();
  const [touched, setTouched] = useState<readonly Field[]>([]);
  const [refused, setRefused] = useState({} as FieldProblems<Field>);
  const [conflictAt, setConflictAt] = useState<number | null>(null);
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  const edits = useMergedEdits(options.opened, isSaving ? null : latest, rules);
  const { form, base, isChanged, concurrentEdit } = edits;

  const problems = options.problemsOf(form);
  const warnings: FieldProblems<Field> = options.warningsOf?.(form) ?? ({} as FieldProblems<Field>);
  const deleted = isSaving ? null : options.deleted;
  const wrong = fields.filter((field) => problems[field] !== undefined);
  const original = isNew || options.savesUnchanged === true ? null : base.form;
  const blockedReason =
    deleted ??
    (concurrentEdit?.kind === "collides" ? RESOLVE_FIRST : saveBlockedReason(form, original, problems, rules));

  const focusOn = (field: Field | undefined) => {
    const selector = field === undefined ? '[type="submit"]' : `[name="${field}"]`;
    element.current?.querySelector<HTMLElement>(selector)?.focus();
  };
  // The notice of others' changes is above the fields, and may be out of sight on a phone.
  const scrollToNotice = () => element.current?.scrollIntoView();
  useEffect(() => {
    if (conflictAt !== null) element.current?.scrollIntoView();
  }, [conflictAt]);

  const showProblems = () => {
    setTouched(fields);
    if (deleted !== null || concurrentEdit?.kind === "collides") scrollToNotice();
    else focusOn(wrong[0]);
  };
  const save = async () => {
    // A second press may come before the first has been rendered.
    if (isUnderWay.current || blockedReason !== null) return showProblems();
    isUnderWay.current = true;
    setSaving(true);
    setConflictAt(null);
    const outcome = await options.save(form, base.version);
    isUnderWay.current = false;
    setSaving(false);
    if (outcome.kind === "done") return options.onSaved(outcome.answer);
    if (outcome.kind === "conflict") return setConflictAt(base.version);
    const found = problemsByField(outcome.problems, rules);
    setRefused(found);
    // While it was busy the button could not have the focus.
    setTimeout(() => focusOn(fields.find((field) => found[field] !== undefined)));
  };

  return {
    what,
    form,
    change: (by) => {
      edits.change(by);
      setRefused((former) => keepOthers(former, by));
    },
    touch: (...some) => setTouched((former) => [...new Set([...former, ...some])]),
    problemAt: (field) => {
      const isShown = touched.includes(field) || (options.immediate?.includes(field) === true && form[field] !== "");
      return refused[field] ?? (isShown ? (problems[field] ?? warnings[field]) : undefined) ?? null;
    },
    isChanged,
    isNew,
    blockedReason,
    isSaving,
    concurrentEdit,
    deleted,
    isConflictUnknown: conflictAt !== null && conflictAt === base.version && (latest?.version ?? 0) <= conflictAt,
    showProblems,
    submit: (event) => {
      event.preventDefault();
      void save();
    },
    element,
  };
}

/** Why the input keeps Save disabled; null if it does not. `original` is what is stored, null for a new row. */
export function saveBlockedReason<Form extends object, Field extends keyof Form & string>(
  form: Form,
  original: Form | null,
  problems: FieldProblems<Field>,
  { units, isSame, labelOf }: Pick<EntityRules<Form, Field>, "units" | "isSame" | "labelOf">,
): string | null {
  const fields = units.flat();
  const wrong = fields.filter((field) => problems[field] !== undefined);
  const [first, ...more] = wrong;
  if (first !== undefined && more.length === 0) return problems[first] ?? null;
  if (first !== undefined) return `Still missing or wrong: ${wrong.map(labelOf).join(", ")}.`;
  const isUnchanged = original !== null && fields.every((field) => isSame(form, original, field));
  return isUnchanged ? "Nothing has been changed." : null;
}

function keepOthers<Field extends string>(problems: FieldProblems<Field>, changed: object): FieldProblems<Field> {
  const remaining: Partial<Record<Field, string>> = { ...problems };
  for (const field of Object.keys(problems) as Field[]) if (Object.hasOwn(changed, field)) delete remaining[field];
  return remaining;
}

/** The server's or a schema's errors at the dialog's fields, the first of each; others are left out. */
export function problemsByField<Field extends string>(
  errors: readonly FieldError[],
  rules: { fieldOf(wireField: string): Field | null; labelOf(field: Field): string },
): FieldProblems<Field> {
  const problems: Partial<Record<Field, string>> = {};
  for (const { field: wireField, message } of errors) {
    const field = rules.fieldOf(wireField);
    if (field !== null) problems[field] ??= /^[a-z]/.test(message) ? `${rules.labelOf(field)} ${message}` : message;
  }
  return problems;
}

/** A schema's errors in the form of the server's. */
export function schemaErrors(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] | undefined,
): FieldError[] {
  return (issues ?? []).map(({ path, message }) => ({ field: String(path[0]), message }));
}
