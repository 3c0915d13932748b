import { readFile } from "node:fs/promises";
import { expectAccessible } from "./support/axe.ts";
import { discardChanges, expectDisabled, expectEnabled, expectToast } from "./support/dashboard.ts";
import {
  expect,
  partnerBody,
  partnerCard,
  partnerForm,
  partnersShown,
  shareDialog,
  test,
  typed,
} from "./support/partners-page.ts";

test("§2 Partner Management page: a card for each partner, a search kept in the URL, no violation of WCAG AA; §9 CSV exports: every script, no formula", async ({
  page,
  signIn,
  partners,
}) => {
  // In another state than the partners that are searched for.
  const place = { city: "Bhuj", state: "Gujarat" };
  await partners.make({ ...place, registration: "U40106", certifications: "ISO 9001, ISO 45001 , MNRE, CEA" });
  const body = { contact_info: "+91 98290 11223", registration: '=HYPERLINK("http://x")', certifications: "ISO" };
  const name = "सौर सेवा, जोधपुर";
  const foreign = await partners.make({ ...place, ...body, name, contact_person: 'Leela "Lee" Bhati' });
  await signIn(page, "admin", { at: "/partners?q=U40106RJ" });
  const search = page.getByRole("searchbox", { name: "Search partners" });
  const cards = page.getByRole("article");

  await test.step("the search", async () => {
    await expect(search).toHaveValue("U40106RJ");
    await expect(cards).toHaveCount(1);
    for (const words of ["sunCARE", "rathore", "asha.rathore@", "9829041276", "Jodhpur", "rajasthan", "U40106RJ"]) {
      await search.fill(words);
      await expect(cards).toHaveCount(1);
      await expect(cards).toHaveAccessibleName("SunCare Services");
    }
    await expect(page.getByText("1 of 7 partners")).toBeVisible();
    await expect(page).toHaveURL(/\/partners\?q=U40106RJ$/);
    await search.fill("nobody at all");
    await expect(page.getByText("No partners match your search criteria.")).toBeVisible();
    await expectDisabled(page.getByRole("button", { name: "Export CSV" }), "There are no partners to export.");
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(cards).toHaveCount(7);
    await expect(page).toHaveURL(/\/partners$/);
  });

  await test.step("the cards", async () => {
    const card = partnerCard(page, partnerBody.name);
    await expect(card.getByRole("definition")).toHaveText([
      "Leela Bhati",
      "leela@marudhar.example",
      "+91 98290 11223",
      "Bhuj, Gujarat",
      "U40106",
      "marudhar.solar",
    ]);
    await expect(card.getByRole("list", { name: "Certifications" }).getByRole("listitem")).toHaveText([
      "ISO 9001",
      "ISO 45001",
      /^\+2/,
    ]);
    await card.getByText("+2").hover();
    await expect(page.getByRole("tooltip")).toHaveText("MNRE, CEA");
    for (const button of ["Share credentials", "Edit", "Delete"])
      await expectEnabled(card.getByRole("button", { name: button }));

    const inHouse = partnerCard(page, "In-house");
    const share = inHouse.getByRole("button", { name: "Share credentials" });
    await expectDisabled(share, "In-house is built in: nobody signs in as it.");
    await expectDisabled(
      inHouse.getByRole("button", { name: "Delete" }),
      "In-house is built in and cannot be deleted.",
    );
    await expectEnabled(inHouse.getByRole("button", { name: "Edit" }));
    // The password is nowhere on the page until it is requested.
    expect(await page.content()).not.toContain((await partners.named(partnerBody.name))?.enc_password);
    await expectAccessible(page);
  });

  await test.step("maintenance_partners.csv has its eight columns, and phone numbers unchanged", async () => {
    await search.fill("जोधपुर");
    await expect(cards).toHaveCount(1);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("maintenance_partners.csv");
    expect(await readFile(await download.path(), "utf8")).toBe(
      '\uFEFF"Name","Contact Person","Email","Phone","City","State","Registration","Username"\r\n' +
        '"सौर सेवा, जोधपुर","Leela ""Lee"" Bhati","leela@marudhar.example","+91 98290 11223","Bhuj","Gujarat",' +
        `"'=HYPERLINK(""http://x"")","${foreign.username}"\r\n`,
    );
  });
});

