import { type Node, Visitor } from "oxc-parser";
import type { Problem, RepositoryFile } from "../repository.ts";
import { callsOf, importsOf, isSource, isTest, lineAt, parse } from "../source-file.ts";

const suites = /^(test|it|describe|suite|bench)\b/;
const narrowing = new Set(["skip", "only", "todo", "fixme", "fails", "fail", "skipIf", "runIf"]);
const narrowedNames = new Set(["xit", "xtest", "xdescribe", "fit", "fdescribe"]);

/** Every test runs, always: none is skipped, narrowed, or expected to fail. */
export function noSkippedTests(files: readonly RepositoryFile[]): Problem[] {
  return testFiles(files).flatMap((file) => {
    const found: number[] = [];
    new Visitor({
      MemberExpression({ object, property, start }) {
        const name = property.type === "Identifier" ? property.name : "";
        if (narrowing.has(name) && suites.test(file.text.slice(object.start, object.end))) found.push(start);
      },
      CallExpression({ callee, start }) {
        if (callee.type === "Identifier" && narrowedNames.has(callee.name)) found.push(start);
      },
    }).visit(parse(file).program);
    return found.map((start) => ({
      path: file.path,
      rule: "no skipped tests",
      message: `line ${lineAt(file, start)}: ${lineText(file, start)} leaves tests out. Mend the test or delete it.`,
    }));
  });
}

/** Tests wait for events or advance a clock; waiting a while is slow on a good day and wrong on a bad one. */
export function noSleepsInTests(files: readonly RepositoryFile[]): Problem[] {
  return testFiles(files, true).flatMap((file) => {
    const found = callsOf(file)
      .filter(({ name }) => name === "waitForTimeout")
      .map(({ start }) => start);
    new Visitor({
      NewExpression({ callee, arguments: [executor], start }) {
        if (callee.type !== "Identifier" || callee.name !== "Promise" || executor === undefined) return;
        if (sleeps(file, executor)) found.push(start);
      },
    }).visit(parse(file).program);
    const imported = importsOf(file).some(({ specifier }) => specifier === "node:timers/promises");
    if (imported) found.push(file.text.indexOf("node:timers/promises"));
    return found.map((start) => ({
      path: file.path,
      rule: "no sleeps in tests",
      message: `line ${lineAt(file, start)} waits a fixed time. Await the event, or advance a ManualClock.`,
    }));
  });
}

/** `new Promise((resolve) => setTimeout(resolve, ms))` in any of its spellings; a time limit that rejects is fine. */
function sleeps(
  file: RepositoryFile,
  executor: { readonly type: string; readonly start: number; readonly end: number },
) {
  const text = file.text.slice(executor.start, executor.end);
  const resolve = /^(?:async\s*)?\(?\s*([A-Za-z_$][\w$]*)/.exec(text)?.[1];
  if (resolve === undefined) return false;
  const name = resolve.replaceAll("$", "\\$");
  const start = String.raw`\b(?:setTimeout|setInterval)\(\s*`;
  return new RegExp(String.raw`${start}(?:${name}\s*[,)]|\(\)\s*=>\s*(?:void\s+)?${name}\()`).test(text);
}

const unfinished = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** Nothing that lands is marked for later. */
export function noUnfinishedMarks(files: readonly RepositoryFile[]): Problem[] {
  return files.flatMap((file) => {
    const texts = isSource(file)
      ? parse(file).comments.map(({ value, start }) => ({ value, start }))
      : /\.(md|css|sql|sh)$/.test(file.path)
        ? [{ value: file.text, start: 0 }]
        : [];
    return texts.flatMap(({ value, start }) => {
      const match = unfinished.exec(value);
      if (match === null) return [];
      const line = lineAt(file, start + match.index);
      const message = `line ${line} is marked "${match[0]}". Finish it, or write down what is missing as an issue.`;
      return [{ path: file.path, rule: "no unfinished marks", message }];
    });
  });
}

/**
 * Types are proven by parsing: no \`any\`, no double cast, no silenced compiler, no linter silenced without a reason.
 */
export function honestTypes(files: readonly RepositoryFile[]): Problem[] {
  return files.filter(isSource).flatMap((file) => {
    const problems: Problem[] = [];
    function add(start: number, what: string): void {
      problems.push({ path: file.path, rule: "honest types", message: `line ${lineAt(file, start)}: ${what}` });
    }
    const isUnknownCast = (node: Node) =>
      node.type === "TSAsExpression" && node.typeAnnotation.type === "TSUnknownKeyword";
    new Visitor({
      TSAnyKeyword: ({ start }) => add(start, "`any` switches checking off. Use unknown and parse it."),
      TSAsExpression({ expression, start }) {
        if (isUnknownCast(expression)) add(start, "`as unknown as` is a lie. Parse the value with its schema.");
      },
    }).visit(parse(file).program);
    for (const { value, start } of parse(file).comments) {
      if (/@ts-(ignore|expect-error|nocheck)/.test(value)) add(start, "silences the compiler. Fix the type.");
      if (/(oxlint|eslint)-disable/.test(value) && !/ -- \S/.test(value)) {
        add(start, "silences the linter without a reason (`-- why`).");
      }
    }
    return problems;
  });
}

function testFiles(files: readonly RepositoryFile[], withSupport = false): RepositoryFile[] {
  const support = /^(e2e|apps\/[a-z]+\/test)\//;
  return files.filter((file) => isSource(file) && (isTest(file.path) || (withSupport && support.test(file.path))));
}

function lineText(file: RepositoryFile, offset: number): string {
  return (file.text.slice(offset).split("\n")[0] ?? "").slice(0, 60);
}
