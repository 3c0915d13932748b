import { live } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { livePart, sampleRobots, sampleSites } from "../../../test/sample-fleet.ts";

const card = page.getByRole("article", { name: "SCR-1011" });

test("§2 Individual Robots tab: a robot's critical message is critical on its card, a warning beside it is not", async () => {
  const robots = sampleRobots.map((robot) =>
    robot.serial_number === "SCR-1011"
      ? {
          ...livePart(robot),
          // The robot itself calls it only a warning.
          status: "warning" as const,
          alerts: ["The robot is tilted.", "The brush is worn."],
          alert_severities: ["CRITICAL" as const, "WARNING" as const],
        }
      : livePart(robot),
  );
  when(live).stream(() => ({ type: "snapshot", at: new Date().toISOString(), robots, sites: [...sampleSites] }));
  await openConsole("/dashboard?site=1");
  await expect.element(card.getByText("The robot is tilted.")).toBeVisible();
  const root = card.element();
  expect(root.getAttribute("data-alarm")).toBe("critical");
  expect(root.querySelector('[data-kind="alarm"]')?.textContent).toContain("The robot is tilted.");
  const button = card.getByRole("button", { name: "Critical: 2 alerts" });
  await expect.element(button).toBeVisible();
  expect(button.element().querySelectorAll('[data-tone="poor"] svg')).toHaveLength(1);
  await button.click();
  const alertTexts = page.getByRole("dialog", { name: "Alerts of robot SCR-1011" }).getByRole("listitem");
  await expect.element(alertTexts.first()).toHaveTextContent("CriticalThe robot is tilted.");
  await expect.element(alertTexts.last()).toHaveTextContent("WarningThe brush is worn.");
  const tones = alertTexts.elements().map((line) => line.querySelector("[data-tone]")?.getAttribute("data-tone"));
  expect(tones).toEqual(["poor", "fair"]);
});
