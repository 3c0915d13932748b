import { attentionList } from "@suncrew/contract/attention/attention.ts";
import { changePassword } from "@suncrew/contract/auth/auth.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { errorResponseSchema } from "@suncrew/contract/http/error-codes.ts";
import { deletePartner, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import { runsFleetCalendar } from "@suncrew/contract/runs/runs.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { fleetStop } from "@suncrew/contract/groups/groups.ts";
import {
  createWallboardLink,
  openWallboard,
  WALLBOARD_LINKS_PER_USER,
  wallboardLinks,
  withdrawWallboardLink,
} from "@suncrew/contract/wallboard/wallboard.ts";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, type Person } from "../../../test/fixtures.ts";
import { eventsOf, listen, nextOf } from "../../../test/live-events.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { type Answer, TestClient } from "../../../test/test-client.ts";
import { type App, buildApp } from "../../app.ts";
import { LIVE_LIMITS } from "../live/stream-limits.ts";
import { signInCleaner } from "./auth.service.ts";
import { forgetOldLinks } from "./wallboard-links.ts";

let server: TestApp;
let lines: string[];
/** Another server on the same database. */
let second: App | null;
beforeEach(async () => {
  lines = [];
  second = null;
  server = await createTestApp({ onLog: (line) => lines.push(line) });
});
afterEach(async () => {
  await second?.stop();
  await server.close();
});

const nobody = (address?: string) => new TestClient(server.app.http, null, address);
const make = async (person: Person, name = "Control room") =>
  (await server.as(person)).ask(createWallboardLink, { body: { name } });
const withdraw = async (person: Person, linkId: number) =>
  (await server.as(person)).call(withdrawWallboardLink, { params: { linkId } });

/** A browser in which the link was opened. */
class Screen {
  readonly cookie: string;
  readonly client: TestClient;

  private constructor(answer: Answer) {
    const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
    this.cookie = cookie;
    this.client = new TestClient(server.app.http, openWallboard.response.parse(answer.body).token);
  }

  static async open(token: string, address?: string): Promise<Screen> {
    return new Screen(await nobody(address).call(openWallboard, { body: { token } }));
  }

  async status(): Promise<readonly [number, unknown]> {
    const { status, body } = await this.client.call(attentionList, { headers: { cookie: this.cookie } });
    return [status, errorResponseSchema.safeParse(body).data?.code];
  }
}

const WORKS = [200, undefined];
const ENDED = [401, "WALLBOARD_ENDED"];
const audit = () =>
  server.db.selectFrom("audit").select(["action", "outcome", "actor", "after"]).orderBy("id").execute();

