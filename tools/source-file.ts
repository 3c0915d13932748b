import { dirname, join, normalize } from "node:path/posix";
import { parseSync, type ParseResult, Visitor } from "oxc-parser";
import type { RepositoryFile } from "./repository.ts";

const parsed = new WeakMap<RepositoryFile, ParseResult>();

export function isSource({ path }: RepositoryFile): boolean {
  return /\.tsx?$/.test(path);
}

export function isTest(path: string): boolean {
  return /\.(test|spec)\.tsx?$/.test(path);
}

/** A test that shows the console in a browser, without a server. */
export function isComponentTest(path: string): boolean {
  return path.endsWith(".component.test.ts");
}

/** Parses once. @throws if the file is not TypeScript */
export function parse(file: RepositoryFile): ParseResult {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const result = parseSync(file.path, file.text);
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${file.path} does not parse: ${error.message}`);
  parsed.set(file, result);
  return result;
}

export interface Import {
  /** As written, without a `?query`. */
  readonly specifier: string;
  /** True for type-only imports, which do not exist at run time. */
  readonly isType: boolean;
  readonly isReExport: boolean;
  /** Loaded when the code runs: `import("...")`. */
  readonly isDynamic: boolean;
  /** The imported names, as the other file exports them; none for a default, a namespace or everything. */
  readonly names: readonly string[];
}

/** Static and dynamic imports and re-exports; a dynamic one with a computed name is not seen. */
export function importsOf(file: RepositoryFile): Import[] {
  const { module } = parse(file);
  const found: Import[] = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType);
    const names = entries.flatMap(({ importName }) => importName.name ?? []);
    found.push({ specifier: moduleRequest.value, isType, isReExport: false, isDynamic: false, names });
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType, importName } of entries) {
      if (moduleRequest === null) continue;
      found.push({
        specifier: moduleRequest.value,
        isType,
        isReExport: true,
        isDynamic: false,
        names: [importName.name ?? []].flat(),
      });
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^["'`]([^"'`$]+)["'`]$/.exec(file.text.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[1] !== undefined)
      found.push({ specifier: literal[1], isType: false, isReExport: false, isDynamic: true, names: [] });
  }
  return found.map((one) => ({ ...one, specifier: one.specifier.replace(/\?.*$/, "") }));
}

/** Where the packages of this repository keep their sources. */
const workspaces: Readonly<Record<string, string>> = {
  contract: "packages/contract",
  domain: "packages/domain",
  simulator: "apps/simulator",
  server: "apps/server",
  console: "apps/console",
};

/** The file of this repository that an import means, or null for one from outside. */
export function resolveInside(fromPath: string, specifier: string): string | null {
  if (specifier.startsWith(".")) return normalize(join(dirname(fromPath), specifier));
  const own = /^@suncrew\/([a-z0-9-]+)\/(.+)$/.exec(specifier);
  if (own?.[1] === undefined || own[2] === undefined) return null;
  return `${workspaces[own[1]] ?? `packages/${own[1]}`}/src/${own[2]}`;
}

/** A called function's own name: `b` of `a.b(...)`, `f` of `f(...)`. */
export interface FoundCall {
  readonly object: string | null;
  readonly name: string;
  readonly argumentNames: readonly (string | null)[];
  readonly start: number;
  readonly end: number;
}

export function callsOf(file: RepositoryFile): FoundCall[] {
  const calls: FoundCall[] = [];
  new Visitor({
    CallExpression({ callee, arguments: given, start, end }) {
      const argumentNames = given.map((argument) => (argument.type === "Identifier" ? argument.name : null));
      if (callee.type === "Identifier") calls.push({ object: null, name: callee.name, argumentNames, start, end });
      if (callee.type === "MemberExpression" && callee.property.type === "Identifier") {
        const object = file.text.slice(callee.object.start, callee.object.end);
        calls.push({ object, name: callee.property.name, argumentNames, start, end });
      }
    },
  }).visit(parse(file).program);
  return calls;
}

/** Line number, from 1, of a place in the text. */
export function lineAt(file: RepositoryFile, offset: number): number {
  return file.text.slice(0, offset).split("\n").length;
}
