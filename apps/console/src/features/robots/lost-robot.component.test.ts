import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import type { LostRobot } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectDisabled,
  expectEnabled,
  expectNoSidewaysScroll,
  expectText,
  siteButton,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA, livePart, sampleGroup, sampleRobots, sampleSite, sampleSites } from "../../../test/sample-fleet.ts";
import { liveStore } from "../../platform/live/live.ts";

const LOST = 11;
const lostAt = new Date();
const card = page.getByRole("article", { name: "SCR-1011" });
const figures = page.getByRole("group", { name: "Fleet figures" });
const KEPT = "Not connected. A Stop is stored and sent as soon as the robot is back.";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Kolkata" });
/** With its date if that is another day by now, as at midnight. */
const timePattern = (at: Date) => `(\\w{3} \\d+ \\w{3}, )?${clock.format(at)}`;
const minutesLater = (minutes: number) => new Date(lostAt.getTime() + minutes * 60_000);

/** The fleet with one robot that the broker lost while it was cleaning. */
function fleetWith(state: LostRobot["state"]) {
  const lost = { state, lost_at: lostAt.toISOString(), stops_by: minutesLater(5).toISOString() };
  const robots = sampleRobots.map((robot) =>
    robot.robot_id === LOST
      ? {
          ...livePart(robot),
          status: "offline" as const,
          online: false,
          motion: "MOVING" as const,
          group_id: 5,
          lost_while_moving: lost,
        }
      : livePart(robot),
  );
  const mayBeMoving = state === "MAY_BE_MOVING" ? 1 : 0;
  const [, ...others] = sampleSites;
  return { robots, sites: [sampleSite({ online_robots: 1, may_be_moving_robots: mayBeMoving }), ...others] };
}

test("protocol rule 13: a robot lost while cleaning is shown as possibly moving, until it must have stopped", async () => {
  const at = lostAt.toISOString();
  when(live).stream(() => ({ type: "snapshot", at, ...fleetWith("MAY_BE_MOVING") }));
  when(siteDetails).answer(fleetWith("MAY_BE_MOVING").sites);
  when(groupList).answer([sampleGroup({ robots: [{ id: LOST }, { id: 12 }] })]);
  when(robotStatus).hang();
  await openConsole("/dashboard");

  await expectText(figures.getByRole("link", { name: "May be moving" }), /^1 May be moving$/);
  await expectText(figures.getByRole("link", { name: "Offline" }), /^0 Offline$/);
  await expectContains(siteButton(BHADLA), "1 may be moving");
  await expectContains(page.getByRole("region", { name: "Site details" }), "1 may be moving");
  const by = minutesLater(6);
  const lines = new RegExp(
    `Lost contact while cleaning at ${timePattern(lostAt)}; may be moving; stops by itself by (${timePattern(minutesLater(5))}|${timePattern(by)})`,
  );
  await expect.element(card.getByText(lines)).toBeVisible();
  await expect.element(card.getByText("May be moving", { exact: true })).toBeVisible();
  await expect.element(card.getByText("Offline", { exact: true })).toBeVisible();
  const stop = card.getByRole("button", { name: "Stop", exact: true });
  await expectEnabled(stop);
  await expect.element(stop).toHaveAccessibleDescription(KEPT);
  await expectDisabled(
    card.getByRole("button", { name: "Start", exact: true }),
    "Robot SCR-1011 is not connected and may be moving.",
  );
  await expectAccessible();
  await expectNoSidewaysScroll();

  await page.getByRole("tab", { name: "Group Control" }).click();
  const group = page.getByRole("article", { name: "East Row" });
  await expectText(group.getByRole("status"), "1 may be moving");
  const stopAll = group.getByRole("button", { name: "Stop All" });
  await expectEnabled(stopAll);
  await expect
    .element(stopAll)
    .toHaveAccessibleDescription("1 robot is not connected: Stop All is stored for it and sent as soon as it is back.");
  await expectDisabled(
    group.getByRole("button", { name: "Start All" }),
    "A robot of this group is not connected and may be moving. Start All is possible once it must have stopped.",
  );
  await expect.element(group.getByText(lines)).toBeVisible();

  liveStore.apply([{ type: "snapshot", at, ...fleetWith("MUST_HAVE_STOPPED") }]);
  await expectText(group.getByRole("status"), "None cleaning, 1 must have stopped");
  await expectEnabled(stopAll);
  await expectEnabled(group.getByRole("button", { name: "Start All" }));
  await expectCount(figures.getByRole("link", { name: "May be moving" }), 0);
  await expectText(figures.getByRole("link", { name: "Offline" }), /^1 Offline$/);
  await page.getByRole("tab", { name: "Individual Robots" }).click();
  await expect.element(card.getByText(/must have stopped by itself by .*; not seen since/)).toBeVisible();
  await expect.element(card.getByText("Must have stopped", { exact: true })).toBeVisible();
  await expectEnabled(stop);
});
