import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectContains, expectCount, expectNoToast, pressRetry } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { sampleSites } from "../../../test/sample-fleet.ts";

const siteFacts = page.getByRole("region", { name: "Site details" });
const robots = page.getByRole("article");

test("§8 Robot fetch failure: the list is emptied, robots online is 0, and Retry loads them", async () => {
  when(robotDetailsWithSettings).fail(500, { message: "Broken" });
  await openConsole("/dashboard");
  await expect.element(page.getByText("The robots could not be loaded.")).toBeVisible();
  await expectContains(siteFacts, "0 of 2 robots online");
  await expectCount(robots, 0);
  await expectNoToast();
  await pressRetry(() => when(robotDetailsWithSettings).answerAsUsual());
  await expectCount(robots, 2);
  await expectContains(siteFacts, "2 of 2 robots online");
});

test("§8 Site fetch failure: its failed state without a toast, and Retry loads them", async () => {
  when(siteDetails).fail(500, { message: "Broken" });
  await openConsole("/dashboard");
  await expect.element(page.getByText("The sites could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(() => when(siteDetails).answerAsUsual());
  const siteList = page.getByRole("group", { name: /^(All Sites|Site buttons)$/ });
  await expectCount(siteList.getByRole("button"), sampleSites.length);
});

test("a partner without sites is told so, and who assigns them", async () => {
  when(siteDetails).answer([]);
  await openConsole("/dashboard", "partner");
  await expect.element(page.getByText("No sites yet")).toBeVisible();
  await expect
    .element(page.getByText("No site is assigned to you yet. A Super Admin assigns sites to partners."))
    .toBeVisible();
});

test("while robots and sites load, skeletons hold their places", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(siteDetails).answer(() => released.then(() => [...sampleSites]));
  await openConsole("/dashboard");
  const loading = page.getByText("Loading sites").or(page.getByLabelText("Loading sites"));
  await expect.element(loading.first()).toBeInTheDocument();
  release();
  await expectCount(robots, 2);
});
