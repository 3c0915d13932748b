import {
  acknowledgeAttention,
  type AttentionItem,
  attentionList,
  undoAcknowledgement,
} from "@suncrew/contract/attention/attention.ts";
import { robotsSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { runsCalendar } from "@suncrew/contract/runs/runs.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotBySerial } from "@suncrew/contract/robot-history/robot-history.ts";
import { siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { Refusal, sendOnStream, when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA, fleetSnapshot, sampleRobots } from "../../../test/sample-fleet.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const panel = page.getByRole("region", { name: "Attention", exact: true });
const rows = panel.getByRole("listitem");
const dialog = page.getByRole("dialog");
const button = (name: string | RegExp) => panel.getByRole("button", { name });

const skipped: AttentionItem = {
  key: "runs-7-1-skipped-a",
  kind: "RUNS",
  code: null,
  severity: "WARNING",
  site_id: 1,
  site_name: BHADLA,
  robots: [
    { robot_id: 11, serial_number: "SCR-1011" },
    { robot_id: 12, serial_number: "SCR-1012" },
  ],
  robot_count: 2,
  since: new Date(Date.now() - 8 * 3_600_000).toISOString(),
  due_at: null,
  cause:
    "The 22:00 run of North Rows was skipped for 2 robots. Each robot is offline: it has no connection at the moment.",
  suggestion: "Check power and network on site. Retry once it is online.",
  can_stop: false,
  retry_minutes: 30,
  day: "2026-06-14",
  acknowledged_at: null,
  acknowledged_by: null,
  comment: null,
};
const lost: AttentionItem = {
  ...skipped,
  key: "lost-1",
  kind: "MAY_BE_MOVING",
  severity: "CRITICAL",
  robots: [{ robot_id: 11, serial_number: "SCR-1011" }],
  robot_count: 1,
  cause: "Lost contact while cleaning at 18:20; may be moving; stops by itself by 18:50.",
  suggestion: "Keep people away. Stop is repeated until it arrives.",
  can_stop: true,
  retry_minutes: null,
  day: null,
};
const ofServers: AttentionItem = {
  ...lost,
  key: "2",
  kind: "ALERT",
  site_id: null,
  site_name: null,
  robots: [],
  robot_count: 0,
  cause: "Server suncrew-1 starts no robot, and is neither bridge nor scheduler, until its clocks agree.",
  suggestion: "Correct the time of the servers.",
  can_stop: false,
};
const seen: AttentionItem = {
  ...skipped,
  key: "maintenance-3",
  kind: "MAINTENANCE",
  severity: "INFO",
  cause: "In maintenance for 9 days, locked by Asha Rathore: New brush.",
  acknowledged_at: new Date(Date.now() - 60_000).toISOString(),
  acknowledged_by: "Anita Rao",
  comment: "The brush arrives on Friday.",
};

/** Makes these the items from now on. */
function tell(...items: AttentionItem[]): void {
  const open = items.filter((item) => item.acknowledged_at === null);
  const count = (severity: AttentionItem["severity"]) => open.filter((item) => item.severity === severity).length;
  when(attentionList).answer(() => {
    const counts = { CRITICAL: count("CRITICAL"), WARNING: count("WARNING"), INFO: count("INFO") };
    return { items: items.slice(0, 100), open: counts, acknowledged: items.length - open.length };
  });
}
const result = (robotObjectId: number, more: object = {}) => ({
  robotId: `SCR-10${robotObjectId}`,
  robotObjectId,
  outcome: "SUCCESS" as const,
  message: "The robot showed that it is cleaning.",
  pending: false,
  ...more,
});

test("attention: nothing wrong is one calm line, and the tab's title has no number", async () => {
  await openConsole("/dashboard");
  await expect.element(panel.getByText("Nothing needs attention.")).toBeVisible();
  await expectCount(rows, 0);
  await expect.poll(() => document.title).toBe("Dashboard - Suncrew");
  await button("All alerts").click();
  await expectAddress(/dialog=alerts/);
});

test("attention: a site's long name leaves place for further items", async () => {
  await page.viewport(1440, 900);
  tell({ ...lost, site_name: "Bhadla Solar Park, north-eastern block ".repeat(6) }, skipped);
  await openConsole("/dashboard");
  await expectCount(rows, 2);
  expect(rows.first().element().getBoundingClientRect().height).toBeLessThan(70);
});

test("attention: each item says what, since when and what to do; the number of open ones is in the title of every page", async () => {
  tell(lost, skipped, ofServers, seen);
  await openConsole("/dashboard");
  await expectCount(rows, 3);
  await expectContains(rows.nth(0), "May be moving");
  await expectContains(rows.nth(0), `SCR-1011 ${BHADLA}`);
  await expectContains(rows.nth(0), `${lost.cause} ${lost.suggestion}`);
  await expectContains(rows.nth(0), "8 h ago");
  await expectContains(rows.nth(1), "SCR-1011, SCR-1012");
  await expectContains(panel, "2 Critical");
  await expectContains(panel, "1 Warning");
  await expectContains(rows.nth(2), "Suncrew's servers");
  expect(rows.nth(2).getByRole("button").elements()).toHaveLength(1);
  await expect.poll(() => document.title).toBe("(3) Dashboard - Suncrew");
  await page.getByRole("link", { name: "Partners" }).click();
  await expect.poll(() => document.title).toBe("(3) Partner Management - Suncrew");
});

test("attention: a list that cannot be loaded says so in one line, with Retry; the rest of the dashboard works", async () => {
  when(attentionList).fail(503, { message: "Not now." });
  await openConsole("/dashboard");
  await expect.element(panel.getByText("What needs attention could not be loaded.")).toBeVisible();
  await pressRetry(() => tell(skipped), rows.first(), panel);
});

test("attention: it is read again at once when the stream reports changed alerts", async () => {
  tell();
  await openConsole("/dashboard");
  await expect.element(panel.getByText("Nothing needs attention.")).toBeVisible();
  tell(lost);
  sendOnStream(live, liveUpdate({ at: new Date().toISOString(), alerts_changed: [1] }));
  await expectCount(rows, 1);
});

test("attention: what somebody else acknowledges leaves at once", async () => {
  tell(skipped);
  await openConsole("/dashboard");
  await expectCount(rows, 1);
  tell({ ...skipped, acknowledged_at: new Date().toISOString(), acknowledged_by: "Anita Rao" });
  sendOnStream(live, liveUpdate({ at: new Date().toISOString(), attention_changed: [1] }));
  await expectCount(rows, 0);
});

test("attention: Open leads to the week of the runs; of one robot to its page at that moment", async () => {
  tell(lost, { ...skipped, site_id: 3 });
  when(runsCalendar).answer({ timezone: "Asia/Kolkata", today: "2026-06-15", days: [] });
  await openConsole("/dashboard");
  await button(/^Open: SCR-1011, SCR-1012/).click();
  await expectAddress(/site=3&tab=calendar&day=2026-06-14/);
  when(robotBySerial).fail(404, { code: "ROBOT_NOT_FOUND", message: "Robot not found" });
  await panel.getByRole("link", { name: /^Open: SCR-1011, Lost/ }).click();
  await expectAddress(/^\/robots\/SCR-1011\?at=\d{4}-\d\d-\d\dT\d\d%3A\d\dZ$/);
});

test("attention: Open of a soiled site leads to what soiling costs it", async () => {
  tell({ ...skipped, kind: "ALERT", code: "SITE_SOILED", robots: [], robot_count: 0, day: null, retry_minutes: null });
  when(siteSoiling).hang();
  await openConsole("/dashboard");
  await button(/^Open: /).click();
  await expectAddress(/site=1&tab=soiling/);
});

test("attention: Stop, and S within the item, is sent at once and never asks; a Stop that is stored says so", async () => {
  tell(lost);
  const sent = when(robotsSendCommand).answer(() => ({
    success: false,
    message: "Pending.",
    results: [result(11, { outcome: "FAILED", pending: true, message: "Robot SCR-1011 is offline." })],
  }));
  await openConsole("/dashboard");
  await button(/^Stop: SCR-1011/).click();
  await expectToast("Control Failed", "0 of 1 robot stopped.", "The STOP is stored for 1 robot until confirmed.");
  expect(sent.map(({ body }) => body)).toMatchObject([{ command: "STOP", robotObjectIds: [11] }]);
  await expectCount(dialog, 0);
  await userEvent.keyboard("s");
  await expect.poll(() => sent.length).toBe(2);
});

test("attention: if more robots may be moving than an item names, its Stop is for every robot of the site", async () => {
  tell({ ...lost, robot_count: 640 });
  const sent = when(siteStop).answer({ success: true, message: "", results: [result(11)] });
  await openConsole("/dashboard");
  await button(/^Stop: /).click();
  await expect.poll(() => sent.map(({ body }) => body)).toEqual([{ siteId: 1 }]);
});

test("attention: Retry asks first, how many will move and for how long, and tells the result of each", async () => {
  tell(skipped);
  const locked = sampleRobots.map((robot) =>
    robot.robot_id === 12 ? { ...robot, operating_mode: "maintenance" as const } : robot,
  );
  when(live).stream(() => fleetSnapshot(locked));
  const sent = when(robotsSendCommand).answer(() => ({ success: true, message: "Started.", results: [result(11)] }));
  await openConsole("/dashboard");
  await button(/^Retry: SCR-1011, SCR-1012/).click();
  await expect.element(dialog.getByText("1 robot will move for 30 min. Make sure that nobody is near.")).toBeVisible();
  await expectContains(dialog, "SCR-1012 Robot SCR-1012 is in maintenance.");
  expect(sent).toEqual([]);
  await dialog.getByRole("button", { name: "Start 1 robot" }).click();
  await expectContains(
    dialog.getByRole("list", { name: "Result for each robot" }),
    "The robot showed that it is cleaning.",
  );
  expect(sent.map(({ body }) => body)).toMatchObject([
    { command: "START", robotObjectIds: [11], duration_minutes: 30 },
  ]);
});

test("attention: a Retry that fails says why and can be pressed again", async () => {
  tell(skipped);
  when(robotsSendCommand).answer(() => {
    throw new Refusal(503, { message: "The database cannot be reached at the moment.", code: "DATABASE_UNREACHABLE" });
  });
  await openConsole("/dashboard");
  await button(/^Retry/).click();
  await dialog.getByRole("button", { name: "Start 2 robots" }).click();
  await expectContains(dialog.getByRole("alert"), "The database cannot be reached at the moment.");
  await expect.element(dialog.getByRole("button", { name: "Start 2 robots" })).toBeEnabled();
});

test("attention: Acknowledge takes a comment; what is acknowledged is folded away, says who, when and why, and can be undone", async () => {
  tell(skipped, lost);
  const sent = when(acknowledgeAttention).answer(() => {
    tell(lost, {
      ...skipped,
      acknowledged_at: new Date().toISOString(),
      acknowledged_by: "Anita Rao",
      comment: "On it.",
    });
    return { message: "Acknowledged." };
  });
  const undone = when(undoAcknowledgement).answer(() => {
    tell(lost, skipped);
    return { message: "Undone." };
  });
  await openConsole("/dashboard");
  await button(/^Acknowledge: SCR-1011, SCR-1012/).click();
  await dialog.getByLabelText("Comment (optional)").fill("On it.");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expectCount(dialog, 0);
  await expectCount(rows, 1);
  expect(sent).toMatchObject([{ params: { itemId: skipped.key }, body: { comment: "On it." } }]);
  await button("1 acknowledged").click();
  await expectCount(rows, 2);
  await expectContains(rows.last(), "Acknowledged by Anita Rao");
  await expectContains(rows.last(), ": On it.");
  await button(/^Undo the acknowledgement: SCR-1011, SCR-1012/).click();
  await expect.element(button(/^Acknowledge: SCR-1011, SCR-1012/)).toBeVisible();
  expect(undone).toMatchObject([{ params: { itemId: skipped.key } }]);
});

test("attention: an acknowledgement that fails keeps the comment", async () => {
  tell(skipped);
  when(acknowledgeAttention).fail(503, { message: "Not now." });
  await openConsole("/dashboard");
  await button(/^Acknowledge/).click();
  await dialog.getByLabelText("Comment (optional)").fill("On it.");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expectToast("Not Acknowledged", `SCR-1011, SCR-1012: ${skipped.cause}`, "Not now.");
  await expect.element(dialog.getByLabelText("Comment (optional)")).toHaveValue("On it.");
});

test("attention: what is below does not move when a further item comes, and many are scrolled or shown whole", async () => {
  await page.viewport(1440, 900);
  tell(lost);
  await openConsole("/dashboard");
  await expectCount(rows, 1);
  const box = async () => (await panel.findElement()).getBoundingClientRect().height;
  const height = await box();
  tell(...Array.from({ length: 140 }, (_, nth) => ({ ...skipped, key: `runs-${nth}-1-skipped-a` })));
  sendOnStream(live, liveUpdate({ at: new Date().toISOString(), runs_changed: [1] }));
  await expectCount(rows, 100);
  expect(await box()).toBe(height);
  await expectContains(panel, "Only the first 100 are listed.");
  await button("Show all 100").click();
  await expect.poll(box).toBeGreaterThan(height);
  await button("Show fewer").click();
  await expect.poll(box).toBe(height);
});

test("attention: fits at every width in every theme, no word is cut off, and breaks no rule of accessibility", async () => {
  tell(lost, skipped, ofServers, seen);
  await openConsole("/dashboard");
  await expectCount(rows, 3);
  await button("1 acknowledged").click();
  await button("Show all 4").click();
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    for (const width of [1440, 1024, 768, 390, 360]) {
      await page.viewport(width, 844);
      await expectNoSidewaysScroll();
      const cut = () =>
        [...document.querySelectorAll("section[aria-label=Attention] li *")].filter(
          (one) =>
            one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1 && getComputedStyle(one).display !== "inline",
        );
      await expect.poll(cut).toEqual([]);
      await expectAccessible();
    }
  }
});

test.each([
  [1280, 182],
  [700, 320],
  [390, 320],
])("attention: %i px wide, nothing moves while the items are loading", async (width, heightPx) => {
  await page.viewport(width, 844);
  const { promise, resolve } = Promise.withResolvers<void>();
  const items = [skipped, lost, ofServers, seen, { ...skipped, key: "another", severity: "INFO" as const }];
  when(attentionList).answer(async () => {
    await promise;
    return { items, open: { CRITICAL: 2, WARNING: 1, INFO: 1 }, acknowledged: 1 };
  });
  await openConsole("/dashboard");
  const heightOf = () => panel.element().getBoundingClientRect().height;
  await expect.element(panel.getByRole("status", { name: "Loading what needs attention" })).toBeVisible();
  expect(heightOf()).toBe(heightPx);
  resolve();
  await expectCount(rows, 4);
  expect(heightOf()).toBe(heightPx);
});
