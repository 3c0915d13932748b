import type { Problem, RepositoryFile } from "../repository.ts";
import { callsOf, importsOf, isSource, isTest, parse, resolveInside } from "../source-file.ts";
import { placeOf } from "./layers.ts";

const rule = "tenancy, docs/architecture.md";

/** The one wall: which sites exist for a viewer. */
const wall = "visibleSites";
/** The same with deleted sites, for history. */
const historyWall = "sitesEverVisible";
/** The features whose queries are history. */
const history: readonly (string | null)[] = ["activity", "alerts", "audit", "reports", "robot-history", "runs"];

/** Files that answer people. */
const answersPeople = /\.(routes|queries)\.ts$/;

interface FoundFunction {
  readonly name: string;
  readonly firstParameter: string | null;
  readonly isExported: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * Every exported function of a `*.queries.ts` takes `viewer` first and starts from visibleSites(viewer), in the
 * features of history also from sitesEverVisible(viewer).
 */
export function queriesAskTheViewer(files: readonly RepositoryFile[]): Problem[] {
  const handedOn = namesHandedOn(files, ".queries.ts");
  return serverFeatureFiles(files)
    .filter(({ path }) => path.endsWith(".queries.ts"))
    .flatMap((file) => {
      const functions = topLevelFunctions(file);
      const behindWall = namesBehindWall(file, functions, queriesThatItImports(file, handedOn));
      return functions
        .filter(({ isExported }) => isExported)
        .flatMap(({ name, firstParameter }) => {
          const advice =
            "What the server does for nobody in particular belongs in a .repository.ts file; what a person asks for, here.";
          if (firstParameter !== "viewer") {
            return [{ path: file.path, rule, message: `${name} must take viewer as its first parameter. ${advice}` }];
          }
          if (behindWall.has(name)) return [];
          const message = `${name} must start from ${wall}(viewer), itself or by another query. ${advice}`;
          return [{ path: file.path, rule, message }];
        });
    });
}

/**
 * `*.repository.ts` is outside the wall: what answers people (routes, queries) and what is outside the
 * features never uses it, not even through a public.ts that re-exports one of its names.
 */
export function repositoriesStayInside(files: readonly RepositoryFile[]): Problem[] {
  const handedOn = namesHandedOn(files, ".repository.ts");
  return files.filter(isSource).flatMap((file) => {
    const { layer } = placeOf(file.path);
    if (isTest(file.path) || layer === "server test" || layer === "bench") return [];
    if (layer === "server feature" && !answersPeople.test(file.path)) return [];
    return importsOf(file).flatMap(({ specifier, isType, names }) => {
      const target = isType ? null : resolveInside(file.path, specifier);
      if (target === null || placeOf(target).layer !== "server feature") return [];
      const name = target.endsWith(".repository.ts") ? specifier : names.find((one) => handedOn.get(target)?.has(one));
      // Composition may use what a feature re-exports: it answers nobody.
      if (name === undefined || (layer === "server composition" && !target.endsWith(".repository.ts"))) return [];
      const message = `imports ${name}, whose SQL asks for no viewer. Only the server's own work does (services, bridge, jobs); call a service that has checked the viewer.`;
      return [{ path: file.path, rule, message }];
    });
  });
}

/** Deleted sites exist only for history: nothing else in the features may query them. */
export function deletedSitesAreHistory(files: readonly RepositoryFile[]): Problem[] {
  return serverFeatureFiles(files).flatMap((file) => {
    const { feature } = placeOf(file.path);
    const asks = importsOf(file).some(({ names }) => names.includes(historyWall)) && !file.path.endsWith("/public.ts");
    if (!asks || (history.includes(feature) && file.path.endsWith(".queries.ts"))) return [];
    const message = `asks for deleted sites by ${historyWall}. Only the queries of ${history.join(", ")} do; all else starts from ${wall}.`;
    return [{ path: file.path, rule, message }];
  });
}

type NamesOfDoors = ReadonlyMap<string, ReadonlySet<string>>;

/** For each public.ts the names that come from files with this ending. */
function namesHandedOn(files: readonly RepositoryFile[], ending: string): NamesOfDoors {
  const doors = files.filter(({ path }) => /^apps\/server\/.*\/public\.ts$/.test(path));
  return new Map(
    doors.map((door) => {
      const handed = importsOf(door).filter(({ specifier }) => specifier.endsWith(ending));
      return [door.path, new Set(handed.flatMap(({ names }) => names))];
    }),
  );
}

/** Routes parse, call a service and answer; they contain no SQL. */
export function routesHoldNoSql(files: readonly RepositoryFile[]): Problem[] {
  return serverFeatureFiles(files)
    .filter(({ path }) => path.endsWith(".routes.ts"))
    .flatMap((file) => {
      const usesKysely = importsOf(file).some(({ specifier, isType }) => specifier === "kysely" && !isType);
      const asks = callsOf(file).some(
        ({ object, name }) =>
          /^(selectFrom|insertInto|updateTable|deleteFrom|selectNoFrom|executeTakeFirst|transaction)$/.test(name) ||
          /(^|\.)(db|tx|trx)$/.test(object ?? ""),
      );
      if (!usesKysely && !asks) return [];
      return [{ path: file.path, rule, message: "holds SQL. Move it to the feature's .queries.ts and call that." }];
    });
}

function serverFeatureFiles(files: readonly RepositoryFile[]): RepositoryFile[] {
  return files.filter((file) => isSource(file) && placeOf(file.path).layer === "server feature" && !isTest(file.path));
}

function topLevelFunctions(file: RepositoryFile): FoundFunction[] {
  const { program } = parse(file);
  const functions: FoundFunction[] = [];
  for (const statement of program.body) {
    const isExported = statement.type === "ExportNamedDeclaration";
    const declaration = isExported ? statement.declaration : statement;
    if (declaration?.type === "FunctionDeclaration" && declaration.id !== null) {
      functions.push({ ...whereIs(declaration), name: declaration.id.name, isExported });
    }
    if (declaration?.type !== "VariableDeclaration") continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type !== "Identifier" || init === null) continue;
      if (init.type === "ArrowFunctionExpression" || init.type === "FunctionExpression") {
        functions.push({ ...whereIs(init), name: id.name, isExported });
      }
    }
  }
  return functions;
}

