import type { Locator, Page } from "@playwright/test";
import { energyFactsSchema } from "@suncrew/contract/sites/site-energy-facts.ts";
import { createSite, deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient, CallInput } from "./api.ts";
import { closePages } from "./close-pages.ts";
import { test as base } from "./suncrew.ts";

export type SiteBody = CallInput<typeof createSite>["body"];

/** A site valid in every field, far from those of the demo; In-house maintains it. */
export const SAMBHAR: SiteBody = {
  name: "Sambhar Lake Solar",
  address: "Lake Road 4, Gudha",
  district: "Nagaur",
  state: "Rajasthan",
  pin_code: "341509",
  commissioning_date: "2024-04-01",
  latitude: 26.9091,
  longitude: 75.0893,
  maintenance_partner_id: 1,
};

/**
 * Creates sites through the API. A test leaves none behind, including those it created on a page, and changes no other.
 */
export class SiteFixtures {
  readonly #api: ApiClient;
  readonly #before: readonly Site[];

  private constructor(api: ApiClient, before: readonly Site[]) {
    this.#api = api;
    this.#before = before;
  }

  static async begin(api: ApiClient): Promise<SiteFixtures> {
    return new SiteFixtures(api, await api.call(siteDetails, {}));
  }

  listed(): Promise<Site[]> {
    return this.#api.call(siteDetails, {});
  }

  async named(name: string): Promise<Site> {
    const site = (await this.listed()).find((one) => one.name === name);
    if (site === undefined) throw new Error(`There is no site ${name}`);
    return site;
  }

  async make(body: SiteBody = SAMBHAR): Promise<Site> {
    const { siteId } = await this.#api.call(createSite, { body });
    const site = (await this.listed()).find(({ id }) => id === siteId);
    if (site === undefined) throw new Error(`The site ${body.name} is not listed`);
    return site;
  }

  /** Saves an edit by another person in between. */
  async change(site: Site, by: Partial<SiteBody>): Promise<void> {
    await this.#api.call(updateSite, { params: { id: site.id }, body: { ...bodyOf(site), ...by } });
  }

  async restore(): Promise<void> {
    for (const site of await this.listed()) {
      const before = this.#before.find(({ id }) => id === site.id);
      if (before === undefined) await this.#api.call(deleteSite, { params: { id: site.id } });
      else if (before.version !== site.version) {
        await this.#api.call(updateSite, { params: { id: site.id }, body: bodyOf(before) });
      }
    }
  }
}

function bodyOf(site: Site): SiteBody {
  const { maintenance_partner_id, maintenance_contact, maintenance_contact_name, maintenance_email } = site;
  return {
    name: site.name,
    address: site.address,
    district: site.district,
    state: site.state,
    pin_code: site.pin_code,
    commissioning_date: site.commissioning_date,
    latitude: site.latitude,
    longitude: site.longitude,
    maintenance_partner_id,
    maintenance_contact,
    maintenance_contact_name,
    maintenance_email,
    ...energyFactsSchema.parse(site),
  };
}

export const test = base.extend<{ readonly sites: SiteFixtures }>({
  sites: async ({ apiAs, browser }, use) => {
    const sites = await SiteFixtures.begin(await apiAs("admin"));
    await use(sites);
    await closePages(browser);
    await sites.restore();
  },
});

export const { expect } = test;

/** The parts of the Add New Site or Edit Site dialog. */
export function siteDialog(page: Page, title: "Add New Site" | "Edit Site") {
  const root = page.getByRole("dialog", { name: title });
  const field = (label: string) => root.getByLabel(label);
  return {
    root,
    name: field("Site name"),
    address: field("Address"),
    district: field("District"),
    state: field("State"),
    pinCode: field("Pin code"),
    date: field("Commissioning date"),
    latitude: field("Latitude"),
    longitude: field("Longitude"),
    contact: field("Contact"),
    phone: field("Phone"),
    email: field("Email"),
    selectPartner: root.getByRole("button", { name: "Select Maintenance Partner" }),
    map: root.getByRole("region", { name: /^Map for choosing/ }),
    save: root.getByRole("button", { name: title === "Edit Site" ? "Save" : "Add Site", exact: true }),
    cancel: root.getByRole("button", { name: "Cancel" }),
  };
}
export type SiteDialogParts = ReturnType<typeof siteDialog>;

/** A site's row in the All Sites list. */
export function siteRow(page: Page, name: string): Locator {
  return page.getByRole("region", { name: "All Sites" }).getByRole("listitem", { name, exact: true });
}

export async function openAdd(page: Page): Promise<SiteDialogParts> {
  await page.getByRole("button", { name: "Add New Site" }).click();
  const dialog = siteDialog(page, "Add New Site");
  await expect(dialog.name).toBeFocused();
  return dialog;
}

export async function openEdit(page: Page, name: string): Promise<SiteDialogParts> {
  await siteRow(page, name).getByRole("button", { name: "Edit" }).click();
  const dialog = siteDialog(page, "Edit Site");
  await expect(dialog.name).toHaveValue(name);
  return dialog;
}

/** Fills in a complete site; the partner is chosen separately. */
export async function fillSite(dialog: SiteDialogParts, body: SiteBody = SAMBHAR): Promise<void> {
  await dialog.name.fill(body.name);
  await dialog.address.fill(body.address);
  await dialog.district.fill(body.district);
  await dialog.state.fill(body.state);
  await dialog.pinCode.fill(body.pin_code);
  await dialog.date.fill(body.commissioning_date);
  await dialog.latitude.fill(String(body.latitude));
  await dialog.longitude.fill(String(body.longitude));
}

export async function choosePartner(page: Page, dialog: SiteDialogParts, name: string): Promise<void> {
  await dialog.selectPartner.click();
  const picker = page.getByRole("dialog", { name: "Select Maintenance Partner" });
  await picker.getByRole("button", { name }).click();
  await expect(picker).toBeHidden();
}
