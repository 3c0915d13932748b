const START_SCRIPT = /assets\/start-[\w-]+\.js/;
/** A call that hangs must not keep a wallboard from trying again. */
const ANSWER_MS = 10_000;
const RETRY_MS = 10_000;

/** The start script that the server's page names now; null if nothing answers, or something other than our server. */
export async function servedScript(): Promise<string | null> {
  try {
    const answer = await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok ? startScriptIn(await answer.text()) : null;
  } catch {
    return null;
  }
}

/** The start script that a page names. */
export function startScriptIn(html: string): string | null {
  return START_SCRIPT.exec(html)?.[0] ?? null;
}

/** For a page that nobody stands at to press Retry: tries until the server brings it. */
export function reloadOnceServed(): void {
  const retry = async () => ((await servedScript()) === null ? reloadOnceServed() : location.reload());
  setTimeout(() => void retry(), RETRY_MS);
}
