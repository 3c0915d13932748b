import { SITE_COLUMNS } from "@suncrew/contract/sites/site-files.ts";
import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectDisabled, expectToast } from "./support/dashboard.ts";
import { expect, test } from "./support/administration-fixtures.ts";
import { SAMBHAR, siteRow } from "./support/site-fixtures.ts";

const NAMES =
  "name,address,district,state,pin_code,latitude,longitude,commissioning_date,maintenance_partner,maintenance_contact_name,maintenance_contact,maintenance_email";
const siteLine = (name: string, latitude: number, change: { pinCode?: string } = {}) =>
  `${name},Village Road,Nagaur,Rajasthan,${change.pinCode ?? "341509"},${latitude},75.25,2024-04-01,In-house,,,`;

async function openImport(page: Page, title: "Import Sites" | "Import Robots") {
  await page.getByRole("button", { name: "Import / Export" }).click();
  await page.getByRole("menuitem", { name: title }).click();
  const root = page.getByRole("dialog", { name: title });
  await expect(root).toBeVisible();
  return {
    root,
    choose: async (text: string | Buffer, name = "sites.csv") => {
      const buffer = typeof text === "string" ? Buffer.from(text) : text;
      await root.locator('input[type="file"]').setInputFiles({ name, mimeType: "text/csv", buffer });
    },
    summary: root.getByRole("status"),
    rows: root.getByRole("table").getByRole("row"),
    only: root.getByRole("checkbox", { name: "Only problems" }),
    apply: root.getByRole("button", { name: /^Import( |$)/ }),
  };
}

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), "utf8");
}

async function exported(page: Page, item: "Export Sites" | "Export Robots"): Promise<Download> {
  await page.getByRole("button", { name: "Import / Export" }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: item }).click();
  return waiting;
}

test("Import and Export Sites: every bad row is named, and all rows or none are imported, even if somebody else was faster; an export can be imported again", async ({
  page,
  signIn,
  sites,
  problems,
}) => {
  await signIn(page, "admin", { at: "/sites" });

  await test.step("every bad row is named with its reason, and nothing is imported until all are fixed", async () => {
    const dialog = await openImport(page, "Import Sites");
    await expectDisabled(dialog.apply, "Choose a file first.");
    await expect(dialog.root.getByText("maintenance_contact_name")).toBeVisible();
    const good = [siteLine("सांभर सोलर पार्क", 26.91), siteLine("Tonk Solar", 26.16)];
    const bad = [
      siteLine("Bad pin", 26.3, { pinCode: "12" }),
      siteLine(` ${BHADLA.toUpperCase()} `, 26.4),
      siteLine("Tonk solar", 26.5),
      siteLine("", 26.6),
    ];
    await dialog.choose([NAMES, ...good, ...bad].join("\r\n"));
    await expect(dialog.summary).toHaveText("6 rows, 5 with problems");
    await expect(dialog.rows).toHaveText([
      /Row/,
      /^2सांभर सोलर पार्क *Mon 1 Apr 2024New site$/,
      /^3Tonk Solar.*name.*row 6/,
      /^4Bad pinMon 1 Apr 2024Pin code must have six digits$/,
      /^5[^:]*A site with this name already exists/,
      /^6Tonk solar.*name.*row 3/,
      /^7–Mon 1 Apr 2024Site name is required$/,
    ]);
    await expectDisabled(dialog.apply, "Fix the 5 rows with problems first: all rows are imported, or none.");
    await dialog.only.check();
    await expect(dialog.rows).toHaveCount(6);
    await expect(dialog.rows.filter({ hasText: "New site" })).toHaveCount(0);
    await expectAccessible(page);
    expect((await sites.listed()).some(({ name }) => name === "Tonk Solar")).toBe(false);

    await dialog.choose(`\uFEFF${[NAMES, ...good].join("\n")}`);
    await expect(dialog.summary).toHaveText("2 rows, none with problems");
    await expect(dialog.apply).toHaveText("Import 2 sites");
    await dialog.apply.click();
    await expectToast(page, "Sites Imported", "2 sites have been successfully created.");
    await expect(dialog.summary).toContainText("2 sites created from sites.csv.");
    await dialog.root.getByRole("button", { name: "Close" }).last().click();
    await expect(siteRow(page, "सांभर सोलर पार्क")).toBeVisible();
    expect(await sites.named("Tonk Solar")).toMatchObject({ maintenance_partner_id: 1, latitude: 26.16 });
  });

  await test.step("the exported file opens with Indian names, contains no formulas, and can be imported again", async () => {
    await sites.restore();
    const { maintenance_partner_id: _none, ...body } = SAMBHAR;
    await sites.make({
      ...body,
      name: "सांभर, सोलर पार्क",
      address: '=HYPERLINK("https://evil.example","Click")',
      maintenance_partner_id: null,
      maintenance_contact_name: "@Ravi",
      maintenance_contact: "+91 98000 12345",
      maintenance_email: "ravi@example.in",
    });
    const download = await exported(page, "Export Sites");
    expect(download.suggestedFilename()).toBe("sites.csv");
    const text = await textOf(download);
    expect(text.startsWith(`\uFEFF"${SITE_COLUMNS.join('","')}"\r\n`)).toBe(true);
    const line = text.split("\r\n").find((one) => one.includes("सांभर"));
    expect(line).toContain('"सांभर, सोलर पार्क"');
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example"",""Click"")"`);
    expect(line).toContain("'@Ravi");
    expect(line).toContain(',"+91 98000 12345",');
    expect(text.trimEnd().split("\r\n")).toHaveLength(8);

    // The same file again: every row is reported as a duplicate.
    const dialog = await openImport(page, "Import Sites");
    await dialog.choose(text);
    await expect(dialog.summary).toHaveText("7 rows, 7 with problems");
    await sites.restore();
    await dialog.choose([SITE_COLUMNS.join(","), line].join("\r\n"));
    await dialog.apply.click();
    await expectToast(page, "Sites Imported", "1 site has been successfully created.");
    expect(await sites.named("सांभर, सोलर पार्क")).toMatchObject({
      address: '=HYPERLINK("https://evil.example","Click")',
      maintenance_contact_name: "@Ravi",
      maintenance_contact: "+91 98000 12345",
    });
    await dialog.root.getByRole("button", { name: "Close" }).last().click();
  });

  await test.step("all or nothing, even if somebody else was faster; invalid files are refused", async () => {
    problems.allowFromNow(/status of 400/);
    await sites.restore();
    const dialog = await openImport(page, "Import Sites");
    for (const [text, sentence] of [
      ["", "The file is empty."],
      [Buffer.from([0x4e, 0xe9, 0x0a]), "The file is not saved as UTF-8."],
      ["name,address\nA,B", "The column district is missing"],
      [`${NAMES},altitude\n${siteLine("A", 26.1)},12`, "The column altitude is not known"],
      [`${NAMES}\n"A,B`, "is not closed"],
    ] as const) {
      await dialog.choose(text);
      await expect(dialog.root.getByRole("alert")).toContainText(sentence);
      await expect(dialog.apply).toHaveAttribute("aria-disabled", "true");
    }
    await dialog.choose([NAMES, siteLine("Tonk Solar", 26.16), siteLine(SAMBHAR.name, 26.2)].join("\n"));
    await expect(dialog.apply).toHaveText("Import 2 sites");
    await sites.make();
    await dialog.apply.click();
    await expect(dialog.root.getByRole("alert")).toContainText("Nothing was imported.");
    await expect(dialog.summary).toHaveText("2 rows, 1 with problems");
    await expect(dialog.rows.nth(2)).toContainText("A site with this name already exists");
    expect((await sites.listed()).some(({ name }) => name === "Tonk Solar")).toBe(false);
  });
});

