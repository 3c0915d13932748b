/** Does something when the browser has nothing better to do, at the latest after `timeoutMs`; the answer calls it off. */
export function whenIdle(deed: () => void, timeoutMs: number): () => void {
  // Safari has no idle callback.
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(deed, Math.min(timeoutMs, 300));
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(deed, { timeout: timeoutMs });
  return () => cancelIdleCallback(handle);
}
