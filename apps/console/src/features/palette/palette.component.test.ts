import { robotStatus, sendCommand } from "@suncrew/contract/commands/commands.ts";
import { fleetStop, siteStop } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotBySerial } from "@suncrew/contract/robot-history/robot-history.ts";
import { robotDirectory } from "@suncrew/contract/robots/robots.ts";
import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectTexts,
} from "../../../test/expectations.ts";
import { openConsole, router } from "../../../test/open-console.tsx";
import { BHADLA, fleetSnapshot, sampleRobots, sampleSites } from "../../../test/sample-fleet.ts";
import { robotRow } from "../robots/test/robot-rows.ts";

const palette = page.getByRole("dialog", { name: "Search" });
const field = palette.getByRole("combobox");
const options = palette.getByRole("option");
const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });

afterEach(() => vi.restoreAllMocks());

const searchKeys = "{Control>}k{/Control}";

/** Keys that follow each other at once, however long a busy machine takes for them. */
async function pressTogether(keys: string): Promise<void> {
  const at = vi.spyOn(Event.prototype, "timeStamp", "get").mockReturnValue(performance.now());
  await userEvent.keyboard(keys);
  at.mockRestore();
}

/** The robots are known, and the keys are listened for. */
async function opened(address: string, account: "admin" | "partner" = "admin"): Promise<void> {
  await openConsole(address, account);
  await expect.element(page.getByRole("button", { name: /^Stop fleet \(\d+\)$/ })).toBeVisible();
  const press = async () => {
    if (palette.elements().length === 0) await userEvent.keyboard(searchKeys);
    return field.elements().length;
  };
  await expect.poll(press).toBe(1);
  await expect.element(field).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expectCount(palette, 0);
}

test("command palette: Ctrl+K and / open it, a robot is found by its serial number, and Enter leads to its page", async () => {
  await opened("/profile");
  await userEvent.keyboard(searchKeys);
  await expect.element(field).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expectCount(palette, 0);
  await userEvent.keyboard("/");
  await expect.element(field).toHaveFocus();
  await expect.element(field).toHaveValue("");
  await userEvent.keyboard("1021");
  await expectContains(options.first(), "SCR-1021Row 1 · Charanka Solar ParkIdle");
  await expect.element(field).toHaveAttribute("aria-activedescendant", options.first().element().id);
  await expectAccessible();
  when(robotBySerial).hang();
  await userEvent.keyboard("{Enter}");
  await expectAddress("/robots/SCR-1021");
  await expect.element(page.getByRole("main")).toHaveFocus();
});

test("command palette: arrows choose among sites, robots, groups, partners, pages and actions; what was chosen comes first next time", async () => {
  when(robotDirectory).answer(() => ({
    robots: [...sampleRobots],
    groups: [{ id: 5, site_id: 2, group_name: "Sunrise rows" }],
  }));
  await opened("/dashboard");
  const button = page.getByRole("button", { name: "Search", exact: true });
  await button.click();
  await field.fill("sun");
  for (const kind of ["Groups", "Partners"])
    await expect.element(palette.getByRole("group", { name: kind })).toBeVisible();
  await userEvent.keyboard("{ArrowUp}");
  await expect.element(options.last()).toHaveAttribute("aria-selected", "true");
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(options.first()).toHaveAttribute("aria-selected", "true");
  await palette.getByRole("option", { name: /^Sunrise rows/ }).click();
  await expectAddress("/dashboard?site=2&tab=groups");
  await userEvent.keyboard(searchKeys);
  await expectTexts(palette.getByRole("group", { name: "Recent" }).getByRole("option"), [/^Sunrise rows/]);
  await userEvent.keyboard("{Escape}");
});

test("command palette: Escape gives the focus back to where it was", async () => {
  await opened("/profile");
  const name = page.getByLabelText("Current password", { exact: true });
  await name.click();
  await userEvent.keyboard(searchKeys);
  await expect.element(field).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(name).toHaveFocus();
});

test("command palette: a Stop acts at once and shows its result; nothing in it starts a robot", async () => {
  const sent = when(fleetStop).answer(() => ({ success: true, message: "", sites: [] }));
  const started = when(sendCommand).answer({
    success: true,
    message: "",
    command_id: "0190a000-0000-7000-8000-000000000001",
  });
  when(robotBySerial).hang();
  await opened("/dashboard?site=1");
  await userEvent.keyboard(searchKeys);
  await field.fill("stop 1021");
  await expectContains(options.first(), "Stop SCR-1021");
  await userEvent.keyboard("{Enter}");
  const result = page.getByRole("dialog", { name: "Stop SCR-1021" });
  await expect.element(result).toBeVisible();
  await expect.poll(() => sent.map(({ body }) => body)).toEqual([{ robotObjectIds: [21] }]);
  await result.getByRole("button", { name: "Close" }).last().click();

  await userEvent.keyboard(searchKeys);
  await field.fill("start 1021");
  await expectContains(options.first(), "SCR-1021");
  await userEvent.keyboard("{Enter}");
  await expectAddress("/robots/SCR-1021");
  expect(started).toEqual([]);
});

