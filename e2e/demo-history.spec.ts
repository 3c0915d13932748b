import { expectAccessible } from "./support/axe.ts";
import { BHADLA, chooseSite, KURNOOL, PAVAGADA, robotCard, siteButton } from "./support/dashboard.ts";
import { groupCard } from "./support/group-fixtures.ts";
import { type RunningServer, startServer } from "./support/server-process.ts";
import { expect, test as base } from "./support/suncrew.ts";

/** A demo as new users see it, with its sample history. */
const test = base.extend<object, { readonly suncrew: RunningServer }>({
  suncrew: [
    // oxlint-disable-next-line no-empty-pattern -- the fixture library reads the first parameter's pattern
    async ({}, use) => {
      const server = await startServer({ history: true });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

test("demo: a new demo has runs, groups and schedules to show, labelled as sample data", async ({ page, signIn }) => {
  await signIn(page, "admin");
  await expect(page.getByText("Demo: simulated robots and sample data")).toBeVisible();
  await chooseSite(page, BHADLA);
  await expect(robotCard(page, "SCR-1001").root).toContainText(/Last cleaning .* ago, /);

  await page.getByRole("tab", { name: "Group Control" }).click();
  await expect(groupCard(page, "Morning rows")).toContainText("Daily at 05:30");
  await expect(groupCard(page, "Evening rows")).toContainText(/Next run in /);

  await page.getByRole("tab", { name: "Calendar" }).click();
  const week = page.getByRole("region", { name: "Week of cleaning" });
  await week.getByRole("button", { name: "Previous week" }).click();
  await expect(week.getByRole("button", { name: "Planned" })).toHaveCount(0);
  await expect(week).toContainText("Includes sample data");
  await expect(week.getByRole("button", { name: /05:30.*Morning rows/ })).toHaveCount(7);
  await week.getByRole("button", { name: "Evening rows" }).first().click();
  await expect(page.getByText("Sample data of the demo")).toBeVisible();
});

test("demo: the partner sees only the history of its own sites", async ({ page, signIn }) => {
  await signIn(page, "partner");
  await chooseSite(page, PAVAGADA);
  await page.getByRole("tab", { name: "Group Control" }).click();
  await expect(groupCard(page, "Blocks A to C")).toContainText("Daily at 05:30");
  await expect(page.getByText(KURNOOL)).toHaveCount(0);
});

test("robot page: a robot's serial number leads to its nights, and a night that was not done to its moment", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, BHADLA);
  await robotCard(page, "SCR-1001").root.getByRole("link", { name: "SCR-1001" }).click();
  await expect(page).toHaveURL("/robots/SCR-1001");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Robot SCR-1001");
  const nights = page.getByRole("list", { name: "The last 30 nights" });
  await expect(nights.getByRole("listitem")).toHaveCount(30);
  const history = page.getByRole("region", { name: "History", exact: true });
  await expect(history.getByRole("figure", { name: /^Battery: from \d/ })).toBeVisible();
  await expectAccessible(page);
  await nights
    .getByRole("link", { name: /: Cut short\. The robot's battery was too low\.$/ })
    .last()
    .click();
  await expect(page).toHaveURL(/\/robots\/SCR-1001\?at=[\d-]+T\d\d%3A\d\dZ$/);
  await history.getByRole("button", { name: "Show as table" }).click();
  // Only the rows in view are there.
  const cutShort = history.getByText("Run cut short: The robot's battery was too low.").first();
  const table = history.getByRole("table", { name: "History" });
  await table.getByRole("row").nth(1).hover();
  await expect(async () => {
    if (!(await cutShort.isVisible())) await page.mouse.wheel(0, 200);
    await expect(cutShort).toBeVisible({ timeout: 100 });
  }).toPass();
});

test("nights: why a robot did not run last night is two presses from the dashboard, the second of which leads to that moment", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  await siteButton(page, PAVAGADA).click();
  const reason = robotCard(page, "SCR-1007").root.getByRole("link", { name: /skipped\. Robot SCR-1007 is offline/ });
  await expect(reason).toBeVisible();
  await reason.click();
  await expect(page).toHaveURL(/\/robots\/SCR-1007\?at=/);
  await expect(page.getByRole("region", { name: "History", exact: true })).toBeInViewport();
});
