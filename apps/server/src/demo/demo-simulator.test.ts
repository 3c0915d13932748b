import { describe, expect, test } from "vitest";
import { openFilesOf, robotsToSimulate, simulatedMessage, withinOpenFiles } from "./demo-simulator.ts";

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

  test.each([
    [14, null, 14],
    [20_000, null, 20_000],
    [3_000, 524_288, 3_000],
    [19_700, 20_000, 19_700],
    [20_000, 20_000, 19_700],
    [20_000, 4_096, 3_796],
    [14, 256, 0],
  ])("of %i robots a machine that allows %j simulates %i", (robots, allowed, simulated) => {
    expect(withinOpenFiles(robots, allowed)).toBe(simulated);
  });

  test("this machine simulates all of the default demo, and part of a fleet larger than any limit", async () => {
    expect(await robotsToSimulate(14)).toBe(14);
    const max = await robotsToSimulate(2_000_000_000);
    expect(max).toBeGreaterThan(0);
    expect(simulatedMessage(20_000, 19_700)).toBe(
      "19700 of 20000 robots are simulated, the other 300 stay offline: each needs an open file, and this machine allows a process 20000 (`ulimit -n 20300` before the start would be enough for all).",
    );
  });
});
