import { test, expect } from "vitest";
import { page } from "vitest/browser";
import { expectCount } from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";

test("§6: a partner has no firmware button, and the URL opens nothing", async () => {
  for (const dialog of ["deploy-firmware", "firmware"]) {
    await openConsole(`/sites?dialog=${dialog}`, "partner");
    await expect.element(page.getByRole("region", { name: "All Sites" })).toBeVisible();
    await page.getByRole("listitem", { name: BHADLA }).getByRole("button", { name: BHADLA }).click();
    await expect.element(page.getByRole("button", { name: "Add New Robot" })).toBeVisible();
    await expectCount(page.getByRole("button", { name: /Firmware/ }), 0);
    await expectCount(page.getByRole("dialog"), 0);
    await closeConsole();
  }
});
