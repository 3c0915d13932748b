import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeFailed, failedInPlaywright, failedInVitest } from "./failed-tests.ts";
import { repositoryRoot } from "./repository.ts";

describe("npm test ends with what failed, in short", () => {
  test("of Vitest: failed tests with what was expected, and files and groups that could not begin", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "suncrew-failed-tests-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
    const told = 'import { beforeAll, describe, expect, test } from "vitest";\n';
    const compared = "expect([{ code: 0 }, { code: 1, said: 'no' }]).toEqual([{ code: 0 }, { code: 0 }])";
    writeFileSync(join(folder, "a.test.ts"), `${told}test("adds", () => {}); test("compares", () => ${compared});`);
    writeFileSync(join(folder, "b.test.ts"), 'import "not-a-package";');
    const group =
      "describe('group', () => { beforeAll(() => { throw new Error('not now'); }); test('waits', () => {}); });";
    writeFileSync(join(folder, "c.test.ts"), `${told}${group}`);
    const report = join(folder, "failed.json");
    const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
    const reporter = `--reporter=${join(import.meta.dirname, "failed-tests-reporter.ts")}`;
    const env = { PATH: process.env["PATH"], SUNCREW_FAILED_TESTS: report };
    const run = spawnSync(process.execPath, [vitest, "run", "--root", folder, reporter], {
      cwd: folder,
      encoding: "utf8",
      env,
    });
    expect(run).toMatchObject({ status: 1 });
    const failed = failedInVitest(readFileSync(report, "utf8"));
    expect(failed.map(({ title }) => title.slice(folder.length + 1)).toSorted()).toEqual([
      "a.test.ts › compares",
      "b.test.ts",
      "c.test.ts › group",
    ]);
    const summary = describeFailed(failed);
    expect(summary).toMatch(/a\.test\.ts › compares\n {4}expected .*\n(.*\n)*.*\+ +"said": "no"/);
    expect(summary).toContain("Cannot find package 'not-a-package'");
    expect(summary).toContain("c.test.ts › group\n    not now");
  });

  test("of Playwright: failed tests in any depth, and errors outside of tests", () => {
    const spec = (title: string, ...messages: string[]) => ({
      title,
      line: 7,
      ok: messages.length === 0,
      tests: [{ results: [{ errors: messages.map((message) => ({ message })) }] }],
    });
    const report = {
      errors: [{ message: "No Chromium" }],
      suites: [
        {
          file: "a.spec.ts",
          specs: [spec("opens"), spec("closes", "Error: no\n\n    at here")],
          suites: [{ file: "a.spec.ts", specs: [spec("inside", "Error: deep")] }],
        },
      ],
    };
    expect(failedInPlaywright(JSON.stringify(report)).map(({ title }) => title)).toEqual([
      "outside of every test",
      "a.spec.ts:7 › closes",
      "a.spec.ts:7 › inside",
    ]);
    expect(describeFailed(failedInPlaywright(JSON.stringify(report)))).toContain("closes\n    Error: no\na.spec.ts");
  });

  test("long messages are cut, and nothing failed is nothing said", () => {
    const message = Array.from({ length: 40 }, (_, nth) => `${nth} ${"x".repeat(500)}`).join("\n");
    const lines = describeFailed([{ title: "long", message }]).split("\n");
    expect(lines).toHaveLength(13);
    expect(Math.max(...lines.map((line) => line.length))).toBe(404);
    expect(describeFailed([])).toBe("");
  });
});
