import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { type RunOfToday, runsOfToday, runsToday } from "@suncrew/contract/runs/runs.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { currentReading } from "../../../test/default-answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { fleetSnapshot, sampleGroup, sampleRobots } from "../../../test/sample-fleet.ts";

const AWAY = "Robot SCR-1012 is offline: it has no connection at the moment.";
const failed: RunOfToday = {
  id: "01890000-0000-7000-8000-000000000001",
  site_id: 1,
  site_name: "Bhadla Solar Park",
  timezone: "Asia/Kolkata",
  robot_id: 12,
  robot_name: "SCR-1012",
  serial_number: "SCR-1012",
  schedule_id: 1,
  group_id: 5,
  group_name: "East Row",
  action_type: "SCHEDULED",
  started_by: "Scheduler",
  due_at: "2026-06-03T00:00:00.000Z",
  stop_due_at: "2026-06-03T01:00:00.000Z",
  began_at: null,
  ended_at: "2026-06-03T00:00:08.000Z",
  battery_began: null,
  battery_ended: null,
  outcome: "FAILED",
  reason: "Robot SCR-1012 refused: its brush is jammed.",
  sample: false,
};

test("Cleaning runs: each figure of today leads to its robots, with why their runs ended so, or to the calendar", async () => {
  when(runsToday).answer({
    planned: 2,
    running: 0,
    done: 4,
    stopped: 1,
    cut_short: 0,
    failed: 1,
    skipped: 0,
    missed: 0,
  });
  when(runsOfToday).offline();
  await openConsole("/dashboard?site=2");
  const figures = page.getByRole("group", { name: "Today's cleaning" });
  await expectContains(figures, "4 done, 0 running, 2 planned, 0 skipped, 0 missed, 1 stopped early, 1 failed");
  // Counts of zero lead nowhere.
  await expectCount(figures.getByRole("link"), 4);
  await expect.element(figures.getByRole("link", { name: "2 planned" })).toHaveAttribute("href", "/calendar");
  await figures.getByRole("link", { name: "1 failed" }).click();
  await expectAddress("/robots?today=failed");
  const main = page.getByRole("main");
  await expectContains(main, "Today's runs could not be loaded.");
  const robots = page.getByRole("table", { name: "Robots" });
  await pressRetry(
    () => when(runsOfToday).answer(({ query }) => ({ runs: query.count === "failed" ? [failed] : [] })),
    robots,
    main,
  );
  await expectCount(robots.getByRole("link", { name: "SCR-1012", exact: true }), 1);
  const reason = robots.getByRole("link", { name: "Robot SCR-1012 refused: its brush is jammed." });
  await expect.element(reason).toHaveAttribute("href", expect.stringMatching(/^\/robots\/SCR-1012\?at=/));
  await expectContains(main, "1 of 6 robots");
  await expectAccessible();
  await page.getByRole("combobox", { name: "Today" }).selectOptions("Stopped early");
  await expectContains(main, "No robots match.");
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expectAddress("/robots");
  await expectCount(robots.getByRole("link"), 6);
});

test("Cleaning runs: a card says that its robot's planned run did not happen, and the popover explains why in full", async () => {
  const run_not_begun = {
    run_id: failed.id,
    at: new Date().toISOString(),
    planned: true,
    outcome: "SKIPPED" as const,
    reason: AWAY,
  };
  when(live).stream(() =>
    fleetSnapshot(sampleRobots.map((robot) => (robot.robot_id === 12 ? { ...robot, run_not_begun } : robot))),
  );
  await openConsole("/dashboard?site=1");
  const card = page.getByRole("article", { name: "SCR-1012" });
  await expectContains(card, `skipped: ${AWAY}`);
  await card.getByRole("button", { name: "Robot info" }).click();
  await expectContains(page.getByRole("dialog", { name: "Info on robot SCR-1012" }), AWAY);
});

test("§4 Group action: Start All says which robots may refuse, and promises nothing for them", async () => {
  when(groupList).answer([sampleGroup({ robots: [{ id: 11 }, { id: 12 }] })]);
  when(live).stream(() =>
    fleetSnapshot(sampleRobots.map((robot) => (robot.robot_id === 12 ? { ...robot, battery_level: 12 } : robot))),
  );
  // What polling has read counts as well.
  const polled = when(robotStatus).answer(currentReading);
  await openConsole("/dashboard?site=1&tab=groups");
  await expect.poll(() => polled.some(({ query }) => query.robotId === "SCR-1012")).toBe(true);
  await page.getByRole("article", { name: "East Row" }).getByRole("button", { name: "Start All" }).click();
  const question = page.getByRole("dialog", { name: 'Start all robots of "East Row"?' });
  await expectContains(question, "1 robot will move.");
  await expectContains(question, "1 robot may refuse:");
  await expectContains(question.getByRole("listitem"), "SCR-1012 Its battery is at 12 %.");
  await expectCount(question.getByRole("button", { name: "Start 2 robots" }), 1);
});
