import { useEffect, useRef, useState } from "react";
import { useBlocker } from "react-router";
import { currentSession } from "../session/session.ts";
import { confirm } from "./confirm.ts";

export interface GuardedForm {
  /** It has unsaved input. */
  readonly isChanged: boolean;
  /** A save is in progress: whatever would close the form waits, because refused input must still be there. */
  readonly isSaving?: boolean;
  /** The URL parameters without which the dialog closes; others may change behind it. */
  readonly shownBy?: readonly string[];
}

const NO_PARAMETERS: readonly string[] = [];

/**
 * Closes a dialog with a form; if something was typed, it asks before discarding that. It also asks before Back and
 * links leave the page; before a reload the browser asks with its own text. The end of the session never asks.
 */
export function useGuardedClose(form: GuardedForm, onClose: () => void): () => void {
  const { isChanged, isSaving = false, shownBy = NO_PARAMETERS } = form;
  const isAsking = useRef(false);
  const [token] = useState(() => currentSession()?.token);
  const isHeld = isChanged || isSaving;

  useEffect(() => {
    if (!isHeld) return;
    const ask = (event: BeforeUnloadEvent) => {
      // The user who opened the form is no longer signed in: the page must be left.
      if (currentSession()?.token === token) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isHeld, token]);

  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    if (!isHeld || currentSession()?.token !== token) return false;
    const [here, there] = [new URLSearchParams(currentLocation.search), new URLSearchParams(nextLocation.search)];
    return (
      currentLocation.pathname !== nextLocation.pathname || shownBy.some((name) => here.get(name) !== there.get(name))
    );
  });
  /** The last attempt to leave the page, also while the question is open. */
  const leaving = useRef(blocker);

  const ask = async () => {
    isAsking.current = true;
    const isSure = await confirm({
      title: "Discard Changes",
      message: "What you entered has not been saved.",
      confirmLabel: "Discard",
      cancelLabel: "Keep editing",
      destructive: true,
    });
    // From here on another attempt to leave is another question: this one is answered.
    isAsking.current = false;
    const exit = leaving.current;
    if (exit.state === "blocked") {
      if (isSure) exit.proceed();
      else exit.reset();
    } else if (isSure) onClose();
  };

  useEffect(() => {
    leaving.current = blocker;
    if (blocker.state !== "blocked") return;
    if (isSaving) blocker.reset();
    else if (!isAsking.current) void ask();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- one try to leave is one question
  }, [blocker]);

  return () => {
    if (isAsking.current || isSaving) return;
    if (isChanged) void ask();
    else onClose();
  };
}
