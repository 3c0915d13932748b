import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { DemoWatcher } from "../../test/demo-watcher.ts";
import { runSuncrew, type SuncrewRun } from "../../test/suncrew-process.ts";
import { demoFleet } from "./demo-fleet.ts";

let dataDir: string;
const runs: SuncrewRun[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "suncrew-large-"));
});

afterEach(async () => {
  for (const run of runs.splice(0)) {
    if (run.child.exitCode === null && run.child.signalCode === null) await run.interrupt();
  }
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

function run(...options: string[]): SuncrewRun {
  const started = runSuncrew(["demo", ...options], { DATA_DIR: dataDir, PORT: "0", MQTT_PORT: "0" });
  runs.push(started);
  return started;
}

async function sizeOf(url: string): Promise<{ sites: number; robots: number }> {
  const sites = await (await DemoWatcher.signIn(url)).ask(siteDetails);
  return { sites: sites.length, robots: sites.reduce((sum, site) => sum + site.robot_count, 0) };
}

describe("set-up: npm start -- --sites 30 --robots 300", () => {
  test("all robots that should be online come online; the fleet is stored, can grow, but not shrink", async () => {
    const first = run("--sites", "30", "--robots", "300");
    const { url } = await first.ready();
    expect(await sizeOf(url)).toEqual({ sites: 30, robots: 300 });
    const away = demoFleet({ sites: 30, robots: 300 }).robots.filter(({ fault }) => fault === "away");
    await (await DemoWatcher.signIn(url)).untilOnline(300 - away.length);
    await first.interrupt();
    expect(first.printed()).not.toMatch(/ERROR|FATAL|enlarged/);

    const less = run("--robots", "14");
    expect(await less.ended()).toBe(2);
    expect(less.printed().trim()).toBe(
      "The demo's data has 30 sites and 300 robots, more than requested: add --reset to start over, or leave out --sites and --robots to keep it.",
    );

    const kept = run();
    expect(await sizeOf((await kept.ready()).url)).toEqual({ sites: 30, robots: 300 });
    await kept.interrupt();

    const grown = run("--robots", "320");
    expect(await sizeOf((await grown.ready()).url)).toEqual({ sites: 30, robots: 320 });
    expect(grown.printed()).toContain("The demo was enlarged to 30 sites and 320 robots.");
  });
});
