import type { Problem, RepositoryFile } from "../repository.ts";
import { isSource, parse } from "../source-file.ts";

/** Files that need a default export: for the router, the build and the test runners. */
const defaultWanted = /(-page|\.route)\.tsx$|\.config\.ts$|(^|\/)global-setup\.ts$|-reporter\.ts$/;

/** `public.ts` re-exports and does nothing else; no other file re-exports; default exports are for the router. */
export function exportsByName(files: readonly RepositoryFile[]): Problem[] {
  return files.filter((file) => isSource(file) && !file.path.endsWith(".d.ts")).flatMap(problemsOf);
}

function problemsOf(file: RepositoryFile): Problem[] {
  const { path } = file;
  const { module, program } = parse(file);
  const entries = module.staticExports.flatMap((one) => one.entries);
  const problems: Problem[] = [];
  if (path.endsWith("/public.ts")) {
    const others = program.body.filter((one) => !isReExport(one));
    if (others.length > 0) {
      const message = 'holds more than re-exports (`export { name } from "./file.ts"`). Move the rest into a file.';
      problems.push({ path, rule: "public.ts", message });
    }
    if (program.body.some((one) => one.type === "ExportAllDeclaration")) {
      problems.push({ path, rule: "public.ts", message: "re-exports everything of a file. Name what others may use." });
    }
  } else if (entries.some((entry) => entry.moduleRequest !== null)) {
    const message =
      "re-exports from another file. Only a feature's public.ts does; import from where the name is made.";
    problems.push({ path, rule: "no barrels", message });
  }
  if (program.body.some((one) => one.type === "ExportDefaultDeclaration") && !defaultWanted.test(path)) {
    const message = "has a default export. Export by name; default exports are for pages (-page.tsx, .route.tsx).";
    problems.push({ path, rule: "named exports", message });
  }
  return problems;
}

function isReExport(statement: { readonly type: string; readonly source?: unknown }): boolean {
  if (statement.type === "ExportAllDeclaration") return true;
  return statement.type === "ExportNamedDeclaration" && statement.source !== null;
}
