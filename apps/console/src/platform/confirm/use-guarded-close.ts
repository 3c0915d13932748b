import { useEffect, useRef, useState } from "react";
import { useBlocker } from "react-router";
import { currentSession } from "../session/session.ts";
import { confirm } from "./confirm.ts";

export interface GuardedForm {
  /** Something stands in it that is not saved. */
  readonly isChanged: boolean;
  /** A save is under way: whatever would close the form waits, for entries that are refused must still be there. */
  readonly isSaving?: boolean;
  /** The parameters of the address without which the dialog is gone; others may change behind it. */
  readonly shownBy?: readonly string[];
}

const NO_PARAMETERS: readonly string[] = [];

/**
 * Closes a dialog with a form; where something was typed, it asks before that is thrown away. So it does before Back and
 * links leave the page; before a reload the browser asks in its own words. The end of the session asks nobody.
 */
export function useGuardedClose(form: GuardedForm, onClose: () => void): () => void {
  const { isChanged, isSaving = false, shownBy = NO_PARAMETERS } = form;
  const isAsking = useRef(false);
  const [token] = useState(() => currentSession()?.token);
  const isHeld = isChanged || isSaving;

  useEffect(() => {
    if (!isHeld) return;
    const ask = (event: BeforeUnloadEvent) => {
      // Who was signed in as the form opened is not any more: the page has to go.
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
  /** The last way out of the page that was tried, also while the question is open. */
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
    // From here on another try to leave is another question: this one is answered.
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
