import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { expectCount, expectNoToast, expectToast } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { toast } from "../../platform/toast.tsx";

afterEach(() => void vi.useRealTimers());

const messages = page.getByRole("region", { name: "Messages" });

async function openDashboard(): Promise<void> {
  await openConsole("/dashboard");
  await expectCount(page.getByRole("article"), 2);
  await expectNoToast();
}

test("§8 Toasts: the newest is shown at once, and the one that it replaced is shown again after it", async () => {
  await openDashboard();
  const message = "STOP command sent to Robot SCR-1001";
  toast.success({ title: "Robot Control", message, durationMs: 600_000 });
  await expectToast("Robot Control", message);
  toast.success({ title: "Site Deleted", message: "Gone.", durationMs: 600_000 });
  await expectToast("Site Deleted", "Gone.");
  await expectCount(messages.getByText("Robot Control"), 0);
  await expect.element(messages.getByText("+1")).toBeVisible();
  await messages.getByRole("button", { name: "Close message" }).click();
  await userEvent.unhover(messages);
  await expectToast("Robot Control", message);
  await messages.getByRole("button", { name: "Close message" }).click();
  await expectNoToast();
});

test("§8 Toasts: what came by itself waits behind what the user asked for", async () => {
  await openDashboard();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  toast.success({ title: "Site Deleted", message: "Gone." });
  toast.failure({ title: "Weather", message: "Failed to load weather data", isAutomatic: true });
  await expectToast("Site Deleted", "Gone.");
  await expectCount(messages.getByText("Weather"), 0);
  vi.advanceTimersByTime(3000);
  await expectToast("Weather", "Failed to load weather data");
});

test("§8 Toasts: many of the same are one: the newest and the number of the others, which the pointer shows", async () => {
  await openDashboard();
  // None ends before the pointer is on it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  for (const nth of [1, 2, 3, 4, 5, 5]) {
    toast.failure({ title: "Control Failed", message: `Failed to send START command to Robot SCR-100${nth}` });
  }
  await expectCount(messages.getByRole("alert"), 1);
  const texts = () =>
    messages
      .getByRole("paragraph")
      .elements()
      .map((one) => one.textContent);
  expect(texts()).toEqual(["Failed to send START command to Robot SCR-1005"]);
  await expect.element(messages.getByText("+4")).toBeVisible();
  await messages.getByText("Control Failed").hover();
  await expect.element(messages.getByText("and 2 more")).toBeVisible();
  expect(texts()).toEqual([
    ...[5, 4, 3].map((nth) => `Failed to send START command to Robot SCR-100${nth}`),
    "and 2 more",
  ]);
});

test("§8 Toasts: under the pointer all of them are shown, and none ends", async () => {
  await openDashboard();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  toast.success({ title: "Site Deleted", message: "Gone.", durationMs: 2000 });
  toast.success({ title: "Robot Removed", message: "Removed.", durationMs: 2000 });
  await messages.getByText("Robot Removed").hover();
  await expectCount(messages.getByRole("status"), 2);
  vi.advanceTimersByTime(60_000);
  await expectCount(messages.getByRole("status"), 2);
  await expectToast("Site Deleted", "Gone.");
  await expectToast("Robot Removed", "Removed.");
  await userEvent.unhover(messages);
  await expectCount(messages.getByRole("status"), 1);
  const afterTwoSeconds = () => {
    vi.advanceTimersByTime(2000);
    return messages.getByRole("status").elements().length;
  };
  await expect.poll(afterTwoSeconds).toBe(0);
  await expectNoToast();
});

test("§8 Toasts: closing the last one by keyboard gives the focus back; until then the next one has it", async () => {
  await openDashboard();
  const before = page.getByRole("button", { name: "All alerts" });
  (await before.findElement()).focus();
  toast.success({ title: "Site Deleted", message: "Gone.", durationMs: 60_000 });
  toast.success({ title: "Robot Removed", message: "Removed.", durationMs: 60_000 });
  const close = messages.getByRole("button", { name: "Close message" });
  (await close.first().findElement()).focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(close).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expectNoToast();
  await expect.element(before).toHaveFocus();
});

for (const width of [1440, 1280, 1024, 768, 390, 360]) {
  test(`§8 Toasts: at ${width} px none covers a title, a figure, a button of the page, or a dialog's field`, async () => {
    await page.viewport(width, 844);
    await openDashboard();
    toast.failure({ title: "Control Failed", message: "Failed to send STOP command to Robot SCR-1001" });
    await expectToast("Control Failed", "Failed to send STOP command to Robot SCR-1001");
    expect(covered("main :is(h1, h2, h3, button, a, strong, [role='group'])")).toEqual([]);
    expect(covered("header button").filter((text) => text?.startsWith("Stop"))).toEqual([]);

    await page.getByRole("button", { name: "All alerts" }).click();
    await expect.element(page.getByRole("dialog")).toBeVisible();
    // Several of the same, each with more lines than the bar has room for.
    const reason =
      "The robot has not confirmed it within 8 s. It is sent again until the robot shows that it has stopped.";
    for (const serial of ["SCR-1003", "SCR-1002", "SCR-1001"]) {
      toast.failure({ title: "Control Failed", message: `Failed to send STOP command to Robot ${serial}`, reason });
    }
    await expectToast("Control Failed", "Failed to send STOP command to Robot SCR-1001", reason);
    expect(covered("[role='dialog'] :is(h2, button, input, select)")).toEqual([]);
    // No higher than the bar, below which a lost connection is told; the reason begins in view.
    const { bottom } = messages.element().getBoundingClientRect();
    const bar = document.querySelector("header")?.getBoundingClientRect();
    expect(bottom).toBeLessThanOrEqual((bar?.bottom ?? 0) + 1);
    const shown = messages.getByText(reason, { exact: true }).first().element().getBoundingClientRect();
    expect(shown.top + 29).toBeLessThan(bottom);
  });
}

/** The texts of the visible elements that a toast lies over. */
function covered(selector: string): readonly (string | null)[] {
  const shown = messages.element().getBoundingClientRect();
  return [...document.querySelectorAll(selector)]
    .filter((element) => {
      const { top, bottom, left, right, height } = element.getBoundingClientRect();
      const isBeside = bottom <= shown.top || top >= shown.bottom || right <= shown.left || left >= shown.right;
      return height > 1 && !isBeside;
    })
    .map((element) => element.textContent);
}
