import type { Problem, RepositoryFile } from "../repository.ts";
import { isSource, isTest, lineAt } from "../source-file.ts";

const rule = "decisions by code";
const ERROR_CODES = "packages/contract/src/http/error-codes.ts";

/** Messages of PostgreSQL, the operating system and the schema library, which have no code. */
const foreignMessages = new Set([
  "apps/server/src/platform/database/database-errors.ts",
  "apps/server/src/platform/http/error-handler.ts",
]);

const sentence = String.raw`(?:message|reason|details|sentence)`;
const comparisons = [
  // message === "Not found", error.message !== KNOWN
  new RegExp(String.raw`\b${sentence}\s*[!=]==\s*"[^"\n]*[a-z] [a-z]`, "g"),
  /\.message\s*[!=]==(?!\s*(?:""|null|undefined))/g,
  // reason.includes("maintenance")
  new RegExp(String.raw`\b${sentence}\??\.(?:includes|startsWith|endsWith|match|matchAll|search)\(`, "g"),
  // /template/i.test(error.message), ADVICE.exec(reason), reason.replace(ADVICE, "")
  new RegExp(String.raw`(?:[A-Za-z]{3,}[^\n/]*/[a-z]*|\b\w+)\.(?:test|exec)\((?:\w+\.)*${sentence}\)`, "g"),
  new RegExp(String.raw`\b${sentence}\??\.replace(?:All)?\([A-Z]`, "g"),
];

/** Messages are for people, and may be reworded or translated: product code decides by their codes. */
export function decisionsByCode(files: readonly RepositoryFile[]): Problem[] {
  return files
    .filter((file) => isSource(file) && !isTest(file.path) && /^(?:apps\/\w+|packages\/\w+)\/src\//.test(file.path))
    .filter(({ path }) => !foreignMessages.has(path))
    .flatMap((file) =>
      comparisons.flatMap((comparison) =>
        [...file.text.matchAll(comparison)].map(({ index }) => ({
          path: file.path,
          rule,
          message: `line ${lineAt(file, index)} decides by a sentence. Compare the code beside it.`,
        })),
      ),
    );
}

/** A code that no answer has any more would be documented for nothing. */
export function everyErrorCodeIsUsed(files: readonly RepositoryFile[]): Problem[] {
  const list = files.find(({ path }) => path === ERROR_CODES);
  if (list === undefined) return [];
  const answering = files
    .filter((file) => isSource(file) && !isTest(file.path) && file.path.startsWith("apps/server/src/"))
    .map(({ text }) => text)
    .join("\n");
  return [...list.text.matchAll(/^ {2}([A-Z][A-Z_]+): "/gm)].flatMap(({ 1: code = "" }) =>
    answering.includes(`"${code}"`)
      ? []
      : [{ path: ERROR_CODES, rule, message: `no answer has the code ${code}. Delete it.` }],
  );
}
