import type { Site } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { duplicateSiteName } from "@suncrew/domain/sites/site-name.ts";
import { duplicateLocation } from "@suncrew/domain/sites/site-place.ts";
import { useRef, useState } from "react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { toast } from "../../../platform/toast.tsx";
import type { OtherValue } from "../../../ui/changed-meanwhile.tsx";
import { saveSite } from "./site-calls.ts";
import {
  differencesOf,
  duplicatesOf,
  emptySiteForm,
  SITE_FIELDS,
  siteFieldLabel,
  siteFormOf,
  siteFormProblems,
} from "./site-form.ts";
import type { Duplicate, FieldProblems, SiteField, SiteForm } from "./site-form.ts";

/** What the form began from: what it would change, and which version of it. */
interface Base {
  readonly form: SiteForm;
  readonly version: number;
}

const duplicateText = { name: duplicateSiteName, place: duplicateLocation } as const;
const duplicateFields: Record<Duplicate, readonly SiteField[]> = { name: ["name"], place: ["lat", "lng"] };

export interface SiteFormState {
  readonly form: SiteForm;
  readonly change: (by: Partial<SiteForm>) => void;
  readonly touch: (...fields: readonly SiteField[]) => void;
  /** The sentence shown at a field; null where nothing is wrong or nobody has been there yet. */
  readonly problemAt: (field: SiteField) => string | null;
  readonly isPlaceTaken: boolean;
  readonly isChanged: boolean;
  /** Why Save is disabled; null where it is not. */
  readonly obstacle: string | null;
  readonly isSaving: boolean;
  /** Somebody else saved since: what differs, and the two ways on. */
  readonly meanwhile: {
    readonly differences: readonly OtherValue[];
    readonly takeTheirs: () => void;
    readonly keepMine: () => void;
  } | null;
  readonly mayChoosePartner: boolean;
  /** Shows every field's sentence; answers the first field that is wrong. */
  readonly tryFields: () => SiteField | null;
  /** Saves where nothing stands against it; answers the first wrong field, or null. */
  readonly save: () => Promise<SiteField | null>;
}

/** The dialog's form (§5 Site create and edit): `opened` is the site to edit, null for a new one; `sites` those known now. */
export function useSiteForm(
  opened: Site | null,
  sites: readonly Site[],
  onSaved: (siteId: number) => void,
): SiteFormState {
  const { role } = useSignedIn();
  const [base, setBase] = useState<Base>(() =>
    opened === null ? { form: emptySiteForm, version: 0 } : { form: siteFormOf(opened), version: opened.version },
  );
  const [form, setForm] = useState(base.form);
  const [touched, setTouched] = useState<readonly SiteField[]>([]);
  const [refused, setRefused] = useState<FieldProblems>({});
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);

  const ownId = opened?.id ?? null;
  const now = sites.find((site) => site.id === ownId);
  const isGone = opened !== null && now === undefined;
  const theirs = now !== undefined && now.version !== base.version ? siteFormOf(now) : null;
  const isUntouched = differencesOf(form, base.form).length === 0;
  if (now !== undefined && theirs !== null && (isUntouched || differencesOf(form, theirs).length === 0)) {
    // Nobody's entries differ: what the other person saved is simply the new beginning.
    setBase({ form: theirs, version: now.version });
    setForm(theirs);
  }

  const problems = siteFormProblems(form);
  const duplicates = duplicatesOf(form, sites, ownId);
  const duplicateProblems: FieldProblems = Object.fromEntries(
    duplicates.flatMap((one) => duplicateFields[one].map((field) => [field, duplicateText[one].message])),
  );
  const wrong = SITE_FIELDS.filter((field) => problems[field] !== undefined);
  const isChanged = !isUntouched;
  const obstacle = isGone
    ? "This site has been deleted meanwhile, or given to somebody else."
    : theirs !== null
      ? "Choose first: take theirs or keep mine."
      : wrong.length > 0
        ? `Still missing or wrong: ${wrong.map((field) => siteFieldLabel[field]).join(", ")}.`
        : isChanged
          ? null
          : "Nothing has been changed.";

  const change = (by: Partial<SiteForm>) => {
    setForm((former) => ({ ...former, ...by }));
    setRefused((former) => Object.fromEntries(Object.entries(former).filter(([field]) => !Object.hasOwn(by, field))));
  };
  const tryFields = () => {
    setTouched(SITE_FIELDS);
    return wrong[0] ?? null;
  };
  const save = async () => {
    if (isUnderWay.current || obstacle !== null) return tryFields();
    const [duplicate] = duplicates;
    if (duplicate !== undefined) {
      setTouched(SITE_FIELDS);
      toast.failure(duplicateText[duplicate]);
      return duplicateFields[duplicate][0] ?? null;
    }
    isUnderWay.current = true;
    setSaving(true);
    const edited =
      ownId === null
        ? null
        : { id: ownId, version: base.version, isPartnerOurs: may(role, "changeMaintenancePartner") };
    const outcome = await saveSite(edited, form);
    isUnderWay.current = false;
    setSaving(false);
    if (outcome.kind === "saved") onSaved(outcome.siteId);
    if (outcome.kind !== "refused") return null;
    setRefused(outcome.problems);
    return SITE_FIELDS.find((field) => outcome.problems[field] !== undefined) ?? null;
  };

  return {
    form,
    change,
    touch: (...fields) => setTouched((former) => [...new Set([...former, ...fields])]),
    problemAt: (field) => {
      const seen = touched.includes(field) ? (problems[field] ?? duplicateProblems[field]) : undefined;
      return refused[field] ?? seen ?? null;
    },
    isPlaceTaken: duplicates.includes("place"),
    isChanged,
    obstacle,
    isSaving,
    meanwhile:
      now === undefined || theirs === null
        ? null
        : {
            differences: differencesOf(form, theirs).map(({ field, ...values }) => ({
              label: siteFieldLabel[field],
              ...values,
            })),
            takeTheirs: () => {
              setBase({ form: theirs, version: now.version });
              setForm(theirs);
              setRefused({});
            },
            keepMine: () => setBase({ form: theirs, version: now.version }),
          },
    mayChoosePartner: opened === null || may(role, "changeMaintenancePartner"),
    tryFields,
    save,
  };
}