test("§5 Partner add: each required field has its own message, and Save is disabled until all are valid; the dialog does not violate WCAG AA", async ({
  page,
  signIn,
  partners,
}) => {
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await page.getByRole("button", { name: "Add New Partner" }).click();
  const form = partnerForm(page, "Add New Partner");
  await expect(form.field("Company name")).toBeFocused();
  await expect(form.field("Country")).toHaveValue("USA");
  await expect(form.root.getByRole("list", { name: "Services" }).getByRole("listitem")).toHaveText([
    "Robot Maintenance",
    "Software Updates",
  ]);
  await expect(form.root.getByText("is required")).toHaveCount(0);
  await expectDisabled(
    form.save,
    "Still missing or wrong: Company name, Contact person, Email, Phone, Address, City, State, Zip code.",
  );
  await form.field("City").focus();
  await form.field("State").focus();
  await expect(form.root.getByText("is required")).toHaveText(["Company name is required", "City is required"]);

  await form.field("Country").fill("  ");
  await form.field("Country").press("Enter");
  await expect(form.field("Company name")).toBeFocused();
  for (const label of Object.keys(typed)) {
    await expect(form.field(label)).toHaveAccessibleDescription(`${label} is required`);
  }
  await expect(form.root.getByText("is required")).toHaveText(
    Object.keys(typed).map((label) => `${label} is required`),
  );
  await expectAccessible(page);

  for (const [label, text] of Object.entries(typed)) await form.field(label).fill(text);
  await expectEnabled(form.save);
  for (const [label, text] of Object.entries(typed)) {
    await form.field(label).fill("   ");
    await expectDisabled(form.save, `${label} is required`);
    await form.field(label).fill(text);
  }

  await test.step("below Phone is the number as it will be dialled", async () => {
    await expect(form.field("Phone")).toHaveAccessibleDescription("Dialled as +919829055667");
    await form.field("Country").fill("USA");
    await expect(form.field("Phone")).toHaveAccessibleDescription(
      'No WhatsApp or SMS: "098290 55667" is not a phone number of USA. Write it as +91 98290 55667, or change the country.',
    );
    await expectEnabled(form.save);
  });
  await test.step("text that is too long is not truncated, and the field says so", async () => {
    const long = "N".repeat(121);
    await form.field("Company name").fill(long);
    await form.field("Company name").blur();
    await expect(form.field("Company name")).toHaveValue(long);
    const sentence = "Company name must have at most 120 characters";
    await expect(form.field("Company name")).toHaveAccessibleDescription(sentence);
    await expectDisabled(form.save, sentence);
    await form.field("Company name").fill(typed["Company name"]);
  });

  await form.field("Email").fill("imran");
  await expectDisabled(form.save, "Email is not an email address");
  await form.field("Email").press("Enter");
  await expect(form.field("Email")).toBeFocused();
  expect(await partners.named(typed["Company name"])).toBeUndefined();

  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Discard Changes" }).getByRole("button", { name: "Keep editing" }).click();
  await expect(form.field("City")).toHaveValue(typed.City);
  await form.cancel.click();
  await discardChanges(page);
  await expect(form.root).toBeHidden();
  await expect(page.getByRole("button", { name: "Add New Partner" })).toBeFocused();
});

