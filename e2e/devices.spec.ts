import { readFile } from "node:fs/promises";
import { deviceList } from "@suncrew/contract/devices/devices.ts";
import { createRobot, deleteRobot, serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { createFleet } from "@suncrew/simulator/fleet/fleet.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { discardChanges, expectToast, REWA } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const DEVICES = "/sites?dialog=devices";
const DEVICES_CALL = "**/api/devices";
const dialogNamed = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });
const row = (page: Page, serial: string) => dialogNamed(page, "Devices").getByRole("row").filter({ hasText: serial });
/** Only the visible rows are rendered: searching brings the one that is wanted into view. */
async function findRow(page: Page, serial: string): Promise<Locator> {
  await dialogNamed(page, "Devices").getByRole("searchbox", { name: "Search devices" }).fill(serial);
  return row(page, serial);
}
const field = (dialog: Locator, label: RegExp) => dialog.getByRole("textbox", { name: label });

async function devicesShown(page: Page): Promise<Locator> {
  const dialog = dialogNamed(page, "Devices");
  await expect(dialog.getByRole("table", { name: "Devices" })).toBeVisible();
  return dialog;
}

/** Provisions through the dialog; returns the dialog that shows the secrets. */
async function provision(page: Page, first: string, last = ""): Promise<Locator> {
  await dialogNamed(page, "Devices").getByRole("button", { name: "Provision" }).click();
  const form = dialogNamed(page, "Provision Devices");
  await field(form, /^Serial number/).fill(first);
  await field(form, /^To/).fill(last);
  await form.getByRole("button", { name: /^Provision/ }).click();
  const secrets = page.getByRole("dialog", { name: /^Device Secret/ });
  await expect(secrets).toBeVisible();
  return secrets;
}

/** Downloads the secrets, so that their dialog closes without asking. */
async function keepSecrets(secrets: Locator): Promise<void> {
  await secrets.getByRole("button", { name: "Download CSV" }).click();
  await secrets.getByRole("button", { name: "Done" }).click();
  await expect(secrets).toBeHidden();
}

test("protocol rule 9: a Super Admin sees every device with its robot and site, searched and filtered; each field reports its own error; §9 Themes: devices are accessible at 1440 and 390 px", async ({
  page,
  signIn,
}) => {
  const held = Promise.withResolvers<null>();
  await page.route("**/devices-content*.js", async (route) => {
    await held.promise;
    await route.continue();
  });
  await signIn(page, "admin", { at: "/sites" });
  const dialog = dialogNamed(page, "Devices");

  await test.step("Devices: the dialog opens at once, even while its code and list are still loading", async () => {
    await page.getByRole("button", { name: "Devices" }).click();
    await expect(dialog.getByRole("status").filter({ hasText: "Loading devices" })).toBeVisible();
    held.resolve(null);
    await expect(dialog.getByRole("table", { name: "Devices" })).toBeVisible();
    await expect(page).toHaveURL(/dialog=devices/);
  });

  await test.step("every device is listed, and can be searched and filtered", async () => {
    await expect(row(page, "SCR-1001")).toContainText("Bhadla Row 01");
    await expect(row(page, "SCR-1001")).toContainText("Bhadla Solar Park");
    await expect(await findRow(page, "SCR-1020")).toContainText("Free");
    await dialog.getByRole("searchbox", { name: "Search devices" }).fill("bhadla 1002");
    await expect(dialog.getByRole("row")).toHaveCount(2);
    await dialog.getByRole("searchbox", { name: "Search devices" }).fill("");
    await dialog.getByText(/^Free \d+$/).click();
    await expect(row(page, "SCR-1001")).toHaveCount(0);
    await expect(await findRow(page, "SCR-1020")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(page).not.toHaveURL(/dialog=/);
  });

  const form = dialogNamed(page, "Provision Devices");
  await page.getByRole("button", { name: "Devices" }).click();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await devicesShown(page);
    await expectAccessible(page, width === 1440 ? undefined : dialog);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await dialog.getByRole("button", { name: "Provision" }).click();
    await expect(form).toBeVisible();
    await expectAccessible(page, form);
    if (width === 1440) await form.getByRole("button", { name: "Cancel" }).click();
  }

  await test.step("each field reports its own error, and a preview counts the devices", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const [first, last] = [field(form, /^Serial number/), field(form, /^To/)];
    await first.fill("");
    await last.focus();
    await expect(form).toContainText("Serial number is required");
    await first.fill("SCR-1019");
    await expect(form).toContainText("SCR-1019 is taken");
    await first.fill("SCR-7001");
    await last.fill("SCR-6001");
    await first.focus();
    await expect(form).toContainText("Counts up the first one's last digits");
    await last.fill("SCR-7020");
    await expect(form).toContainText("20 devices: SCR-7001 to SCR-7020");
    await expect(form.getByRole("button", { name: "Provision 20 devices" })).toBeVisible();
    await form.getByRole("button", { name: "Cancel" }).click();
    await discardChanges(page);
    await expect(form).toBeHidden();
  });
});

