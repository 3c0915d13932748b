import {
  fleetStop,
  groupList,
  type RobotResult,
  robotsSendCommand,
  updateGroup,
} from "@suncrew/contract/groups/groups.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { robotDirectory, type RobotLive } from "@suncrew/contract/robots/robots.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectDisabled,
  expectNoSidewaysScroll,
  expectText,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { robotRow } from "../robots/test/robot-rows.ts";
import { BHADLA, fleetSnapshot, livePart, sampleGroup, sampleRobots } from "../../../test/sample-fleet.ts";

const main = page.getByRole("main");
const table = page.getByRole("table", { name: "Robots" });
const links = table.getByRole("link");
const bar = page.getByRole("group", { name: "Selected robots" });
const select = (serial: string) => table.getByRole("checkbox", { name: `Select ${serial}` });
const serials = () => links.elements().map((link) => link.textContent);
async function expectOrder(...expected: string[]): Promise<void> {
  await expect.poll(serials).toEqual(expected);
}

/** The sample's robots, of which one cleans, one is locked, one is offline and three are idle. */
const conditions: Readonly<Record<number, Partial<RobotLive>>> = {
  0: { status: "normal", motion: "MOVING" },
  1: { operating_mode: "maintenance", status: "offline" },
  2: { online: false, status: "offline" },
};
const fleet = sampleRobots.map((robot, index) => ({
  ...robot,
  battery_level: 90 - 10 * index,
  last_cleaned_at: null,
  ...conditions[index],
}));

function showFleet(): void {
  when(live).stream(() => fleetSnapshot(fleet));
}

const resultOf = (
  robot: Pick<RobotLive, "robot_id" | "serial_number">,
  change: Partial<RobotResult> = {},
): RobotResult => ({
  robotId: robot.serial_number,
  robotObjectId: robot.robot_id,
  outcome: "SUCCESS",
  message: "Done.",
  pending: false,
  ...change,
});

test("Robots page: the address filters and sorts; each change is in the address, and Clear filters shows all again", async () => {
  showFleet();
  await openConsole("/robots?state=Rajasthan&sort=-battery");
  await expectOrder("SCR-1011", "SCR-1012");
  await expectContains(main, "2 of 6 robots");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expectAddress("/robots?sort=-battery");
  await expectCount(links, 6);
  await table.getByRole("button", { name: "Battery" }).click();
  await expectAddress("/robots?sort=battery");
  await expectOrder("SCR-1032", "SCR-1031", "SCR-1022", "SCR-1021", "SCR-1012", "SCR-1011");
  await expect.element(table.getByRole("columnheader", { name: "Battery" })).toHaveAttribute("aria-sort", "ascending");
  await page.getByRole("group", { name: "Status" }).getByRole("button", { name: "1 In maintenance" }).click();
  await expectOrder("SCR-1012");
  await page.getByRole("searchbox", { name: "Search robots" }).fill("nothing has this");
  await expectContains(main, "No robots match.");
  await expectAddress("/robots?sort=battery&figure=maintenance&q=nothing+has+this");
  await expectAccessible();
});

test("§2 Site monitoring view: the former address of a fleet figure leads to its robots", async () => {
  showFleet();
  await openConsole("/dashboard?figure=cleaning");
  await expectAddress("/robots?figure=cleaning");
  await expectOrder("SCR-1011");
});

test("Robots page: before the first snapshot it shows that robots are loading; with none it says so", async () => {
  when(live).hang();
  await openConsole("/robots");
  await expectContains(main, "Loading robots...");
  await expect
    .element(main.getByRole("status", { name: "" }).filter({ hasText: "Loading robots" }).first())
    .toBeVisible();
  await expectAccessible();
});

test("Robots page: without names, groups or sites it shows what the robots report, and Retry brings the rest", async () => {
  showFleet();
  when(robotDirectory).offline();
  await openConsole("/robots?columns=serial,name");
  await expectCount(links, 6);
  const alert = main.getByRole("alert");
  await expectContains(alert, "Names, groups or sites could not be loaded.");
  await pressRetry(() => when(robotDirectory).answerAsUsual(), table.getByText("Row 1").first(), alert);
  await expectCount(alert, 0);
});

