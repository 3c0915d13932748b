import { live } from "@suncrew/contract/live/live.ts";
import { createMute, endMute, type Mute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { sendOnStream, when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectToast,
  press,
  siteButton,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { shortDayText } from "../../ui/days.ts";

const SERIAL = "SCR-1011";

function muted(change: Partial<Mute> = {}): Mute {
  return {
    id: 7,
    site_id: 1,
    site_name: BHADLA,
    timezone: "Asia/Kolkata",
    robot_id: null,
    robot_name: null,
    serial_number: null,
    until: "2099-01-01T00:30:00.000Z",
    reason: "The grid is being repaired",
    muted_by: "Asha Rathore",
    muted_at: "2026-06-15T00:00:00.000Z",
    ...change,
  };
}

const dialog = page.getByRole("dialog", { name: `Mute: ${BHADLA}` });
const opener = page.getByRole("button", { name: "Mute messages" });
const card = page.getByRole("article", { name: SERIAL });

for (const width of [390, 1440]) {
  test(`§2 Detail panel: a site is muted with a reason, and it and its robots say so, at ${width} px`, async () => {
    await page.viewport(width, 900);
    let mutes: Mute[] = [];
    when(muteList).answer(() => mutes);
    when(createMute).answer(({ body }) => {
      expect(body).toMatchObject({ site_id: 1, reason: "The grid is being repaired" });
      mutes = [muted()];
      return { message: "Muted.", muteId: 7 };
    });
    await openConsole("/dashboard?site=1");
    await opener.click();
    // Waits until the dialog stands still, which a forced click does not.
    await dialog.getByText("1 week").click();
    // It says why it is disabled; a click would wait until it is not.
    await dialog.getByRole("button", { name: "Mute", exact: true }).click({ force: true });
    await expectContains(dialog, "Reason is required");
    await expect.element(dialog.getByLabelText("Reason")).toHaveFocus();
    await dialog.getByLabelText("Reason").fill("The grid is being repaired");
    await expectAccessible(dialog);
    await dialog.getByRole("button", { name: "Mute", exact: true }).click();
    await expectContains(page.getByRole("main"), "by Asha Rathore: The grid is being repaired");
    await expectContains(card, "Muted");
    await expect.element(siteButton(BHADLA).getByTitle("Muted")).toBeVisible();
    await expectNoSidewaysScroll();
    when(endMute).answer(() => {
      mutes = [];
      return { message: "Ended." };
    });
    await page.getByRole("button", { name: `End mute of ${BHADLA}` }).click();
    await expect.element(opener).toBeVisible();
  });
}

test("§2 Detail panel: a robot's own mute is on its card, and its site can be muted still", async () => {
  when(muteList).answer(() => [muted({ robot_id: 11, robot_name: "Row 1", serial_number: SERIAL })]);
  await openConsole("/dashboard?site=1");
  await expectContains(card, "Muted");
  await expect.element(opener).toBeVisible();
});

test("§2 Detail panel: a mute that the server refuses is said, and what was typed stays", async () => {
  when(createMute).fail(503, { message: "Please try again." });
  await openConsole("/dashboard?site=1");
  await opener.click();
  await dialog.getByLabelText("Reason").fill("Repair");
  await dialog.getByRole("button", { name: "Mute", exact: true }).click();
  await expectToast("Not Muted", `${BHADLA} was not muted. Please try again.`, "Please try again.");
  await expect.element(dialog.getByLabelText("Reason")).toHaveValue("Repair");
});

/** A day of the site's calendar, which is ahead of the world's by half a day at most. */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test("robot card: mutes its robot until a date and time of its site, which must be ahead, and neither too far nor missing", async () => {
  let mutes: Mute[] = [];
  when(muteList).answer(() => mutes);
  const sent = when(createMute).answer(({ body }) => {
    mutes = [muted({ robot_id: 11, serial_number: SERIAL, until: body.until, reason: body.reason })];
    return { message: "Muted.", muteId: 7 };
  });
  await openConsole("/dashboard?site=1");
  await card.getByRole("button", { name: "Mute", exact: true }).click();
  const asked = page.getByRole("dialog", { name: `Mute: ${SERIAL}` });
  await expectContains(asked, "Times are the site's (Asia/Kolkata).");
  await asked.getByText("Until a date and time").click();
  const [date, time] = [asked.getByLabelText(/^Date/), asked.getByLabelText(/^Time/)];
  for (const [day, problem] of [
    [inDays(-2), "A mute must end in the future"],
    [inDays(92), "A mute must end within 90 days"],
  ] as const) {
    await date.fill(shortDayText(day));
    await expectContains(asked, problem);
  }
  await date.fill("");
  await time.fill("");
  await press(asked.getByRole("button", { name: "Mute", exact: true }), "Enter");
  for (const problem of ["Choose a date", "Type a time", "Reason is required"]) await expectContains(asked, problem);
  expect(sent).toEqual([]);
  const day = inDays(3);
  await date.fill(shortDayText(day));
  await time.fill("18:45");
  await asked.getByLabelText("Reason").fill("New brush");
  await expectAccessible();
  await asked.getByRole("button", { name: "Mute", exact: true }).click();
  await expectToast("Muted", `Nobody is sent messages about alerts of ${SERIAL}.`);
  expect(sent.map(({ body }) => body)).toEqual([
    { site_id: 1, robot_id: 11, until: `${day}T13:15:00.000Z`, reason: "New brush" },
  ]);

  // Its button shows why from now on, and changes or ends it.
  await card.getByRole("button", { name: "Muted", exact: true }).click();
  const shown = page.getByRole("dialog", { name: `Mute of ${SERIAL}` });
  await expectContains(shown, "18:45 by Asha Rathore: New brush");
  await shown.getByRole("button", { name: `Change the mute of ${SERIAL}` }).click();
  await expect.element(asked.getByLabelText("Reason")).toHaveValue("New brush");
  await expect.element(time).toHaveValue("18:45");
  await asked.getByRole("button", { name: "Cancel" }).click();
  await card.getByRole("button", { name: "Muted", exact: true }).click();
  when(endMute).answer(() => {
    mutes = [];
    return { message: "Ended." };
  });
  await shown.getByRole("button", { name: `End mute of ${SERIAL}` }).click();
  await expect.element(card.getByRole("button", { name: "Mute", exact: true })).toHaveFocus();
});

test("robot info: mutes the robot from its popover, too", async () => {
  await openConsole("/dashboard?site=1");
  await card.getByRole("button", { name: "Robot info" }).click();
  const info = page.getByRole("dialog", { name: `Info on robot ${SERIAL}` });
  await info.getByRole("button", { name: "Mute messages" }).click();
  await expect.element(page.getByRole("dialog", { name: `Mute: ${SERIAL}` })).toBeVisible();
  await expectCount(info, 0);
});

for (const width of [390, 1440]) {
  test(`robot card: what others mute shows without a reload, is over at its end, and moves no Start or Stop, at ${width} px`, async () => {
    await page.viewport(width, 900);
    let mutes: Mute[] = [];
    when(muteList).answer(() => mutes);
    await openConsole("/dashboard?site=1");
    const start = card.getByRole("button", { name: "Start" });
    await expect.element(card.getByRole("button", { name: "Mute", exact: true })).toBeVisible();
    const place = () => {
      const { left, top } = start.element().getBoundingClientRect();
      const above = card.element().getBoundingClientRect();
      return [left - above.left, top - above.top];
    };
    const before = place();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: Date.now() });
    try {
      mutes = [muted({ robot_id: 11, serial_number: SERIAL, until: new Date(Date.now() + 60_000).toISOString() })];
      sendOnStream(live, liveUpdate({ at: new Date().toISOString(), mutes_changed: [1] }));
      await expectContains(card, "Muted");
      expect(place()).toEqual(before);
      // The server's answer still has it.
      vi.advanceTimersByTime(65_000);
      await expect.element(card.getByText("Muted", { exact: true })).not.toBeInTheDocument();
    } finally {
      vi.useRealTimers();
    }
  });
}
