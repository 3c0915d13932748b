import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type IndexHtmlTransformContext, minifySync, type Plugin, transformWithOxc } from "vite";

/** Of what pages start with, only the sign-in page needs these; the rest of it is part of every page's start. */
const SIGN_IN_ONLY =
  /auth[\\/]sign-in-(page|form|failure)|ui[\\/]signed-out-(layout|scene)|components[\\/]PasswordInput[\\/]/;
const START =
  /console[\\/]index\.html$|src[\\/]main\.tsx$|components[\\/](TextInput|ActionIcon|Alert)[\\/]\w+\.mjs$|use-uncontrolled\.mjs$|Icon(AlertCircle|InfoCircle|Lock|ShieldCheck|Tool|User)\.mjs$|platform[\\/]api[\\/]call\.ts$|session[\\/]this-browser\.ts$|features[\\/]auth[\\/]role-words\.ts$|contract[\\/]src[\\/](config[\\/]|http[\\/](values|page)\.ts$|alerts[\\/]severity\.ts$)/;

/** What runs before the console itself: the theme, and the requests for what the page needs. */
const FIRST_SCRIPTS = ["src/ui/theme/before-paint.js", "src/platform/api/first-requests.ts"];

/** The modules that the pages start with, by path. The shell is around each of them. */
const SHELL = "src/app/app.tsx";
const PAGES: Readonly<Record<string, string>> = {
  "/dashboard": "src/features/dashboard/dashboard-page.tsx",
  "/robots": "src/features/fleet/robots-page.tsx",
  "/calendar": "src/features/runs/fleet-calendar/fleet-calendar-page.tsx",
  "/sites": "src/features/sites/management/site-management-page.tsx",
  "/partners": "src/features/partners/management/partners-page.tsx",
  "/activity": "src/features/activity/activity-page.tsx",
  "/report-management": "src/features/report-templates/report-management-page.tsx",
  "/site-reports": "src/features/reports/site-reports-page.tsx",
  "/profile": "src/features/profile/profile-page.tsx",
};

/** The pages of messages' links, shown without the shell whether somebody is signed in or not. */
const MESSAGE_LINK = "src/features/notifications/message-link-page.tsx";
const OPEN_PAGES = ["/acknowledge", "/unsubscribe"];

/**
 * Adds the script that runs before the first paint to the page as a blocking file with a hashed name: the content
 * policy forbids it inline, and as a module it would run after the paint. It also knows which files each page needs:
 * only the browser knows whether somebody is signed in, and so which page it will be.
 */
function firstScript(): Plugin {
  let addresses = FIRST_SCRIPTS.map((path) => `/${path}`);
  return {
    name: "suncrew-first-script",
    async buildStart() {
      if (this.environment.mode !== "build") return;
      const sources = await Promise.all(
        FIRST_SCRIPTS.map(async (path) => {
          const file = fileURLToPath(new URL(path, import.meta.url));
          return (await transformWithOxc(await readFile(file, "utf8"), file)).code;
        }),
      );
      const { code: source } = minifySync("first.js", sources.join("\n"), { module: false });
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
      const fileName = `assets/first-${Buffer.from(digest).toString("hex").slice(0, 8)}.js`;
      this.emitFile({ type: "asset", fileName, source });
      addresses = [`/${fileName}`];
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const scripts = addresses.map((address) => `<script src="${address}"></script>`);
        const files =
          bundle === undefined
            ? []
            : [
                // Otherwise it would be requested once the style sheets have been read, and replace another font in view.
                `<link rel="preload" href="/${fontOf(bundle)}" as="font" type="font/woff2" crossorigin>`,
                `<script type="application/json" id="page-files">${filesOfPages(bundle)}</script>`,
              ];
        // After what it reads, and before the style sheets, which would block a script.
        return html.replace("<title>", [...files, ...scripts, "<title>"].join("\n    "));
      },
    },
  };
}

type Bundle = NonNullable<IndexHtmlTransformContext["bundle"]>;

/** The font of every page (font.css); that of rarer letters is loaded by whoever shows them. */
function fontOf(bundle: Bundle): string {
  const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name));
  if (font === undefined) throw new Error("No file of the build has the font.");
  return font;
}

