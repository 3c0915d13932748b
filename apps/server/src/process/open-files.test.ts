import { describe, expect, test } from "vitest";
import { checkOpenFiles, openFilesOf } from "./open-files.ts";

describe("set-up: open files of a large demo", () => {
  test.each([
    ["Max open files            1024                 524288               files     \n", 524_288],
    [
      "Limit  Soft Limit  Hard Limit  Units\nMax open files            20000                20000                files     \n",
      20_000,
    ],
    ["Max open files            unlimited            unlimited            files     \n", null],
    ["", null],
  ])("%j allows %j", (limits, allowed) => {
    expect(openFilesOf(limits)).toBe(allowed);
  });

  test("more robots than the machine has files for are refused with one sentence", async () => {
    await checkOpenFiles(14);
    await expect(checkOpenFiles(2_000_000_000)).rejects.toThrow(
      /^2000000000 robots need 2000000300 open files, and this machine allows \d+ to a program: .*\(`ulimit -n 2000000300`\)\.$/,
    );
  });
});