test("§5 Partner edit: Save is disabled while nothing is changed; if somebody else changed or deleted the partner, the editor is notified and loses nothing", async ({
  page,
  signIn,
  partners,
  problems,
}) => {
  problems.allow(/status of 40[49]/);
  await partners.make({ country: null, certifications: "ISO 9001" });
  const { id, name: shared } = await partners.make({ name: "Kolayat Solar Works" });
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  const form = partnerForm(page, "Edit Partner");
  const card = partnerCard(page, partnerBody.name);

  await test.step("certifications are trimmed; a partner without a country shows INDIA", async () => {
    await card.getByRole("button", { name: "Edit" }).click();
    await expect(form.field("Country")).toHaveValue("INDIA");
    await expectDisabled(form.save, "Nothing has been changed.");
    await form.field("City").fill(` ${partnerBody.city} `);
    await expectDisabled(form.save, "Nothing has been changed.");
    await form.field("Certifications").fill(" ISO 9001 ,, MNRE ,");
    await form.field("Tax ID").fill("08AAK");
    await form.field("Tax ID").press("Enter");
    await expectToast(page, "Partner Updated", `${partnerBody.name} has been updated.`);
    await expect(form.root).toBeHidden();
    await expect(card.getByRole("button", { name: "Edit" })).toBeFocused();
    await expect(card.getByRole("list", { name: "Certifications" })).toContainText("MNRE");
    expect(await partners.named(partnerBody.name)).toMatchObject({
      certifications: "ISO 9001, MNRE",
      tax_id: "08AAK",
      country: "INDIA",
      status: "ACTIVE",
    });
  });

  await test.step("two people edit a partner at once: the second sees what the first saved", async () => {
    await partnerCard(page, shared).getByRole("button", { name: "Edit" }).click();
    await form.field("City").fill("Nokha");
    await partners.change(id, { name: shared, city: "Kolayat", state: "RJ" });
    // On a phone a notice above the fields would be out of sight.
    await page.setViewportSize({ width: 390, height: 780 });
    await form.field("City").press("Enter");
    const notice = form.root.getByRole("alert").filter({ hasText: "Somebody else changed this partner" });
    await expect(notice.getByRole("row")).toHaveText([/Yours/, /City.*Nokha.*Kolayat/]);
    await expect(notice).toContainText("Only the other changed, and is kept: State.");
    await expect(notice).toBeInViewport();
    await expectDisabled(form.save, "Choose first: take theirs or keep mine.");
    await expectAccessible(page);
    await notice.getByRole("button", { name: "Keep mine" }).click();
    await expect(form.field("City")).toHaveValue("Nokha");
    await form.save.click();
    await expectToast(page, "Partner Updated", `${shared} has been updated.`);
    expect(await partners.named(shared)).toMatchObject({ city: "Nokha", state: "RJ" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step("a partner deleted while somebody edits it: nothing can be saved", async () => {
    await card.getByRole("button", { name: "Edit" }).click();
    await form.field("City").fill("Nokha");
    await partners.clear();
    // The list is polled every few seconds, and may have disabled Save; the server answers at once.
    await form.field("City").press("Enter");
    const gone = "This partner was deleted in the meantime.";
    await expect(form.root.getByRole("alert")).toContainText(
      `${gone} Nothing can be saved; what you typed can still be copied.`,
    );
    await expectDisabled(form.save, gone);
    await expect(form.field("City")).toHaveValue("Nokha");
    await form.cancel.click();
    await discardChanges(page);
    await expect(form.root).toBeHidden();
  });
});

test("§2 delete dialog: it warns; while sites are assigned it says so before and after a try; otherwise the partner is deleted", async ({
  page,
  signIn,
  partners,
  problems,
}) => {
  problems.allow(/status of 409/);
  const made = await partners.make();
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  const suncare = partnerCard(page, "SunCare Services");
  const dialog = page.getByRole("dialog", { name: "Delete Partner" });
  const reason =
    "2 sites are assigned to this partner: Bhadla Solar Park, Pavagada Solar Park. Give them to another partner first.";
  // If the console does not know of the sites, the server does.
  await page.route("**/api/sites/details*", (route) => route.fulfill({ json: [] }));
  await suncare.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete Partner" }).click();
  await expectToast(page, "Partner Deletion Failed", "Failed to delete partner. Please try again.", reason);
  await expect(dialog.getByRole("alert")).toContainText(reason);
  await expect(dialog.getByRole("button", { name: "Try again" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();

  await page.unroute("**/api/sites/details*");
  await suncare.getByRole("button", { name: "Delete" }).click();
  await expect(dialog).toContainText("Delete SunCare Services? This action is permanent and cannot be undone.");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(dialog.getByRole("alert")).toContainText(reason);
  await expectDisabled(dialog.getByRole("button", { name: "Delete Partner" }), reason);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  const card = partnerCard(page, made.name);
  await card.getByRole("button", { name: "Delete" }).click();
  await expect(dialog).toContainText(`Its user ${made.username} is signed out and can no longer sign in.`);
  await dialog.getByRole("button", { name: "Delete Partner" }).click();
  await expectToast(page, "Partner Deleted", `${made.name} has been deleted.`);
  await expect(card).toHaveCount(0);
  expect(await partners.named(made.name)).toBeUndefined();
});

test("§6 /partners is for Super Admins: a partner is redirected to the dashboard and told why; a signed-out visitor to the sign-in page", async ({
  page,
  signIn,
}) => {
  await page.goto("/partners");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  await signIn(page, "partner", { at: "/partners" });
  await expect(page).toHaveURL(/\/dashboard/);
  await expectToast(page, "Access Denied", "Only Super Admins can access Partner Management.");
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).not.toContainText(["Partners"]);
  expect(await page.evaluate(() => localStorage.getItem("token"))).not.toBeNull();
});

test("the partners page and its dialogs fit a screen 360 and 390 px wide, and do not violate WCAG AA", async ({
  page,
  signIn,
  partners,
}) => {
  const made = await partners.make({
    name: "Shree Mahalakshmi Renewable Operations Private Limited of Bikaner",
    certifications: "ISO 9001, ISO 45001, MNRE",
  });
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  const add = page.getByRole("button", { name: "Add New Partner" });
  const form = partnerForm(page, "Add New Partner");
  const share = shareDialog(page);
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 780 });
    const fits = () => expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await fits();
    // Wherever else the page is scrolled to, the bar may half cover a button.
    await page.evaluate(() => scrollTo(0, 0));
    await expectAccessible(page);
    await add.click();
    await expect(form.field("Company name")).toBeFocused();
    await fits();
    await page.keyboard.press("Escape");
    await partnerCard(page, made.name).getByRole("button", { name: "Share credentials" }).click();
    await expect(share.email).toBeVisible();
    await fits();
    await expectAccessible(page, share.root);
    await share.close.click();
  }

  await test.step("on a phone the form fills the screen, its buttons stay in sight, and the counter follows the search", async () => {
    await page.getByRole("searchbox", { name: "Search partners" }).fill("suncare");
    await expect(page.getByText("1 of 6 partners")).toBeVisible();
    await add.click();
    await expect(form.save).toBeInViewport({ ratio: 1 });
    await expect(form.cancel).toBeInViewport({ ratio: 1 });
    await expect.poll(() => form.root.evaluate((element) => element.getBoundingClientRect().width)).toBe(390);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Clear search" }).click();
  });

  await test.step("on a desktop, the preview of the message, and the confirmation before a new password", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await partnerCard(page, made.name).getByRole("button", { name: "Share credentials" }).click();
    await share.root.getByText("Preview of the message").click();
    await expectAccessible(page, share.root);
    await share.regenerate.click();
    const question = page.getByRole("dialog", { name: "Regenerate Password" });
    await expect(question).toBeVisible();
    await expectAccessible(page, question);
  });
});