/** Which files each page needs besides those that the page itself names, as JSON. */
function filesOfPages(bundle: Bundle): string {
  const files = {
    "sign-in": filesOf(bundle, ["src/features/auth/sign-in-page.tsx"]),
    ...Object.fromEntries(OPEN_PAGES.map((path) => [path, filesOf(bundle, [MESSAGE_LINK])])),
    ...Object.fromEntries(Object.entries(PAGES).map(([path, module]) => [path, filesOf(bundle, [SHELL, module])])),
  };
  return JSON.stringify(files);
}

function filesOf(bundle: Bundle, modules: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (fileName: string) => {
    const chunk = bundle[fileName];
    if (chunk?.type !== "chunk" || chunk.isEntry || found.has(fileName)) return;
    found.add(fileName);
    for (const styles of chunk.viteMetadata?.importedCss ?? []) found.add(styles);
    for (const imported of chunk.imports) add(imported);
  };
  for (const module of modules) {
    const chunk = Object.values(bundle).find(
      (one) => one.type === "chunk" && one.moduleIds.some((id) => id.endsWith(`/console/${module}`)),
    );
    if (chunk === undefined) throw new Error(`No file of the build has ${module}.`);
    add(chunk.fileName);
  }
  return [...found];
}

const compressBrotli = promisify(brotliCompress);

/**
 * Compresses each file once, during the build, so that the server need not at each visit: `name.js.br` beside
 * `name.js`.
 */
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

/** The console's own loader for dynamic imports, instead of Vite's; it says why. */
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

/** Parts of libraries' compound components that the library itself imports and nothing here uses. */
const UNUSED_PARTS = [
  {
    // `Menu.Sub` and so on.
    component: "Menu",
    importer: /[\\/]Menu[\\/]Menu\.mjs$/,
    parts: [
      "MenuSub",
      "MenuSearch",
      "MenuCheckboxGroup",
      "MenuCheckboxItem",
      "MenuRadioGroup",
      "MenuRadioItem",
      "MenuContextMenu",
    ],
  },
  { component: "Tooltip", importer: /[\\/]Tooltip[\\/]Tooltip\.mjs$/, parts: ["TooltipFloating", "TooltipGroup"] },
  { component: "Popover", importer: /[\\/]Popover[\\/]Popover\.mjs$/, parts: ["PopoverContextMenu"] },
  // A dialog compares its scroll area with this one; ours have none.
  { component: "Modal", importer: /[\\/]Modal[\\/]ModalRoot\.mjs$/, parts: ["ScrollArea"] },
] as const;

/** Leaves such parts out, a tenth of the dashboard's scripts; refuses to build once one of them is used. */
function withoutUnusedParts(): Plugin {
  const prefix = "\0suncrew-unused-part:";
  const used = UNUSED_PARTS.flatMap(({ component, parts }) =>
    parts.map((part) => `\\b${component}\\.${part.replace(component, "")}\\b`),
  );
  const anyUsed = new RegExp([...used, "\\bscrollAreaComponent\\b"].join("|"));
  return {
    name: "suncrew-without-unused-parts",
    apply: "build",
    enforce: "pre",
    resolveId: {
      filter: { id: /\.mjs$/ },
      handler(source, importer = "") {
        const name = /([^\\/]+)\.mjs$/.exec(source)?.[1] ?? "";
        const isUnused = UNUSED_PARTS.some(
          (one) => one.importer.test(importer) && one.parts.some((part) => part === name),
        );
        return isUnused ? prefix + name : null;
      },
    },
    load: {
      filter: { id: /suncrew-unused-part:/ },
      handler: (id) => `export const ${id.slice(prefix.length)} = { Autosize: Symbol("left out") };`,
    },
    transform: {
      filter: { id: /console[\\/]src[\\/].*\.tsx$/ },
      handler(code) {
        const [found] = anyUsed.exec(code) ?? [];
        if (found !== undefined) this.error(`${found} is used: take it off UNUSED_PARTS in vite.config.ts.`);
      },
    },
  };
}

/**
 * Leaves out the schema library's JSON Schema writer, which each of its schemas refers to and nothing in a browser
 * calls: the server writes the API document.
 */
function withoutJsonSchema(): Plugin {
  return {
    name: "suncrew-without-json-schema",
    apply: "build",
    transform: {
      filter: { id: /zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$/ },
      handler(code) {
        const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
        const renamed = [...code.matchAll(/^export \{ \w+ as (\w+) \};/gm)].map(([, name]) => name);
        const exports = [...names, ...renamed].map((name) => `missing as ${name}`).join(", ");
        return { code: `const missing = () => () => undefined;\nexport { ${exports} };\n`, map: null };
      },
    },
  };
}

