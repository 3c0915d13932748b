import { describe, expect, test } from "vitest";
import { problemsOf, repository, server } from "./example-repository.ts";
import { declaredImports, isOpenLicence, noInstallScripts, openDependencies, pinnedVersions } from "./manifests.ts";

describe("dependencies", () => {
  test("a range of versions", () => {
    expect(problemsOf(pinnedVersions, "e2e/package.json", '{"name":"e","dependencies":{"a":"^1.0.0"}}')).toHaveLength(
      1,
    );
  });

  test("a package that the workspace does not declare", () => {
    const files = repository({
      "package.json": '{"name":"suncrew","devDependencies":{"vitest":"1.0.0","@types/geojson":"1.0.0"}}',
      "apps/server/package.json": '{"name":"@suncrew/server","dependencies":{"pg":"1.0.0"}}',
      [`${server}/a.ts`]: 'import pg from "pg"; import type { Point } from "geojson"; import fs from "node:fs";',
      [`${server}/a.test.ts`]: 'import { test } from "vitest";',
      [`${server}/b.ts`]: 'import { test } from "vitest"; import x from "@scope/name/deep.js";',
    });
    expect(declaredImports(files).map(({ message }) => /does not name (\S+)\./.exec(message)?.[1])).toEqual([
      "vitest",
      "@scope/name",
    ]);
  });

  test.each([
    ["MIT", true],
    ["(MIT OR CC0-1.0)", true],
    ["(GPL-3.0 OR MIT)", true],
    ["MIT AND Apache-2.0", true],
    ["MIT AND OFL-1.1", true],
    ["MIT AND Hippocratic-2.1", false],
    ["SEE LICENSE IN LICENSE.md", false],
  ])("the licence %s: open %s", (licence, isOpen) => {
    expect(isOpenLicence(licence)).toBe(isOpen);
  });

  test("a closed package, one from elsewhere, one without a hash", () => {
    const packages = {
      "node_modules/closed": { license: "UNLICENSED", integrity: "x" },
      "node_modules/elsewhere": { license: "MIT", integrity: "x", resolved: "https://example.org/a.tgz" },
      "node_modules/unchecked": { license: "MIT" },
      "node_modules/png-js": { version: "2.0.0", integrity: "x" },
      "node_modules/only-for-tests": { license: "MPL-2.0", integrity: "x", dev: true },
    };
    expect(problemsOf(openDependencies, "package-lock.json", JSON.stringify({ packages }))).toHaveLength(3);
  });

  test("packages with install scripts", () => {
    expect(problemsOf(noInstallScripts, ".npmrc", "save-exact=true\n")).toHaveLength(1);
  });
});
