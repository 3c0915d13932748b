import { dirname, join, normalize } from "node:path/posix";
import type { Problem, RepositoryFile } from "../repository.ts";
import { lineAt } from "../source-file.ts";

const rule = "documents name what exists";
const folders = /^(apps|packages|e2e|tools|bench|docs|\.ci)\//;

/** Pictures and other files that the rules do not read as text. */
const notRead = /\.(png|jpg|svg|pdf)$/;

/** A document's links and the paths in its \`code\` lead to files and folders of this repository. */
export function documentsNameFiles(files: readonly RepositoryFile[]): Problem[] {
  const known = new Set(files.flatMap(({ path }) => [path, ...foldersOf(path)]));
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap((file) => {
      const links = [...file.text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)[^)]*\)/g)].map((match) => ({
        at: match.index,
        target: normalize(join(dirname(file.path), match[1] ?? "")),
      }));
      const paths = [...file.text.matchAll(/`([\w.@/-]+\/[\w.@/-]*)`/g)].flatMap((match) =>
        folders.test(match[1] ?? "") ? [{ at: match.index, target: normalize(match[1] ?? "") }] : [],
      );
      return [...links, ...paths].flatMap(({ at, target }) => {
        if (known.has(target.replace(/\/$/, "")) || notRead.test(target)) return [];
        const message = `line ${lineAt(file, at)} names ${target}, which is not there. Name the file that is meant now.`;
        return [{ path: file.path, rule, message }];
      });
    });
}

/** Migrations are numbered without gaps or duplicates: two people who add one at the same time notice. */
export function migrationNumbers(files: readonly RepositoryFile[]): Problem[] {
  return files
    .filter(({ path }) => path.startsWith("apps/server/migrations/"))
    .toSorted((a, b) => a.path.localeCompare(b.path))
    .flatMap(({ path }, index) => {
      const expected = String(index + 1).padStart(4, "0");
      const name = path.split("/").at(-1) ?? "";
      if (/^\d{4}_[a-z0-9_]+\.sql$/.test(name) && name.startsWith(expected)) return [];
      const message = `should be ${expected}_<what_it_brings>.sql: numbers have no gaps and no doubles.`;
      return [{ path, rule: "migration numbers", message }];
    });
}

/** The newest migration from before rolling upgrades existed; without the word all up to it count as breaking. */
const LAST_WITHOUT_WORD = 22;
/** What removes something that servers of older versions need. */
const removal =
  /\b(drop\s+(?!constraint\b|index\b|default\b|not\s+null\b)|rename\b|truncate\b|set\s+not\s+null\b|type\s+\w)/i;

/** Functions that no server of any version calls, so that they can be dropped while servers run. */
const neverCalledByServers = /\bdrop function presence_from_readings\(\);/g;

/** Each new migration says whether servers of the previous version can run with it (decision 40). */
export function migrationsSayWhatTheyDo(files: readonly RepositoryFile[]): Problem[] {
  return files.flatMap(({ path, text }) => {
    const number = /^apps\/server\/migrations\/(\d{4})_/.exec(path)?.[1];
    if (number === undefined || Number(number) <= LAST_WITHOUT_WORD) return [];
    const rule = "migrations and rolling upgrades";
    const word = /^-- (additive|breaking)\b/.exec(text)?.[1];
    if (word === undefined) {
      const message =
        "should begin with `-- additive` or `-- breaking`: whether servers of the version before run on with it.";
      return [{ path, rule, message }];
    }
    const found = removal.exec(text.replaceAll(/--.*/g, "").replaceAll(neverCalledByServers, ""))?.[0].trim();
    if (word === "breaking" || found === undefined) return [];
    return [
      { path, rule, message: `says that it is additive, but has "${found}": add now, take away a version later.` },
    ];
  });
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
