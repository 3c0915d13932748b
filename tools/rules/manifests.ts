import { z } from "zod";
import type { Problem, RepositoryFile } from "../repository.ts";
import { importsOf, isSource, isTest } from "../source-file.ts";

const namesToVersions = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  name: z.string(),
  license: z.string().optional(),
  dependencies: namesToVersions,
  devDependencies: namesToVersions,
  optionalDependencies: namesToVersions,
});
type Manifest = z.output<typeof manifestSchema>;

const exact = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

function manifestsOf(files: readonly RepositoryFile[]): Map<string, Manifest> {
  const manifests = files.filter(({ path }) => /(^|\/)package\.json$/.test(path));
  return new Map(
    manifests.map(({ path, text }) => [path.replace(/\/?package\.json$/, ""), manifestSchema.parse(JSON.parse(text))]),
  );
}

/** Every dependency names one version: what was tested is what is installed. */
export function pinnedVersions(files: readonly RepositoryFile[]): Problem[] {
  return [...manifestsOf(files)].flatMap(([folder, { dependencies, devDependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !exact.test(version))
      .map(([name, version]) => ({
        path: `${folder}/package.json`,
        rule: "pinned versions",
        message: `asks for ${name} "${version}". Name one version (npm install --save-exact).`,
      })),
  );
}

/** Not part of the product: development, tests and benchmarks. */
const toolFolders = /^(tools|bench|e2e)\/|^apps\/server\/src\/dev\.ts$/;

/** A package must be in the package.json of every workspace that imports it. */
export function declaredImports(files: readonly RepositoryFile[]): Problem[] {
  const manifests = manifestsOf(files);
  const root = manifests.get("");
  return files.filter(isSource).flatMap((file) => {
    const folder = [...manifests.keys()].filter((one) => one !== "" && file.path.startsWith(`${one}/`))[0] ?? "";
    const own = manifests.get(folder);
    const isProduct = !isTest(file.path) && !file.path.endsWith(".config.ts") && !toolFolders.test(file.path);
    const inTests = /\/test\//.test(file.path);
    const declared = { ...own?.dependencies, ...own?.optionalDependencies };
    if (!isProduct || inTests || folder === "") Object.assign(declared, own?.devDependencies, root?.devDependencies);
    // Benchmarks are not a workspace: they run with the dependencies of the server and its tests.
    const server = manifests.get("apps/server");
    if (file.path.startsWith("bench/")) Object.assign(declared, server?.dependencies, server?.devDependencies);
    return importsOf(file).flatMap(({ specifier, isType }) => {
      if (/^(\.|node:)/.test(specifier)) return [];
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
      const types = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
      const known = name in declared || (isType && root !== undefined && types in root.devDependencies);
      if (known || name === own?.name) return [];
      const message = `imports "${specifier}", but ${folder}/package.json does not name ${name}. Add it there (npm install --save-exact -w ${folder} ${name}).`;
      return [{ path: file.path, rule: "declared imports", message }];
    });
  });
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.union([z.string(), z.object({ type: z.string() })]).optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/** Licences that the Open Source Initiative approved, or that put a work in the public domain. */
const openLicences = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "OFL-1.1",
  "PostgreSQL",
  "Python-2.0",
  "Unlicense",
]);

/** Read by a person in the package's LICENSE file, if its manifest names none; with the version that was read. */
const licencesInFiles: Readonly<Record<string, string>> = { "node_modules/png-js@2.0.0": "MIT" };

/** True if every part of an AND, or one part of an OR, is an open-source licence. */
export function isOpenLicence(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, "")
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((licence) => openLicences.has(licence.trim())));
}

/**
 * What users of the product get is open source, from the lockfile; it comes from the registry, verified by its hash.
 */
export function openDependencies(files: readonly RepositoryFile[]): Problem[] {
  return files
    .filter(({ path }) => path === "package-lock.json")
    .flatMap(({ path, text }) =>
      Object.entries(lockSchema.parse(JSON.parse(text)).packages).flatMap(([where, entry]) => {
        if (!where.includes("node_modules/") || entry.link === true) return [];
        const problems: Problem[] = [];
        const named = typeof entry.license === "object" ? entry.license.type : entry.license;
        const licence = named ?? licencesInFiles[`${where}@${entry.version ?? ""}`];
        if (entry.dev !== true && (licence === undefined || !isOpenLicence(licence))) {
          const message = `${where} has the licence "${licence ?? "none"}", which is not on the list of open-source licences. Choose another package.`;
          problems.push({ path, rule: "open licences", message });
        }
        if (entry.resolved !== undefined && !entry.resolved.startsWith("https://registry.npmjs.org/")) {
          const message = `${where} comes from ${entry.resolved}. Install it from the npm registry.`;
          problems.push({ path, rule: "npm registry only", message });
        }
        if (entry.integrity === undefined) {
          problems.push({
            path,
            rule: "npm registry only",
            message: `${where} has no hash. Install it from the registry.`,
          });
        }
        return problems;
      }),
    );
}

/** No package runs a script of its own while it is installed. */
export function noInstallScripts(files: readonly RepositoryFile[]): Problem[] {
  const settings = files.find(({ path }) => path === ".npmrc");
  if (settings !== undefined && /^ignore-scripts=true$/m.test(settings.text)) return [];
  const message = "must hold ignore-scripts=true: nothing here needs an install script.";
  return [{ path: ".npmrc", rule: "no install scripts", message }];
}
