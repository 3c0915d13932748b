import { BHADLA, chooseSite, expectToast, expectTruth, REWA, robotCard, startRobot } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

test("§4 Robot live status: while this browser has lost its connection no robot is shown as Offline, and everything recovers", async ({
  page,
  problems,
  signIn,
  simulator,
}) => {
  problems.allow(/Failed to load resource|Loading .* failed/);
  await signIn(page, "admin");
  // A poll's answer counts without the stream, so none may arrive after the stream's last message: the first site of a
  // page is polled twice, any other once.
  await chooseSite(page, REWA);
  const polled = page.waitForResponse(/getRobotStatus\?robotId=SCR-1001/);
  await chooseSite(page, BHADLA);
  await polled;
  const card = robotCard(page, "SCR-1001");
  await startRobot(card, simulator);
  // The stream has reported the run; until then the answer to the press is what is known, and stays fresh without it.
  await expect(card.root).toContainText(/Cleaning for .+, started by/);
  const offline = page.getByRole("link", { name: /\d+ Offline/ });
  const offlineBefore = await offline.textContent();

  await page.context().setOffline(true);
  await expect(page.getByText("Live updates are interrupted. Reconnecting...")).toBeVisible();
  await expect(card.root).toContainText("Last reading");
  await card.refresh.click();
  await expectToast(
    page,
    "Status Not Refreshed",
    "The last known status of Robot SCR-1001 is shown.",
    "The server could not be reached.",
  );
  await card.stop.click();
  await expectToast(
    page,
    "Control Failed",
    "Failed to send STOP command to Robot SCR-1001",
    "The server could not be reached.",
  );
  await expect(card.root.getByText("Normal", { exact: true })).toBeVisible();
  await expect(card.root).not.toContainText(/Offline|Not connected|offline|simulated/);
  expect(await offline.textContent()).toBe(offlineBefore);
  await expect(card.stop).not.toHaveAttribute("aria-disabled", "true");

  await page.context().setOffline(false);
  await expect(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
  await expect(card.root).toContainText("Confirmed");
  await card.stop.click();
  await expectTruth(simulator, card.serial, { motion: "STOPPED" });
});
