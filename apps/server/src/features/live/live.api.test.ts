import { acknowledgeAttention, attentionList, undoAcknowledgement } from "@suncrew/contract/attention/attention.ts";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { logout } from "@suncrew/contract/auth/auth.ts";
import { createMute, endMute } from "@suncrew/contract/notifications/mutes.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateWords } from "../../../test/fixtures.ts";
import { eventsOf as eventsFrom, hasReached, listen, nextOf } from "../../../test/live-events.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { SystemClock } from "../../platform/clock.ts";
import { changedNow, type Executor } from "../../platform/database/database.ts";

let test: TestApp<SystemClock>;
let address: string;

beforeAll(async () => {
  test = await createTestApp({ clock: new SystemClock() });
  await test.app.start();
  address = await listen(test.app.http);
});
afterAll(() => test.close());

const eventsOf = (client: TestClient, signal?: AbortSignal) => eventsFrom(address, client, signal);

/**
 * The updates up to the one that shows the robot with this battery. Others may come first: a poll begins at the oldest
 * transaction of the whole database server, so a row may be sent twice, but is never skipped.
 */
async function untilBattery(events: AsyncGenerator<LiveEvent>, robotId: number, battery: number): Promise<LiveEvent[]> {
  const seen: LiveEvent[] = [];
  for (;;) {
    const event = await nextOf(events);
    if (event.type !== "update") throw new Error(`an event of type ${event.type} instead of an update`);
    seen.push(event);
    if (event.robots.some((robot) => robot.robot_id === robotId && robot.battery_level === battery)) return seen;
  }
}

async function setBattery(db: Executor, robotId: number, battery: number): Promise<void> {
  await db.updateTable("robot_state").set({ battery, change_no: changedNow }).where("robot_id", "=", robotId).execute();
  await sql`select pg_notify('suncrew_changes', '')`.execute(db);
}

