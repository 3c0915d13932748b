import { test as base, type Page } from "@playwright/test";
import { ApiClient, CallError } from "./api.ts";
import { HeldServer } from "./held-server.ts";
import { readSharedState, type SharedState } from "./leftovers.ts";
import { PageProblems } from "./page-problems.ts";
import { waitForAnswers } from "./patience.ts";
import { type RunningServer, startServer } from "./server-process.ts";
import { SimulatorControl } from "./simulator.ts";
import { slowDown } from "./slow-machine.ts";
import { StoredSessions } from "./stored-sessions.ts";
import { recordToasts } from "./toast-record.ts";

/** The known accounts of a demo. */
export const accounts = {
  admin: { username: "admin", password: "admin@123" },
  partner: { username: "partner", password: "partner@123" },
} as const;
export type Account = keyof typeof accounts;

interface WorkerFixtures {
  /** This worker's own complete demo: server, database, broker and simulated robots. */
  readonly suncrew: RunningServer;
  /** Reads the state of its sites and robots, with a separate account, now and before the first test. */
  readonly standing: { readonly read: () => Promise<SharedState>; readonly first: SharedState };
  /** The sessions of this worker's browsers, and those of its API calls without a browser. */
  readonly sessions: { readonly ofBrowsers: StoredSessions; readonly ofCalls: StoredSessions };
}

interface SignInOptions {
  /** The page to open; the dashboard by default. */
  readonly at?: string;
}

interface TestFixtures {
  /** Automatic: fails a test that leaves something behind for later tests, in any order. */
  readonly leavesNothing: void;
  /** The simulated robots of this worker's server; every fault that a test injects is cleared after it. */
  readonly simulator: SimulatorControl;
  /** What the server would do or end after a time, and does not while the test looks. */
  readonly held: HeldServer;
  /** What this test's pages reported; anything not allowed fails the test at its end. */
  readonly problems: PageProblems;
  /** Opens another browser besides `page`, watched like it. */
  readonly openBrowser: () => Promise<Page>;
  /**
   * Opens the dashboard, or another page, as a user with a stored session. All browsers of an account share a
   * session: a test that ends one, or needs two, signs in with `signInWith`.
   */
  readonly signIn: (page: Page, account: Account, options?: SignInOptions) => Promise<void>;
  /** API calls as this account, without a browser. */
  readonly apiAs: (account: Account) => Promise<ApiClient>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  suncrew: [
    // oxlint-disable-next-line no-empty-pattern -- the fixture library reads the first parameter's pattern
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  standing: [
    async ({ suncrew }, use) => {
      const { username, password } = accounts.admin;
      const signIn = () => ApiClient.signIn(suncrew.baseUrl, username, password);
      let api = await signIn();
      const read = async () => {
        try {
          return await readSharedState(api);
        } catch (error) {
          // A test ended the sessions of this account.
          if (!(error instanceof CallError && error.status === 401)) throw error;
          api = await signIn();
          return readSharedState(api);
        }
      };
      await use({ read, first: await read() });
    },
    { scope: "worker" },
  ],
  sessions: [
    async ({ suncrew }, use) => {
      const { baseUrl } = suncrew;
      await use({ ofBrowsers: new StoredSessions(baseUrl), ofCalls: new StoredSessions(baseUrl) });
    },
    { scope: "worker" },
  ],
  leavesNothing: [
    async ({ standing }, use, testInfo) => {
      await use();
      // After a failure the next test gets another server.
      if (testInfo.status !== testInfo.expectedStatus) return;
      await expect.poll(standing.read, { message: "what the test leaves behind" }).toEqual(standing.first);
    },
    { auto: true },
  ],
  baseURL: async ({ suncrew }, use) => {
    await use(suncrew.baseUrl);
  },
  simulator: async ({ suncrew }, use) => {
    const simulator = new SimulatorControl(suncrew.simulatorControlFile);
    const before = await simulator.robots();
    await use(simulator);
    for (const { serial, faults } of await simulator.robots()) {
      const former = before.find((robot) => robot.serial === serial)?.faults ?? [];
      if (JSON.stringify(former) === JSON.stringify(faults)) continue;
      await simulator.clear(serial);
      for (const fault of former) await simulator.fault(serial, fault);
    }
  },
  held: async ({ suncrew }, use) => {
    const held = new HeldServer((statement) => suncrew.sql(statement));
    await use(held);
    await held.release();
  },
  problems: async ({ suncrew }, use, testInfo) => {
    const problems = new PageProblems();
    await use(problems);
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach("server output", { body: suncrew.output(), contentType: "text/plain" });
    }
    expect(problems.unexpected(), "what the pages said").toEqual([]);
  },
  page: async ({ page, problems }, use) => {
    await problems.watch(page);
    await recordToasts(page.context());
    await waitForAnswers(page.context());
    await slowDown(page);
    await use(page);
  },
  openBrowser: async ({ browser, baseURL, problems }, use) => {
    const pages: Page[] = [];
    await use(async () => {
      const context = await browser.newContext({ baseURL });
      const page = await context.newPage();
      await problems.watch(page);
      await recordToasts(context);
      await waitForAnswers(context);
      await slowDown(page);
      pages.push(page);
      return page;
    });
    for (const page of pages) await page.context().close();
  },
  signIn: async ({ sessions }, use) => {
    await use((page, account, { at = "/dashboard" } = {}) => sessions.ofBrowsers.open(page, accounts[account], at));
  },
  apiAs: async ({ sessions }, use) => {
    await use((account) => sessions.ofCalls.client(accounts[account]));
  },
});

export const { expect } = test;
