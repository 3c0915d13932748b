import { lazy, Suspense, useSyncExternalStore } from "react";
import { onQuestionChange, openQuestion } from "./confirm.ts";

const ConfirmDialog = lazy(() => import("./confirm-dialog.tsx").then((module) => ({ default: module.ConfirmDialog })));

/** The place of the question's dialog, once in the shell; its code is loaded with the first question. */
export function ConfirmHost() {
  const question = useSyncExternalStore(onQuestionChange, openQuestion);
  if (question === null) return null;
  return (
    <Suspense fallback={null}>
      <ConfirmDialog question={question} />
    </Suspense>
  );
}