test("protocol rule 9: secrets are shown once, and a robot signs in to the broker with the one that was shown", async ({
  page,
  signIn,
  suncrew,
  apiAs,
}) => {
  await signIn(page, "admin", { at: DEVICES });
  await devicesShown(page);
  const secrets = await provision(page, "SCR-8001", "SCR-8003");
  await expect(secrets).toContainText("3 devices provisioned");
  await secrets.getByRole("button", { name: "Done" }).click();
  const question = dialogNamed(page, "Close Without Saving");
  await expect(question).toContainText("The 3 secrets were neither copied nor downloaded");
  await question.getByRole("button", { name: "Go back" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    secrets.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("devices-SCR-8001-to-SCR-8003.csv");
  const [head, line = ""] = (await readFile(await download.path(), "utf8")).split("\r\n");
  expect(head).toBe('\uFEFF"serial_number","secret"');
  const [serial = "", secret = ""] = line.replaceAll('"', "").split(",");
  await expect(secrets).toContainText(secret);
  await secrets.getByRole("button", { name: "Done" }).click();
  await expect(secrets).toBeHidden();
  await expect(page.getByText(secret)).toHaveCount(0);
  await expect(await findRow(page, serial)).toContainText("Free");

  const admin = await apiAs("admin");
  const site = (await admin.call(siteDetails, {})).find(({ name }) => name === REWA);
  const form = { robot_name: "Rewa new", installation_date: "2026-01-01", motor_type: "BLDC", control_type: "PLC" };
  const { robotId } = await admin.call(createRobot, {
    body: { ...form, site_id: site?.id ?? 0, serial_number: serial },
  });
  const fleet = createFleet({ mqttUrl: `mqtt://127.0.0.1:${suncrew.mqttPort}`, devices: [{ serial, secret }] });
  fleet.start();
  await fleet.untilConnected();
  await expect
    .poll(async () => (await admin.call(deviceList, {})).find((one) => one.serial === serial)?.robot?.online)
    .toBe(true);
  await dialogNamed(page, "Devices").getByRole("button", { name: "Refresh devices" }).click();
  await expect(row(page, serial)).toContainText("Online");

  // Rotating invalidates the robot's secret and connection at once.
  const cut = fleet.robot(serial).until(({ connected }) => !connected);
  await row(page, serial)
    .getByRole("button", { name: `Rotate the secret of ${serial}` })
    .click();
  const rotation = dialogNamed(page, "Rotate Secret");
  await expect(rotation).toContainText("belongs to robot Rewa new at Rewa Ultra Mega Solar");
  await rotation.getByRole("button", { name: "Rotate Secret" }).click();
  await cut;
  const secretDialog = page.getByRole("dialog", { name: "Device Secret", exact: true });
  await expect(secretDialog).toContainText(`Device ${serial} has a new secret`);
  await secretDialog.getByRole("button", { name: "Download CSV" }).click();
  await secretDialog.getByRole("button", { name: "Done" }).click();
  await fleet.stop();

  // The confirmation names the robot; the row stays, without any action left on it.
  await row(page, serial)
    .getByRole("button", { name: `Retire ${serial}` })
    .click();
  const retirement = dialogNamed(page, "Retire Device");
  await expect(retirement).toContainText("The robot is stopped, shows offline and takes no command");
  await retirement.getByRole("button", { name: "Retire Device" }).click();
  await expectToast(page, "Device Retired", `Device ${serial} retired`);
  await expect(row(page, serial)).toContainText("Retired");
  await expect(row(page, serial).getByRole("button")).toHaveCount(0);
  await admin.call(deleteRobot, { params: { id: robotId } });
});

test("§6 SUPER_ADMIN: a free device is allocated to a partner, which finds it in its picker, and taken back; protocol rule 9: a secret rotation that was interrupted is reported", async ({
  page,
  openBrowser,
  signIn,
  apiAs,
}) => {
  await signIn(page, "admin", { at: DEVICES });
  const dialog = await devicesShown(page);
  await dialog.getByRole("button", { name: "Provision" }).click();
  const form = dialogNamed(page, "Provision Devices");
  await field(form, /^Serial number/).fill("SCR-8401");
  await field(form, /^To/).fill("SCR-8402");
  await form.getByRole("combobox", { name: "Allocate to" }).selectOption("SunCare Services");
  await form.getByRole("button", { name: "Provision 2 devices" }).click();
  await keepSecrets(page.getByRole("dialog", { name: "Device Secrets" }));
  await expect(await findRow(page, "SCR-8401")).toContainText("SunCare Services");
  const partner = await apiAs("partner");
  const seen = async () =>
    (await partner.call(serialNumbers, {})).flatMap(({ serial_number: serial }) =>
      /-84/.test(serial) ? [serial] : [],
    );
  expect(await seen()).toEqual(["SCR-8401", "SCR-8402"]);

  await dialog.getByRole("button", { name: "Allocate" }).click();
  const allocation = dialogNamed(page, "Allocate Devices");
  await allocation.getByRole("combobox", { name: "Partner" }).selectOption("In-house");
  await allocation.getByRole("searchbox", { name: "Search free devices" }).fill("840");
  await allocation.getByRole("checkbox", { name: "SCR-8402" }).check();
  await expectAccessible(page);
  await allocation.getByRole("button", { name: "Take back 1 device" }).click();
  await expectToast(page, "Devices Allocated", "Device SCR-8402 taken back to In-house");
  await expect(allocation).toBeHidden();
  await expect(await findRow(page, "SCR-8402")).toContainText("In-house");
  expect(await seen()).toEqual(["SCR-8401"]);
  await dialog.getByRole("searchbox", { name: "Search devices" }).fill("");
  await dialog.getByRole("combobox", { name: "Show devices of partner" }).selectOption("SunCare Services");
  await dialog.getByText(/^Free \d+$/).click();
  await expect(row(page, "SCR-8401")).toBeVisible();
  await expect(row(page, "SCR-8402")).toHaveCount(0);
  await test.step("§6 PARTNER: there is no Devices button, and its URL opens nothing and requests nothing", async () => {
    const other = await openBrowser();
    const asked: string[] = [];
    other.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await signIn(other, "partner", { at: DEVICES });
    await expect(other.getByRole("heading", { name: "All Sites" })).toBeVisible();
    await expect(other.getByRole("button", { name: "Devices" })).toHaveCount(0);
    await expect(other.getByRole("dialog")).toHaveCount(0);
    expect(asked).not.toContain("/api/devices");
    // The partner's own views include the device, too.
    await other.getByText("Bhadla Solar Park").first().click();
    await other.getByRole("button", { name: "Add New Robot" }).click();
    await other.getByRole("button", { name: /^Serial number/ }).click();
    const picker = dialogNamed(other, "Choose a Serial Number");
    await picker.getByRole("combobox", { name: "Search serial numbers" }).fill("84");
    await expect(picker.getByRole("option")).toHaveText(["SCR-8401Free"]);
  });

  await test.step("an interrupted secret rotation is shown until the device gets another secret", async () => {
    await dialog.getByText(/^All \d+$/).click();
    await dialog.getByRole("combobox", { name: "Show devices of partner" }).selectOption("All partners");
    const serial = "SCR-8301";
    await keepSecrets(await provision(page, serial));
    // As if a server had died halfway through.
    await page.route(DEVICES_CALL, async (route) => {
      const response = await route.fetch();
      const devices = deviceList.response.parse(await response.json());
      await route.fulfill({
        response,
        json: devices.map((device) => ({ ...device, secret_unsure: device.serial === serial })),
      });
    });
    await dialog.getByRole("button", { name: "Refresh devices" }).click();
    await expect(await findRow(page, serial)).toContainText("rotate again");
    await row(page, serial)
      .getByRole("button", { name: `Rotate the secret of ${serial}` })
      .click();
    const rotation = dialogNamed(page, "Rotate Secret");
    await expect(rotation).toContainText("was never shown to anyone, and the broker may already use it");
    await page.unroute(DEVICES_CALL);
    await rotation.getByRole("button", { name: "Rotate Secret" }).click();
    await keepSecrets(dialogNamed(page, "Device Secret"));
    await expect(row(page, serial)).not.toContainText("rotate again");
  });
});
