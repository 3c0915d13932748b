import { afterEach, beforeEach, expect, test } from "vitest";
import { addRobot, addSite } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { seenAt } from "../sites/public.ts";
import { readSnapshot, readUpdate } from "./live.queries.ts";
import { readOwnedScopes, readSiteOwners } from "./live.repository.ts";
import { scopeMarkOf, sitesOf, snapshotFor, updateFor } from "./update-for.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const person = { name: "", email: "", sessionId: "" };

/** Everything there is has changed: rows of every kind, at sites of both partners, of nobody, and deleted ones. */
async function changeEverything() {
  const { db, fixtures } = server;
  const { ownSiteId, secondSiteId, foreignSiteId, ownerPartnerId, strangerPartnerId } = fixtures;
  const orphan = await addSite(db, "Nobody's Park", null);
  const deletedOwn = await addSite(db, "Former Own Park", ownerPartnerId);
  const deletedForeign = await addSite(db, "Former Far Park", strangerPartnerId);
  await db
    .updateTable("sites")
    .set({ deleted_at: new Date() })
    .where("id", "in", [deletedOwn, deletedForeign])
    .execute();
  const siteIds = [ownSiteId, secondSiteId, foreignSiteId, orphan, deletedOwn, deletedForeign];
  const robots = await db.selectFrom("robots").select(["id", "robot_name", "serial_number"]).execute();
  const [{ id: robot_id, ...names } = { id: 0, robot_name: "", serial_number: "" }] = robots;
  const params = { robotSerial: "A", mode: "AUTO", direction: "FWD", "main-speed": 1, "brush-speed": 1 } as const;
  const logs = await db
    .insertInto("activity")
    .values(
      siteIds.map((site_id) => ({
        ...names,
        robot_id,
        site_id,
        created_at: new Date(),
        action: "START" as const,
        action_type: "MANUAL" as const,
        status: "SUCCESS" as const,
        user_name: "Asha Rathore",
        site_name: `Site ${site_id}`,
        partner_name: "SunCare Services",
        details: "Cleaning.",
        params: JSON.stringify(params),
      })),
    )
    .returning("log_id")
    .execute();
  return {
    robotIds: robots.map(({ id }) => id),
    siteIds,
    logIds: logs.map(({ log_id }) => String(log_id)),
    groupSiteIds: siteIds,
    runSiteIds: siteIds,
    rolloutIds: [3, 4],
    alertSiteIds: siteIds,
    serverAlertIds: ["7"],
    attentionSiteIds: siteIds,
    muteSiteIds: siteIds,
    reached: "1:1:",
  };
}

function viewersOf({ ownerPartnerId, strangerPartnerId }: TestApp["fixtures"]): readonly [Viewer, ...Viewer[]] {
  return [
    { ...person, userId: 1, role: "SUPER_ADMIN", partnerId: null },
    { ...person, userId: 2, role: "PARTNER", partnerId: ownerPartnerId },
    { ...person, userId: 3, role: "PARTNER", partnerId: strangerPartnerId },
    { ...person, userId: 4, role: "PARTNER", partnerId: null },
    { ...person, userId: 5, role: "PARTNER", partnerId: 1 },
  ];
}

test("§6 wire, Live: an update divided among scopes is for each what it would be if it were read for that viewer", async () => {
  const { db, fixtures, deps } = server;
  const changed = await changeEverything();
  const viewers = viewersOf(fixtures);
  const [admin] = viewers;
  const at = seenAt(deps);
  const everything = await readUpdate(admin, db, at, changed);
  const owners = await readSiteOwners(db, sitesOf(everything));
  for (const viewer of viewers) {
    const own = await readUpdate(viewer, db, at, changed);
    expect([viewer.userId, updateFor(viewer, everything, owners)]).toEqual([viewer.userId, own]);
  }
  const [, owner] = viewers;
  const ofOwner = owner && updateFor(owner, everything, owners);
  expect(ofOwner?.robots.length).toBeGreaterThan(0);
  expect(ofOwner?.activity.length).toBeGreaterThan(ofOwner?.sites.length ?? 0);
  expect(JSON.stringify(ofOwner)).not.toContain("SunCare Services");
  // A site that nobody is known to have is in nobody's update but the Super Admin's.
  expect(owner && updateFor(owner, everything, new Map()).robots).toEqual([]);
});

test("§6 wire, Live: a snapshot divided among scopes is for each what it would be if it were read for that viewer", async () => {
  const { db, fixtures, deps } = server;
  await changeEverything();
  const viewers = viewersOf(fixtures);
  const [admin, owner] = viewers;
  const at = seenAt(deps);
  const everything = await readSnapshot(admin, db, at);
  const owners = await readSiteOwners(
    db,
    everything.sites.map(({ id }) => id),
  );
  for (const viewer of viewers) {
    const own = await readSnapshot(viewer, db, at);
    expect([viewer.userId, snapshotFor(viewer, everything, owners)]).toEqual([viewer.userId, own]);
  }
  expect(owner && snapshotFor(owner, everything, new Map())).toEqual({ robots: [], sites: [] });
});

test("§6 wire, Live: the mark of a scope changes with its own sites and robots, and with nobody else's", async () => {
  const { db, fixtures } = server;
  const { ownSiteId, secondSiteId, strangerPartnerId } = fixtures;
  const [admin, owner, stranger] = viewersOf(fixtures);
  const marks = async () => {
    const owned = await readOwnedScopes(db);
    return [admin, owner, stranger].map((viewer) => viewer && scopeMarkOf(viewer, owned));
  };
  const isChanged = async (change: () => Promise<unknown>) => {
    const before = await marks();
    await change();
    return (await marks()).map((mark, nth) => mark !== before[nth]);
  };
  const setSite = (id: number, values: { maintenance_partner_id: number } | { deleted_at: Date }) =>
    db.updateTable("sites").set(values).where("id", "=", id).execute();
  expect(await isChanged(() => addRobot(db, ownSiteId, "NEW-1"))).toEqual([true, true, false]);
  expect(await isChanged(() => addSite(db, "Nobody's Park", null))).toEqual([true, false, false]);
  // The Super Admin still sees it, and its robots.
  const changesHands = () => setSite(secondSiteId, { maintenance_partner_id: strangerPartnerId });
  expect(await isChanged(changesHands)).toEqual([false, true, true]);
  expect(await isChanged(() => setSite(secondSiteId, { deleted_at: new Date() }))).toEqual([true, false, true]);
});
