import { changePassword, login, logout } from "@suncrew/contract/auth/auth.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { errorResponseSchema } from "@suncrew/contract/http/error-codes.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { createWallboardLink, openWallboard, withdrawWallboardLink } from "@suncrew/contract/wallboard/wallboard.ts";
import { attentionList } from "@suncrew/contract/attention/attention.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, type Person, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { COOKIES_PER_BROWSER } from "./tokens.ts";

const MARK = "b-0123456789abcdefghij";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

/** What a browser stores: the token, which scripts can read, and the cookies, which they cannot. */
class Browser {
  readonly jar = new Map<string, string>();
  readonly page: Record<string, string>;
  token = "";

  constructor(origin = "http://suncrew.example") {
    this.page = { origin };
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Returns the cookies set by the answer. */
  async signIn(person: Person): Promise<string[]> {
    const door = new TestClient(server.app.http, null);
    const body = { username: usernames[person], password: PASSWORD, browser: MARK };
    const answer = await door.call(login, { body, headers: { ...this.page, cookie: this.cookie } });
    this.token = login.response.parse(answer.body).token;
    return this.#keep(answer.headers);
  }

  /** Opens a link to a wallboard, and returns the token of its session. */
  async openWall(link: string): Promise<string> {
    const headers = { ...this.page, cookie: this.cookie };
    const answer = await callWith(null, headers, openWallboard, { token: link });
    this.#keep(answer.headers);
    return openWallboard.response.parse(answer.body).token;
  }

  async call(route: RouteSpec, body?: unknown, token = this.token) {
    const headers = { ...this.page, cookie: this.cookie };
    const answer = await callWith(token, headers, route, body);
    this.#keep(answer.headers);
    return answer;
  }

  #keep(headers: Readonly<Record<string, unknown>>): string[] {
    const lines = [headers["set-cookie"] ?? []].flat().map(String);
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes("Max-Age=0;")) this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return lines;
  }
}

/** Any call, with just what it needs to reach the guard. */
function callWith(token: string | null, headers: Record<string, string>, route: RouteSpec, body?: unknown) {
  return new TestClient(server.app.http, token, "203.0.113.9").raw(route.path.replaceAll(/:\w+/g, "1"), {
    method: route.method,
    headers,
    ...(body !== undefined && { body }),
  });
}

const guarded = (Object.keys(routes) as RouteName[]).filter((name) => permissions[name].access !== "anyone");

/** The calls that are not answered as signed out. */
async function opened(token: string | null, headers: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const name of guarded) {
    const body = routes[name].method === "GET" ? undefined : {};
    const answer = await callWith(token, headers, routes[name], body);
    const { message } = errorResponseSchema.parse(answer.body);
    if (answer.status !== 401 || message !== "Please sign in.") found.push(`${name} ${answer.status}`);
  }
  return found;
}

const stopOf = ({ serial, id, siteId }: TestApp["fixtures"]["ownRobot"]) => ({
  robotId: serial,
  robotObjectId: id,
  siteId,
  command: "STOP",
});
const strangers = () =>
  server.db.selectFrom("audit").selectAll().where("action", "=", "USE_SESSION").orderBy("id").execute();

