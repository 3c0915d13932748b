import { useEffect, useState } from "react";

/** The URL follows the typed text when it is unchanged for this long, in milliseconds. */
const REST_MS = 250;

/**
 * The input as typed, while the URL follows a moment later; another URL (Back, a link) brings its own
 * text.
 */
export function useSearchDraft(
  addressed: string,
  change: (by: { readonly search: string }, mode: "replace") => void,
): readonly [string, (words: string) => void] {
  const [draft, setDraft] = useState(addressed);
  const [seen, setSeen] = useState(addressed);
  const [written, setWritten] = useState(addressed);
  if (seen !== addressed) {
    setSeen(addressed);
    // Our own text coming back must not undo what was typed since.
    if (addressed !== written) {
      setDraft(addressed);
      setWritten(addressed);
    }
  }
  useEffect(() => {
    if (draft === addressed) return;
    const timer = setTimeout(() => {
      setWritten(draft);
      change({ search: draft }, "replace");
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [draft, addressed, change]);
  return [draft, setDraft];
}
