import { Button, Group as Row, Modal } from "@mantine/core";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { ChangedMeanwhile } from "../../../ui/changed-meanwhile.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import type { NewPartner } from "../share/sign-in-of.ts";
import classes from "./partner-dialog.module.css";
import { savePartner } from "./partner-calls.ts";
import { PartnerFields } from "./partner-fields.tsx";
import {
  differencesOf,
  draftOf,
  emptyDraft,
  firstWrongField,
  partnerProblems,
  saveObstacle,
  shownProblems,
} from "./partner-form.ts";
import type { PartnerDraft, PartnerField, PartnerProblems } from "./partner-form.ts";

export interface PartnerDialogProps {
  /** The partner to edit, as the list has it now; null adds one. */
  readonly partner: Partner | null;
  readonly onCreated: (created: NewPartner) => void;
  readonly onClose: () => void;
}

/** §5 Partner add/edit. */
export function PartnerDialog({ partner, onCreated, onClose }: PartnerDialogProps) {
  /** What the edit began from; the other's version once the person has seen it. */
  const [stored, setStored] = useState(partner);
  const [draft, setDraft] = useState<PartnerDraft>(partner === null ? emptyDraft : draftOf(partner));
  const [left, setLeft] = useState<ReadonlySet<PartnerField>>(new Set());
  const [isTried, setTried] = useState(false);
  const [told, setTold] = useState<PartnerProblems>({});
  const [refusedFor, setRefusedFor] = useState<Partner | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isSaving = useRef(false);
  const form = useRef<HTMLFormElement>(null);

  // What somebody else saved since: told by the server's refusal, or seen in the list before.
  const seen = partner !== null && stored !== null && partner.version > stored.version && !isBusy ? partner : null;
  const theirs = refusedFor ?? seen;
  const original = stored === null ? null : draftOf(stored);
  const problems = partnerProblems(draft);
  const obstacle = theirs === null ? saveObstacle(draft, original) : "Choose first: take theirs or keep mine.";
  const close = useGuardedClose(
    { isChanged: differencesOf(draft, original ?? emptyDraft).length > 0, isSaving: isBusy },
    onClose,
  );

  const focusOn = (field: PartnerField | null) => {
    if (field !== null) form.current?.querySelector<HTMLInputElement>(`[name="${field}"]`)?.focus();
  };
  // What others saved stands above the fields, and may be out of sight on a phone.
  useEffect(() => {
    if (refusedFor !== null) form.current?.scrollIntoView();
  }, [refusedFor, form]);
  const showProblems = () => {
    setTried(true);
    if (theirs !== null) return form.current?.scrollIntoView();
    focusOn(firstWrongField(problems));
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (obstacle !== null) return showProblems();
    // A second press may come before the first has been drawn.
    if (isSaving.current) return;
    isSaving.current = true;
    setBusy(true);
    const outcome = await savePartner(stored, draft);
    isSaving.current = false;
    setBusy(false);
    if (outcome.kind === "created") onCreated(outcome.created);
    else if (outcome.kind === "updated") onClose();
    else if (outcome.kind === "changed-meanwhile") setRefusedFor(outcome.theirs);
    else {
      setTold(outcome.problems);
      focusOn(firstWrongField(outcome.problems));
    }
  };

  return (
    <Modal opened onClose={close} size="lg" title={partner === null ? "Add New Partner" : "Edit Partner"}>
      <form ref={form} className={classes["form"]} onSubmit={(event) => void save(event)} noValidate>
        {theirs !== null && (
          <ChangedMeanwhile
            what="partner"
            differences={differencesOf(draft, draftOf(theirs))}
            onTakeTheirs={() => {
              setDraft(draftOf(theirs));
              setStored(theirs);
              setRefusedFor(null);
            }}
            onKeepMine={() => {
              setStored(theirs);
              setRefusedFor(null);
            }}
          />
        )}
        <PartnerFields
          draft={draft}
          problems={shownProblems(problems, (field) => isTried || left.has(field), told)}
          onType={(field, text) => {
            setDraft((before) => ({ ...before, [field]: text }));
            setTold(({ [field]: _answered, ...others }) => others);
          }}
          onLeave={(field) => setLeft((before) => new Set(before).add(field))}
        />
        <Row justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={obstacle} onRefused={showProblems}>
            <Button type="submit" loading={isBusy}>
              {partner === null ? "Add Partner" : "Save"}
            </Button>
          </DisabledReason>
        </Row>
      </form>
    </Modal>
  );
}
