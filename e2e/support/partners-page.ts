import type { Locator, Page } from "@playwright/test";
import { createPartner, deletePartner, partnerDetails, updatePartner } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { type ApiClient, CallError } from "./api.ts";
import { closePages } from "./close-pages.ts";
import { test as base } from "./suncrew.ts";

/** A partner that a test created through the API. */
export interface PartnerFixture {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  readonly password: string;
}

type Body = SentBodyOf<typeof createPartner>;

/** All required fields; what a test does not care about. */
export const partnerBody = {
  name: "Marudhar Solar Care",
  contact_person: "Leela Bhati",
  email: "leela@marudhar.example",
  contact_info: "+91 98290 11223",
  address: "7 Station Road",
  city: "Bikaner",
  state: "Rajasthan",
  zip_code: "334001",
  country: "INDIA",
} satisfies Body;

/** Partners created through the API, without a browser; those that a test leaves behind are deleted after it. */
export class PartnerFixtures {
  readonly #admin: ApiClient;
  readonly #before: ReadonlySet<number>;

  constructor(admin: ApiClient, before: readonly Partner[]) {
    this.#admin = admin;
    this.#before = new Set(before.map(({ id }) => id));
  }

  async make(change: Partial<Body> = {}): Promise<PartnerFixture> {
    const body = { ...partnerBody, ...change };
    const { partnerId, credentials } = await this.#admin.call(createPartner, { body });
    return { id: partnerId, name: body.name, ...credentials };
  }

  async change(id: number, change: Partial<Body>): Promise<void> {
    await this.#admin.call(updatePartner, { params: { id }, body: { ...partnerBody, ...change } });
  }

  async named(name: string): Promise<Partner | undefined> {
    return (await this.#admin.call(partnerDetails, {})).find((partner) => partner.name === name);
  }

  async clear(): Promise<void> {
    for (const { id } of await this.#admin.call(partnerDetails, {})) {
      if (!this.#before.has(id)) await this.#delete(id);
    }
  }

  async #delete(id: number): Promise<void> {
    try {
      await this.#admin.call(deletePartner, { params: { id } });
    } catch (error) {
      // The page under test was faster.
      if (!(error instanceof CallError && error.status === 404)) throw error;
    }
  }
}

export const test = base.extend<{ readonly partners: PartnerFixtures }>({
  partners: async ({ apiAs, browser }, use) => {
    const admin = await apiAs("admin");
    const made = new PartnerFixtures(admin, await admin.call(partnerDetails, {}));
    await use(made);
    await closePages(browser);
    await made.clear();
  },
});

export const { expect } = test;

export function partnerCard(page: Page, name: string): Locator {
  return page.getByRole("article", { name, exact: true });
}

export function partnerForm(page: Page, title: "Add New Partner" | "Edit Partner") {
  const root = page.getByRole("dialog", { name: title });
  return {
    root,
    field: (label: string | RegExp) => root.getByRole("textbox", { name: label }),
    save: root.getByRole("button", { name: title === "Add New Partner" ? "Add Partner" : "Save" }),
    cancel: root.getByRole("button", { name: "Cancel" }),
  };
}

export function shareDialog(page: Page) {
  const root = page.getByRole("dialog", { name: "Share Login Credentials" });
  const button = (name: string) => root.getByRole("button", { name, exact: true });
  return {
    root,
    credentials: root.getByRole("region", { name: "Login credentials" }),
    show: button("Show password"),
    hide: button("Hide password"),
    copyUsername: button("Copy username"),
    copyPassword: button("Copy password"),
    regenerate: button("Regenerate password"),
    message: root.getByRole("textbox", { name: /Custom message/ }),
    email: button("Email"),
    whatsApp: button("WhatsApp"),
    sms: button("SMS"),
    close: button("Close"),
  };
}

/** Waits for the cards of the partners page. */
export async function partnersShown(page: Page): Promise<void> {
  await page.getByRole("article").first().waitFor();
}

/** The labels of the form and what a test types there, in order. */
export const typed = {
  "Company name": "Thar Panel Works",
  "Contact person": "Imran Khan",
  Email: "imran@thar.example",
  Phone: "098290 55667",
  Address: "3 Gandhi Chowk",
  City: "Jaisalmer",
  State: "Rajasthan",
  "Zip code": "345001",
  Country: "INDIA",
} as const;
