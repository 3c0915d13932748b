import { useSyncExternalStore } from "react";
import { currentSession, lastSession, onSessionChange, type Session } from "./session.ts";

/** The session of this browser, or null; renders again when it changes. */
export function useSession(): Session | null {
  return useSyncExternalStore(onSessionChange, currentSession);
}

/** The session on a page that only a signed-in user can see; while it is being left, the last one. */
export function useSignedIn(): Session {
  const session = useSyncExternalStore(onSessionChange, lastSession);
  if (session === null) throw new Error("Nobody is signed in.");
  return session;
}