describe("§4 Session: a token is only valid in the browser that signed in", () => {
  test("the browser gets a cookie that scripts cannot read and other sites cannot cause to be sent, valid as long as the token", async () => {
    const browser = new Browser();
    const [line, ...more] = await browser.signIn("owner");
    expect(more).toEqual([]);
    expect(line).toMatch(/^suncrew-[0-9a-f]{32}=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const [secure] = await new Browser("https://suncrew.example").signIn("owner");
    expect(secure).toMatch(
      /^__Host-suncrew-[0-9a-f]{32}=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await browser.call(siteDetails)).status).toBe(200);
  });

  test("a stolen token is accepted by no call: not the live stream, nor a Stop; it is recorded, throttled, with its origin", async () => {
    const browser = new Browser();
    await browser.signIn("owner");
    expect(await opened(browser.token, {})).toEqual([]);
    const stop = stopOf(server.fixtures.ownRobot);
    const answer = await callWith(browser.token, {}, sendCommand, stop);
    expect(answer).toMatchObject({ status: 401, body: { message: "Please sign in.", code: "NOT_SIGNED_IN" } });
    expect(await server.db.selectFrom("commands").select("id").execute()).toEqual([]);
    expect(await strangers()).toMatchObject([
      {
        user_id: server.fixtures.userIds.owner,
        outcome: "REFUSED",
        reason: "The token came without the cookie of the browser that signed in.",
        after: { address: "203.0.113.9" },
      },
    ]);
    server.clock.advance(60_000);
    await expect.poll(strangers).toMatchObject([{}, { after: { times: guarded.length } }]);
    // Its owner can go on, and stop the robot.
    expect((await browser.call(siteDetails)).status).toBe(200);
    expect((await browser.call(sendCommand, stop)).status).not.toBe(401);
    expect(await server.db.selectFrom("commands").select("verb").execute()).toEqual([{ verb: "STOP" }]);
  });

  test("the cookie alone is worth nothing, so no other site can make a call with it", async () => {
    const browser = new Browser();
    await browser.signIn("owner");
    expect(await opened(null, { cookie: browser.cookie })).toEqual([]);
    expect(await strangers()).toEqual([]);
  });

  test("nor is the cookie of another browser, another session or a made-up one accepted", async () => {
    const [browser, other] = [new Browser(), new Browser()];
    await browser.signIn("owner");
    await other.signIn("owner");
    const [name = ""] = browser.jar.keys();
    const [value = ""] = other.jar.values();
    for (const cookie of [other.cookie, `${name}=${value}`, `${name}=`, name, `${name}=${"a".repeat(43)}`, ";=;"]) {
      const answer = await callWith(browser.token, { cookie }, live);
      expect([answer.status, answer.body]).toEqual([401, { message: "Please sign in.", code: "NOT_SIGNED_IN" }]);
    }
  });

  test("several sessions of a browser exist side by side; signing out ends its own, token and cookie", async () => {
    const browser = new Browser();
    await browser.signIn("owner");
    const { token } = browser;
    await browser.signIn("admin");
    expect((await callWith(token, { cookie: browser.cookie }, siteDetails)).status).toBe(200);
    const before = browser.cookie;
    const answer = await browser.call(logout);
    expect(String(answer.headers["set-cookie"])).toContain("Max-Age=0;");
    expect(browser.jar.size).toBe(1);
    expect((await callWith(browser.token, { cookie: before }, siteDetails)).status).toBe(401);
    expect((await callWith(token, { cookie: browser.cookie }, siteDetails)).status).toBe(200);
  });

  test("the session continues when its password is changed", async () => {
    const browser = new Browser();
    await browser.signIn("owner");
    const newPassword = "another one, long enough";
    expect((await browser.call(changePassword, { currentPassword: PASSWORD, newPassword })).status).toBe(200);
    expect((await browser.call(siteDetails)).status).toBe(200);
  });

  test("a browser keeps the cookies of its newest sessions, and those of other servers on its host", async () => {
    const browser = new Browser();
    const foreign = `suncrew-${"0".repeat(32)}`;
    browser.jar.set(foreign, "of another Suncrew, at another port");
    browser.jar.set("theirs", "another program's");
    await browser.signIn("owner");
    const [oldest = ""] = [...browser.jar.keys()].slice(2);
    for (let more = 0; more < COOKIES_PER_BROWSER; more += 1) await browser.signIn("owner");
    expect(browser.jar.size).toBe(2 + COOKIES_PER_BROWSER);
    expect([browser.jar.has(foreign), browser.jar.has(oldest)]).toEqual([true, false]);
  });

  test("people and wallboards of a browser put each other's cookies out of none", async () => {
    const owner = await server.as("owner");
    const links: string[] = [];
    for (let each = 0; each <= COOKIES_PER_BROWSER; each += 1) {
      links.push((await owner.ask(createWallboardLink, { body: { name: `Wall ${each}` } })).token);
    }
    const [oldest = "", ...newer] = links;
    const browser = new Browser();
    await browser.signIn("owner");
    for (const link of newer) await browser.openWall(link);
    expect((await browser.call(siteDetails)).status).toBe(200);
    expect([...browser.jar.keys()].filter((name) => /^suncrew-wall-[0-9a-f]{32}$/.test(name))).toHaveLength(8);
    // A ninth is one too many, whichever link it is; opened again, it keeps what it is given.
    const wall = await browser.openWall(oldest);
    expect(await browser.openWall(oldest)).not.toBe("");
    expect(browser.jar.size).toBe(1 + COOKIES_PER_BROWSER);
    for (let each = 0; each < COOKIES_PER_BROWSER; each += 1) await browser.signIn("owner");
    expect(browser.jar.size).toBe(2 * COOKIES_PER_BROWSER);
    expect((await browser.call(attentionList, undefined, wall)).status).toBe(200);
    expect((await browser.call(siteDetails)).status).toBe(200);
  });

  test("wallboard: the cookie goes with its link", async () => {
    const owner = await server.as("owner");
    const { token, linkId } = await owner.ask(createWallboardLink, { body: { name: "Control room" } });
    const browser = new Browser();
    await browser.signIn("owner");
    const wall = await browser.openWall(token);
    await owner.ask(withdrawWallboardLink, { params: { linkId } });
    const withdrawn = { code: "WALLBOARD_ENDED", message: "This wallboard's link was withdrawn." };
    expect((await browser.call(attentionList, undefined, wall)).body).toEqual(withdrawn);
    expect(browser.jar.size).toBe(1);
    server.clock.advance(120_000);
    expect((await browser.call(attentionList, undefined, wall)).body).toEqual(withdrawn);
    expect((await browser.call(siteDetails)).status).toBe(200);
  });

  test("a program, which identifies no browser, gets no cookie and needs none", async () => {
    const answer = await (
      await server.as(null)
    ).call(login, {
      body: { username: usernames.owner, password: PASSWORD },
    });
    expect(answer.headers["set-cookie"]).toBeUndefined();
    const { token } = login.response.parse(answer.body);
    expect((await callWith(token, {}, siteDetails)).status).toBe(200);
  });
});
