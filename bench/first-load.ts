import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import compress from "@fastify/compress";
import { serveConsole } from "@suncrew/server/platform/http/console-files.ts";
import fastify from "fastify";
import { type Browser, type BrowserContext, chromium } from "playwright";
import { build } from "vite";
import { browserArguments, prepareBrowser } from "../e2e/support/browser.ts";
import { startServer } from "../e2e/support/server-process.ts";
import { report } from "./result.ts";

// How long the first visit takes until a page is ready, with an empty cache: the sign-in page against the smallest page
// possible with its libraries, and the dashboard until its first robot card, on a processor four times slower and on a
// slow network. All are measured in turn, round after round, so that other work on the machine slows all of them down;
// only the ratios are meaningful. The limits are those of docs/performance.md.

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 9);

/** As named by the browser's developer tools: 1.6 Mbit/s with 150 ms, as these tools emulate it. */
const SLOW_4G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (0.75 * 1024 * 1024 * 0.9) / 8,
};

interface Visit {
  readonly name: string;
  readonly url: string;
  /** An element that exists once the page is ready. */
  readonly ready: string;
  readonly isSignedIn?: boolean;
  readonly isSlowProcessor?: boolean;
  readonly isSlowNetwork?: boolean;
}

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

const SIGN_IN_BUTTON = 'form[aria-label="Sign in"] button[type="submit"]';
const ROBOT_CARD = "article";

/** Milliseconds from the navigation until the first frame with the element. */
async function timeOf(browser: Browser, visit: Visit, session: StorageState): Promise<number> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...(visit.isSignedIn === true && { storageState: session }),
  });
  try {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    if (visit.isSlowProcessor === true) await devTools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    if (visit.isSlowNetwork === true) {
      await devTools.send("Network.enable");
      await devTools.send("Network.emulateNetworkConditions", SLOW_4G);
    }
    await page.addInitScript(watchFor(visit.ready));
    await page.goto(visit.url, { waitUntil: "commit" });
    const isReady = () => {
      const readyMs: unknown = Reflect.get(globalThis, "readyMs");
      return typeof readyMs === "number" ? readyMs : 0;
    };
    const measured = await page.waitForFunction(isReady, undefined, { timeout: 60_000 });
    return await measured.jsonValue();
  } finally {
    await context.close();
  }
}

/** A script for the page: notes the time of the first frame with the element. */
function watchFor(selector: string): string {
  return `{
    const seen = new MutationObserver(() => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return;
      seen.disconnect();
      requestAnimationFrame(() => setTimeout(() => { globalThis.readyMs = performance.now(); }));
    });
    seen.observe(document, { childList: true, subtree: true });
  }`;
}

async function signIn(browser: Browser, baseUrl: string): Promise<StorageState> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(baseUrl);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password", { exact: true }).fill("admin@123");
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.waitForURL(/\/dashboard/);
  const session = await context.storageState();
  await context.close();
  return session;
}

/** Builds the skeleton, and serves it in the same way as the console. */
async function serveSkeleton(folder: string): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const root = fileURLToPath(new URL("first-load", import.meta.url));
  await build({ root, configFile: false, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
  const app = fastify();
  await app.register(compress, { encodings: ["br", "gzip"] });
  const answerPage = await serveConsole(app, folder, { tileUrl: null, mode: "production" });
  app.setNotFoundHandler(async (request, reply) => (await answerPage(request, reply)) || reply.code(404).send());
  return { url: await app.listen({ host: "127.0.0.1", port: 0 }), close: () => app.close() };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measure(
  visits: readonly Visit[],
  browser: Browser,
  session: StorageState,
): Promise<Map<string, number>> {
  const times = new Map(visits.map(({ name }): [string, number[]] => [name, []]));
  // The first round warms up the servers and the browser.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const visit of visits) {
      const ms = await timeOf(browser, visit, session);
      if (round > 0) times.get(visit.name)?.push(ms);
    }
  }
  return new Map([...times].map(([name, all]) => [name, medianOf(all)]));
}

const folder = await mkdtemp(join(tmpdir(), "suncrew-skeleton-"));
const [server, skeleton] = await Promise.all([startServer(), serveSkeleton(folder)]);
const browser = await chromium.launch({ executablePath: await prepareBrowser(), args: browserArguments });
try {
  const session = await signIn(browser, server.baseUrl);
  const signInPage = { url: server.baseUrl, ready: SIGN_IN_BUTTON };
  const dashboard = { url: `${server.baseUrl}/dashboard`, ready: ROBOT_CARD, isSignedIn: true };
  const visits: readonly Visit[] = [
    { name: "skeleton", url: skeleton.url, ready: SIGN_IN_BUTTON },
    { name: "sign-in", ...signInPage },
    { name: "dashboard", ...dashboard },
    { name: "skeleton, a fourth of the processor", url: skeleton.url, ready: SIGN_IN_BUTTON, isSlowProcessor: true },
    { name: "sign-in, a fourth of the processor", ...signInPage, isSlowProcessor: true },
    { name: "dashboard, a fourth of the processor", ...dashboard, isSlowProcessor: true },
    { name: "sign-in, slow 4G", ...signInPage, isSlowNetwork: true },
    { name: "dashboard, slow 4G", ...dashboard, isSlowNetwork: true },
  ];
  const medians = await measure(visits, browser, session);
  const of = (name: string) => medians.get(name) ?? Number.NaN;
  for (const [name, ms] of medians) console.log(`${name}: ${Math.round(ms)} ms`);
  report({
    what: "sign-in against the skeleton",
    figure: of("sign-in") / of("skeleton"),
    unit: "times",
    atMost: 1.3,
    detail: `${Math.round(of("sign-in"))} ms and ${Math.round(of("skeleton"))} ms`,
  });
  report({
    what: "dashboard against sign-in, both on a fourth of the processor",
    figure: of("dashboard, a fourth of the processor") / of("sign-in, a fourth of the processor"),
    unit: "times",
    atMost: 1.8,
  });
  report({ what: "dashboard on slow 4G", figure: of("dashboard, slow 4G") / 1_000, unit: "s", atMost: 4 });
} finally {
  await browser.close();
  await Promise.all([server.stop(), skeleton.close()]);
  await rm(folder, { recursive: true, force: true });
}
