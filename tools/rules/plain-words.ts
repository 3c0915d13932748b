import type { Problem, RepositoryFile } from "../repository.ts";
import { lineAt } from "../source-file.ts";

const folder = (...parts: string[]) => `/${parts.join("/")}`;

/** Paths on one person's machine, in pieces so that this file does not find itself. */
const machinePaths = [`${folder("work")}/`, folder("tmp", "brief"), folder("tmp", "issues"), `${folder("root")}/`];

const secrets = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/,
];

/** Nothing of the machine that it was written on, and no secret. */
export function plainWords(files: readonly RepositoryFile[]): Problem[] {
  return files.flatMap((file) => {
    const problems: Problem[] = [];
    for (const path of machinePaths) {
      // A longer path that only contains the words, such as `network` + path, is something else.
      const at = [...file.text.matchAll(new RegExp(String.raw`(?<![\w./~@-])${path}`, "g"))][0]?.index;
      if (at === undefined) continue;
      const message = `line ${lineAt(file, at)} names ${path}, a folder of one machine. Use a relative path or a setting.`;
      problems.push({ path: file.path, rule: "no machine paths", message });
    }
    for (const secret of secrets) {
      const at = file.text.search(secret);
      if (at < 0) continue;
      const message = `line ${lineAt(file, at)} looks like a secret. Take it out, and make a new one where it was used.`;
      problems.push({ path: file.path, rule: "no secrets", message });
    }
    return problems;
  });
}
