import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Locator, page } from "vitest/browser";
import { sendOnStream, when } from "../../../test/answers.ts";
import { expectContains, expectCount, expectText } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { type Rendered, watchRenders } from "../../../test/renders.ts";
import { livePart, sampleGroup, sampleRobots, sampleSite } from "../../../test/sample-fleet.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";

const BUSY = 11;
/** As many as 200 robots send in a second, shown in ten steps. */
const MESSAGES = 200;
const AT_ONCE = 20;

let recording: ReturnType<typeof watchRenders> | null = null;

// Text that shows minutes renders as time passes: that is not counted here.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  recording?.stop();
  recording = null;
  vi.useRealTimers();
});

/** The robot's battery falls with each message. */
function sendUpdate(battery: number): void {
  const robot = sampleRobots.find(({ robot_id }) => robot_id === BUSY);
  if (robot === undefined) throw new Error("The sample has no such robot.");
  const at = new Date().toISOString();
  const changed = { ...livePart(robot), battery_level: battery, last_updated_at: at };
  sendOnStream(live, liveUpdate({ at, robots: [changed], sites: [sampleSite()] }));
}

/** What is rendered while one robot sends 200 messages, which `place` shows as they arrive. */
async function rendersOfBurst(place: Locator): Promise<readonly Rendered[]> {
  sendUpdate(99);
  await expectContains(place, "99 %");
  await expect.poll(() => queryClient.isFetching()).toBe(0);
  recording = watchRenders();
  for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) {
    const last = 90 - sent / AT_ONCE;
    for (let nth = AT_ONCE - 1; nth > 0; nth -= 1) sendUpdate(last + nth / AT_ONCE);
    sendUpdate(last);
    await expectContains(place, `${last} %`);
  }
  recording.stop();
  return recording.rendered;
}

/** Each rendered component that neither has that name nor is inside one that has. */
function namesOutside(rendered: readonly Rendered[], own: string): readonly string[] {
  const others = rendered.filter(({ name, within }) => name !== own && !within.includes(own));
  return [...new Set(others.map(({ name }) => name))];
}

/** The robots of the components that were rendered for a row. */
function robotsOf(rendered: readonly Rendered[], name: string): ReadonlySet<unknown> {
  const own = rendered.filter((one) => one.name === name);
  return new Set(own.map(({ props }) => (hasRow(props) ? props.row.robot_id : null)));
}

function hasRow(props: unknown): props is { readonly row: { readonly robot_id: number } } {
  return typeof props === "object" && props !== null && "row" in props;
}

/** By now each robot of the site is being polled for its status, and stays so. */
async function untilPolled(): Promise<void> {
  await expectCount(page.getByRole("button", { name: "Refresh status" }), 2);
  for (const nth of [0, 1]) {
    await expect
      .element(page.getByRole("button", { name: "Refresh status" }).nth(nth))
      .toHaveAttribute("aria-busy", "true");
  }
}

/** What the dashboard loads last is shown. */
async function untilEnergyAtRisk(): Promise<void> {
  await expectContains(page.getByRole("region", { name: "Energy at risk tonight" }), "is not known");
}

test("§2 Individual Robots tab: at 200 messages a second from one robot its card renders, and nothing else", async () => {
  when(robotStatus).hang();
  await openConsole("/dashboard?site=1");
  const card = page.getByRole("article", { name: `SCR-10${BUSY}` });
  await untilPolled();
  await expect.element(page.getByRole("button", { name: "Zoom in" })).toBeVisible();
  await untilEnergyAtRisk();
  const rendered = await rendersOfBurst(card);
  expect(namesOutside(rendered, "RobotCard")).toEqual([]);
  expect(robotsOf(rendered, "RobotCard")).toEqual(new Set([BUSY]));
  // Ten times a second at most.
  expect(rendered.filter(({ name }) => name === "RobotCard").length).toBeLessThanOrEqual(MESSAGES / 2);
});

test("§2 Group Control tab: a robot's reading renders it in its group's grid, and not the card around it", async () => {
  when(robotStatus).hang();
  when(groupList).answer([sampleGroup({ robots: [{ id: BUSY }, { id: 12 }] })]);
  await openConsole("/dashboard?site=1");
  await untilPolled();
  await page.getByRole("tab", { name: "Group Control" }).click();
  const group = page.getByRole("article", { name: "East Row" });
  await expectText(group.getByRole("status"), "None cleaning");
  await untilEnergyAtRisk();
  const rendered = await rendersOfBurst(group.getByRole("listitem").filter({ hasText: `SCR-10${BUSY}` }));
  expect(namesOutside(rendered, "Member")).toEqual([]);
  expect(robotsOf(rendered, "Member")).toEqual(new Set([BUSY]));
});

test("§2 Site Management page: at 200 messages a second from one robot its row renders, and nothing else", async () => {
  when(robotStatus).hang();
  await openConsole("/sites?site=1");
  await untilPolled();
  const rendered = await rendersOfBurst(page.getByRole("article", { name: `SCR-10${BUSY}` }));
  expect(namesOutside(rendered, "RobotRow")).toEqual([]);
  expect(robotsOf(rendered, "RobotRow")).toEqual(new Set([BUSY]));
});
