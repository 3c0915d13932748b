import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addRobot, addSite, setState } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { seenAt } from "./last-seen.ts";
import { readSites } from "./sites.queries.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

describe("§7 GET api/sites/details", () => {
  test("a Super Admin has every site, a partner those it maintains, without deleted ones", async () => {
    await server.db
      .updateTable("sites")
      .set({ deleted_at: new Date() })
      .where("id", "=", server.fixtures.secondSiteId)
      .execute();
    await addSite(server.db, "Nobody's Park", null);
    const names = async (who: "admin" | "owner" | "stranger") =>
      (await (await server.as(who)).ask(siteDetails)).map(({ name }) => name);
    expect(await names("admin")).toEqual(["Farfield Park", "Nobody's Park", "Ownfield Park"]);
    expect(await names("owner")).toEqual(["Ownfield Park"]);
    expect(await names("stranger")).toEqual(["Farfield Park"]);
  });

  test("the current partner sees it, former ones do not", async () => {
    const { ownSiteId, strangerPartnerId } = server.fixtures;
    const stranger = await server.as("stranger");
    await server.db
      .updateTable("sites")
      .set({ maintenance_partner_id: strangerPartnerId })
      .where("id", "=", ownSiteId)
      .execute();
    expect((await stranger.ask(siteDetails)).map(({ id }) => id)).toContain(ownSiteId);
  });

  test("a site is complete: numbers as numbers, its date as text, its partner's name and contact", async () => {
    const [site] = (await (await server.as("owner")).ask(siteDetails)).filter(
      ({ id }) => id === server.fixtures.ownSiteId,
    );
    expect(site).toEqual({
      id: server.fixtures.ownSiteId,
      name: "Ownfield Park",
      address: "Ownfield Park Road 1",
      district: "Jodhpur",
      state: "Rajasthan",
      pin_code: "342301",
      commissioning_date: "2023-03-31",
      maintenance_partner_id: server.fixtures.ownerPartnerId,
      maintenance_contact: null,
      maintenance_contact_name: null,
      maintenance_email: null,
      latitude: 27.53,
      longitude: 71.91,
      timezone: "Asia/Kolkata",
      partner_name: "Owncare Services",
      partner_contact: "Odile Osprey",
      status: "standby",
      robot_count: 2,
      active_robots: 0,
      online_robots: 0,
      may_be_moving_robots: 0,
      version: 1,
      weather_guard: null,
      ...noEnergyFacts,
    });
  });
});

