import { deviceList, provisionDevices } from "@suncrew/contract/devices/devices.ts";
import { createRobots, serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import { expectCount, expectDisabled, expectText, expectTexts } from "../../../../test/expectations.ts";
import { openConsole } from "../../../../test/open-console.tsx";
import { rangeOf, runsOf } from "./add-range-dialog.tsx";

const dialog = page.getByRole("dialog", { name: "Add Robots" });
const device = (serial: string) => ({
  serial,
  created_at: "2026-01-01T00:00:00.000Z",
  secret_at: "2026-01-01T00:00:00.000Z",
  retired_at: null,
  broker_pending: false,
  secret_unsure: false,
  partner: { id: 1, name: "In-house" },
  robot: null,
});

async function openRange(account: "admin" | "partner"): Promise<void> {
  when(serialNumbers).answer([]);
  when(deviceList).answer([device("SCR-1022")]);
  await openConsole("/sites?site=1", account);
  await page.getByRole("button", { name: "Add New Robot" }).click();
  await page.getByRole("dialog", { name: "Add New Robot" }).getByRole("button", { name: "Add several" }).click();
  await expect.element(dialog.getByLabelText("First serial number")).toHaveFocus();
}

test("robots of a range: what is no range says so at its field; serial numbers without a device are parts without gaps", () => {
  expect(rangeOf("SCR-1021", "SCR-1023").serials).toEqual(["SCR-1021", "SCR-1022", "SCR-1023"]);
  expect(rangeOf("", "SCR-1023").problem).toEqual({ first: "First serial number is required" });
  expect(rangeOf("SCR-1021", "").problem).toEqual({ last: "Last serial number is required" });
  expect(rangeOf("SCR 1", "SCR-2").problem?.first).toContain("Letters, digits");
  for (const last of ["SCR-1020", "SCR-1521", "RCS-1022"]) {
    expect(rangeOf("SCR-1021", last).problem?.last).toContain("at most 500 robots");
  }
  expect(runsOf(["R-08", "R-09", "R-10", "R-12"])).toEqual([
    { first: "R-08", last: "R-10" },
    { first: "R-12", last: "R-12" },
  ]);
});

test("robots of a range: a Super Admin provisions the missing devices in the same step, sees the secrets once and each robot's result, and retries the failed ones", async () => {
  await openRange("admin");
  const add = dialog.getByRole("button", { name: /^Add/ });
  await expectDisabled(add, "First serial number is required");
  await dialog.getByLabelText("First serial number").fill("SCR-1021");
  await dialog.getByLabelText("Last serial number").fill("SCR-1023");
  await expectText(dialog.getByRole("status"), "3 robots: SCR-1021 to SCR-1023");
  await expect.element(dialog.getByRole("checkbox", { name: "Provision 2 devices, too" })).toBeChecked();
  const provisioned = when(provisionDevices).answer(({ body }) => ({
    message: `Device ${body.first_serial} is provisioned.`,
    devices: [{ serial: body.first_serial, secret: `secret of ${body.first_serial}` }],
  }));
  const reason = "Another robot already has the serial number SCR-1022.";
  const created = when(createRobots).answer({
    message: "2 of 3 robots were created.",
    robots: [
      { serial_number: "SCR-1021", robot_id: 71, reason: null },
      { serial_number: "SCR-1022", robot_id: null, reason },
      { serial_number: "SCR-1023", robot_id: 73, reason: null },
    ],
  });
  await add.click();
  const secrets = page.getByRole("dialog", { name: "Device Secrets" });
  await expectCount(secrets.getByText(/^secret of SCR-102[13]$/), 2);
  expect(provisioned.map(({ body }) => body)).toMatchObject([
    { first_serial: "SCR-1021", last_serial: "SCR-1021" },
    { first_serial: "SCR-1023", last_serial: "SCR-1023" },
  ]);
  await secrets.getByRole("button", { name: "Download CSV" }).click();
  await secrets.getByRole("button", { name: "Done" }).click();
  await expectText(dialog.getByRole("status"), "2 of 3 robots added.");
  await expectTexts(dialog.getByRole("listitem"), [`SCR-1022Not added${reason}`, "SCR-1021Added", "SCR-1023Added"]);

  when(createRobots).answer({
    message: "1 of 1 robots were created.",
    robots: [{ serial_number: "SCR-1022", robot_id: 72, reason: null }],
  });
  await dialog.getByRole("button", { name: "Try again for 1 robot" }).click();
  await expectText(dialog.getByRole("status"), "3 robots added.");
  expect(created[0]?.body.serial_numbers).toEqual(["SCR-1021", "SCR-1022", "SCR-1023"]);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expectCount(dialog, 0);
});

test("robots of a range: a partner provisions nothing; if the call fails, each robot says so and can be retried", async () => {
  await openRange("partner");
  await dialog.getByLabelText("First serial number").fill("SCR-1021");
  await dialog.getByLabelText("Last serial number").fill("SCR-1022");
  await expectCount(dialog.getByRole("checkbox"), 0);
  when(createRobots).fail(500, { message: "The database is down." });
  await dialog.getByRole("button", { name: "Add 2 Robots" }).click();
  await expectText(dialog.getByRole("status"), "0 of 2 robots added.");
  await expectTexts(dialog.getByRole("listitem"), [
    "SCR-1021Not addedThe database is down.",
    "SCR-1022Not addedThe database is down.",
  ]);
  await expect.element(dialog.getByRole("button", { name: "Try again for 2 robots" })).toBeVisible();
});
