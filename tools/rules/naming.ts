import type { Problem, RepositoryFile } from "../repository.ts";
import { isSource } from "../source-file.ts";

/** Suffixes that say what role a file plays; `thing.part.ts`. */
const roles = new Set([
  "routes",
  "service",
  "queries",
  "repository",
  "mqtt",
  "bridge",
  "process",
  "jobs",
  "api",
  "component",
  "test",
  "spec",
  "config",
  "module",
  "property",
  "route",
  "d",
]);

const sayNothing = new Set(["utils", "util", "helpers", "helper", "common", "manager", "misc"]);
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** kebab-case with a role suffix if there is one, and no meaningless names. */
export function fileNames(files: readonly RepositoryFile[]): Problem[] {
  return files.flatMap(({ path }) => {
    if (!/\.(ts|tsx|css)$/.test(path)) return [];
    const parts = path.split("/");
    const [stem = "", ...suffixes] = (parts.at(-1) ?? "").replace(/\.(ts|tsx|css)$/, "").split(".");
    const problems: Problem[] = [];
    if (!kebab.test(stem)) {
      problems.push({ path, rule: "file names", message: "is not kebab-case (like-this.ts)." });
    }
    const unknown = suffixes.find((suffix) => !roles.has(suffix));
    if (unknown !== undefined) {
      const message = `".${unknown}" is no role of a file. Roles: ${[...roles].join(", ")}; else join words with "-".`;
      problems.push({ path, rule: "file names", message });
    }
    const words = [...parts.slice(0, -1), stem].flatMap((part) => part.split("-"));
    const empty = words.find((word) => sayNothing.has(word));
    if (empty !== undefined) {
      const message = `"${empty}" says nothing of what is inside. Name it after what it does.`;
      problems.push({ path, rule: "file names", message });
    }
    if (/(^|\/)index\.tsx?$/.test(path)) {
      problems.push({ path, rule: "file names", message: "index files hide names. Name it after what is inside." });
    }
    return problems;
  });
}

export const longestFile = 600;

/** No file above 600 lines; generated files say so in their first line, migrations are history. */
export function fileSize(files: readonly RepositoryFile[]): Problem[] {
  return files
    .filter((file) => (isSource(file) || file.path.endsWith(".css")) && !file.text.startsWith("// Generated"))
    .flatMap(({ path, text }) => {
      const lines = text.split("\n").length - 1;
      if (lines <= longestFile) return [];
      const message = `has ${lines} lines; ${longestFile} is the limit, and more than 400 wants a reason. Split it by what it does.`;
      return [{ path, rule: "file size", message }];
    });
}

/** Locks of PostgreSQL that all servers share are numbers: whoever takes somebody else's waits for what has nothing to do with it. */
export function lockNumbers(files: readonly RepositoryFile[]): Problem[] {
  const seen = new Map<string, string>();
  return files
    .filter(({ path }) => path.startsWith("apps/server/src/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/const (\w+_LOCK) = ([\d_]+);/g)].flatMap(([, name = "", number = ""]) => {
        const other = seen.get(number);
        seen.set(number, name);
        if (other === undefined) return [];
        return [
          { path, rule: "lock numbers", message: `${name} is ${number}, as ${other} is. Take the next free number.` },
        ];
      }),
    );
}
