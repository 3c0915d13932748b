import { useSyncExternalStore } from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { onQuestionChange, openQuestion } from "./confirm.ts";

/** Renders the confirmation's dialog; once in the shell. */
export function ConfirmHost() {
  const question = useSyncExternalStore(onQuestionChange, openQuestion);
  return question === null ? null : <ConfirmDialog question={question} />;
}
