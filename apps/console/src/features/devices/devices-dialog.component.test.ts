import { allocateDevices, type Device, deviceList, provisionDevices } from "@suncrew/contract/devices/devices.ts";
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
  partner: { id: 1, name: "In-house" },
  robot: null,
  sensor_of: null,
};

test("protocol rule 9: a refusal shows its reason, and a list that cannot be loaded can be retried", async () => {
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

  when(deviceList).fail(503, { message: "The database is unreachable." });
  await openConsole("/sites?dialog=devices");
  await expectContains(dialog, "The devices could not be loaded.");
  await pressRetry(
    () => when(deviceList).answer([device]),
    dialog.getByRole("row").filter({ hasText: "SCR-1001" }),
    dialog,
  );
});

const suncare = { id: 2, name: "SunCare Services" };
const devices: Device[] = [
  { ...device, robot: { id: 11, name: "Row 1", site_id: 1, site_name: "Bhadla", online: true }, partner: suncare },
  { ...device, serial: "SCR-1002", partner: suncare },
  { ...device, serial: "SCR-1003" },
  { ...device, serial: "SCR-1004" },
];

test("§6 SUPER_ADMIN: free devices are allocated; a refusal keeps the selection, and says why", async () => {
  when(deviceList).answer(devices);
  await openConsole("/sites?dialog=devices");
  const list = page.getByRole("dialog", { name: "Devices", exact: true });
  await list.getByRole("combobox", { name: "Show devices of partner" }).selectOptions("SunCare Services");
  await expect.element(list.getByRole("row").filter({ hasText: "SCR-1003" })).not.toBeInTheDocument();
  await expectContains(list.getByRole("row").filter({ hasText: "SCR-1002" }), "SunCare Services");
  await list.getByRole("button", { name: "Allocate" }).click();
  const dialog = page.getByRole("dialog", { name: "Allocate Devices" });
  const button = dialog.getByRole("button", { name: /^Allocate/ });
  await expect.element(button).toHaveAccessibleDescription("Choose a partner first.");
  await dialog.getByRole("combobox", { name: "Partner" }).selectOptions("SunCare Services");
  await expect.element(button).toHaveAccessibleDescription("Choose at least one device.");
  // Neither a robot's device nor one that the partner already has.
  await expect.element(dialog.getByRole("checkbox")).toHaveLength(2);
  await dialog.getByRole("checkbox", { name: "SCR-1004" }).click();
  const message = "A robot has the device SCR-1004, so it stays with the partner of the robot's site.";
  when(allocateDevices).fail(409, { message });
  await dialog.getByRole("button", { name: "Allocate 1 device" }).click();
  await expectToast("Allocation Failed", "No device was allocated.", message);
  await expect.element(dialog.getByRole("checkbox", { name: "SCR-1004" })).toBeChecked();

  // To In-house means back to the operator.
  await dialog.getByRole("combobox", { name: "Partner" }).selectOptions("In-house");
  await dialog.getByRole("button", { name: "Select all 1" }).click();
  const calls = when(allocateDevices).answer({ message: "Device SCR-1002 taken back to In-house" });
  await dialog.getByRole("button", { name: "Take back 1 device" }).click();
  await expectToast("Devices Allocated", "Device SCR-1002 taken back to In-house");
  await expect.element(dialog).not.toBeInTheDocument();
  expect(calls.map(({ body }) => body)).toEqual([{ serials: ["SCR-1002"], partner_id: 1 }]);
});