interface FunctionNode {
  readonly params: readonly { readonly type: string; readonly name?: unknown }[];
  readonly start: number;
  readonly end: number;
}

function whereIs({ params, start, end }: FunctionNode): Omit<FoundFunction, "name" | "isExported"> {
  const [first] = params;
  const firstParameter = first?.type === "Identifier" && typeof first.name === "string" ? first.name : null;
  return { firstParameter, start, end };
}

/** Queries of other files, which are checked against the same rule there. */
function queriesThatItImports(file: RepositoryFile, handedOn: NamesOfDoors): string[] {
  return importsOf(file).flatMap(({ specifier, names }) => {
    const target = resolveInside(file.path, specifier) ?? "";
    return names.filter((name) => target.endsWith(".queries.ts") || handedOn.get(target)?.has(name));
  });
}

/** Functions that pass `viewer` to the wall, directly or through another query. */
function namesBehindWall(
  file: RepositoryFile,
  functions: readonly FoundFunction[],
  queries: readonly string[],
): ReadonlySet<string> {
  const calls = callsOf(file).filter(({ argumentNames }) => argumentNames.includes("viewer"));
  const walls = history.includes(placeOf(file.path).feature) ? [wall, historyWall] : [wall];
  const behind = new Set([...walls, ...queries]);
  for (let before = 0; before !== behind.size;) {
    before = behind.size;
    for (const { name, start, end } of functions) {
      const reaches = calls.some((call) => call.start >= start && call.end <= end && behind.has(call.name));
      if (reaches) behind.add(name);
    }
  }
  return behind;
}