/** Leaves out what only the server and the API document read of each call. */
function withoutServerOnly(): Plugin {
  return {
    name: "suncrew-without-server-only",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /contract[\\/]src[\\/].*\.ts$/ },
      // Only those of `defineRoute`, which are indented by one step; servers enforce the flags.
      handler: (code) => ({
        code: code.replaceAll(/^  (summary:\s+("[^"\n]*"|`[^`]*`)|(anyHost|device|revalidates): true),$/gm, ""),
        map: null,
      }),
    },
  };
}

/** Leaves out the router's hooks for measuring, which only its option `instrumentations` turns on. */
function withoutInstrumentation(): Plugin {
  return {
    name: "suncrew-without-instrumentation",
    apply: "build",
    transform: {
      filter: {
        id: /react-router[\\/].*[\\/]router[\\/]instrumentation\.js$|console[\\/]src[\\/]app[\\/]router\.tsx$/,
      },
      handler(code, id) {
        if (id.endsWith("router.tsx")) {
          if (code.includes("instrumentations")) this.error("instrumentations are used: keep them in vite.config.ts.");
          return null;
        }
        const names = /export \{([^}]*)\}/.exec(code)?.[1]?.split(",") ?? [];
        const exports = names.map((name) => `missing as ${name.trim()}`).join(", ");
        return { code: `const missing = () => undefined;\nexport { ${exports} };\n`, map: null };
      },
    },
  };
}

/** Leaves out what the router's links load ahead in its framework mode, which nothing here uses. */
function withoutLinkPrefetch(): Plugin {
  return {
    name: "suncrew-without-link-prefetch",
    apply: "build",
    transform: {
      filter: { id: /react-router[\\/].*[\\/]dom[\\/]lib\.js$/ },
      handler(code) {
        const changed = code.replace(
          /(import \{[^}]*?)\bPrefetchPageLinks, /,
          "const PrefetchPageLinks = () => null;\n$1",
        );
        if (changed === code) this.error("The router's links import something else now: see vite.config.ts.");
        return { code: changed, map: null };
      },
    },
  };
}

/**
 * Puts the few lines that the bundler's modules share into the file that every page starts with, instead of into a file
 * of their own that every page would request.
 */
function runtimeInStart(): Plugin {
  return {
    name: "suncrew-runtime-in-start",
    apply: "build",
    generateBundle: {
      order: "pre",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
        const runtime = chunks.find(({ name }) => name === "rolldown-runtime");
        const start = chunks.find(({ isEntry }) => isEntry);
        if (runtime === undefined || start === undefined) return;
        const [, helpers = "", exported = ""] = /^([^]*?)export\{([^}]*)\};?\s*$/.exec(runtime.code) ?? [];
        const members = exported.replaceAll(/(\w+) as (\w+)/g, "$2:$1");
        const from = new RegExp(String.raw`import\{([^}]*)\}from"\./${runtime.fileName.replace("assets/", "")}";`);
        for (const chunk of chunks) {
          if (chunk === runtime || !chunk.imports.includes(runtime.fileName)) continue;
          const taking = (names: string) => `{${names.replaceAll(/(\w+) as (\w+)/g, "$1:$2")}}=$suncrewRuntime;`;
          chunk.code = chunk.code.replace(from, (_whole, names: string) =>
            chunk === start
              ? `var $suncrewRuntime=(()=>{${helpers}return{${members}}})(),${taking(names)}`
              : `import{$suncrewRuntime}from"./${start.fileName.replace("assets/", "")}";const ${taking(names)}`,
          );
          chunk.imports = chunk.imports.filter((name) => name !== runtime.fileName);
        }
        start.code += "\nexport{$suncrewRuntime};\n";
        delete bundle[runtime.fileName];
      },
    },
  };
}

/**
 * Small files that several of the later pages and dialogs use, in one script: each would be too small for one of its
 * own.
 */
