import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtConsole, ensureConsoleBuilt } from "./console-build.ts";

/** Replaces Vite: writes what a build writes, and counts the builds. */
const builder = `
import { mkdirSync, writeFileSync } from "node:fs";
const out = process.argv[process.argv.indexOf("--outDir") + 1];
mkdirSync(out, { recursive: true });
writeFileSync(out + "/index.html", String(process.hrtime.bigint()));
`;
let folder: string;
let checkout: string;
const said: string[] = [];
const say = (line: string) => void said.push(line);
const write = async (path: string, text: string) => {
  await mkdir(dirname(join(checkout, path)), { recursive: true });
  await writeFile(join(checkout, path), text);
};
const page = async () => readFile(join(checkout, "apps/console/dist/index.html"), "utf8");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-console-"));
  checkout = join(folder, "here");
  said.length = 0;
  await write("package.json", '{"type": "module"}');
  await write("package-lock.json", "{}");
  await write("apps/console/index.html", "");
  await write("apps/console/src/main.ts", "first");
  await write("node_modules/vite/bin/vite.js", builder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("set-up: the demo builds the console if its sources have changed, and otherwise uses the existing build", async () => {
  await ensureConsoleBuilt(say, checkout);
  const first = await page();
  await ensureConsoleBuilt(say, checkout);
  expect(await page()).toBe(first);
  await write("apps/console/src/main.ts", "other");
  await ensureConsoleBuilt(say, checkout);
  expect(await page()).not.toBe(first);
  expect(said).toEqual(["Building the console ...", "Building the console ..."]);
});

test("set-up: production accepts a console as it was shipped, but none built from other sources", async () => {
  await expect(builtConsole(checkout)).rejects.toThrow("The console is not built: run `npm run build`");
  await ensureConsoleBuilt(say, checkout);
  const there = join(folder, "there");
  // Another folder, other file times, no builder: as in a package or an image.
  await cp(checkout, there, { recursive: true });
  await rm(join(there, "node_modules"), { recursive: true });
  expect(await builtConsole(there)).toBe(join(there, "apps/console/dist"));
  expect(await ensureConsoleBuilt(say, there)).toBe(join(there, "apps/console/dist"));
  await writeFile(join(there, "apps/console/src/main.ts"), "other");
  await expect(builtConsole(there)).rejects.toThrow("built from other sources: run `npm run build`");
  await expect(ensureConsoleBuilt(say, there)).rejects.toThrow("run `npm ci` first");
  await rm(join(there, "apps/console/src"), { recursive: true });
  await rm(join(there, "apps/console/index.html"));
  expect(await builtConsole(there)).toBe(join(there, "apps/console/dist"));
});
