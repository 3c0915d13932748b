import { robotStatus, sendCommand } from "@suncrew/contract/commands/commands.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, expect, test, vi } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { Refusal, sendOnStream, when } from "../../../test/answers.ts";
import {
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectNoToast,
  expectText,
  expectTexts,
  expectToast,
  pressRetry,
  siteButton,
} from "../../../test/expectations.ts";
import { openConsole, router } from "../../../test/open-console.tsx";
import { BHADLA, CHARANKA, fleetSnapshot, livePart, sampleRobots, sampleSites } from "../../../test/sample-fleet.ts";
import { liveStore } from "../../platform/live/live.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { toast } from "../../platform/toast.tsx";

const siteFacts = page.getByRole("region", { name: "Site details" });
const robots = page.getByRole("article");
const siteList = page.getByRole("group", { name: /^(All Sites|Site buttons)$/ });

afterEach(() => vi.restoreAllMocks());

test("§8 Robot fetch failure: the list is emptied, robots online is 0, and Retry loads them", async () => {
  when(robotDetailsWithSettings).fail(500, { message: "Broken" });
  await openConsole("/dashboard");
  await expect.element(page.getByText("The robots could not be loaded.")).toBeVisible();
  await expectContains(siteFacts, "0 of 2 robots online");
  await expectCount(robots, 0);
  await expectNoToast();
  await pressRetry(() => when(robotDetailsWithSettings).answerAsUsual(), robots.first());
  await expectCount(robots, 2);
  await expectContains(siteFacts, "2 of 2 robots online");
});