const PARTS =
  /[\\/]@(mantine|tabler)[\\/]|[iI]nfiniteQuery(Observer)?\.js$|console[\\/]src[\\/](ui|platform)[\\/]|features[\\/]firmware[\\/](firmware-(dialogs|calls)\.tsx?|bytes-text\.ts|public\.ts)$|auth[\\/]passwords\.ts$|profile[\\/](password-draft\.ts|theme-picker\.tsx)$|features[\\/]groups[\\/]serial-numbers\.tsx$|features[\\/]partners[\\/]partner-model\.ts$|features[\\/]robots[\\/]form[\\/](type-field\.tsx|use-robot-form\.ts)$|sites[\\/]import[\\/]import-calls\.ts$|runs[\\/]calendar-entry\.ts$|contract[\\/]src[\\/](maintenance|weather|wallboard|report-templates|sites[\\/]site-files|partners[\\/]|devices[\\/]devices|robots[\\/]robot-(forms|files))/;

export default defineConfig({
  plugins: [
    react(),
    firstScript(),
    loadedByParts(),
    withoutJsonSchema(),
    withoutServerOnly(),
    withoutInstrumentation(),
    withoutLinkPrefetch(),
    withoutUnusedParts(),
    runtimeInStart(),
    compressedOnce(),
  ],
  build: {
    target: "es2023",
    // Small images stay files: the content policy has no `data:` for them.
    assetsInlineLimit: 0,
    // All browsers of this target support preloads.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/start-[hash].js",
        // The bundler names a file that several parts share after all of them.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, "")}-[hash].js`,
        // The same for style sheets, which the start of every page names.
        assetFileNames: ({ names: [name = ""] }) =>
          `assets/${name.includes("~") ? "shared" : "[name]"}-[hash][extname]`,
        // A visit loads one file for each step instead of dozens of small ones. Each group contains what its page
        // imports, except what a group above already has; so none of them needs one below it.
        codeSplitting: {
          groups: [
            { name: "sign-in", test: SIGN_IN_ONLY, includeDependenciesRecursively: false, priority: 7 },
            { name: "start", test: START, priority: 6 },
            { name: "shell", test: /src[\\/]app[\\/]app\.tsx$/, priority: 5 },
            {
              name: "dashboard",
              test: /dashboard[\\/]dashboard-page\.tsx$|schedules[\\/]calendar-date\.ts$/,
              priority: 4,
            },
            // Its parts load at the same time, after the first robots.
            {
              name: "attention",
              test: /features[\\/](attention[\\/](attention-(list|title)|use-attention)|soiling[\\/](energy-at-risk|soiling-text)|mutes[\\/]|runs[\\/](card-nights\.tsx|night-looks))|soiling[\\/]soiling-gaps/,
              priority: 3,
            },
            { name: "map", test: /features[\\/]sites[\\/]map[\\/]|leaflet/, priority: 3 },
            {
              name: "notifications",
              test: /contract[\\/]src[\\/]notifications[\\/](contact-points|deliveries|notification-rules)|alerts[\\/]who-was-told/,
              priority: 3,
            },
            { name: "parts", test: PARTS, priority: 3 },
            // What several of the rest share: a file for each set of them, or for similar sets if it is small.
            {
              name: "shared",
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 200_000,
              priority: 2,
            },
            {
              name: "site-dialogs",
              test: /features[\\/](imports[\\/]|sites[\\/](form[\\/]|.*(sites-table-dialog|setup-checklist))|groups[\\/]robot-groups-card)/,
              priority: 1,
            },
            {
              name: "robot-dialogs",
              test: /features[\\/]robots[\\/](form[\\/]|robot-settings-dialog)|maintenance-dialogs\.tsx$/,
              priority: 1,
            },
            {
              name: "rule-dialogs",
              test: /features[\\/]notifications[\\/](rule-(dialog|form|parts)|delivery-dialog)/,
              priority: 1,
            },
            { name: "partner-dialogs", test: /features[\\/]partners[\\/].*(dialog|picker)/, priority: 1 },
            {
              name: "monitoring-dialogs",
              test: /(group|start-all|alerts|fleet-stop|mute)-(dialog|menu)\.tsx$|(group-control-tab|week-calendar|night-dialog)\.tsx$|site-row-more\.tsx$/,
              priority: 1,
            },
            // What the user menu opens.
            { name: "profile", test: /features[\\/](profile|wallboard)[\\/]/, priority: 3 },
          ],
        },
      },
    },
  },
  server: {
    // `npm run dev`: the API is the server's, wherever that runs.
    proxy: { "/api": { target: process.env["SUNCREW_API"] ?? "http://127.0.0.1:3000" } },
  },
});
