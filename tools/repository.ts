import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = fileURLToPath(new URL("..", import.meta.url));

/** A file as the rules see it: `path` from the repository's root, with `/`. */
export interface RepositoryFile {
  readonly path: string;
  readonly text: string;
}

/** What a rule found. The message says what to do instead. */
export interface Problem {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

export type Rule = (files: readonly RepositoryFile[]) => Problem[];

const leftOut = new Set(["node_modules", "dist", ".git", ".data", "test-results", "playwright-report", "coverage"]);
const notText = /\.(png|jpg|jpeg|webp|gif|ico|woff2?|pdf|gz|br|zip|log)$/;

/** Every text file of the checkout; what is installed, built or measured is left out. */
export function readRepository(folder = repositoryRoot): RepositoryFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (leftOut.has(entry.name)) return [];
    const full = join(folder, entry.name);
    if (entry.isDirectory()) return readRepository(full);
    if (!entry.isFile() || notText.test(entry.name)) return [];
    return [{ path: relative(repositoryRoot, full).replaceAll("\\", "/"), text: readFileSync(full, "utf8") }];
  });
}

/** As people read them in a failed test: one line each. */
export function describeProblems(problems: readonly Problem[]): string[] {
  return problems.map(({ path, rule, message }) => `${path}: ${message} [${rule}]`);
}
