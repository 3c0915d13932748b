import { describe, expect, test } from "vitest";
import { StartError } from "../platform/errors.ts";
import { helpText, readOptions } from "./options.ts";

function refusal(...argv: string[]): string {
  try {
    readOptions(argv);
  } catch (error) {
    if (error instanceof StartError && error.exitCode === 2) return error.message;
    throw error;
  }
  throw new Error(`${argv.join(" ")} was accepted.`);
}

describe("set-up: options of a start", () => {
  test("without options the size of the fleet is not set", () => {
    expect(readOptions(["demo"])).toEqual({
      mode: "demo",
      help: false,
      reset: false,
      noConsole: false,
      history: true,
      fleet: { sites: null, robots: null },
    });
  });

  test.each([
    [["--sites", "300", "--robots", "3000"], { sites: 300, robots: 3000 }],
    [["--sites=2000", "--robots=20000"], { sites: 2000, robots: 20000 }],
    [["--no-console", "--sites", "1"], { sites: 1, robots: null }],
    [["--robots", "0", "--reset"], { sites: null, robots: 0 }],
  ])("%j sets the size of the fleet", (argv, fleet) => {
    expect(readOptions(["demo", ...argv]).fleet).toEqual(fleet);
  });

  test.each(["0", "2001", "-5", "1.5", "1e3", "many", "", " 3", "0x10", "--robots"])(
    "--sites %j is refused with one message",
    (text) => {
      const message = "--sites must be followed by a whole number from 1 to 2000.";
      expect(refusal("demo", "--sites", text)).toBe(message);
      expect(refusal("demo", `--sites=${text}`)).toBe(message);
    },
  );

  test("a number that is missing or too large is refused", () => {
    expect(refusal("demo", "--sites")).toContain("from 1 to 2000");
    expect(refusal("demo", "--robots", "20001")).toBe("--robots must be followed by a whole number from 0 to 20000.");
    expect(refusal("demo", "--robots", "99999999999999999999")).toContain("from 0 to 20000");
  });

  test("production creates no sample data", () => {
    expect(refusal("production", "--robots", "3000")).toContain("--robots is for the demo");
    expect(refusal("production", "--reset")).toContain("--reset is for the demo");
    expect(helpText("production")).not.toContain("--sites");
  });

  test("production's help says what to run first; it builds nothing", () => {
    expect(helpText("production")).toContain("`npm run build`, and `npm run migrate`");
    expect(helpText("production")).not.toContain("building");
  });

  test("--help lists every option of the demo", () => {
    for (const name of ["--sites N", "--robots N", "--reset", "--no-history", "--no-console", "--help"])
      expect(helpText("demo")).toContain(`\n  ${name}`);
  });
});
