import { createMute, endMute, type Mute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectContains, expectNoSidewaysScroll, expectToast } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";

const SERIAL = "SCR-1011";

function muted(change: Partial<Mute> = {}): Mute {
  return {
    id: 7,
    site_id: 1,
    site_name: BHADLA,
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
    await dialog.getByRole("button", { name: "Mute", exact: true }).click();
    await expectContains(dialog, "Reason is required");
    await dialog.getByLabelText("Reason").fill("The grid is being repaired");
    await dialog.getByText("1 week").click();
    await expectAccessible();
    await dialog.getByRole("button", { name: "Mute", exact: true }).click();
    await expectContains(page.getByRole("main"), "by Asha Rathore: The grid is being repaired");
    await expectContains(card, "Muted");
    await expectNoSidewaysScroll();
    when(endMute).answer(() => {
      mutes = [];
      return { message: "Ended." };
    });
    await page.getByRole("button", { name: `End the mute of ${BHADLA}` }).click();
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