test("command palette: Stop all at a site is the site's own Stop, with each robot's result, also before any robot is known", async () => {
  const stopped = when(siteStop).answer({
    success: true,
    message: "",
    results: [{ robotId: "SCR-1011", robotObjectId: 11, outcome: "SUCCESS", message: "", pending: false }],
  });
  when(live).hang();
  when(robotDirectory).hang();
  await openConsole("/dashboard?site=1");
  const search = page.getByRole("button", { name: "Search", exact: true });
  const result = page.getByRole("dialog", { name: `Stop all robots: ${BHADLA}` });
  for (const choose of [
    () => palette.getByRole("option", { name: `Stop all at ${BHADLA}` }).click(),
    async () => {
      await field.fill("stop all at bhadla");
      await expectContains(options.first(), `Stop all at ${BHADLA}`);
      await expect.element(options.first()).toHaveAttribute("aria-selected", "true");
      await userEvent.keyboard("{Enter}");
    },
  ]) {
    await search.click();
    await choose();
    await expectContains(result.getByRole("list", { name: "Result for each robot" }), "SCR-1011");
    await expectAccessible();
    await result.getByRole("button", { name: "Close" }).last().click();
    await expectCount(result, 0);
    await expect.element(search).toHaveFocus();
  }
  expect(stopped.map(({ body }) => body)).toEqual([{ siteId: 1 }, { siteId: 1 }]);
});

test("command palette: no Stop is chosen by itself unless its name was typed, whatever was chosen lately", async () => {
  const sent = when(fleetStop).answer(() => ({ success: true, message: "", sites: [] }));
  await opened("/dashboard?site=1");
  await userEvent.keyboard(searchKeys);
  await field.fill("stop fleet");
  await expect.element(palette.getByRole("option", { name: /^Stop fleet/ })).toHaveAttribute("aria-selected", "true");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => sent.map(({ body }) => body)).toEqual([{}]);
  await page.getByRole("dialog", { name: "Stop fleet" }).getByRole("button", { name: "Close" }).last().click();
  await expectCount(page.getByRole("dialog"), 0);

  await userEvent.keyboard(searchKeys);
  await expectCount(palette.getByRole("group", { name: "Recent" }), 0);
  await expectContains(palette.getByRole("option", { selected: true }), "Dashboard");
  for (const query of ["stop", "fleet", "stop 10", "stop all", "stop rajasthan"]) {
    await field.fill(query);
    await expectContains(options.last(), "All robots matching");
    await expectCount(palette.getByRole("option", { selected: true }), 0);
    await userEvent.keyboard("{Enter}");
    await expect.element(field).toHaveFocus();
  }
  await userEvent.keyboard("{Escape}");
  expect(sent).toHaveLength(1);
});

test("command palette: what is chosen stays chosen while more is found, and a full storage loses no choice", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(robotDirectory).answer(async () => {
    await released;
    return {
      robots: sampleRobots.map((robot) => ({ ...robot, robot_name: robot.robot_id === 32 ? "10" : "" })),
      groups: [],
    };
  });
  const sent = when(fleetStop).answer(() => ({ success: true, message: "", sites: [] }));
  await opened("/profile");
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("Full", "QuotaExceededError");
  });
  await userEvent.keyboard(searchKeys);
  await field.fill("stop 10");
  await expectContains(options.first(), "Stop SCR-1011");
  await userEvent.keyboard("{ArrowDown}");
  release();
  await expectContains(options.first(), "Stop SCR-1032");
  await expectContains(palette.getByRole("option", { selected: true }), "Stop SCR-1011");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => sent.map(({ body }) => body)).toEqual([{ robotObjectIds: [11] }]);
  await page.getByRole("dialog", { name: "Stop SCR-1011" }).getByRole("button", { name: "Close" }).last().click();
  await expectCount(page.getByRole("dialog"), 0);
  await userEvent.keyboard(searchKeys);
  await field.fill("dashboard");
  await expectContains(palette.getByRole("option", { selected: true }), "Dashboard");
  await userEvent.keyboard("{Enter}");
  await expectAddress("/dashboard");
});

