import { live } from "@suncrew/contract/live/live.ts";
import { robotBySerial } from "@suncrew/contract/robot-history/robot-history.ts";
import { type NightState, type SiteNights, siteNights } from "@suncrew/contract/robot-history/nights.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { sendOnStream, when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const card = page.getByRole("article", { name: "SCR-1011" });
const strip = card.getByRole("img", { name: /^Last 7 nights/ });
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

const done = ["COMPLETED", "COMPLETED", "NONE", "CUT_SHORT", "FAILED", "MISSED"] as const;

function nightsOf(last: NightState, reason: string | null = null, runAt: string | null = null): SiteNights {
  return {
    timezone: "Asia/Kolkata",
    dates: ["19", "20", "21", "22", "23", "24", "25"].map((day) => `2026-11-${day}`),
    robots: [{ robot_id: 11, states: [...done, last], reason, run_at: runAt }],
  };
}

test("nights: a card has the last seven, each with a sign of its own and all in one text", async () => {
  when(siteNights).answer(nightsOf("COMPLETED"));
  await openConsole("/dashboard");
  const words = "Thu done, Fri done, Sat no run, Sun cut short, Mon failed, Tue missed, Wed done";
  await expect.element(strip).toHaveAttribute("aria-label", `Last 7 nights: ${words}`);
  await expectCount(page.getByRole("img", { name: /^Last 7 nights/ }), 2);
  await expectContains(card, "No cleaning yet");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expectAccessible();
  }
});

test("nights: one that was not done says why on the card, and leads to that moment of the robot's page", async () => {
  const runAt = ago(30);
  when(siteNights).answer(nightsOf("SKIPPED", "Robot SCR-1011 is offline: it has no connection at the moment.", runAt));
  await page.viewport(360, 800);
  await openConsole("/dashboard");
  const reason = card.getByRole("link", { name: /: skipped\. Robot SCR-1011 is offline: it has no connection/ });
  await expect
    .element(reason)
    .toHaveAttribute("href", `/robots/SCR-1011?at=${encodeURIComponent(`${runAt.slice(0, 16)}Z`)}`);
  await expectNoSidewaysScroll();
  await expectAccessible();
  when(robotBySerial).fail(404, { code: "ROBOT_NOT_FOUND", message: "Robot not found" });
  await reason.click();
  await expectAddress(/^\/robots\/SCR-1011\?at=/);
});

test("nights: one that a person ended early leaves the card's line as it is", async () => {
  when(siteNights).answer(nightsOf("STOPPED", "Stopped by Asha Rathore.", ago(3)));
  await openConsole("/dashboard");
  await expect.element(strip).toHaveAttribute("aria-label", expect.stringContaining("Wed stopped early"));
  await expectContains(card, "No cleaning yet");
  await expectCount(card.getByRole("link", { name: /stopped early/ }), 0);
});

test("nights: they are read again when the stream names a run at the site, and their failure leaves the card as it is", async () => {
  when(siteNights).fail(500, { message: "Broken." });
  await openConsole("/dashboard");
  await expectContains(card, "No cleaning yet");
  await expectCount(strip, 0);
  when(siteNights).answer(nightsOf("RUNNING"));
  sendOnStream(live, liveUpdate({ at: new Date().toISOString(), runs_changed: [1] }));
  await expect.element(strip).toHaveAttribute("aria-label", expect.stringContaining("Wed running"));
});
