import type { BrowserContext, Page } from "@playwright/test";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";

/**
 * Lets the console wait for answers longer than its 10 s, which a test of its calls covers: a busy machine, or a test
 * that holds an answer until it has looked, takes longer. Must run before the context's first navigation.
 */
export async function waitForAnswers(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const send = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      const given = init?.signal ?? null;
      if (given === null) return send(input, init);
      const cancelled = new AbortController();
      const cancel = () => {
        const reason: unknown = given.reason;
        if (!(reason instanceof DOMException && reason.name === "TimeoutError")) cancelled.abort(reason);
      };
      if (given.aborted) cancel();
      else given.addEventListener("abort", cancel, { once: true });
      return send(input, { ...init, signal: cancelled.signal });
    };
  });
}

/** Keeps the page's STARTs of single robots from the server until the returned function is called. */
export async function holdStarts(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**${sendCommand.path}`, async (route) => {
    if (sendCommand.body.parse(route.request().postDataJSON()).command === "START") await released;
    await route.continue();
  });
  return release;
}
