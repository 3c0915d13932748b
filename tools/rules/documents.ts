import { dirname, join, normalize } from "node:path/posix";
import type { Problem, RepositoryFile } from "../repository.ts";
import { lineAt } from "../source-file.ts";

const rule = "documents name what exists";
const folders = /^(apps|packages|e2e|tools|bench|deploy|docs|\.ci)\//;

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
    // What functions do when they are called removes nothing now.
    const statements = text.replaceAll(/\bas (\$\w*\$).*?\1/gs, "").replaceAll(/--.*/g, "");
    const found = removal.exec(statements.replaceAll(neverCalledByServers, ""))?.[0].trim();
    if (word === "breaking" || found === undefined) return [];
    return [
      { path, rule, message: `says that it is additive, but has "${found}": add now, take away a version later.` },
    ];
  });
}

/** The newest migration from before steps existed. */
const LAST_WITHOUT_STEPS = 33;
/** Tables that grow for years: a statement over all their rows, or an index on them, would block servers for minutes. */
const growing = "activity|activity_texts|alerts|audit|commands|readings|robot_days|robot_events|robot_presence|runs";
const overAllRows = new RegExp(
  `\\b(?:create (?:unique )?index\\b[^;]*?\\son|update|delete from)\\s+(${growing})\\b[^;]*`,
  "gi",
);

/** What takes long on large tables comes after a migration's transaction, in steps (decision 40). */
export function migrationsUseStepsForLargeTables(files: readonly RepositoryFile[]): Problem[] {
  return files.flatMap(({ path, text }) => {
    const number = /^apps\/server\/migrations\/(\d{4})_/.exec(path)?.[1];
    if (number === undefined || Number(number) <= LAST_WITHOUT_STEPS) return [];
    const [schema = "", ...steps] = text.split(/^-- step: .*$/m);
    // Functions only define what is done later, and a table that it creates is still empty.
    const statements = schema.replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "").replaceAll(/--.*/g, "");
    const rule = "migrations of large tables";
    const isNew = (table: string) => new RegExp(`create table ${table}\\b`, "i").test(statements);
    const table = [...statements.matchAll(overAllRows)].map(([, name = ""]) => name).find((name) => !isNew(name));
    if (table !== undefined) {
      const message = `changes all of ${table} in one transaction; let it follow after \`-- step: rows\` or \`-- step: index\`.`;
      return [{ path, rule, message }];
    }
    const limitless = steps.find(
      (step) => !/\blimit \d+|^\s*(?:create (?:unique )?|drop )index concurrently\b/i.test(step),
    );
    if (limitless === undefined) return [];
    const message =
      "has a step without `limit` that is no `create index concurrently`: a step changes some thousand rows.";
    return [{ path, rule, message }];
  });
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
