/** What the periodic tasks of soiling and of closed days allow for one round. */
const ROUND_MS = 10_000;

/** Runs one round of a periodic task, and a further one only where a busy machine's time ended it before its work did. */
export async function runWholeRound(task: { runOnce(): Promise<void> }): Promise<void> {
  for (;;) {
    const beganMs = performance.now();
    await task.runOnce();
    if (performance.now() - beganMs < ROUND_MS) return;
  }
}
