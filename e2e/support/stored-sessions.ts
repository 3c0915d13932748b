import { login } from "@suncrew/contract/auth/auth.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Page } from "@playwright/test";
import { ApiClient, CallError } from "./api.ts";
import type { Credentials } from "./sign-in.ts";

type SignedIn = ResponseOf<typeof login>;

/** One session per user, reused across tests; one that has ended is replaced. */
export class StoredSessions {
  readonly #baseUrl: string;
  readonly #kept = new Map<string, SignedIn>();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async client(credentials: Credentials): Promise<ApiClient> {
    return new ApiClient(this.#baseUrl, (await this.#sessionOf(credentials)).token);
  }

  /** Opens a page as this user, as in a browser with a stored session from an earlier visit. */
  async open(page: Page, credentials: Credentials, path: string): Promise<void> {
    const { token, user } = await this.#sessionOf(credentials);
    const storing = await page.addInitScript(
      (entries) => {
        for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
      },
      { token, user: JSON.stringify({ ...user, id: String(user.id) }) },
    );
    // Only the first document finds it stored: after signing out, a user stays signed out.
    await page.goto(path, { waitUntil: "commit" });
    await storing.dispose();
    await page.waitForLoadState();
  }

  async #sessionOf(credentials: Credentials): Promise<SignedIn> {
    const kept = this.#kept.get(credentials.username);
    if (kept !== undefined && (await this.#isOpen(kept.token))) return kept;
    const made = await new ApiClient(this.#baseUrl, null).call(login, { body: credentials });
    this.#kept.set(credentials.username, made);
    return made;
  }

  async #isOpen(token: string): Promise<boolean> {
    try {
      await new ApiClient(this.#baseUrl, token).call(siteDetails, {});
      return true;
    } catch (error) {
      if (error instanceof CallError && error.status === 401) return false;
      throw error;
    }
  }
}
