import { describe, expect, test } from "vitest";
import { describeFailed, failedInPlaywright, failedInVitest } from "./failed-tests.ts";

describe("npm test ends with what failed, in short", () => {
  test("of Vitest: failed tests, and files that could not begin", () => {
    const report = {
      testResults: [
        {
          name: "/here/a.test.ts",
          message: "",
          assertionResults: [
            { fullName: "adds", status: "passed", failureMessages: [] },
            { fullName: "takes away", status: "failed", failureMessages: ["\u001B[31mexpected 1 to be 2\u001B[39m"] },
          ],
        },
        { name: "/here/b.test.ts", message: "Cannot find package 'x'", assertionResults: [] },
      ],
    };
    expect(describeFailed(failedInVitest(JSON.stringify(report)))).toBe(
      "/here/a.test.ts › takes away\n    expected 1 to be 2\n/here/b.test.ts\n    Cannot find package 'x'",
    );
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
