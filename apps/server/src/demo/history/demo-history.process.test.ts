import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { reportSettings } from "@suncrew/contract/report-templates/report-templates.ts";
import { runsList } from "@suncrew/contract/runs/runs.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DemoWatcher } from "../../../test/demo-watcher.ts";
import { runSuncrew, type SuncrewRun } from "../../../test/suncrew-process.ts";
import { demoRobots } from "../demo-fleet.ts";

let dataDir: string;
let started: SuncrewRun | null = null;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "suncrew-history-"));
});

afterAll(async () => {
  if (started !== null && started.child.exitCode === null) await started.interrupt();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<DemoWatcher> {
  started = runSuncrew(["demo"], { DATA_DIR: dataDir, PORT: "0", MQTT_PORT: "0" }, { history: true });
  return DemoWatcher.signIn((await started.ready()).url);
}

test("set-up: npm start creates a history once, and the simulated robots continue from it", async () => {
  const first = await start();
  expect(started?.printed()).toContain("Creating thirty days of sample history ...");
  const there = demoRobots.filter(({ fault }) => fault !== "away");
  await first.untilOnline(there.length);
  const { runs } = await first.ask(runsList, "?limit=1000");
  expect(runs.length).toBeGreaterThan(150);
  expect(runs.filter(({ sample }) => !sample)).toEqual([]);
  const { logs } = await first.ask(activityLogs);
  expect(logs.length).toBeGreaterThan(100);
  expect(await first.ask(reportSettings)).toMatchObject({ auto_generate_monthly: true, email_configured: true });
  await started?.interrupt();
  expect(started?.printed()).not.toMatch(/ERROR|FATAL/);

  const second = await start();
  expect(started?.printed()).not.toContain("Making up");
  await second.untilOnline(there.length);
  expect((await second.ask(runsList, "?limit=1000")).runs.filter(({ sample }) => sample)).toEqual(runs);
});
