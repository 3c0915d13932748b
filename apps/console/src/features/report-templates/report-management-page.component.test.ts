import { reportTemplates } from "@suncrew/contract/report-templates/report-templates.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectNoToast, pressRetry } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";

test("report templates that cannot be loaded say so without a toast, and Retry loads them; none says so too", async () => {
  when(reportTemplates).fail(500, { message: "Broken" });
  await openConsole("/report-management");
  await expect.element(page.getByText("The templates could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(() => when(reportTemplates).answer([]));
  await expect.element(page.getByText("No report templates")).toBeVisible();
});
