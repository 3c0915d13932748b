import type { Problem, RepositoryFile } from "../repository.ts";
import { isSource, isTest, lineAt } from "../source-file.ts";

const rule = "fixed language";
const ofTheBrowser =
  /\.toLocale(?:Date|Time)?String\(\s*(?:\)|undefined\b)|new Intl\.\w+\(\s*(?:undefined\b|\)(?!\.resolvedOptions))/g;

/** Times and numbers look the same for everybody: nothing depends on the locale of a browser or server. */
export function fixedLanguage(files: readonly RepositoryFile[]): Problem[] {
  return files
    .filter((file) => isSource(file) && !isTest(file.path) && /^(?:apps|packages)\//.test(file.path))
    .flatMap((file) =>
      [...file.text.matchAll(ofTheBrowser)].map(({ index }) => ({
        path: file.path,
        rule,
        message: `line ${lineAt(file, index)} takes the language of the machine. Name one ("en-GB"); of full times ui/exact-time-text.ts knows.`,
      })),
    );
}
