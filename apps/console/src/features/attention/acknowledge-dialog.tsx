import { Textarea } from "@mantine/core";
import { ACKNOWLEDGEMENT_COMMENT_MAX, type AttentionItem } from "@suncrew/contract/attention/attention.ts";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { type FormEvent, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { acknowledge } from "./attention-calls.ts";
import { subjectOf } from "./attention-looks.ts";
import classes from "./attention-list.module.css";

/** Says that somebody is dealing with it, with a comment for the others; the trouble itself stays. */
export function AcknowledgeDialog({ item, onClose }: { readonly item: AttentionItem; readonly onClose: () => void }) {
  const [comment, setComment] = useState("");
  const [isBusy, run] = useBusy();
  const close = useGuardedClose({ isChanged: comment.trim() !== "", isSaving: isBusy, shownBy: [] }, onClose);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run(() => acknowledge(item, comment))) === true) onClose();
  };
  return (
    <Dialog onClose={close} title={`Acknowledge: ${subjectOf(item)}`}>
      <form onSubmit={(event) => void submit(event)}>
        <p className={classes["asked"]}>{item.cause}</p>
        <Textarea
          label="Comment (optional)"
          placeholder="Who deals with it, and how"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={ACKNOWLEDGEMENT_COMMENT_MAX}
          value={comment}
          onChange={({ currentTarget }) => setComment(stripInvisible(currentTarget.value))}
          data-autofocus
        />
        <FormButtons submitLabel="Acknowledge" isSaving={isBusy} blockedReason={null} onCancel={close} />
      </form>
    </Dialog>
  );
}
