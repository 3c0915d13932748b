import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotDetailsWithSettings, type RobotLive, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectContains, expectCount } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { fleetSnapshot, sampleGroup, sampleRobots } from "../../../test/sample-fleet.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Kolkata" });
/** A little more, so that the minutes stay the same for as long as a test lasts. */
let now = 0;
const minutesFromNow = (minutes: number) => new Date(now - 1_000 + minutes * 60_000);
/** When a run ends, never told too early. */
const endText = (minutes: number) =>
  clock.format(new Date(Math.ceil(minutesFromNow(minutes).getTime() / 60_000) * 60_000));

function runFrom(began: number, ends: number, change: Partial<RobotLive["current_run"]> = {}) {
  return {
    run_id: "0198a8b2-0000-7000-8000-000000000000",
    began_at: minutesFromNow(began).toISOString(),
    planned_end_at: minutesFromNow(ends).toISOString(),
    planned: true,
    started_by: "Scheduler",
    ...change,
  };
}

const card = (serial: string) => page.getByRole("article", { name: serial });

/** The first robot runs by schedule, the second by hand. */
function showFleet(first: RobotWithSettings["current_run"]): void {
  const byHand = runFrom(-12, 468, { planned: false, started_by: "Asha Rathore" });
  const robots = sampleRobots.map((robot, nth) => ({
    ...robot,
    last_updated_at: new Date(now).toISOString(),
    group_id: robot.site_id === 1 ? 5 : null,
    ...(nth < 2 && { status: "normal" as const, motion: "MOVING" as const }),
    current_run: nth === 0 ? first : nth === 1 ? byHand : null,
  }));
  when(live).stream(() => fleetSnapshot(robots));
  when(robotDetailsWithSettings).answer({ robots: robots.filter(({ site_id }) => site_id === 1) });
}

beforeEach(() => {
  now = Date.now();
  showFleet(runFrom(-18, 12));
  when(groupList).answer([sampleGroup({ robots: [{ id: 11 }, { id: 12 }] })]);
});

test("progress: a planned run has a bar, percent and end; one by hand says how long and by whom, not its limit", async () => {
  await openConsole("/dashboard");
  await expectContains(card("SCR-1011"), `Cleaning, 18 of 30 min, ends ${endText(12)}`);
  const bar = card("SCR-1011").getByRole("progressbar", { name: "Run of SCR-1011" });
  await expect.element(bar).toHaveAttribute("aria-valuetext", expect.stringMatching(/^6[0-3] %$/));
  await expectContains(card("SCR-1012"), "Cleaning for 12 min, started by Asha Rathore");
  await expectCount(card("SCR-1012").getByRole("progressbar"), 0);
  await expectContains(page.getByTitle(`Stops by itself at ${endText(468)}`), "Cleaning for 12 min");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expectAccessible();
  }
});

test("progress: a group shows its planned run, and how far each of its robots is", async () => {
  await openConsole("/dashboard?tab=groups");
  const group = page.getByRole("article", { name: "East Row" });
  await expectContains(group, `2 of 2 cleaning18 of 30 min, ends ${endText(12)}`);
  await expect.element(group.getByRole("progressbar", { name: "Run of East Row" })).toBeVisible();
  await expectContains(group.getByRole("listitem").nth(0), "18 of 30 min");
  await expectContains(group.getByRole("listitem").nth(1), "Cleaning for 12 min");
  await expectCount(group.getByRole("progressbar"), 2);
  await expectAccessible();
});

test("progress: the table of robots shows it, too", async () => {
  await openConsole("/robots");
  const row = page.getByRole("row", { name: /SCR-1011/ });
  await expectContains(row, `18 of 30 min, ends ${endText(12)}`);
  await expect.element(row.getByRole("progressbar", { name: "Run of SCR-1011" })).toBeVisible();
});

test("progress: a robot that runs beyond its planned end says by how much", async () => {
  showFleet(runFrom(-33, -3));
  await openConsole("/dashboard");
  await expectContains(card("SCR-1011"), "Cleaning, 3 min over its 30 min");
});
