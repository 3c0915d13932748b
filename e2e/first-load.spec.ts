import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { PAVAGADA } from "./support/dashboard.ts";
import { signInWith } from "./support/sign-in.ts";
import { accounts, expect, test } from "./support/suncrew.ts";

const files = fileURLToPath(new URL("../apps/console/dist/assets", import.meta.url));

const FONT = "inter-latin-wght-normal.woff2";

interface FirstLoad {
  /** URLs of all requests sent before the page was ready, without the host. */
  readonly requests: readonly string[];
  /** The total size of the scripts among them, gzipped, in kB. */
  readonly scriptKb: number;
  /** What the page preloads: file names without their hashes. */
  readonly preloads: readonly string[];
}

/** Opens a page in an empty cache, and returns what was loaded until an element appeared. */
async function firstLoad(page: Page, path: string, selector: string): Promise<FirstLoad> {
  const devTools = await page.context().newCDPSession(page);
  const begun: { readonly url: string; readonly atMs: number; readonly isScript: boolean }[] = [];
  devTools.on("Network.requestWillBeSent", ({ request, wallTime, type }) => {
    if (!request.url.startsWith("data:")) {
      begun.push({ url: request.url, atMs: wallTime * 1000, isScript: type === "Script" });
    }
  });
  await devTools.send("Network.enable");
  await page.addInitScript((wanted) => {
    const seen = new MutationObserver(() => {
      if (document.querySelector(wanted) === null) return;
      seen.disconnect();
      Object.assign(globalThis, { readyAtMs: performance.timeOrigin + performance.now() });
    });
    seen.observe(document, { childList: true, subtree: true });
  }, selector);
  await page.goto(path);
  const measured = await page.waitForFunction(() => Reflect.get(globalThis, "readyAtMs"));
  const readyAtMs = Number(await measured.jsonValue());
  const before = begun.filter(({ atMs }) => atMs <= readyAtMs);
  const scripts = await Promise.all(
    before
      .filter(({ isScript }) => isScript)
      .map(async ({ url }) => gzipSync(await (await page.request.get(url)).body(), { level: 9 }).length),
  );
  return {
    requests: before.map(({ url }) => new URL(url).pathname),
    scriptKb: scripts.reduce((sum, bytes) => sum + bytes, 0) / 1000,
    preloads: await page.evaluate(() =>
      [...document.querySelectorAll<HTMLLinkElement>('link[rel="modulepreload"], link[rel="preload"]')].map(
        ({ href }) => href.replace(/.*\/([\w-]+)-[\w-]{8}(\.\w+)$/, "$1$2"),
      ),
    ),
  };
}

test("first load: the sign-in page loads at most 150 kB of scripts with 8 requests, and nothing of the pages behind it", async ({
  page,
}) => {
  const { requests, scriptKb, preloads } = await firstLoad(page, "/", 'form button[type="submit"]');
  expect(new Set(requests).size, "each file and answer is asked for once").toBe(requests.length);
  expect(requests.length, requests.join("\n")).toBeLessThanOrEqual(8);
  expect(scriptKb).toBeLessThanOrEqual(150);
  expect(preloads).toEqual([FONT, "sign-in.js", "sign-in.css"]);
});

test("first load: the dashboard loads at most 260 kB of scripts with 20 requests until its first robot card, and requests its data once", async ({
  page,
  browser,
  baseURL,
  problems,
}) => {
  await signInWith(page, accounts.admin);
  const storageState = await page.context().storageState();
  for (const path of ["/dashboard", "/", "/dashboard?site=2"]) {
    await test.step(path, async () => {
      const context = await browser.newContext({ baseURL, storageState });
      const visit = await context.newPage();
      await problems.watch(visit);
      // What lets the first robots go first would wait for 3 s at most: on a busy machine they may take longer.
      await visit.addInitScript(() => {
        const later = globalThis.setTimeout;
        const value = (work: () => void, ms?: number) => (ms === 3000 ? 0 : later(work, ms));
        Object.defineProperty(globalThis, "setTimeout", { value, configurable: true, writable: true });
      });
      const { requests, scriptKb, preloads } = await firstLoad(visit, path, "article");
      await context.close();
      expect(new Set(requests).size, requests.join("\n")).toBe(requests.length);
      expect(requests.length, requests.join("\n")).toBeLessThanOrEqual(20);
      expect(scriptKb).toBeLessThanOrEqual(260);
      expect(preloads).toEqual([FONT, "shell.js", "shell.css", "dashboard.js", "dashboard.css"]);
      // The live stream, what needs attention, runs, map and weather let the first robots go first.
      expect(requests.filter((one) => one.startsWith("/assets/map-"))).toEqual([]);
      expect(requests.filter((one) => one.startsWith("/api/"))).toEqual([
        "/api/config",
        "/api/sites/details",
        expect.stringMatching(/^\/api\/robots\/getRobotDetailsWithSettings\/\d+$/),
      ]);
    });
  }
});

