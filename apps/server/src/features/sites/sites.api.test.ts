import { siteDetails } from "@suncrew/contract/sites/sites.ts";
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
      status: "warning",
      robot_count: 2,
      active_robots: 0,
      online_robots: 0,
      may_be_moving_robots: 0,
      version: 1,
    });
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
    await setState(server.db, ownRobot.id, { robot_status: first });
    await setState(server.db, ownRobot2.id, { robot_status: second });
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