describe("§7 GET api/sites/details, answered from what earlier calls read", () => {
  const read = async (who: "admin" | "owner" | "stranger", etag?: string) => {
    return (await server.as(who)).call(siteDetails, etag === undefined ? {} : { headers: { "if-none-match": etag } });
  };
  const etagOf = async (who: "admin" | "owner" | "stranger") => (await read(who)).headers["etag"] as string;

  test("an unchanged answer has the same ETag and is not sent again; a counter that changed is in the next answer", async () => {
    const first = await read("owner");
    const etag = first.headers["etag"] as string;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await read("owner", etag);
    expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", etag]);
    expect((await read("owner", `W/"other", ${etag}`)).status).toBe(304);
    expect((await read("owner", "*")).status).toBe(304);
    await setState(server.db, server.fixtures.ownRobot.id, { robot_status: "normal", online: true });
    const after = await read("owner", etag);
    expect(after.status).toBe(200);
    expect(siteDetails.response.parse(after.body).find(({ id }) => id === server.fixtures.ownSiteId)).toMatchObject({
      active_robots: 1,
      online_robots: 1,
    });
    expect((await read("owner", after.headers["etag"] as string)).status).toBe(304);
  });

  test("it is sent compressed as the caller accepts it", async () => {
    const { token } = await server.as("admin");
    const sent = async (encoding: string) => {
      const headers = { authorization: `Bearer ${String(token)}`, "accept-encoding": encoding };
      const { rawPayload, headers: answered } = await server.app.http.inject({ url: siteDetails.path, headers });
      return { encoding: answered["content-encoding"], vary: answered["vary"], bytes: rawPayload };
    };
    for (let each = 0; each < 10; each += 1) await addSite(server.db, `Site ${each}`, null);
    const [plain, zipped, brotli] = [await sent("identity"), await sent("gzip"), await sent("gzip, deflate, br")];
    expect([plain.encoding, zipped.encoding, brotli.encoding]).toEqual([undefined, "gzip", "br"]);
    expect([plain.vary, brotli.vary]).toEqual(["accept-encoding", "accept-encoding"]);
    expect(siteDetails.response.parse(JSON.parse(plain.bytes.toString()))).toHaveLength(13);
    expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes);
    expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes);
  });

  test("each scope has its own answer; what changes at another partner's site changes nothing", async () => {
    const [own, foreign, all] = [await etagOf("owner"), await etagOf("stranger"), await etagOf("admin")];
    expect(new Set([own, foreign, all]).size).toBe(3);
    await setState(server.db, server.fixtures.ownRobot.id, { robot_status: "normal", online: true });
    expect(await etagOf("stranger")).toBe(foreign);
    expect(await etagOf("owner")).not.toBe(own);
    expect(await etagOf("admin")).not.toBe(all);
    expect((await read("owner", foreign)).status).toBe(200);
  });

  test("a change that was committed late is in the next answer, although later ones were there before", async () => {
    const { ownRobot, ownRobot2 } = server.fixtures;
    await setState(server.db, ownRobot.id, { received_at: new Date() });
    await etagOf("owner");
    let early: string | undefined;
    await server.db.transaction().execute(async (tx) => {
      await setState(tx, ownRobot.id, { robot_status: "critical" });
      await setState(server.db, ownRobot2.id, { robot_status: "normal", online: true });
      early = (await read("owner")).text;
    });
    const [site] = siteDetails.response
      .parse((await read("owner")).body)
      .filter(({ id }) => id === server.fixtures.ownSiteId);
    expect(early).toContain('"status":"warning"');
    expect(site).toMatchObject({ status: "fault", active_robots: 1 });
  });

  test("robots and sites that are added, moved, locked, renamed, reassigned or deleted: always what a reading of everything gives", async () => {
    const { db, fixtures } = server;
    const { ownSiteId, secondSiteId, foreignSiteId, ownRobot, ownRobot2, ownerPartnerId, strangerPartnerId } = fixtures;
    const viewers = {
      admin: { userId: 1, name: "", email: "", role: "SUPER_ADMIN", partnerId: null, sessionId: "" },
      owner: { userId: 2, name: "", email: "", role: "PARTNER", partnerId: ownerPartnerId, sessionId: "" },
      stranger: { userId: 3, name: "", email: "", role: "PARTNER", partnerId: strangerPartnerId, sessionId: "" },
    } as const;
    const setRobot = (id: number, change: object) =>
      db.updateTable("robots").set(change).where("id", "=", id).execute();
    const setSite = (id: number, change: object) => db.updateTable("sites").set(change).where("id", "=", id).execute();
    const changes: readonly [string, () => Promise<unknown>][] = [
      ["at first", async () => {}],
      ["moving", () => setState(db, ownRobot.id, { robot_status: "normal", online: true, motion: "MOVING" })],
      ["locked", () => setRobot(ownRobot2.id, { operating_mode: "maintenance" })],
      ["added", () => addRobot(db, foreignSiteId, "FAR-7")],
      ["lost while moving", () => setState(db, ownRobot.id, { robot_status: "offline", online: false })],
      ["moved", () => setRobot(ownRobot2.id, { site_id: secondSiteId })],
      ["deleted", () => setRobot(ownRobot.id, { deleted_at: new Date() })],
      ["site added", () => addSite(db, "Between Park", ownerPartnerId)],
      ["site renamed", () => setSite(secondSiteId, { name: "Aardvark Park" })],
      ["site given away", () => setSite(secondSiteId, { maintenance_partner_id: strangerPartnerId })],
      [
        "partner renamed",
        () => db.updateTable("partners").set({ name: "New Name" }).where("id", "=", strangerPartnerId).execute(),
      ],
      ["site deleted", () => setSite(ownSiteId, { deleted_at: new Date() })],
    ];
    for (const [what, change] of changes) {
      await change();
      for (const who of ["admin", "owner", "stranger"] as const) {
        const fresh = siteDetails.response.parse(await readSites(viewers[who], db, seenAt(server.deps)));
        expect([what, who, (await read(who)).body]).toEqual([what, who, fresh]);
      }
    }
  });
});

