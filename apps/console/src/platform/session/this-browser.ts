const BROWSER_KEY = "browser";
const MARK = /^[\w-]{22,64}$/;

/**
 * This browser's identifier: generated randomly once, the same for whoever signs in here, and kept when they sign out,
 * so that other people's failed sign-ins do not delay somebody who has signed in here before. It grants no access by
 * itself.
 */
export function thisBrowser(): string {
  const kept = localStorage.getItem(BROWSER_KEY);
  if (kept !== null && MARK.test(kept)) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const made = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  localStorage.setItem(BROWSER_KEY, made);
  return made;
}
