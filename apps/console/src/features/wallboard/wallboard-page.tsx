import { openWallboard } from "@suncrew/contract/wallboard/wallboard.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { call } from "../../platform/api/call.ts";
import { ApiError } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { paths } from "../../platform/paths.ts";
import { currentSession, startSession } from "../../platform/session/session.ts";
import { Board } from "./board.tsx";
import classes from "./wallboard.module.css";

/** Between two attempts to sign in with the link, in milliseconds. */
const OPEN_AGAIN_MS = 5_000;

const NO_LINK = "Open this wallboard's link.";
const NEW_LINK = "“Wallboard links” in the user menu makes a new one.";

/**
 * The page of a screen that people watch: `/wall`, signed in by a link, or the dashboard's `?view=wall` of somebody who
 * is signed in. It has no controls, and never shows a form or a dialog.
 */
export function WallboardPage() {
  const [token] = useState(tokenOfLink);
  const [ended, setEnded] = useState(() => (token === null && currentSession() === null ? NO_LINK : null));
  const [isOpen, setOpen] = useState(token === null);
  useEffect(() => {
    // Another link in the address bar: the browser itself loads nothing for what follows `#`.
    const openOther = () => location.reload();
    addEventListener("hashchange", openOther);
    return () => removeEventListener("hashchange", openOther);
  }, []);
  useEffect(() => {
    if (token === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = async () => {
      const outcome = await openLink(token);
      if (outcome === "open") setOpen(true);
      else if (outcome === "unreachable") timer = setTimeout(() => void open(), OPEN_AGAIN_MS);
      else setEnded(outcome.refusal);
    };
    void open();
    return () => clearTimeout(timer);
  }, [token]);

  if (ended !== null) return <Message text={ended} hint={NEW_LINK} />;
  if (!isOpen) return <Message text="Connecting…" />;
  return (
    <QueryClientProvider client={queryClient}>
      <Board onEnd={setEnded} />
    </QueryClientProvider>
  );
}

function Message({ text, hint }: { readonly text: string; readonly hint?: string }): ReactNode {
  return (
    <main className={classes["message"]}>
      <div role="status">
        <h1>{text}</h1>
        {hint !== undefined && <p>{hint}</p>}
      </div>
    </main>
  );
}

/** What follows `#` in the link: no server or proxy sees it. */
function tokenOfLink(): string | null {
  return location.pathname === paths.wall() && location.hash.length > 1 ? location.hash.slice(1) : null;
}

async function openLink(token: string): Promise<"open" | "unreachable" | { readonly refusal: string }> {
  try {
    startSession(await call(openWallboard, { body: { token } }));
    // The secret is no longer in view, nor in the address that a reload asks for.
    history.replaceState(null, "", location.pathname + location.search);
    return "open";
  } catch (error) {
    const isFinal = error instanceof ApiError && (error.status === 400 || error.status === 401);
    return isFinal ? { refusal: error.status === 400 ? NO_LINK : error.message } : "unreachable";
  }
}