test.each(["/dashboard?site=1", "/robots"])(
  "command palette: on a phone a site that is chosen on %s is shown with its details in view",
  async (address) => {
    await page.viewport(390, 780);
    await opened(address);
    scrollTo(0, 0);
    await userEvent.keyboard(searchKeys);
    await field.fill("charanka");
    await userEvent.keyboard("{Enter}");
    await expectAddress("/dashboard?site=2");
    const details = page.getByRole("region", { name: "Site details" });
    await expect.poll(() => details.element().getBoundingClientRect().top).toBeLessThan(200);
  },
);

test("§6, command palette: a partner finds no partners, and nothing that it may not open or do", async () => {
  await opened("/dashboard", "partner");
  await userEvent.keyboard(searchKeys);
  await expectTexts(palette.getByRole("group", { name: "Pages" }).getByRole("option"), [
    "Dashboard",
    "Robots",
    "Calendar",
    "Site Management",
    "Site Reports",
    "Notifications",
  ]);
  await expectCount(palette.getByRole("option", { name: /^New / }), 0);
  await field.fill("suncare");
  await expectCount(palette.getByRole("group", { name: "Partners" }), 0);
});

test("command palette: New site and New partner open their forms on their pages, from any page", async () => {
  await opened("/profile");
  for (const [name, title, address] of [
    ["New site", "Add New Site", "/sites"],
    ["New partner", "Add New Partner", "/partners"],
  ] as const) {
    await userEvent.keyboard(searchKeys);
    await field.fill(name);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByRole("dialog", { name: title })).toBeVisible();
    await expectAddress(new RegExp(`^${address}$`));
    await userEvent.keyboard("{Escape}");
    await expectCount(page.getByRole("dialog"), 0);
  }
});

test("command palette: among ten thousand robots the best few are shown, the others are counted, and the table has all", async () => {
  const many = Array.from({ length: 10_000 }, (_, nth) =>
    robotRow({ robot_id: nth + 1, site_id: 1, serial_number: `SCR-${nth + 1}`, robot_name: `Row ${nth + 1}` }),
  );
  when(live).stream(() => fleetSnapshot(many));
  when(robotDirectory).answer(() => ({ robots: many, groups: [] }));
  when(robotStatus).hang();
  await opened("/profile");
  await userEvent.keyboard(searchKeys);
  await field.fill("99");
  await expectContains(options.first(), "SCR-99");
  await expectContains(palette, "more");
  expect(options.elements().length).toBeLessThan(50);
  await palette.getByRole("option", { name: "All robots matching “99”" }).click();
  await expectAddress("/robots?q=99");
});

test("command palette: what could not be loaded is said with Retry, and pages and actions still work", async () => {
  when(robotDirectory).fail(503, { message: "Busy" });
  await opened("/profile");
  await userEvent.keyboard(searchKeys);
  await expect.element(palette.getByText("Not everything could be loaded")).toBeVisible();
  await expectAccessible();
  when(robotDirectory).answer(() => ({ robots: [...sampleRobots], groups: [] }));
  await palette.getByRole("button", { name: "Retry" }).click();
  await expectCount(palette.getByRole("alert"), 0);
});

test("command palette: it fits every width, also with long names", async () => {
  when(live).stream(() => ({
    ...fleetSnapshot(sampleRobots),
    sites: sampleSites.map((site) => ({ ...site, name: `${site.name} with quite a long name in Rajasthan` })),
  }));
  await opened("/dashboard");
  for (const width of [360, 390, 768, 1024, 1440]) {
    await page.viewport(width, 780);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await field.fill("scr");
    await expectContains(options.first(), "SCR-1011");
    await expectNoSidewaysScroll();
    const row = options.first().element();
    expect(row.scrollWidth, `at ${width} px`).toBeLessThanOrEqual(row.clientWidth);
    await expectAccessible();
    await userEvent.keyboard("{Escape}");
    await expectCount(palette, 0);
  }
});