test("§8 Site fetch failure: its failed state without a toast, and Retry loads them", async () => {
  when(siteDetails).fail(500, { message: "Broken" });
  await openConsole("/dashboard");
  await expect.element(page.getByText("The sites could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(() => when(siteDetails).answerAsUsual(), siteList);
  await expectCount(siteList.getByRole("button"), sampleSites.length);
});

test("a partner without sites is told so, and who assigns them", async () => {
  when(siteDetails).answer([]);
  await openConsole("/dashboard", "partner");
  await expect.element(page.getByText("No sites yet")).toBeVisible();
  await expect
    .element(page.getByText("No site is assigned to you yet. A Super Admin assigns sites to partners."))
    .toBeVisible();
});

test("while robots and sites load, skeletons hold their places", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(siteDetails).answer(() => released.then(() => [...sampleSites]));
  await openConsole("/dashboard");
  const loading = page.getByText("Loading sites").or(page.getByLabelText("Loading sites"));
  await expect.element(loading.first()).toBeInTheDocument();
  release();
  await expectCount(robots, 2);
});

test("protocol rule 3: a Stop that was sent without the database says so, and nobody is told that the robot has stopped", async () => {
  const cleaning = sampleRobots.map((robot) => ({ ...robot, status: "normal", motion: "MOVING" }) as const);
  const sent = "Sent to the robot; will be recorded.";
  when(robotDetailsWithSettings).answer({ robots: cleaning.filter(({ site_id }) => site_id === 1) });
  when(robotStatus).answer(() => ({
    success: true,
    data: {
      status: "start",
      robot_status: "normal",
      battery: 72,
      timestamp: new Date().toISOString(),
      motion: "MOVING",
      direction: "FWD",
    },
  }));
  when(live).stream(() => fleetSnapshot(cleaning));
  when(sendCommand).answer({ success: true, message: sent, command_id: crypto.randomUUID(), pending: true });
  when(siteStop).answer({
    success: true,
    message: "Sent to 2 robots; will be recorded.",
    results: [11, 12].map((id) => {
      return { robotId: `SCR-10${id}`, robotObjectId: id, outcome: "SUCCESS", message: sent, pending: true } as const;
    }),
  });
  await openConsole("/dashboard?site=1");
  const card = robots.filter({ hasText: "SCR-1011" });
  await expectContains(card, "Cleaning");
  await card.getByRole("button", { name: "Stop", exact: true }).click();
  await expectToast("Robot Control", "STOP command sent to Robot SCR-1011", sent);
  await expectContains(card, "Cleaning");
  await page.getByRole("button", { name: "Stop all at Bhadla (2)" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop all robots: Bhadla Solar Park" });
  await expectContains(dialog.getByRole("status"), "0 of 2 robots stopped. Sent to 2 robots; will be recorded.");
  await expectCount(dialog.getByText(sent), 2);
});

test("Stop everything: the result tells robots that were moving from those that stood already", async () => {
  when(siteStop).answer({
    success: true,
    message: "1 of 1 robot stopped. 1 already stopped.",
    results: [11, 12].map((id) => ({
      robotId: `SCR-10${id}`,
      robotObjectId: id,
      outcome: "SUCCESS" as const,
      message: "Stopped.",
      pending: false,
      was_moving: id === 11,
    })),
  });
  await openConsole("/dashboard?site=1");
  await page.getByRole("button", { name: /^Stop all at Bhadla/ }).click();
  const dialog = page.getByRole("dialog", { name: "Stop all robots: Bhadla Solar Park" });
  await expectText(dialog.getByRole("status"), "1 of 1 robot stopped. 1 already stopped.");
  await expectTexts(dialog.getByRole("list", { name: "Result for each robot" }).getByRole("listitem"), [
    /SCR-1011.*Has stopped\./,
    /SCR-1012.*Already stopped\./,
  ]);
});

test("§5 Robot form: a robot that was replaced while the former machine was being queried is not offline because of that query", async () => {
  const [robot, ...others] = sampleRobots;
  if (robot === undefined) throw new Error("The sample has no robot.");
  const replaced = { ...robot, serial_number: "SCR-1099", robot_name: "SCR-1099", version: 2 };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const asked = when(robotStatus).answer(() =>
    released.then(() => {
      throw new Refusal(404, { message: "There is no such robot." });
    }),
  );
  await openConsole("/dashboard?site=1");
  await expectContains(robots.filter({ hasText: robot.serial_number }), "Idle");
  await expect.poll(() => asked.some(({ query }) => query.robotId === robot.serial_number)).toBe(true);
  const now = [replaced, ...others];
  when(robotDetailsWithSettings).answer(({ params }) => ({
    robots: now.filter(({ site_id }) => site_id === params.siteId),
  }));
  liveStore.apply([fleetSnapshot(now)]);
  release();
  await expectContains(robots.filter({ hasText: "SCR-1099" }), "Idle");
  // The other robot was queried as itself, so its result counts; by then the former machine's answer has arrived.
  await expectToast("Robot Not Reached", "Robot SCR-1012 could not be reached.", "There is no such robot.");
  await expectContains(robots.filter({ hasText: "SCR-1099" }), "Idle");
});

test("§2 Individual Robots tab: a list of robots that was read before an edit, and arrives after the stream reported it, is read again", async () => {
  const [one, , edited] = sampleRobots;
  if (one === undefined || edited === undefined) throw new Error("The sample has no such robots.");
  const at = new Date().toISOString();
  await openConsole("/dashboard?site=1");
  await expectCount(robots, 2);
  await expect.poll(() => liveStore.robot(edited.robot_id)).toBeDefined();
  sendOnStream(live, liveUpdate({ at, robots: [{ ...livePart(edited), version: edited.version + 1 }] }));
  await expect.poll(() => liveStore.robot(edited.robot_id)?.version).toBe(edited.version + 1);
  await router.navigate(`/dashboard?site=${edited.site_id}`);
  await expectContains(robots.filter({ hasText: edited.serial_number }), "Idle");
  const rebuilt = { ...edited, motor_type: "Servo", version: edited.version + 1 };
  when(robotDetailsWithSettings).answer(({ params }) => ({
    robots: [rebuilt, ...sampleRobots.filter((robot) => robot !== edited)].filter(
      ({ site_id }) => site_id === params.siteId,
    ),
  }));
  sendOnStream(live, liveUpdate({ at, robots: [livePart(one)] }));
  await expectContains(robots.filter({ hasText: edited.serial_number }), "Servo");
});

test("§8 Toasts: many robots that do not answer are two messages, and the user's own actions are reported first", async () => {
  const [like] = sampleRobots;
  if (like === undefined) throw new Error("The sample has no robot.");
  const robot_id = (nth: number) => 500 + nth;
  const many = Array.from({ length: 41 }, (_, nth) => ({
    ...like,
    robot_id: robot_id(nth),
    serial_number: `NEW-${nth}`,
    robot_name: `Row ${nth}`,
  }));
  when(robotDetailsWithSettings).answer({ robots: many });
  when(robotStatus).fail(504, { message: "The robot is offline." });
  await openConsole("/dashboard");
  await expectToast("Robot Not Reached", "Robot NEW-0 could not be reached.", "The robot is offline.");
  await expectToast("Robots Not Reached", "Robot NEW-1 and 39 more robots could not be reached.");
  await expectNoToast();
  for (const nth of many.keys()) toast.failure({ title: `Unasked ${nth}`, message: "", isAutomatic: true });
  toast.success({ title: "Site Deleted", message: "Gone." });
  await expectToast("Site Deleted", "Gone.");
});

test("§2 Site monitoring view: Worst first lists the sites that need somebody before the others, favourites come first in either order, and both are kept", async () => {
  const states = ["standby", "warning", "fault"] as const;
  const sites = sampleSites.map((site, nth) => ({ ...site, status: states[nth] ?? "standby" }));
  when(siteDetails).answer(sites);
  when(live).stream(() => ({ ...fleetSnapshot(sampleRobots), sites }));
  await openConsole("/dashboard");
  const listed = siteList.getByRole("button");
  await expectTexts(listed, [/^Bhadla/, /^Charanka/, /^Rewa/]);
  const worstFirst = page.getByRole("button", { name: "Worst first" });
  await worstFirst.click();
  await expectTexts(listed, [/^Rewa/, /^Charanka/, /^Bhadla/]);
  await expectAddress("/dashboard?order=worst");
  const favourite = siteList.getByRole("checkbox", { name: `Favourite: ${CHARANKA}` });
  await favourite.click();
  await expectTexts(listed, [/^Charanka/, /^Rewa/, /^Bhadla/]);
  await worstFirst.click();
  await expectTexts(listed, [/^Charanka/, /^Bhadla/, /^Rewa/]);
  await router.navigate("/profile");
  await router.navigate("/dashboard?order=worst");
  await expectTexts(listed, [/^Charanka/, /^Rewa/, /^Bhadla/]);
  await expect.element(favourite).toBeChecked();
  await favourite.click();
  await expectTexts(listed, [/^Rewa/, /^Charanka/, /^Bhadla/]);
});

test("§2 Site monitoring view: on a phone a choice scrolls to the details once, that of the site already shown too; Back does not scroll", async () => {
  await page.viewport(390, 780);
  await openConsole("/dashboard?site=1");
  await expectCount(robots, 2);
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  await siteButton(CHARANKA).click();
  await expectContains(siteFacts, CHARANKA);
  await expect.poll(() => scrolled.mock.calls.length).toBe(1);
  await siteButton(CHARANKA).click();
  await expect.poll(() => scrolled.mock.calls.length).toBe(2);
  await router.navigate("/robots");
  await router.navigate(-1);
  await expectContains(siteFacts, CHARANKA);
  await expectCount(robots, 2);
  await router.navigate(-1);
  await expectContains(siteFacts, BHADLA);
  await expectCount(robots, 2);
  expect(scrolled).toHaveBeenCalledTimes(2);
});

test("using the keyboard, a time is not a tab stop on the way to a Start", async () => {
  await openConsole("/dashboard?site=1");
  await expectCount(page.getByText(/Confirmed/), 2);
  const stops: Element[] = [];
  const isThere = () => document.activeElement?.textContent === "Start";
  while (!isThere() && stops.length < 60) {
    await userEvent.tab();
    if (document.activeElement !== null) stops.push(document.activeElement);
  }
  expect(stops.at(-1)?.textContent).toBe("Start");
  expect(stops.filter((stop) => stop.tagName === "TIME")).toEqual([]);
});

test.each([
  [390, 844],
  [360, 780],
])(
  "§2 Site monitoring view, %i px wide: what is wrong, sites in one line each, robots before the weather; a tap shows its site, and the Stop stays under the thumb",
  async (width, height) => {
    await page.viewport(width, height);
    await openConsole("/dashboard?site=1");
    await expectCount(robots, 2);
    const wrong = await boxOf(page.getByText("Nothing needs attention."));
    const figures = await boxOf(page.getByRole("group", { name: "Fleet figures" }));
    const list = page.getByRole("group", { name: "Site buttons" });
    const [first, second] = list
      .getByRole("button")
      .elements()
      .map((one) => one.getBoundingClientRect());
    const robot = await boxOf(robots.first());
    const weather = await boxOf(page.getByRole("region", { name: "Weather" }));
    const tops = [wrong, figures, first, second, robot, weather].map((box) => box?.top ?? Number.NaN);
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    expect(first?.height).toBe(48);

    const stop = page.getByRole("button", { name: /^Stop all at/ });
    expect((await boxOf(stop)).top).toBeGreaterThan(height * 0.8);
    expect((await boxOf(stop)).bottom).toBeLessThanOrEqual(height);
    await list.getByRole("button").nth(1).click();
    await expectContains(siteFacts.getByRole("heading", { level: 2 }), sampleSites[1]?.name ?? "");
    const heading = await boxOf(siteFacts.getByRole("heading", { level: 2 }));
    expect(heading.top).toBeGreaterThanOrEqual((await boxOf(page.getByRole("banner"))).bottom);
    expect(heading.bottom).toBeLessThan(height / 2);
    expect((await boxOf(stop)).bottom).toBeLessThanOrEqual(height);
    await expectNoSidewaysScroll();
  },
);

const boxOf = async (locator: Locator) => (await locator.findElement()).getBoundingClientRect();
