import type { Problem, RepositoryFile } from "../repository.ts";
import { type Import, importsOf, isComponentTest, isSource, isTest, resolveInside } from "../source-file.ts";
import { mayImport, type Place, placeOf } from "./layers.ts";

const rule = "import boundaries, docs/architecture.md";

/** Modules through which a feature registers with the file that lists the features. */
const serverRegistration = /\.(routes|mqtt|jobs)\.ts$/;
const consoleRegistration = /(-page|\.route)\.tsx$/;

/** The demo's data, history and simulator process. */
const isDemo = /^apps\/server\/src\/demo\//;

/** The tables' types, whose columns have the types of the contract and the domain (decision 55). */
const isGenerated = (path: string) => path === "apps/server/src/platform/database/tables.ts";

/** Layers whose code also runs in a browser, or does not know where it runs. */
const withoutNode = new Set([
  "contract",
  "domain",
  "console ui",
  "console platform",
  "console feature",
  "console app",
  "console test",
]);

/** Enforces the table of docs/architecture.md for every import, generically: a new feature needs no line here. */
export function importBoundaries(files: readonly RepositoryFile[]): Problem[] {
  const known = new Set(files.map(({ path }) => path));
  return files.filter(isSource).flatMap((file) => {
    const messages = importsOf(file).flatMap((one) => {
      const message = judge(file.path, one, known);
      return message === null ? [] : [`imports "${one.specifier}": ${message}`];
    });
    return [...new Set(messages)].map((message) => ({ path: file.path, rule, message }));
  });
}

function judge(path: string, one: Import, known: ReadonlySet<string>): string | null {
  const from = layerOf(path);
  const target = resolveInside(path, one.specifier);
  if (target === null) return judgeOutside(path, from, one);
  if (!known.has(target)) return `there is no ${target}. Name the file as it is, with its ending (.ts, .tsx).`;
  const to = placeOf(target);
  // Apps are not packages for others to import; only the benchmarks use them, and the support of browser tests.
  const reachesIn = from.layer === "bench" && (to.layer.startsWith("server") || to.layer === "e2e");
  if (one.specifier.startsWith(".") && workspaceOf(path) !== workspaceOf(target) && !reachesIn) {
    return "a relative import may not leave its package. Write @suncrew/<package>/<path>.ts.";
  }
  if (isTest(target)) return "a test is imported by nobody. Move what is shared into a file of its own.";
  if (to.layer === "server test" && from.layer !== "server test" && from.layer !== "bench") {
    return "only tests may use apps/server/test.";
  }
  if (to.layer === "console test" && from.layer !== "console test") {
    return "only component tests (.component.test.ts) may use apps/console/test.";
  }
  if (isDemo.test(target) && !isDemo.test(path) && from.layer === "server composition" && !one.isDynamic) {
    return "production loads nothing of the demo. Import it dynamically where a demo starts, as process/start.ts does.";
  }
  if (from.layer === to.layer) return checkSameLayer(path, target, from, to);
  if (!mayImport[from.layer].includes(to.layer) && !isGenerated(path)) {
    const allowed = mayImport[from.layer].join(", ");
    return `${from.layer} may not import ${to.layer}; it may import ${allowed === "" ? "its own layer only" : allowed}.`;
  }
  if (from.layer === "bench") return null;
  if (from.layer === "server platform" && to.feature !== "http" && !isGenerated(path)) {
    return "the server's platform may import the contract's http folder only: it knows no feature's wire.";
  }
  return judgeDoor(path, target, from, to);
}

/**
 * Tests of the server are beside the code and may import anything of the server; so may the console's component tests,
 * which render all of it.
 */
function layerOf(path: string): Place {
  const place = placeOf(path);
  if (isTest(path) && place.layer.startsWith("server")) return { layer: "server test", feature: null };
  if (isComponentTest(path)) return { layer: "console test", feature: null };
  return place;
}

function checkSameLayer(path: string, target: string, from: Place, to: Place): string | null {
  const hasFeatureDoors = from.layer === "server feature" || from.layer === "console feature";
  if (!hasFeatureDoors) return null;
  const isPublic = target.endsWith("/public.ts");
  if (from.feature === to.feature) {
    if (!isPublic || isTest(path)) return null;
    return "public.ts is for other features. Import the file itself.";
  }
  if (isPublic || isTest(path)) return null;
  return `another feature is entered by its public.ts only. Re-export the name in features/${to.feature}/public.ts.`;
}

function judgeDoor(path: string, target: string, from: Place, to: Place): string | null {
  if (target.endsWith("/public.ts")) return null;
  if (from.layer === "server composition" && to.layer === "server feature") {
    if (path === "apps/server/src/app.ts" && serverRegistration.test(target)) return null;
    return "a feature is entered by its public.ts; app.ts alone may also import its .routes, .mqtt and .jobs files.";
  }
  if (from.layer === "console app" && to.layer === "console feature") {
    if (consoleRegistration.test(target)) return null;
    return "a feature is entered by its public.ts or by a page (-page.tsx, .route.tsx).";
  }
  return null;
}

function judgeOutside(path: string, from: Place, { specifier }: Import): string | null {
  if (specifier.startsWith("node:")) {
    const isProduct = !isTest(path) && !path.endsWith(".config.ts");
    return isProduct && withoutNode.has(from.layer) ? `${from.layer} runs in the browser too and has no Node.` : null;
  }
  if (from.layer === "contract" && specifier !== "zod" && !isTest(path)) {
    return "the contract may import the schema library (zod) only.";
  }
  return null;
}

function workspaceOf(path: string): string {
  const [first, second] = path.split("/");
  return first === "packages" || first === "apps" ? `${first}/${second}` : (first ?? "");
}
