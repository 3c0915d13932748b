import { Button, Text } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { Dialog, DialogFooter } from "../../ui/dialog.tsx";
import { onQuestionChange, type OpenQuestion, openQuestion } from "./confirm.ts";

/** Asks one question; Escape, the cross and the outside mean no. */
function ConfirmDialog({ question }: { question: OpenQuestion }) {
  const { title, message, confirmLabel, cancelLabel = "Cancel", destructive = false, answer } = question;
  return (
    <Dialog onClose={() => answer(false)} title={title}>
      <Text size="sm">{message}</Text>
      <DialogFooter isEqual>
        <Button variant="default" onClick={() => answer(false)} data-autofocus={destructive || undefined}>
          {cancelLabel}
        </Button>
        <Button
          color={destructive ? "red" : "accent"}
          onClick={() => answer(true)}
          data-autofocus={destructive ? undefined : true}
        >
          {confirmLabel}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

/** Renders the confirmation's dialog; once in the shell. */
export function ConfirmHost() {
  const question = useSyncExternalStore(onQuestionChange, openQuestion);
  return question === null ? null : <ConfirmDialog question={question} />;
}
