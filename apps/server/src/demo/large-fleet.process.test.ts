import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { login } from "@suncrew/contract/auth/auth.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
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

async function signedIn(url: string): Promise<{ authorization: string }> {
  const response = await fetch(`${url}${login.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password: "admin@123" }),
  });
  return { authorization: `Bearer ${login.response.parse(await response.json()).token}` };
}

async function sizeOf(url: string): Promise<{ sites: number; robots: number }> {
  const response = await fetch(`${url}${siteDetails.path}`, { headers: await signedIn(url) });
  const sites = siteDetails.response.parse(await response.json());
  return { sites: sites.length, robots: sites.reduce((sum, site) => sum + site.robot_count, 0) };
}

/** Watches the live stream until so many robots are online; the test's own time limit is the patience. */
async function untilOnline(url: string, count: number): Promise<void> {
  const abort = new AbortController();
  const response = await fetch(`${url}${live.path}`, { headers: await signedIn(url), signal: abort.signal });
  const online = new Set<number>();
  let rest = "";
  for await (const bytes of response.body ?? []) {
    const parts = (rest + Buffer.from(bytes).toString("utf8")).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts.filter((text) => text.startsWith("data: "))) {
      const event = live.response.parse(JSON.parse(part.slice(6)));
      if (event.type === "end") throw new Error("The live stream ended.");
      for (const robot of event.robots) {
        if (robot.online) online.add(robot.robot_id);
        else online.delete(robot.robot_id);
      }
    }
    if (online.size === count) break;
  }
  abort.abort();
}

describe("set-up: npm start -- --sites 30 --robots 300", () => {
  test("all robots that are not away come online, the data keeps the fleet, more is added, less refused", async () => {
    const first = run("--sites", "30", "--robots", "300");
    const { url } = await first.ready();
    expect(await sizeOf(url)).toEqual({ sites: 30, robots: 300 });
    const away = demoFleet({ sites: 30, robots: 300 }).robots.filter(({ fault }) => fault === "away");
    await untilOnline(url, 300 - away.length);
    await first.interrupt();
    expect(first.printed()).not.toMatch(/ERROR|FATAL|enlarged/);

    const less = run("--robots", "14");
    expect(await less.ended()).toBe(2);
    expect(less.printed().trim()).toBe(
      "The demo's data holds 30 sites and 300 robots, more than asked for: add --reset to begin anew, or leave out --sites and --robots to go on with it.",
    );

    const kept = run();
    expect(await sizeOf((await kept.ready()).url)).toEqual({ sites: 30, robots: 300 });
    await kept.interrupt();

    const grown = run("--robots", "320");
    expect(await sizeOf((await grown.ready()).url)).toEqual({ sites: 30, robots: 320 });
    expect(grown.printed()).toContain("The demo was enlarged to 30 sites and 320 robots.");
  }, 120_000);
});
