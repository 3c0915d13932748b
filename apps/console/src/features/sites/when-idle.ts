/** Runs `task` when the browser is idle, at the latest after `timeoutMs`; the function returned cancels it. */
export function whenIdle(task: () => void, timeoutMs: number): () => void {
  // Safari has no idle callback.
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(task, Math.min(timeoutMs, 300));
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(task, { timeout: timeoutMs });
  return () => cancelIdleCallback(handle);
}
