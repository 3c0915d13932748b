import type { Site } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { duplicateLocation, duplicateSiteName } from "@suncrew/domain/sites/site-duplicates.ts";
import { useRef, useState } from "react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { toast } from "../../../platform/toast.tsx";
import { type ConcurrentEdit, RESOLVE_FIRST } from "../../../ui/edit-conflict.tsx";
import { useMergedEdits } from "../../../ui/use-merged-edits.ts";
import { saveSite } from "./site-calls.ts";
import {
  duplicatesOf,
  emptySiteForm,
  SITE_FIELDS,
  siteEdits,
  siteFieldLabel,
  siteFormOf,
  siteFormProblems,
} from "./site-form.ts";
import type { Duplicate, FieldProblems, SiteField, SiteForm } from "./site-form.ts";

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
  /** What somebody else saved since. */
  readonly meanwhile: ConcurrentEdit | null;
  /** Why the site can never be saved again; null where it can. */
  readonly gone: string | null;
  readonly mayChoosePartner: boolean;
  /** Shows every field's sentence; answers the first field that is wrong. */
  readonly tryFields: () => SiteField | null;
  /** Saves where nothing stands against it; answers the first wrong field, or null. */
  readonly save: () => Promise<SiteField | null>;
}

const NEW_SITE = { form: emptySiteForm, version: 0 };

function storedFormOf(site: Site) {
  return { form: siteFormOf(site), version: site.version };
}

/** The dialog's form (§5 Site create and edit): `opened` is the site to edit, null for a new one; `sites` those known now. */
export function useSiteForm(
  opened: Site | null,
  sites: readonly Site[],
  onSaved: (siteId: number) => void,
): SiteFormState {
  const { role } = useSignedIn();
  const [touched, setTouched] = useState<readonly SiteField[]>([]);
  const [refused, setRefused] = useState<FieldProblems>({});
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);

  const ownId = opened?.id ?? null;
  const now = sites.find((site) => site.id === ownId);
  const isGone = opened !== null && now === undefined && !isSaving;
  const latest = now === undefined || isSaving ? null : storedFormOf(now);
  const edits = useMergedEdits(opened === null ? NEW_SITE : storedFormOf(opened), latest, siteEdits);
  const { form, base, isChanged, meanwhile } = edits;

  const problems = siteFormProblems(form);
  const duplicates = duplicatesOf(form, sites, ownId);
  const duplicateProblems: FieldProblems = Object.fromEntries(
    duplicates.flatMap((one) => duplicateFields[one].map((field) => [field, duplicateText[one].message])),
  );
  const wrong = SITE_FIELDS.filter((field) => problems[field] !== undefined);
  const gone = isGone ? "This site has been deleted meanwhile, or given to somebody else." : null;
  const obstacle =
    gone !== null
      ? gone
      : meanwhile?.kind === "collides"
        ? RESOLVE_FIRST
        : wrong.length > 0
          ? `Still missing or wrong: ${wrong.map((field) => siteFieldLabel[field]).join(", ")}.`
          : isChanged
            ? null
            : "Nothing has been changed.";

  const change = (by: Partial<SiteForm>) => {
    edits.change(by);
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
    meanwhile,
    gone,
    mayChoosePartner: opened === null || may(role, "changeMaintenancePartner"),
    tryFields,
    save,
  };
}
