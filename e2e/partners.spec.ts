import { readFile } from "node:fs/promises";
import { expectAccessible } from "./support/axe.ts";
import { expectDisabled, expectEnabled, expectToast } from "./support/dashboard.ts";
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

test("§2 Partner Management page: a card for each partner, with its facts, two certifications and how many more", async ({
  page,
  signIn,
  partners,
}) => {
  await partners.make({ registration: "U40106", certifications: "ISO 9001, ISO 45001 , MNRE, CEA" });
  await signIn(page, "admin");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Partners" }).click();
  await expect(page).toHaveTitle("Partner Management - Suncrew");
  const card = partnerCard(page, partnerBody.name);
  await expect(card.getByRole("definition")).toHaveText([
    "Leela Bhati",
    "leela@marudhar.example",
    "+91 98290 11223",
    "Bikaner, Rajasthan",
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
  for (const name of ["Share credentials", "Edit", "Delete"]) await expectEnabled(card.getByRole("button", { name }));

  const inHouse = partnerCard(page, "In-house");
  const share = inHouse.getByRole("button", { name: "Share credentials" });
  await expectDisabled(share, "In-house is built in: nobody signs in as it.");
  await expectDisabled(inHouse.getByRole("button", { name: "Delete" }), "In-house is built in and stays.");
  await expectEnabled(inHouse.getByRole("button", { name: "Edit" }));
  // The password is nowhere on the page before it is asked for.
  expect(await page.content()).not.toContain((await partners.named(partnerBody.name))?.enc_password);
});

test("§2 Partner Management page: search by what a card shows; it stands in the address", async ({ page, signIn }) => {
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  const search = page.getByRole("searchbox", { name: "Search partners" });
  const cards = page.getByRole("article");
  await expect(cards).toHaveCount(5);
  for (const words of ["sunCARE", "rathore", "asha.rathore@", "9829041276", "Jodhpur", "rajasthan", "U40106RJ"]) {
    await search.fill(words);
    await expect(cards).toHaveCount(1);
    await expect(cards).toHaveAccessibleName("SunCare Services");
  }
  await expect(page.getByText("1 of 5 partners")).toBeVisible();
  await expect(page).toHaveURL(/\/partners\?q=U40106RJ$/);
  await page.reload();
  await expect(search).toHaveValue("U40106RJ");
  await expect(cards).toHaveCount(1);
  await search.fill("nobody at all");
  await expect(page.getByText("No partners match your search criteria.")).toBeVisible();
  await expectDisabled(page.getByRole("button", { name: "Export CSV" }), "There is no partner to export.");
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(cards).toHaveCount(5);
  await expect(page).toHaveURL(/\/partners$/);
});

test("§9 CSV exports: maintenance_partners.csv has its eight columns, every script, no formula, phone numbers as they are", async ({
  page,
  signIn,
  partners,
}) => {
  const body = { contact_info: "+91 98290 11223", registration: '=HYPERLINK("http://x")', certifications: "ISO" };
  const made = await partners.make({ ...body, name: "सौर सेवा, जोधपुर", contact_person: 'Leela "Lee" Bhati' });
  await signIn(page, "admin", { at: "/partners?q=Bikaner" });
  await partnersShown(page);
  await expect(page.getByRole("article")).toHaveCount(1);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("maintenance_partners.csv");
  expect(await readFile(await download.path(), "utf8")).toBe(
    '\uFEFF"Name","Contact Person","Email","Phone","City","State","Registration","Username"\r\n' +
      '"सौर सेवा, जोधपुर","Leela ""Lee"" Bhati","leela@marudhar.example","+91 98290 11223","Bikaner","Rajasthan",' +
      `"'=HYPERLINK(""http://x"")","${made.username}"\r\n`,
  );
});

test("§5 Partner add: each required field has its own message, and Save is disabled until all are there", async ({
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
    "Still to fill in: Company name, Contact person, Email, Phone, Address, City, State, Zip code",
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
  await form.field("Email").fill("imran");
  await expectDisabled(form.save, "Email is not an e-mail address");
  await form.field("Email").press("Enter");
  await expect(form.field("Email")).toBeFocused();
  expect(await partners.named(typed["Company name"])).toBeUndefined();

  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Discard Changes" }).getByRole("button", { name: "Keep editing" }).click();
  await expect(form.field("City")).toHaveValue(typed.City);
  await form.cancel.click();
  await page.getByRole("dialog", { name: "Discard Changes" }).getByRole("button", { name: "Discard" }).click();
  await expect(form.root).toBeHidden();
  await expect(page.getByRole("button", { name: "Add New Partner" })).toBeFocused();
});

test("§5 Partner edit: Save is disabled while nothing is changed; certifications are trimmed; no country shows INDIA", async ({
  page,
  signIn,
  partners,
}) => {
  await partners.make({ country: null, certifications: "ISO 9001" });
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  const card = partnerCard(page, partnerBody.name);
  await card.getByRole("button", { name: "Edit" }).click();
  const form = partnerForm(page, "Edit Partner");
  await expect(form.field("Country")).toHaveValue("INDIA");
  await expectDisabled(form.save, "Nothing has been changed yet.");
  await form.field("City").fill(` ${partnerBody.city} `);
  await expectDisabled(form.save, "Nothing has been changed yet.");
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

test("two people edit a partner at once: the second is told what the first saved, and loses nothing", async ({
  page,
  signIn,
  partners,
  problems,
}) => {
  problems.allow(/status of 409/);
  const { id } = await partners.make();
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await partnerCard(page, partnerBody.name).getByRole("button", { name: "Edit" }).click();
  const form = partnerForm(page, "Edit Partner");
  await form.field("City").fill("Nokha");
  await partners.change(id, { city: "Kolayat", state: "RJ" });
  // On a phone the notice above the fields would be out of sight.
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
  await expectToast(page, "Partner Updated", `${partnerBody.name} has been updated.`);
  expect(await partners.named(partnerBody.name)).toMatchObject({ city: "Nokha", state: "RJ" });
});

test("a partner deleted while somebody edits it is told, and nothing can be saved", async ({
  page,
  signIn,
  partners,
  problems,
}) => {
  problems.allow(/status of 404/);
  await partners.make();
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await partnerCard(page, partnerBody.name).getByRole("button", { name: "Edit" }).click();
  const form = partnerForm(page, "Edit Partner");
  await form.field("City").fill("Nokha");
  await partners.clear();
  // The list is read every few seconds; the server tells at once.
  await form.save.click();
  const gone = "This partner has been deleted meanwhile.";
  await expect(form.root.getByRole("alert")).toContainText(
    `${gone} Nothing can be saved; what you typed can still be copied.`,
  );
  await expectDisabled(form.save, gone);
  await expect(form.field("City")).toHaveValue("Nokha");
  await form.cancel.click();
  await page.getByRole("dialog", { name: "Discard Changes" }).getByRole("button", { name: "Discard" }).click();
  await expect(form.root).toBeHidden();
});

test("§2 delete dialog: it warns; while sites are assigned it says so before and after a try; else the partner is gone", async ({
  page,
  signIn,
  partners,
  problems,
}) => {
  problems.allow(/status of 409/);
  const made = await partners.make();
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await partnerCard(page, "SunCare Services").getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Partner" });
  await expect(dialog).toContainText("Delete SunCare Services? This action is permanent and cannot be undone.");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  const reason =
    "2 sites are assigned to this partner: Bhadla Solar Park, Pavagada Solar Park. Give them to another partner first.";
  await expect(dialog.getByRole("alert")).toContainText(reason);
  await expectDisabled(dialog.getByRole("button", { name: "Delete Partner" }), reason);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  // Where the console does not know of the sites, the server does.
  await page.route("**/api/sites/details*", (route) => route.fulfill({ json: [] }));
  await page.reload();
  await partnerCard(page, "SunCare Services").getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete Partner" }).click();
  await expectToast(page, "Partner Deletion Failed", "Failed to delete partner. Please try again.", reason);
  await expect(dialog.getByRole("alert")).toContainText(reason);
  await expect(dialog.getByRole("button", { name: "Try again" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  const card = partnerCard(page, made.name);
  await card.getByRole("button", { name: "Delete" }).click();
  await expect(dialog).toContainText(`Its user ${made.username} is signed out and can no longer sign in.`);
  await dialog.getByRole("button", { name: "Delete Partner" }).click();
  await expectToast(page, "Partner Deleted", `${made.name} has been deleted.`);
  await expect(card).toHaveCount(0);
  expect(await partners.named(made.name)).toBeUndefined();
});

test("§6 /partners is for Super Admins: a partner comes to the dashboard and is told why; nobody signed in to the sign-in page", async ({
  page,
  signIn,
}) => {
  await page.goto("/partners");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  await signIn(page, "partner");
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).not.toContainText(["Partners"]);
  await page.goto("/partners");
  await expect(page).toHaveURL(/\/dashboard/);
  await expectToast(page, "Access Denied", "Only Super Admins can access Partner Management.");
  expect(await page.evaluate(() => localStorage.getItem("token"))).not.toBeNull();
});

test("the partners page and its dialogs break no rule of WCAG AA", async ({ page, signIn, partners }) => {
  const made = await partners.make({ certifications: "ISO 9001, ISO 45001, MNRE" });
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add New Partner" }).click();
  await partnerForm(page, "Add New Partner").field("Company name").press("Enter");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await partnerCard(page, made.name).getByRole("button", { name: "Share credentials" }).click();
  await shareDialog(page).root.getByText("Preview of the message").click();
  await expectAccessible(page);
  await shareDialog(page).regenerate.click();
  await expect(page.getByRole("dialog", { name: "Regenerate Password" })).toBeVisible();
  await expectAccessible(page);
});

for (const width of [360, 390]) {
  test(`the partners page and its dialogs fit a screen ${width} px wide`, async ({ page, signIn, partners }) => {
    const made = await partners.make({ name: "Shree Mahalakshmi Renewable Operations Private Limited of Bikaner" });
    await page.setViewportSize({ width, height: 780 });
    await signIn(page, "admin", { at: "/partners" });
    await partnersShown(page);
    const card = partnerCard(page, made.name);
    const fits = async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await fits();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add New Partner" }).click();
    await expect(partnerForm(page, "Add New Partner").field("Company name")).toBeFocused();
    await fits();
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Share credentials" }).click();
    await expect(shareDialog(page).email).toBeVisible();
    await fits();
    await expectAccessible(page);
  });
}

test("on a phone the form fills the screen, its buttons stay in sight, and the counter follows the search", async ({
  page,
  signIn,
}) => {
  await page.setViewportSize({ width: 390, height: 780 });
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await page.getByRole("searchbox", { name: "Search partners" }).fill("suncare");
  await expect(page.getByText("1 of 5 partners")).toBeVisible();
  await page.getByRole("button", { name: "Add New Partner" }).click();
  const form = partnerForm(page, "Add New Partner");
  await expect(form.save).toBeInViewport({ ratio: 1 });
  await expect(form.cancel).toBeInViewport({ ratio: 1 });
  expect(await form.root.evaluate((element) => element.getBoundingClientRect().width)).toBe(390);
});

test("§5 Partner add: below Phone stands how it is dialled; a text that is too long is not cut, and the field says so", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin", { at: "/partners" });
  await partnersShown(page);
  await page.getByRole("button", { name: "Add New Partner" }).click();
  const form = partnerForm(page, "Add New Partner");
  for (const [label, text] of Object.entries(typed)) await form.field(label).fill(text);
  await expect(form.field("Phone")).toHaveAccessibleDescription("Dialled as +919829055667");
  await form.field("Country").fill("USA");
  await expect(form.field("Phone")).toHaveAccessibleDescription(
    'No WhatsApp or SMS: "098290 55667" is not a phone number of USA. Write it as +91 98290 55667, or change the country.',
  );
  await expectEnabled(form.save);
  const long = "N".repeat(121);
  await form.field("Company name").fill(long);
  await form.field("Company name").blur();
  await expect(form.field("Company name")).toHaveValue(long);
  const sentence = "Company name must have at most 120 characters";
  await expect(form.field("Company name")).toHaveAccessibleDescription(sentence);
  await expectDisabled(form.save, sentence);
});