test("Import and Export Robots: a partner imports robots into its own sites, and exports only its own", async ({
  page,
  problems,
  signIn,
  robots,
}) => {
  // The robot that is imported into the site in view has never connected.
  problems.allow(/status of 504/);
  await signIn(page, "partner", { at: "/sites" });
  const dialog = await openImport(page, "Import Robots");
  const waiting = page.waitForEvent("download");
  await dialog.root.getByRole("button", { name: "Download template" }).click();
  const template = await waiting;
  expect(template.suggestedFilename()).toBe("robots-template.csv");
  const [names = ""] = (await textOf(template)).replace("\uFEFF", "").split("\r\n");
  expect(names).toBe('"site","serial_number","robot_name","motor_type","control_type","installation_date"');
  const lines = [`${BHADLA},SCR-1017,Row 19,BLDC,PLC,2024-02-29`, `Rewa Ultra Mega Solar,SCR-1020,Row 20,,,2024-02-29`];
  await dialog.choose([names, ...lines].join("\n"), "robots.csv");
  await expect(dialog.summary).toHaveText("2 rows, 1 with problems");
  await expect(dialog.rows.nth(2)).toContainText(/[Ss]ite.*Rewa Ultra Mega Solar/);
  // The operator's site is treated as one that does not exist.
  await dialog.choose([names, lines[0]?.replace("SCR-1017", "SCR-1019")].join("\n"), "robots.csv");
  await expect(dialog.rows.nth(1)).toContainText(
    "SCR-1019 is not the serial number of a device that is allocated to your company",
  );
  await dialog.choose([names, lines[0]].join("\n"), "robots.csv");
  await dialog.apply.click();
  await expectToast(page, "Robots Imported", "1 robot has been successfully created.");
  expect((await robots.listed()).some(({ robot_name }) => robot_name === "Row 19")).toBe(true);
  await dialog.root.getByRole("button", { name: "Close" }).last().click();
  const text = await textOf(await exported(page, "Export Robots"));
  expect(text).toContain("SCR-1017");
  expect(text).not.toContain("Rewa");
});