test("Robots page: a Stop of the selected robots is sent at once; who did not stop is named, and stopped again alone", async () => {
  showFleet();
  const sent = when(robotsSendCommand).answer(({ body }) => ({
    success: false,
    message: "1 of 2 robots stopped.",
    results: fleet
      .filter(({ robot_id }) => body.robotObjectIds.includes(robot_id))
      .map((robot) =>
        resultOf(robot, robot.robot_id === 21 ? { outcome: "FAILED", message: "Robot SCR-1021 is offline." } : {}),
      ),
  }));
  await openConsole("/robots");
  await select("SCR-1011").click();
  await select("SCR-1021").click();
  await expectContains(bar, "2 robots selected at 2 sites");
  await bar.getByRole("button", { name: "Stop", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Stop robots" });
  const results = dialog.getByRole("list", { name: "Result for each robot" }).getByRole("listitem");
  await expectContains(results.nth(0), "SCR-1021");
  await expectContains(results.nth(0), "Robot SCR-1021 is offline.");
  await expectContains(results.nth(1), "Has stopped.");
  expect(sent.map(({ body }) => [body.command, body.robotObjectIds])).toEqual([["STOP", [11, 21]]]);
  await expectAccessible();
  await dialog.getByRole("button", { name: "Stop 1 robot again" }).click();
  await expect.poll(() => sent.map(({ body }) => body.robotObjectIds)).toEqual([[11, 21], [21]]);
});

test("Robots page: a Start asks first, names how many robots at how many sites will move, and which cannot and why", async () => {
  showFleet();
  const sent = when(robotsSendCommand).answer(({ body }) => ({
    success: true,
    message: "",
    results: fleet.filter(({ robot_id }) => body.robotObjectIds.includes(robot_id)).map((robot) => resultOf(robot)),
  }));
  await openConsole("/robots");
  await page.getByRole("button", { name: "Select all 6" }).click();
  await bar.getByRole("button", { name: "Start", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Start 6 robots?" });
  await expectContains(question, "3 robots at 2 sites will move.");
  await expectContains(question, "3 robots will be skipped:");
  await expectContains(question, "SCR-1011 Robot SCR-1011 is already running.");
  await expectContains(question, "SCR-1012 Robot SCR-1012 is in maintenance.");
  expect(sent).toHaveLength(0);
  await question.getByRole("button", { name: "Start 3 robots" }).click();
  await expectContains(page.getByRole("dialog", { name: "Start robots" }), "6 of 6 robots started.");
  expect(sent.map(({ body }) => body.command)).toEqual(["START"]);
});

test("Robots page: a selection survives filters, and says what of it is not shown", async () => {
  showFleet();
  await openConsole("/robots");
  await select("SCR-1011").click();
  await userEvent.keyboard("{Shift>}");
  await select("SCR-1022").click();
  await userEvent.keyboard("{/Shift}");
  await expectContains(bar, "4 robots selected at 2 sites");
  await page.getByRole("group", { name: "Filters" }).getByRole("combobox", { name: "Site" }).selectOptions(BHADLA);
  await expectOrder("SCR-1011", "SCR-1012");
  await expectContains(bar, "4 robots selected at 2 sites, 2 not shown");
  await expectDisabled(
    bar.getByRole("button", { name: "Add to group" }),
    "These robots are at 2 sites. A group belongs to one site.",
  );
  await bar.getByRole("button", { name: "Clear selection" }).click();
  await expectCount(bar, 0);
});

test("Robots page: the arrow keys move from robot to robot, and select with Shift", async () => {
  showFleet();
  await openConsole("/robots");
  await select("SCR-1011").click();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(select("SCR-1012")).toHaveFocus();
  await userEvent.keyboard("{Shift>}{ArrowDown}{/Shift}");
  await expect.element(select("SCR-1021")).toHaveFocus();
  await expect.element(select("SCR-1021")).toBeChecked();
  await expect.element(select("SCR-1012")).not.toBeChecked();
  await userEvent.keyboard(" ");
  await expect.element(select("SCR-1021")).not.toBeChecked();
});

test("protocol rule 8: maintenance of the selected robots needs a reason, locks those that are not locked, and tells each result", async () => {
  showFleet();
  const sent = when(robotsMaintenance).answer(({ body }) => ({
    success: false,
    message: "",
    results: fleet
      .filter(({ robot_id }) => body.robotObjectIds.includes(robot_id))
      .map((robot) => resultOf(robot, { outcome: "FAILED", message: "No answer." })),
  }));
  await openConsole("/robots");
  await page.getByRole("button", { name: "Select all 6" }).click();
  await bar.getByRole("button", { name: "Maintenance" }).click();
  const dialog = page.getByRole("dialog", { name: "Maintenance: 6 robots" });
  await dialog.getByRole("button", { name: "Put 5 robots in Maintenance" }).click();
  await expectContains(dialog, "Please enter a reason.");
  await dialog.getByLabelText("Reason").fill("Monsoon");
  await dialog.getByRole("button", { name: "Put 5 robots in Maintenance" }).click();
  await expectContains(dialog, "0 of 5 robots locked for maintenance.");
  expect(sent.map(({ body }) => body)).toMatchObject([
    { enabled: true, reason: "Monsoon", robotObjectIds: [11, 21, 22, 31, 32] },
  ]);
  await expectCount(dialog.getByRole("listitem"), 5);
});

test("§5 Robot group: selected robots of one site are added to one of its groups", async () => {
  const grouped = fleet.map((robot) => (robot.robot_id === 11 ? { ...robot, group_id: 5 } : robot));
  when(live).stream(() => fleetSnapshot(grouped));
  when(groupList).answer([sampleGroup()]);
  const sent = when(updateGroup).answer({ message: "Group updated successfully" });
  await openConsole("/robots?site=1");
  await page.getByRole("button", { name: "Select all 2" }).click();
  await bar.getByRole("button", { name: "Add to group" }).click();
  await page.getByRole("menuitem", { name: "East Row" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit Robot Group" });
  await expectContains(dialog, "2 robots chosen");
  await dialog.getByRole("button", { name: "Update" }).click();
  await expect.poll(() => sent.map(({ body }) => body.robot_ids)).toEqual([[11, 12]]);
});

test("Robots page: each robot that moves can be stopped in its row", async () => {
  showFleet();
  when(sendCommand).hang();
  await openConsole("/robots");
  await expectCount(table.getByRole("button", { name: /^Stop SCR-/ }), 1);
  await table.getByRole("button", { name: "Stop SCR-1011" }).click();
  await expectContains(table, "Stopping... waiting for the robot");
});

test("Robots page: a view is an address with a name, kept for this user in this browser", async () => {
  showFleet();
  await openConsole("/robots?figure=offline");
  await expectOrder("SCR-1021");
  await page.getByRole("button", { name: "Views", exact: true }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog", { name: "Saved views" });
  await dialog.getByLabelText("Save this view as").fill("Lost ones");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expectCount(dialog, 0);
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expectCount(links, 6);
  await page.getByRole("button", { name: "Views (1)" }).click();
  await page.getByRole("menuitem", { name: "Lost ones" }).click();
  await expectAddress("/robots?figure=offline");
  await expectOrder("SCR-1021");
  await page.getByRole("button", { name: "Views (1)" }).click();
  await page.getByRole("menuitem", { name: "Save or manage views" }).click();
  await dialog.getByRole("button", { name: "Rename Lost ones" }).click();
  await dialog.getByLabelText("New name of Lost ones").fill("Silent");
  await dialog.getByRole("button", { name: "Rename", exact: true }).click();
  await expectCount(dialog.getByRole("link", { name: "Silent" }), 1);
  await expectAccessible();
  await dialog.getByRole("button", { name: "Delete Silent" }).click();
  await expectCount(dialog.getByRole("link"), 0);
});

test("Robots page: on a phone each robot has a few lines, filters open on demand, and nothing is wider than the screen", async () => {
  showFleet();
  await page.viewport(360, 740);
  await openConsole("/robots");
  await expectCount(links, 6);
  await expectNoSidewaysScroll();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("combobox", { name: "Last cleaning" }).selectOptions("Never");
  await expectAddress("/robots?cleaned=never");
  await page.getByRole("combobox", { name: "Sort by" }).selectOptions("Battery, ascending");
  await expectOrder("SCR-1032", "SCR-1031", "SCR-1022", "SCR-1021", "SCR-1012", "SCR-1011");
  await page.getByRole("button", { name: "Filters (1)" }).click();
  await select("SCR-1011").click();
  await expectNoSidewaysScroll();
  await expectAccessible();
});

test("Robots page: of ten thousand robots only the visible are rendered; all are filtered, sorted, selected and stopped", async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({
    ...livePart(robotRow({ site_id: (index % 3) + 1, last_updated_at: new Date().toISOString() })),
    robot_id: index + 1,
    serial_number: `SCR-${index + 1}`,
    battery_level: index % 101,
  }));
  when(live).stream(() => ({ type: "snapshot", at: new Date().toISOString(), robots: many, sites: [] }));
  when(robotDirectory).answer({ robots: [], groups: [] });
  const stopped = when(fleetStop).answer({ success: true, message: "", sites: [] });
  await openConsole("/robots?sort=-battery");
  await expectContains(main, "10,000 robots");
  await expect.poll(() => serials()[0]).toBe("SCR-101");
  expect(serials().length).toBeLessThan(60);
  await page.getByRole("searchbox", { name: "Search robots" }).fill("scr-99");
  await expectContains(main, "111 of 10,000 robots");
  await page.getByRole("searchbox", { name: "Search robots" }).fill("");
  await page.getByRole("button", { name: "Select all 10,000" }).click();
  await bar.getByRole("button", { name: "Stop", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Stop robots" });
  await expectText(dialog.getByText(/of 10,000 robots stopped/), "10,000 of 10,000 robots stopped.");
  expect(stopped.map(({ body }) => body.robotObjectIds?.length)).toEqual([5_000, 5_000]);
});

/** 1,200 idle robots, more than two calls take, selected and being started; each call is answered when `next` is called. */
async function startMany() {
  const many = Array.from({ length: 1_200 }, (_, index) => ({
    ...livePart(robotRow({ last_updated_at: new Date().toISOString() })),
    robot_id: index + 1,
    serial_number: `SCR-${index + 1}`,
  }));
  when(live).stream(() => ({ type: "snapshot", at: new Date().toISOString(), robots: many, sites: [] }));
  when(robotDirectory).answer({ robots: [], groups: [] });
  let turn = Promise.withResolvers<void>();
  const next = () => {
    turn.resolve();
    turn = Promise.withResolvers<void>();
  };
  const sent = when(robotsSendCommand).answer(async ({ body }) => {
    await turn.promise;
    const results = many.filter(({ robot_id }) => body.robotObjectIds.includes(robot_id)).map((one) => resultOf(one));
    return { success: true, message: "", results };
  });
  await openConsole("/robots");
  await page.getByRole("button", { name: "Select all 1,200" }).click();
  await bar.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start 1,200 robots" }).click();
  await expect.poll(() => sent.length).toBe(1);
  return { next, sent, dialog: page.getByRole("dialog", { name: "Start robots" }) };
}

test("Robots page: of many Starts none is sent any more once the page was left", async () => {
  const { next, sent } = await startMany();
  await userEvent.keyboard("{Escape}");
  await page.getByRole("link", { name: "Suncrew" }).click();
  await expectCount(page.getByRole("group", { name: "Fleet figures" }), 1);
  next();
  // A later call, answered: a further Start would have been sent before it.
  await page.getByRole("button", { name: /^Rewa/ }).click();
  await expectCount(page.getByRole("article"), 2);
  expect(sent.map(({ body }) => body.robotObjectIds.length)).toEqual([500]);
});

test("Robots page: of many Starts those that could not be sent within 10 s are not sent, and the result says so", async () => {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now);
  try {
    const { next, sent, dialog } = await startMany();
    next();
    await expect.poll(() => sent.length).toBe(2);
    now += 10_001;
    next();
    await expectContains(dialog, "The others were not started: it took too long.");
    expect(sent.map(({ body }) => body.robotObjectIds.length)).toEqual([500, 500]);
  } finally {
    vi.restoreAllMocks();
  }
});
