import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const BEFORE_PAINT = "src/ui/theme/before-paint.js";

/**
 * Puts the script that runs before the first paint into the page as a blocking file with a hashed name:
 * the content policy forbids it inline, and as a module it would run after the paint.
 */
function beforePaint(): Plugin {
  let address = `/${BEFORE_PAINT}`;
  return {
    name: "suncrew-before-paint",
    async buildStart() {
      if (this.environment.mode !== "build") return;
      const source = readFileSync(fileURLToPath(new URL(BEFORE_PAINT, import.meta.url)), "utf8");
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
      const fileName = `assets/before-paint-${Buffer.from(digest).toString("hex").slice(0, 8)}.js`;
      this.emitFile({ type: "asset", fileName, source });
      address = `/${fileName}`;
    },
    transformIndexHtml: () => [{ tag: "script", attrs: { src: address }, injectTo: "head" }],
  };
}

const compressBrotli = promisify(brotliCompress);

/** Compresses each file once, at the build, so that the server need not at each visit: `name.js.br` beside `name.js`. */
function compressedOnce(): Plugin {
  return {
    name: "suncrew-compressed-once",
    apply: "build",
    async writeBundle({ dir = "." }, bundle) {
      const compressible = Object.keys(bundle).filter((name) => /\.(js|css|svg|json)$/.test(name));
      await Promise.all(
        compressible.map(async (name) => {
          const path = join(dir, name);
          const file = await readFile(path);
          const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: file.length };
          await writeFile(`${path}.br`, await compressBrotli(file, { params }));
        }),
      );
    },
  };
}

/** The console's own way to load what is imported dynamically, in place of Vite's: see there why. */
function loadedByParts(): Plugin {
  const own = fileURLToPath(new URL("src/platform/load-part.ts", import.meta.url));
  return {
    name: "suncrew-loaded-by-parts",
    apply: "build",
    transform: {
      filter: { id: /vite\/preload-helper\.js$/ },
      handler: () => ({ code: `export { loadPart as __vitePreload } from ${JSON.stringify(own)};`, map: null }),
    },
  };
}

export default defineConfig({
  plugins: [react(), beforePaint(), loadedByParts(), compressedOnce()],
  build: {
    target: "es2023",
    // Small pictures stay files: the content policy has no `data:` for them.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        // A visit loads one file for each step on its way instead of dozens of small ones. Each group takes what its page
        // imports, but for what a group above has already; so none of them needs one below it.
        codeSplitting: {
          groups: [
            { name: "console", tags: ["$initial"], priority: 4 },
            { name: "sign-in", test: /auth[\\/]sign-in-page\.tsx$/, priority: 3 },
            { name: "shell", test: /shell[\\/]shell\.tsx$/, priority: 2 },
            { name: "dashboard", test: /dashboard[\\/]dashboard-page\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    // `npm run dev`: the interface is the server's, wherever that runs.
    proxy: { "/api": { target: process.env["SUNCREW_API"] ?? "http://127.0.0.1:3000" } },
  },
});
