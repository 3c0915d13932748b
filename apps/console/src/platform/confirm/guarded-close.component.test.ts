import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { expectAddress } from "../../../test/expectations.ts";
import { openConsole, router } from "../../../test/open-console.tsx";
import { openQuestion } from "./confirm.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("§4 Closing a form: trying to leave at the very moment of Keep editing asks again", async () => {
  await openConsole("/sites");
  await page.getByRole("button", { name: "Add New Site" }).click();
  const name = page.getByRole("dialog", { name: "Add New Site" }).getByLabelText("Site name");
  await name.fill("Half of a na");
  // Nothing that the form leaves to a timer has happened when the next try comes.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  for (let tries = 0; tries < 3; tries += 1) {
    void router.navigate("/dashboard");
    await expect.poll(() => openQuestion()?.title).toBe("Discard Changes");
    openQuestion()?.answer(false);
    await Promise.resolve();
  }
  await expectAddress("/sites");
  await expect.element(name).toHaveValue("Half of a na");
  void router.navigate("/dashboard");
  await expect.poll(() => openQuestion()?.title).toBe("Discard Changes");
  openQuestion()?.answer(true);
  await expectAddress(/^\/dashboard/);
});
