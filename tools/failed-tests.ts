import { stripVTControlCharacters } from "node:util";
import { z } from "zod";

/** A failed test and its error message. */
export interface FailedTest {
  readonly title: string;
  readonly message: string;
}

/** What `failed-tests-reporter.ts` writes. */
const vitestReport = z.array(z.object({ title: z.string(), message: z.string() }));

const playwrightSuite = z.object({
  file: z.string(),
  specs: z.array(
    z.object({
      title: z.string(),
      line: z.number(),
      ok: z.boolean(),
      tests: z.array(z.object({ results: z.array(z.object({ errors: z.array(z.object({ message: z.string() })) })) })),
    }),
  ),
  get suites() {
    return z.array(playwrightSuite).optional();
  },
});

/** The same of `playwright test --reporter=json`. */
const playwrightReport = z.object({
  suites: z.array(playwrightSuite),
  errors: z.array(z.object({ message: z.string() })),
});

/** @throws a ZodError if the text was not written by `failed-tests-reporter.ts` */
export function failedInVitest(text: string): FailedTest[] {
  return vitestReport.parse(JSON.parse(text));
}

/** @throws a ZodError if the text is not a report of Playwright */
export function failedInPlaywright(text: string): FailedTest[] {
  const report = playwrightReport.parse(JSON.parse(text));
  const inSuite = ({ file, specs, suites = [] }: z.infer<typeof playwrightSuite>): FailedTest[] => [
    ...specs
      .filter(({ ok }) => !ok)
      .map(({ title, line, tests }) => ({
        title: `${file}:${line} › ${title}`,
        message: tests
          .flatMap(({ results }) => results.flatMap(({ errors }) => errors.map(({ message }) => message)))
          .join("\n"),
      })),
    ...suites.flatMap(inSuite),
  ];
  return [
    ...report.errors.map(({ message }) => ({ title: "outside of every test", message })),
    ...report.suites.flatMap(inSuite),
  ];
}

/** A summary to print after thousands of other lines; what was expected and what was there is often a long line. */
export function describeFailed(tests: readonly FailedTest[]): string {
  return tests
    .map(({ title, message }) => {
      const lines = stripVTControlCharacters(message)
        .split("\n")
        .filter((line) => line.trim() !== "" && !/^\s+at /.test(line))
        .slice(0, 12);
      return [title, ...lines.map((line) => `    ${line.slice(0, 400)}`)].join("\n");
    })
    .join("\n");
}
