import {
  expectDisabled,
  expectStatus,
  expectStopToast,
  expectToast,
  expectToastsGone,
  expectTruth,
  robotCard,
  startsOf,
  toasts,
} from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

test(
  "§4 Commands: as admin and as partner, Start makes the robot move and Stop makes it stop, and the card shows it; what one person does, another sees within a second, without a click",
  { tag: "@smoke" },
  async ({ page, openBrowser, signIn, simulator }) => {
    const other = await openBrowser();
    await signIn(page, "admin");
    await signIn(other, "partner");

    for (const [account, browser, serial] of [
      ["admin", page, "SCR-1001"],
      ["partner", other, "SCR-1002"],
    ] as const) {
      await test.step(`as ${account}, Start makes the robot move and Stop makes it stop`, async () => {
        const startsBefore = await startsOf(simulator, serial);
        const card = robotCard(browser, serial);
        const figures = browser.getByRole("group", { name: "Fleet figures" });
        const cleaning = figures.getByRole("link", { name: "Cleaning" });
        await expectStatus(card, "Idle");
        await expect(cleaning).toHaveText("0 Cleaning");

        await card.start.click();
        await expectToast(browser, "Robot Control", `START command sent to Robot ${serial}`);
        const moving = await expectTruth(simulator, serial, { motion: "MOVING", status: "start" });
        expect(moving.startsTaken).toHaveLength(startsBefore + 1);
        expect(moving.runId).not.toBeNull();
        await expectStatus(card, "Normal");
        await expect(card.root.getByText(/^Cleaning/)).toBeVisible();
        await expect(card.root.getByText(/^Confirmed (just now|\d+ s ago)$/)).toBeVisible();
        await expect(cleaning).toHaveText("1 Cleaning");

        await card.stop.click();
        await expectStopToast(browser, serial);
        const standing = await expectTruth(simulator, serial, { motion: "STOPPED", runId: null, status: "stop" });
        expect(standing.startsTaken).toHaveLength(startsBefore + 1);
        await expectStatus(card, "Idle");
        await expect(card.root.getByText(/^Cleaning/)).toBeHidden();
        await expect(cleaning).toHaveText("0 Cleaning");
      });
    }

    await test.step("what one person does, another sees", async () => {
      const [mine, theirs] = [robotCard(page, "SCR-1001"), robotCard(other, "SCR-1001")];
      await expectStatus(mine, "Idle");
      await expectStatus(theirs, "Idle");
      // The toasts about the other person's earlier actions have closed.
      await expect(toasts(other)).toHaveCount(0);
      await mine.start.click();
      await expectStatus(mine, "Normal");
      await expectStatus(theirs, "Normal");
      await expect(theirs.root.getByText(/^Cleaning/)).toBeVisible();
      await expectDisabled(theirs.start, "Robot SCR-1001 is already running.");
      await expect(toasts(other)).toHaveCount(0);

      await theirs.reverse.click();
      await expectToast(other, "Direction Updated", "Robot direction changed to Reverse.");
      await expect(mine.reverse).toBeChecked();
      await theirs.forward.click();
      await expect(mine.forward).toBeChecked();

      await theirs.stop.click();
      await expectStatus(theirs, "Idle");
      await expectStatus(mine, "Idle");
      await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });
    });
  },
);

test("§8 Robot Refreshed, §8 Robot Control: Refresh status queries the robot, even while it is being polled; a toast stays about 3 seconds and can be closed earlier; the robot's own changes appear without a click", async ({
  page,
  signIn,
  simulator,
}) => {
  const card = robotCard(page, "SCR-1003");
  const closeMessage = toasts(page).getByRole("button", { name: "Close message" });

  await test.step("a press while the robot is being polled is reported like any other", async () => {
    let polled: () => void = () => {};
    const polling = new Promise<void>((resolve) => (polled = resolve));
    // The poll of the first load never ends.
    await page.route("**/api/mqtt/robot/getRobotStatus?robotId=SCR-1003", () => polled(), { times: 1 });
    await signIn(page, "admin");
    await polling;
    await expect(card.refresh).toHaveAttribute("aria-busy", "true");
    await card.refresh.click();
    await expectToast(page, "Robot Refreshed", /Robot SCR-1003: Idle, battery \d{1,3} %, direction Forward/);
    await expect(card.refresh).toHaveAttribute("aria-busy", "false");
    await expectToastsGone(page);
  });

  await test.step("Refresh status queries the robot and reports status, battery and direction", async () => {
    // A press replaces a poll in progress, whose answer can then no longer be read.
    await expectStatus(card, "Idle");
    await expect(card.refresh).toHaveAttribute("aria-busy", "false");
    const answered = page.waitForResponse((response) => response.url().includes("getRobotStatus?robotId=SCR-1003"));
    await card.refresh.click();
    await expectToast(page, "Robot Refreshed", /Robot SCR-1003: Idle, battery \d{1,3} %, direction Forward/);
    const answer: unknown = await (await answered).json();
    expect(answer).toMatchObject({ success: true, data: { status: "stop", motion: "STOPPED" } });
    await expectToastsGone(page);
  });

  await test.step("a toast stays about 3 seconds and can be closed earlier", async () => {
    await card.start.click();
    // Begun at once: it may be gone before it is looked for.
    const closing = closeMessage.click();
    await expectToast(page, "Robot Control", "START command sent to Robot SCR-1003");
    await closing;
    // The pointer rests where the toast was: it does not time out.
    await expect(toasts(page)).toHaveCount(0);
    await card.stop.click();
    await expectStopToast(page, "SCR-1003");
    await expect(toasts(page)).toHaveCount(0);
    await expectTruth(simulator, "SCR-1003", { motion: "STOPPED" });
  });

  await test.step("a low battery, and charging it", async () => {
    const low = robotCard(page, "SCR-1002");
    await expectStatus(low, "Idle");
    await simulator.fault("SCR-1002", { kind: "low-battery", percent: 15 });
    await expectStatus(low, "Warning");
    await expect(low.root.getByRole("meter", { name: "Battery" })).toHaveAttribute("aria-valuenow", "15");
    await simulator.clear("SCR-1002");
    await simulator.condition("SCR-1002", { battery: 80 });
    await expectStatus(low, "Idle");
  });
});

test("§9 Status polling: without the live stream the robots are polled; once it is back, it reports what happened in between", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/Failed to load resource/);
  await page.route("**/api/live", (route) => route.abort());
  const { promise: seen, resolve: letGo } = Promise.withResolvers<void>();
  await page.route("**/getRobotStatus?*", async (route) => {
    await seen;
    await route.continue();
  });
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1003");
  await expectStatus(card, "CHECKING...");
  const banner = page.getByText("Live updates are interrupted. Reconnecting...");
  await expect(banner).toBeVisible();
  letGo();
  await expectStatus(card, "Idle");
  await simulator.fault("SCR-1003", { kind: "jam" });
  await page.unroute("**/api/live");
  await expect(banner).toBeHidden();
  await expectStatus(card, "Critical");
  await simulator.clear("SCR-1003");
  await expectStatus(card, "Idle");
});
