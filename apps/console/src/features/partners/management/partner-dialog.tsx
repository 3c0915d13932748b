import { Button, Modal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { DeletedNotice, EditConflict, RESOLVE_FIRST } from "../../../ui/edit-conflict.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { useMergedEdits } from "../../../ui/use-merged-edits.ts";
import type { NewPartner } from "../share/sign-in-of.ts";
import classes from "./partner-dialog.module.css";
import { savePartner } from "./partner-calls.ts";
import { PartnerFields } from "./partner-fields.tsx";
import {
  draftOf,
  emptyDraft,
  firstWrongField,
  partnerEdits,
  partnerProblems,
  saveObstacle,
  shownProblems,
} from "./partner-form.ts";
import type { PartnerField, PartnerProblems } from "./partner-form.ts";

export interface PartnerDialogProps {
  /** The partner to edit, as the list has it now; null adds one. */
  readonly partner: Partner | null;
  /** The list has not got it any more. */
  readonly isGone: boolean;
  readonly onCreated: (created: NewPartner) => void;
  readonly onClose: () => void;
}

function storedDraftOf(partner: Partner | null) {
  return partner === null ? { form: emptyDraft, version: 0 } : { form: draftOf(partner), version: partner.version };
}

/** §5 Partner add/edit. */
export function PartnerDialog({ partner, isGone, onCreated, onClose }: PartnerDialogProps) {
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const [left, setLeft] = useState<ReadonlySet<PartnerField>>(new Set());
  const [isTried, setTried] = useState(false);
  const [told, setTold] = useState<PartnerProblems>({});
  /** What the server told with its refusal, where the list does not have it yet. */
  const [refusedFor, setRefusedFor] = useState<Partner | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isSaving = useRef(false);
  const form = useRef<HTMLFormElement>(null);

  const newest = refusedFor !== null && refusedFor.version > (partner?.version ?? 0) ? refusedFor : partner;
  const {
    form: draft,
    change,
    base,
    isChanged,
    meanwhile,
  } = useMergedEdits(storedDraftOf(partner), isBusy || newest === null ? null : storedDraftOf(newest), partnerEdits);
  const gone = isGone && !isBusy ? "This partner has been deleted meanwhile." : null;
  const problems = partnerProblems(draft);
  const obstacle =
    gone ?? (meanwhile?.kind === "collides" ? RESOLVE_FIRST : saveObstacle(draft, partner === null ? null : base.form));
  const close = useGuardedClose({ isChanged, isSaving: isBusy }, onClose);

  const focusOn = (field: PartnerField | null) => {
    if (field !== null) form.current?.querySelector<HTMLInputElement>(`[name="${field}"]`)?.focus();
  };
  // What others saved stands above the fields, and may be out of sight on a phone.
  useEffect(() => {
    if (refusedFor !== null) form.current?.scrollIntoView();
  }, [refusedFor, form]);
  const showProblems = () => {
    setTried(true);
    if (gone !== null || meanwhile?.kind === "collides") return form.current?.scrollIntoView();
    focusOn(firstWrongField(problems));
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (obstacle !== null) return showProblems();
    // A second press may come before the first has been drawn.
    if (isSaving.current) return;
    isSaving.current = true;
    setBusy(true);
    const outcome = await savePartner(partner === null ? null : { id: partner.id, version: base.version }, draft);
    isSaving.current = false;
    setBusy(false);
    if (outcome.kind === "created") onCreated(outcome.created);
    else if (outcome.kind === "updated") onClose();
    else if (outcome.kind === "conflict") setRefusedFor(outcome.theirs);
    else {
      setTold(outcome.problems);
      focusOn(firstWrongField(outcome.problems));
    }
  };

  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      fullScreen={isNarrow}
      title={partner === null ? "Add New Partner" : "Edit Partner"}
    >
      <form ref={form} className={classes["form"]} onSubmit={(event) => void save(event)} noValidate>
        {gone !== null ? (
          <DeletedNotice what="partner" reason={gone} />
        ) : (
          meanwhile !== null && <EditConflict what="partner" meanwhile={meanwhile} />
        )}
        <PartnerFields
          draft={draft}
          problems={shownProblems(problems, (field) => isTried || left.has(field), told)}
          onType={(field, text) => {
            change({ [field]: text });
            setTold(({ [field]: _answered, ...others }) => others);
          }}
          onLeave={(field) => setLeft((before) => new Set(before).add(field))}
        />
        <div className={classes["foot"]}>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={obstacle} onRefused={showProblems}>
            <Button type="submit" loading={isBusy}>
              {partner === null ? "Add Partner" : "Save"}
            </Button>
          </DisabledReason>
        </div>
      </form>
    </Modal>
  );
}
