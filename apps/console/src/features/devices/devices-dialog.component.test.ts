import { type Device, deviceList, provisionDevices } from "@suncrew/contract/devices/devices.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectContains, expectToast, pressRetry } from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";

const device: Device = {
  serial: "SCR-1001",
  created_at: "2026-01-05T06:00:00.000Z",
  secret_at: "2026-01-05T06:00:00.000Z",
  retired_at: null,
  broker_pending: false,
  secret_unsure: false,
  robot: null,
};

test("protocol rule 9: a refusal is told with its reason, and a list that cannot be had with a way to try again", async () => {
  const message = "The robots' broker cannot be reached. Nothing was provisioned.";
  when(deviceList).answer([device]);
  when(provisionDevices).fail(503, { message });
  await openConsole("/sites?dialog=devices");
  const dialog = page.getByRole("dialog", { name: "Devices", exact: true });
  await dialog.getByRole("button", { name: "Provision" }).click();
  const serial = page
    .getByRole("dialog", { name: "Provision Devices", exact: true })
    .getByRole("textbox", { name: /^Serial number/ });
  await serial.fill("SCR-8101");
  await userEvent.keyboard("{Enter}");
  await expectToast("Provisioning Failed", "No device was provisioned.", message);
  await expect.element(serial).toHaveValue("SCR-8101");
  await closeConsole();

  when(deviceList).fail(503, { message: "The database is away." });
  await openConsole("/sites?dialog=devices");
  await expectContains(dialog, "The devices could not be loaded.");
  await pressRetry(() => when(deviceList).answer([device]), dialog);
  await expect.element(dialog.getByRole("row").filter({ hasText: "SCR-1001" })).toBeVisible();
});