describe("§4 Robot live status: counters and status of a site", () => {
  const status = async () => {
    const sites = await (await server.as("admin")).ask(siteDetails);
    const site = sites.find(({ id }) => id === server.fixtures.ownSiteId);
    return site && [site.status, site.robot_count, site.active_robots, site.online_robots];
  };

  test.each([
    ["normal", "normal", ["normal", 2, 2, 2]],
    ["normal", "idle", ["normal", 2, 1, 2]],
    ["idle", "idle", ["standby", 2, 0, 2]],
    ["normal", "offline", ["warning", 2, 1, 1]],
    ["idle", "warning", ["warning", 2, 0, 1]],
    ["warning", "critical", ["fault", 2, 0, 0]],
  ] as const)("%s and %s", async (first, second, expected) => {
    const { ownRobot, ownRobot2 } = server.fixtures;
    await setState(server.db, ownRobot.id, { robot_status: first, received_at: new Date() });
    await setState(server.db, ownRobot2.id, { robot_status: second, received_at: new Date() });
    expect(await status()).toEqual(expected);
  });

  test("a robot in maintenance causes no warning, a deleted one does not count", async () => {
    const { ownRobot, ownRobot2 } = server.fixtures;
    await setState(server.db, ownRobot.id, { robot_status: "normal" });
    await server.db
      .updateTable("robots")
      .set({ operating_mode: "maintenance" })
      .where("id", "=", ownRobot2.id)
      .execute();
    expect(await status()).toEqual(["normal", 2, 1, 1]);
    await server.db.updateTable("robots").set({ deleted_at: new Date() }).where("id", "=", ownRobot.id).execute();
    expect(await status()).toEqual(["standby", 1, 0, 0]);
  });

  test("a robot that has never reported causes no warning", async () => {
    const { ownRobot } = server.fixtures;
    expect(await status()).toEqual(["standby", 2, 0, 0]);
    await setState(server.db, ownRobot.id, { robot_status: "normal", received_at: new Date() });
    expect(await status()).toEqual(["normal", 2, 1, 1]);
    await setState(server.db, ownRobot.id, { robot_status: "offline" });
    expect(await status()).toEqual(["warning", 2, 0, 0]);
  });

  test("a site without robots is on standby", async () => {
    const sites = await (await server.as("owner")).ask(siteDetails);
    expect(sites.find(({ id }) => id === server.fixtures.secondSiteId)).toMatchObject({
      status: "standby",
      robot_count: 0,
    });
  });
});

test("selected sites are read through the same wall", async () => {
  const { ownSiteId, foreignSiteId, ownerPartnerId, userIds } = server.fixtures;
  await addRobot(server.db, foreignSiteId, "FAR-2");
  const viewer = {
    userId: userIds.owner,
    name: "",
    email: "",
    role: "PARTNER",
    partnerId: ownerPartnerId,
    sessionId: "",
  } as const;
  const ids = async (chosen: number[]) =>
    (await readSites(viewer, server.db, seenAt(server.deps), { ids: chosen })).map(({ id }) => id);
  expect(await ids([ownSiteId, foreignSiteId])).toEqual([ownSiteId]);
  expect(await ids([])).toEqual([]);
});
