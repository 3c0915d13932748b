import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from "vitest/node";
import type { FailedTest } from "./failed-tests.ts";

/**
 * Writes Vitest's failed tests as JSON to the file that SUNCREW_FAILED_TESTS names, if it is set. Vitest's own JSON
 * report has only the stacks of errors, which lack the message of an action that was not possible and the difference of
 * long values.
 */
export default class FailedTestsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failed: FailedTest[] = [
      ...unhandled.map(({ message }) => ({ title: "outside of every test", message })),
      ...modules.flatMap((module) => [
        ...[module, ...module.children.allSuites()].flatMap((each) =>
          each.errors().map(({ message }) => ({ title: titleOf(module, each), message })),
        ),
        ...[...module.children.allTests("failed")].map((test) => ({
          title: titleOf(module, test),
          message: (test.result().errors ?? []).map(({ message, diff }) => `${message}\n${diff ?? ""}`).join("\n"),
        })),
      ]),
    ];
    const file = process.env["SUNCREW_FAILED_TESTS"];
    if (file !== undefined) writeFileSync(file, JSON.stringify(failed));
  }
}

function titleOf({ moduleId }: TestModule, part: TestModule | TestSuite | TestCase): string {
  return part.type === "module" ? moduleId : `${moduleId} › ${part.fullName}`;
}