describe("wallboard: a link signs a screen in", () => {
  test("wallboard: it is told once, and neither stored nor logged; each use is known", async () => {
    const { token, linkId } = await make("owner");
    const screen = await Screen.open(token);
    expect(await screen.status()).toEqual(WORKS);
    const [, secret = ""] = token.split(".");
    expect(secret).toHaveLength(43);
    const owner = await server.as("owner");
    expect(await owner.ask(wallboardLinks)).toEqual([
      {
        id: linkId,
        name: "Control room",
        made_by: "Omkar Jain",
        created_at: server.clock.now().toISOString(),
        last_used_at: server.clock.now().toISOString(),
      },
    ]);
    const { rows } = await sql<{ text: string }>`select wallboard_links::text as text from wallboard_links
      union all select audit::text from audit`.execute(server.db);
    const known = [...rows.map(({ text }) => text), ...lines];
    expect(known.filter((text) => text.includes(secret) || text.includes(Buffer.from(secret).toString("hex")))).toEqual(
      [],
    );
  });

  test("wallboard: making, opening and withdrawing it are on record, and so is what is no link", async () => {
    const { token, linkId } = await make("owner");
    await Screen.open(token);
    await Screen.open(token);
    await Screen.open(token);
    await Screen.open(token, "192.0.2.9");
    server.clock.advance(60_000);
    await expect.poll(audit).toHaveLength(4);
    expect((await withdraw("owner", linkId)).status).toBe(200);
    for (const wrong of [token, `${linkId}.${"a".repeat(43)}`, `999.${"a".repeat(43)}`]) {
      const answer = await nobody().call(openWallboard, { body: { token: wrong } });
      expect([answer.status, answer.body]).toMatchObject([401, { code: "WALLBOARD_ENDED" }]);
    }
    for (const odd of ["x", `${token}x`, linkId, null]) {
      const answer = await nobody().raw(openWallboard.path, { method: "POST", body: { token: odd } });
      expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ field: "token" }] }]);
    }
    const opened = { action: "OPEN_WALLBOARD", outcome: "DONE", actor: "Wallboard Control room" };
    expect(await audit()).toMatchObject([
      { action: "CREATE_WALLBOARD_LINK", outcome: "DONE", actor: "Omkar Jain" },
      { ...opened, after: { address: "127.0.0.1" } },
      { ...opened, after: { address: "192.0.2.9" } },
      // At most one a minute for each link and address.
      { ...opened, after: { address: "127.0.0.1", times: 2 } },
      { action: "WITHDRAW_WALLBOARD_LINK", outcome: "DONE", actor: "Omkar Jain" },
      { action: "OPEN_WALLBOARD", outcome: "REFUSED", actor: "Unknown screen" },
    ]);
  });

  test("wallboard: its token is worth nothing without the browser's cookie, and is not that of a person", async () => {
    const screen = await Screen.open((await make("owner")).token);
    expect((await screen.client.call(attentionList)).body).toMatchObject({ code: "WALLBOARD_ENDED" });
    const headers = { cookie: screen.cookie };
    expect((await screen.client.call(siteDetails, { headers })).status).toBe(403);
    expect((await screen.client.call(runsFleetCalendar, { headers })).status).toBe(200);
    expect((await screen.client.call(createWallboardLink, { headers, body: { name: "Another" } })).status).toBe(403);
    expect((await screen.client.call(fleetStop, { headers, body: {} })).status).toBe(403);
    expect((await screen.client.raw("/api/docs/openapi.json", { headers })).status).toBe(403);
    expect(await screen.status()).toEqual(WORKS);
    const rows = await server.db.selectFrom("sessions").select("id").execute();
    // Only the owner's own: servers of older versions would take any other for a person's.
    expect(rows).toHaveLength(1);
  });

  test("wallboard: it works for months without a sign-in, and until its link is opened again after 400 days", async () => {
    const { token } = await make("owner");
    const screen = await Screen.open(token);
    server.clock.advance(399 * 86_400_000);
    expect(await screen.status()).toEqual(WORKS);
    const again = await Screen.open(token);
    server.clock.advance(2 * 86_400_000);
    expect(await screen.status()).toEqual([401, "TOKEN_EXPIRED"]);
    expect(await again.status()).toEqual(WORKS);
  });

  test("wallboard: somebody who tries links is slowed down like somebody who tries passwords", async () => {
    const attempt = () => nobody("192.0.2.9").call(openWallboard, { body: { token: `1.${"x".repeat(43)}` } });
    for (let each = 0; each < 120; each += 1) expect((await attempt()).status).toBe(401);
    expect((await attempt()).body).toMatchObject({ code: "ADDRESS_RATE_LIMITED" });
    expect((await audit()).length).toBeLessThan(3);
  });

  test("wallboard: one person has a limited number of links", async () => {
    for (let each = 0; each < WALLBOARD_LINKS_PER_USER; each += 1) await make("owner", `Wall ${each}`);
    const owner = await server.as("owner");
    const refused = await owner.call(createWallboardLink, { body: { name: "One more" } });
    expect([refused.status, refused.body]).toMatchObject([409, { code: "WALLBOARD_LINKS_LIMIT" }]);
    const [newest] = await owner.ask(wallboardLinks);
    await withdraw("owner", newest?.id ?? 0);
    expect((await make("owner", "One more")).linkId).toBeGreaterThan(0);
    expect((await make("stranger")).linkId).toBeGreaterThan(0);
  });
});