test("first load: after a long look at the sign-in page, too, what needs attention and today's runs let the first robots go first", async ({
  page,
}) => {
  const calls: string[] = [];
  await page.clock.install();
  const loadedAhead = page.waitForRequest(/\/assets\/dashboard-/);
  await page.goto("/");
  await loadedAhead;
  await page.waitForLoadState("networkidle");
  await page.clock.fastForward(60_000);
  page.on("request", (request) => calls.push(new URL(request.url()).pathname));
  await page.getByLabel("Username").fill(accounts.admin.username);
  await page.getByLabel("Password", { exact: true }).fill(accounts.admin.password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("article").first().waitFor();
  for (const path of ["/api/attention", "/api/runs/today"]) await expect.poll(() => calls).toContain(path);
  const robots = calls.findIndex((path) => path.startsWith("/api/robots/getRobotDetailsWithSettings/"));
  expect(robots).toBeGreaterThanOrEqual(0);
  expect(calls.indexOf("/api/attention")).toBeGreaterThan(robots);
  expect(calls.indexOf("/api/runs/today")).toBeGreaterThan(robots);
});

test("first load: a page requested while signed out loads only what the sign-in page loads", async ({ page }) => {
  const { preloads, scriptKb } = await firstLoad(page, "/dashboard?site=2", 'form button[type="submit"]');
  expect(preloads).toEqual([FONT, "sign-in.js", "sign-in.css"]);
  expect(scriptKb).toBeLessThanOrEqual(150);
  await expect(page).toHaveURL("/");
});

test("first load: every script of the build has at least 5 kB, except the first, which requests the others", async () => {
  const names = (await readdir(files)).filter((name) => name.endsWith(".js") && !name.startsWith("first-"));
  const sizes = await Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(files, name))).size })));
  expect(names.map((name) => basename(name))).toContainEqual(expect.stringMatching(/^start-/));
  expect(sizes.filter(({ bytes }) => bytes < 5_000)).toEqual([]);
});

test("first load: whatever the dashboard opens later can be loaded: no script needs another one that needs it first", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  await expect(page.getByRole("article").first()).toBeVisible();
  const names = (await readdir(files)).filter((name) => name.endsWith(".js") && !name.startsWith("first-"));
  const failures = await page.evaluate(async (scripts) => {
    const failed: string[] = [];
    for (const name of scripts) await import(`/assets/${name}`).catch((error) => failed.push(`${name}: ${error}`));
    return failed;
  }, names);
  expect(failures).toEqual([]);
});

/** Where the site's button was from when it appeared until now, as one entry for each place. */
async function watchPlaces(page: Page, name: string): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript((site) => {
    const places: string[] = [];
    Object.assign(globalThis, { places });
    const look = () => {
      const button = [...document.querySelectorAll("[data-index]")].find((row) => row.textContent.startsWith(site));
      const place = button?.getBoundingClientRect();
      const now = place && `${Math.round(place.left)}, ${Math.round(place.top)}`;
      if (now !== undefined && places.at(-1) !== now) places.push(now);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, name);
  return () => page.evaluate(() => Reflect.get(globalThis, "places") as readonly string[]);
}

test("first load: a site to choose does not move while the rest of the dashboard is loading", async ({
  page,
  signIn,
}) => {
  const places = await watchPlaces(page, PAVAGADA);
  await signIn(page, "admin");
  await expect(page.getByText("Demo: simulated robots and sample data")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Needs attention" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Markers of the map" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Weather" })).toContainText("°C");
  expect(await places()).toHaveLength(1);
});