test("shortcuts: ? lists them, G and a letter opens a page, and single keys can be switched off", async () => {
  await opened("/profile");
  await userEvent.keyboard("?");
  await expect.element(shortcuts).toBeVisible();
  await expectContains(shortcuts, "Go to Robots");
  await expectAccessible();
  const single = shortcuts.getByRole("switch", { name: "Shortcuts of a single key" });
  await single.click();
  await expectAccessible();
  await userEvent.keyboard("{Escape}");
  await expectCount(shortcuts, 0);
  await userEvent.keyboard("gr/?");
  await userEvent.keyboard(searchKeys);
  await expect.element(field).toHaveFocus();
  await expectAddress("/profile");
  await userEvent.keyboard("{Escape}");
  await page.getByRole("button", { name: "Administrator" }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await single.click();
  await userEvent.keyboard("{Escape}");
  await expectCount(shortcuts, 0);
  await expect.element(page.getByRole("button", { name: "Administrator" })).toHaveFocus();
  await pressTogether("gr");
  await expectAddress("/robots");
});

test("shortcuts: no key acts in a field, in a dialog or in a menu, or with another key held down", async () => {
  const sent = when(sendCommand).answer({
    success: true,
    message: "",
    command_id: "0190a000-0000-7000-8000-000000000001",
  });
  await opened("/dashboard?site=1");
  await page.getByRole("searchbox", { name: "Search sites" }).click();
  await userEvent.keyboard("s/?gr");
  await expect.element(page.getByRole("searchbox", { name: "Search sites" })).toHaveValue("s/?gr");
  await expectCount(page.getByRole("dialog"), 0);

  const card = page.getByRole("article", { name: "SCR-1011" });
  await page.getByRole("searchbox", { name: "Search sites" }).fill("");
  await card.getByRole("button", { name: "Settings" }).click();
  await expect.element(page.getByRole("dialog")).toBeVisible();
  await userEvent.keyboard("s?gr");
  await userEvent.keyboard("{Escape}");
  await expectCount(page.getByRole("dialog"), 0);

  (await card.getByRole("button", { name: "Start" }).findElement()).focus();
  await userEvent.keyboard("{Shift>}S{/Shift}{Control>}s{/Control}{Alt>}s{/Alt}");
  await pressTogether("gi");
  await expectAddress(/^\/sites/);
  expect(sent).toEqual([]);
});

test("shortcuts: S stops the robot whose card or row has the focus, and on its page that robot, at once; no key starts one", async () => {
  const sent = when(sendCommand).answer({
    success: true,
    message: "",
    command_id: "0190a000-0000-7000-8000-000000000001",
  });
  await opened("/dashboard?site=1");
  await userEvent.keyboard("s");
  (await page.getByRole("article", { name: "SCR-1012" }).getByRole("button", { name: "Start" }).findElement()).focus();
  await userEvent.keyboard("s");
  const commands = () => sent.map(({ body: { robotObjectId, command } }) => [robotObjectId, command]);
  await expect.poll(commands).toEqual([[12, "STOP"]]);
  await userEvent.keyboard("gs");
  await expect.poll(commands).toEqual([
    [12, "STOP"],
    [12, "STOP"],
  ]);

  await router.navigate("/robots");
  await page.getByRole("checkbox", { name: "Select SCR-1021" }).click();
  await userEvent.keyboard("s");
  await expect.poll(commands).toEqual([
    [12, "STOP"],
    [12, "STOP"],
    [21, "STOP"],
  ]);
});

test("§2 Search sites: what was meant for a robot goes on among the robots", async () => {
  await opened("/dashboard");
  await page.getByRole("searchbox", { name: "Search sites" }).fill("1012");
  await page.getByRole("link", { name: "Find robots matching “1012”" }).click();
  await expectAddress("/robots?q=1012");
});

test("§9 Keyboard: a robot's first Start is within 12 Tabs of the page's beginning, and links skip to what is wrong, robots and content", async () => {
  await opened("/dashboard?site=1");
  await expect.element(page.getByRole("region", { name: "Attention" })).toBeVisible();
  const skip = async (name: string) => {
    (await page.getByRole("link", { name: "Skip to content" }).findElement()).focus();
    let tabs = 1;
    while (document.activeElement?.textContent !== name) {
      await userEvent.keyboard("{Tab}");
      tabs += 1;
    }
    // The skip before may have scrolled: the header would cover half of a button.
    scrollTo(0, 0);
    await expectAccessible();
    await userEvent.keyboard("{Enter}");
    return tabs;
  };
  await skip("Skip to content");
  await expect.element(page.getByRole("main")).toHaveFocus();
  await skip("Skip to what is wrong");
  await expect.element(page.getByRole("region", { name: "Attention" })).toHaveFocus();
  let tabs = await skip("Skip to robots");
  const start = await page
    .getByRole("article", { name: "SCR-1011" })
    .getByRole("button", { name: "Start" })
    .findElement();
  while (document.activeElement !== start && tabs < 40) {
    await userEvent.keyboard("{Tab}");
    tabs += 1;
  }
  expect(tabs).toBeLessThanOrEqual(12);
});