describe("wallboard: what ends it ends it at once, on every server", () => {
  test("wallboard: the live stream carries the maker's sites without people, and ends when the link is withdrawn", async () => {
    second = await buildApp({ ...server.deps, serverId: randomUUID() });
    await server.app.start();
    await second.start();
    await listen(server.app.http);
    const address = await listen(second.http);
    const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
    const run = { id: randomUUID(), robot_id, site_id, began_at: server.clock.now(), started_by: "Anita Rao" };
    await server.db.insertInto("runs").values(run).execute();
    const { id: other_id } = server.fixtures.ownRobot2;
    const failed = { outcome: "FAILED", reason: "Stopped by Anita Rao.", ended_at: server.clock.now() } as const;
    const notBegun = { id: randomUUID(), robot_id: other_id, site_id, started_by: "Anita Rao", ...failed };
    await server.db.insertInto("runs").values(notBegun).execute();
    const lock = { robot_id: other_id, site_id, locked_by: "Anita Rao", reason: "Anita mends it" };
    await server.db
      .insertInto("maintenance_locks")
      .values({ ...lock, former_mode: "auto", locked_at: server.clock.now() })
      .execute();
    const { token, linkId } = await make("owner");
    const screen = await Screen.open(token);
    const events = eventsOf(address, screen.client, undefined, { cookie: screen.cookie });
    const snapshot = await nextOf(events);
    expect(snapshot).toMatchObject({ type: "snapshot" });
    const text = JSON.stringify(snapshot);
    expect(text).toContain("Ownfield Park");
    expect(text).toContain(run.id);
    expect(text).toContain('"maintenance":{"reason":"","locked_by":""');
    for (const word of ["Farfield", "Osprey", "Owncare", "+91 98", "Anita"]) expect(text).not.toContain(word);
    await withdraw("owner", linkId);
    server.clock.advance(1_000);
    let last = await nextOf(events);
    while (last.type !== "end") last = await nextOf(events);
    expect(last.reason).toBe("session");
    const there = new TestClient(second.http, screen.client.token);
    const refused = await there.call(live, { headers: { cookie: screen.cookie } });
    expect([refused.status, refused.body]).toMatchObject([401, { code: "WALLBOARD_ENDED" }]);
    expect(await screen.status()).toEqual(ENDED);
  });

  test("wallboard: twenty screens of one link are live at the same time; one more is told to get another link", async () => {
    await server.app.start();
    const address = await listen(server.app.http);
    const { token } = await make("owner");
    const screens = await Promise.all(Array.from({ length: LIVE_LIMITS.perSession }, () => Screen.open(token)));
    const streams = screens.map(({ client, cookie }) => eventsOf(address, client, undefined, { cookie }));
    for (const events of streams) expect(await nextOf(events)).toMatchObject({ type: "snapshot" });
    const more = await Screen.open(token);
    const refused = await more.client.call(live, { headers: { cookie: more.cookie } });
    expect([refused.status, refused.body]).toMatchObject([
      429,
      {
        code: "STREAMS_OF_SESSION",
        message: "This link is open on 20 screens, which is the limit. Make another link for this screen.",
      },
    ]);
    expect(await more.status()).toEqual(WORKS);
    // The person who made it, and the link for the next screen, have their own.
    const other = await Screen.open((await make("owner", "Canteen")).token);
    const person = await server.as("owner");
    for (const { client, headers } of [
      { client: other.client, headers: { cookie: other.cookie } },
      { client: person, headers: {} },
    ]) {
      expect(await nextOf(eventsOf(address, client, undefined, headers))).toMatchObject({ type: "snapshot" });
    }
  });

  test("wallboard: another partner does not see the link; a Super Admin sees and withdraws all", async () => {
    const { token, linkId } = await make("owner");
    await make("admin", "Head office");
    const screen = await Screen.open(token);
    const namesOf = async (person: Person) =>
      (await (await server.as(person)).ask(wallboardLinks)).map(({ name }) => name);
    expect(await namesOf("stranger")).toEqual([]);
    expect(await namesOf("owner")).toEqual(["Control room"]);
    expect(await namesOf("admin")).toEqual(["Head office", "Control room"]);
    expect((await withdraw("stranger", linkId)).status).toBe(404);
    expect(await screen.status()).toEqual(WORKS);
    expect((await withdraw("admin", linkId)).status).toBe(200);
    expect(await screen.status()).toEqual(ENDED);
    expect((await withdraw("admin", linkId)).status).toBe(404);
  });

  test("wallboard: a reset of the maker's password ends it, the maker's own change does not", async () => {
    const owner = await server.signIn("owner");
    const { token } = await owner.ask(createWallboardLink, { body: { name: "Control room" } });
    const screen = await Screen.open(token);
    const body = { currentPassword: PASSWORD, newPassword: "an evening star 7" };
    await make("admin", "Somebody else's");
    // The person is told, and may withdraw them.
    expect(await owner.ask(changePassword, { body })).toMatchObject({ wallboard_links: 1 });
    expect(await screen.status()).toEqual(WORKS);
    const admin = await server.as("admin");
    await admin.ask(resetPartnerPassword, { params: { id: server.fixtures.ownerPartnerId } });
    expect(await screen.status()).toEqual(ENDED);
    expect((await nobody().call(openWallboard, { body: { token } })).status).toBe(401);
  });

  test("wallboard: a server of an older version, which does not know links, withdraws those of a reset password, too", async () => {
    const { owner, stranger } = server.fixtures.userIds;
    const ofOwner = await Screen.open((await make("owner")).token);
    const ofOther = await Screen.open((await make("stranger")).token);
    const store = (password_made_at: Date | null) =>
      server.db.updateTable("users").set({ password_hash: "another", password_made_at }).where("id", "=", owner);
    await store(null).execute();
    expect(await ofOwner.status()).toEqual(WORKS);
    await store(server.clock.now()).execute();
    expect([await ofOwner.status(), await ofOther.status()]).toEqual([ENDED, WORKS]);
    const remove = server.db.updateTable("users").set({ deleted_at: server.clock.now() });
    await remove.where("id", "=", stranger).execute();
    const open = server.db.selectFrom("wallboard_links").select("id").where("withdrawn_at", "is", null);
    expect(await open.execute()).toEqual([]);
  });

  test("wallboard: a link that was withdrawn is forgotten after 30 days, an open one never", async () => {
    const { linkId } = await make("owner", "Old");
    const { linkId: kept } = await make("owner", "Kept");
    await withdraw("owner", linkId);
    const ids = async () =>
      (await server.db.selectFrom("wallboard_links").select("id").orderBy("id").execute()).map(({ id }) => id);
    await forgetOldLinks(server.db, new Date(server.clock.now().getTime() + 30 * 86_400_000 - 1));
    expect(await ids()).toEqual([linkId, kept]);
    const cleaner = signInCleaner(server.deps);
    await cleaner.start();
    server.clock.advance(31 * 86_400_000);
    await cleaner.stop();
    expect(await ids()).toEqual([kept]);
  });

  test("wallboard: it ends with the partner", async () => {
    const { token } = await make("stranger");
    const screen = await Screen.open(token);
    await server.db.updateTable("sites").set({ maintenance_partner_id: null }).execute();
    const admin = await server.as("admin");
    await admin.ask(deletePartner, { params: { id: server.fixtures.strangerPartnerId } });
    expect(await screen.status()).toEqual(ENDED);
  });
});
