import { live } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectCount } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";

test("a lost live connection shows a banner and recovers by itself", async () => {
  when(live).offline();
  await openConsole("/dashboard");
  const banner = page.getByText("Live updates are interrupted. Reconnecting...");
  await expect.element(banner).toBeVisible();
  await expectAccessible();
  when(live).answerAsUsual();
  await expectCount(banner, 0);
  await expect.element(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
});