describe("Live stream", () => {
  it("begins with a snapshot of what the user may see, and no byte of anything else", async () => {
    for (const [person, serials] of [
      ["admin", ["FAR-1", "OWN-1", "OWN-2"]],
      ["owner", ["OWN-1", "OWN-2"]],
      ["stranger", ["FAR-1"]],
    ] as const) {
      const events = eventsOf(await test.as(person));
      const first = await nextOf(events);
      if (first.type !== "snapshot") throw new Error("no snapshot");
      expect(first.robots.map((robot) => robot.serial_number).toSorted()).toEqual(serials);
      await events.return(undefined);
    }
  });

  it("carries a changed robot and its site to those who may see them, and to no one else", async () => {
    const { ownRobot, foreignRobot } = test.fixtures;
    const owner = eventsOf(await test.as("owner"));
    const stranger = eventsOf(await test.as("stranger"));
    await nextOf(owner);
    await nextOf(stranger);
    await setBattery(test.db, ownRobot.id, 41);
    const own = JSON.stringify(await untilBattery(owner, ownRobot.id, 41));
    expect(own).toContain("Ownfield Park");
    for (const word of privateWords.stranger) expect(own).not.toContain(word);
    // Everything the other partner receives until its own robot changes afterwards: nothing of the owner's is in it.
    await setBattery(test.db, foreignRobot.id, 42);
    const foreign = JSON.stringify(await untilBattery(stranger, foreignRobot.id, 42));
    expect(foreign).toContain("Farfield Park");
    for (const word of privateWords.owner) expect(foreign).not.toContain(word);
    await owner.return(undefined);
    await stranger.return(undefined);
  });

  it("protocol rule 12: names a changed alert about Suncrew's servers to a Super Admin, and to no partner", async () => {
    const { ownRobot } = test.fixtures;
    const [admin, owner] = [eventsOf(await test.as("admin")), eventsOf(await test.as("owner"))];
    await nextOf(admin);
    await nextOf(owner);
    const { rows } = await sql<{ id: string }>`
      insert into alerts (source, code, severity, text, raised_at)
      values ('SERVER', 'SERVER_CLOCK', 'CRITICAL', 'A clock.', now()) returning id::text`.execute(test.db);
    const namedIn = (events: readonly LiveEvent[]) =>
      events.flatMap((event) => (event.type === "update" ? (event.server_alerts_changed ?? []) : []));
    await setBattery(test.db, ownRobot.id, 51);
    expect(new Set(namedIn(await untilBattery(admin, ownRobot.id, 51)))).toEqual(new Set(rows.map(({ id }) => id)));
    expect(namedIn(await untilBattery(owner, ownRobot.id, 51))).toEqual([]);
    await admin.return(undefined);
    await owner.return(undefined);
  });

  it("attention: names the site of what somebody acknowledges, and of what is undone, to those who see it", async () => {
    const { ownRobot, ownSiteId, foreignRobot } = test.fixtures;
    await test.db
      .insertInto("maintenance_locks")
      .values({
        robot_id: ownRobot.id,
        site_id: ownSiteId,
        locked_at: new Date(Date.now() - 9 * 86_400_000),
        locked_by: "Asha Rathore",
        reason: "New brush",
        former_mode: "auto",
      })
      .execute();
    const owner = await test.as("owner");
    const [seen, unseen] = [eventsOf(owner), eventsOf(await test.as("stranger"))];
    await nextOf(seen);
    await nextOf(unseen);
    const namedIn = (events: readonly LiveEvent[]) =>
      events.flatMap((event) => (event.type === "update" ? (event.attention_changed ?? []) : []));
    const untilNamed = async () => {
      while (namedIn([await nextOf(seen)]).length === 0);
    };
    const { items } = await owner.ask(attentionList);
    const params = { itemId: items.find(({ kind }) => kind === "MAINTENANCE")?.key ?? "" };
    await owner.ask(acknowledgeAttention, { params, body: { comment: "On it." } });
    await untilNamed();
    expect((await owner.ask(attentionList)).acknowledged).toBe(1);
    // What was sent twice does not stand for the undoing.
    await setBattery(test.db, ownRobot.id, 61);
    await untilBattery(seen, ownRobot.id, 61);
    await owner.ask(undoAcknowledgement, { params });
    await untilNamed();
    expect((await owner.ask(attentionList)).acknowledged).toBe(0);
    await setBattery(test.db, foreignRobot.id, 62);
    expect(namedIn(await untilBattery(unseen, foreignRobot.id, 62))).toEqual([]);
    await seen.return(undefined);
    await unseen.return(undefined);
    await test.db.deleteFrom("maintenance_locks").execute();
  });

  it("mutes: names the site of what somebody mutes, and no longer does, to those who see it", async () => {
    const { ownRobot, ownSiteId, foreignRobot } = test.fixtures;
    const owner = await test.as("owner");
    const [seen, unseen] = [eventsOf(owner), eventsOf(await test.as("stranger"))];
    await nextOf(seen);
    await nextOf(unseen);
    const namedIn = (events: readonly LiveEvent[]) =>
      events.flatMap((event) => (event.type === "update" ? (event.mutes_changed ?? []) : []));
    const untilNamed = async () => {
      let named: readonly number[] = [];
      while (named.length === 0) named = namedIn([await nextOf(seen)]);
      expect(named).toEqual([ownSiteId]);
    };
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const { muteId } = await owner.ask(createMute, {
      body: { site_id: ownSiteId, robot_id: ownRobot.id, until, reason: "New brush" },
    });
    await untilNamed();
    // What was sent twice does not stand for the end.
    await setBattery(test.db, ownRobot.id, 71);
    await untilBattery(seen, ownRobot.id, 71);
    await owner.ask(endMute, { params: { muteId } });
    await untilNamed();
    await setBattery(test.db, foreignRobot.id, 72);
    expect(namedIn(await untilBattery(unseen, foreignRobot.id, 72))).toEqual([]);
    await seen.return(undefined);
    await unseen.return(undefined);
  });

  it("does not skip a change that began earlier and was committed later", async () => {
    const { ownRobot, ownRobot2 } = test.fixtures;
    const events = eventsOf(await test.as("owner"));
    await nextOf(events);
    const slow = await test.db.startTransaction().execute();
    await setBattery(slow, ownRobot.id, 11);
    await setBattery(test.db, ownRobot2.id, 12);
    expect(await untilBattery(events, ownRobot2.id, 12)).not.toEqual([]);
    await slow.commit().execute();
    expect(await untilBattery(events, ownRobot.id, 11)).not.toEqual([]);
    await events.return(undefined);
  });

  it("says how far it has come: past a change once it shows it, and never while the change is not committed", async () => {
    const { ownRobot, ownRobot2 } = test.fixtures;
    const events = eventsOf(await test.as("owner"));
    const slow = await test.db.startTransaction().execute();
    await setBattery(slow, ownRobot.id, 21);
    const { rows } = await sql<{ number: string }>`select pg_current_xact_id()::text as number`.execute(slow);
    const position = rows[0]?.number;
    expect(hasReached(await nextOf(events), position)).toBe(false);
    await setBattery(test.db, ownRobot2.id, 22);
    const before = await untilBattery(events, ownRobot2.id, 22);
    expect(before.filter((event) => hasReached(event, position))).toEqual([]);
    await slow.commit().execute();
    const shown = (await untilBattery(events, ownRobot.id, 21)).at(-1);
    expect(shown && hasReached(shown, position)).toBe(true);
    await events.return(undefined);
    const later = eventsOf(await test.as("owner"));
    expect(hasReached(await nextOf(later), position)).toBe(true);
    await later.return(undefined);
  });

  it("sees a change whose notification was lost at the next poll", async () => {
    const { ownRobot } = test.fixtures;
    const events = eventsOf(await test.as("owner"));
    await nextOf(events);
    await test.db
      .updateTable("robot_state")
      .set({ battery: 13, change_no: changedNow })
      .where("robot_id", "=", ownRobot.id)
      .execute();
    expect(await untilBattery(events, ownRobot.id, 13)).not.toEqual([]);
    await events.return(undefined);
  });

  it("ends when its session ends", async () => {
    const client = await test.signIn("owner");
    const events = eventsOf(client);
    await nextOf(events);
    await client.ask(logout);
    let last = await nextOf(events);
    while (last.type === "update") last = await nextOf(events);
    expect(last).toEqual({ type: "end", reason: "session" });
    expect((await events.next()).done).toBe(true);
  });

  it("ends when what the user may see has changed, and starts again with the new scope", async () => {
    const { secondSiteId, ownerPartnerId, strangerPartnerId } = test.fixtures;
    const client = await test.as("stranger");
    const events = eventsOf(client);
    await nextOf(events);
    const giveTo = (partner: number) =>
      test.db
        .updateTable("sites")
        .set({ maintenance_partner_id: partner, change_no: changedNow })
        .where("id", "=", secondSiteId)
        .execute();
    await giveTo(strangerPartnerId);
    for (let event = await nextOf(events); event.type !== "end"; event = await nextOf(events));
    const next = eventsOf(client);
    const first = await nextOf(next);
    expect(first.type === "snapshot" && first.sites.map((site) => site.name).toSorted()).toEqual([
      "Farfield Park",
      "Ownfield Annex",
    ]);
    await next.return(undefined);
    await giveTo(ownerPartnerId);
  });

  it("continues after the database was restored from a dump of a larger one", async () => {
    const other = await createTestApp({ clock: new SystemClock() });
    await sql`update robot_state set change_no = '9000000000000000'::xid8`.execute(other.db);
    await other.app.start();
    const { rows } = await sql<{
      future: number;
    }>`select count(*) as future from robot_state where change_no > pg_current_xact_id()`.execute(other.db);
    expect(rows).toEqual([{ future: 0 }]);
    await other.close();
  });
});
