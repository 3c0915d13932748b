import { details } from "../../../test/details.ts";
import type { AddressInfo } from "node:net";
import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import { deletePartner } from "@suncrew/contract/partners/partners.ts";
import { runsCalendar, runsList } from "@suncrew/contract/runs/runs.ts";
import { deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";
import type { Person } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { SystemClock } from "../../platform/clock.ts";
import { recordActivity } from "../activity/public.ts";

let server: TestApp<SystemClock>;
beforeEach(async () => {
  server = await createTestApp({ clock: new SystemClock() });
});
afterEach(() => server.close());

const at = new Date("2026-06-15T06:00:00Z");

async function addHistory(): Promise<void> {
  const { ownRobot, userIds } = server.fixtures;
  await recordActivity(server.db, {
    at,
    robotId: ownRobot.id,
    siteId: ownRobot.siteId,
    commandId: null,
    action: "START",
    actionType: "MANUAL",
    status: "SUCCESS",
    userId: userIds.owner,
    userName: "Omkar Jain",
    details: details("The robot showed that it is cleaning."),
    mode: "AUTO",
    params: { direction: "FWD", "main-speed": 75, "brush-speed": 80 },
  });
  const run = {
    robot_id: ownRobot.id,
    site_id: ownRobot.siteId,
    started_by: "Omkar Jain",
    outcome: "COMPLETED",
  } as const;
  await server.db
    .insertInto("runs")
    .values({ id: uuidv7(), ...run, began_at: at, ended_at: new Date(at.getTime() + 600_000) })
    .execute();
}

async function deleteOwnSite(): Promise<void> {
  const admin = await server.as("admin");
  for (const id of [server.fixtures.ownSiteId, server.fixtures.secondSiteId]) {
    await admin.ask(deleteSite, { params: { id } });
  }
}

const runsOf = async (who: Person, query = {}) => {
  const { status, body } = await (await server.as(who)).call(runsList, { query });
  if (status !== 200) return status;
  return runsList.response.parse(body).runs.map(({ serial_number, started_by }) => [serial_number, started_by]);
};

describe("History stays readable after a site, robot, partner or user is deleted", () => {
  beforeEach(addHistory);

  test("a Super Admin reads activity and runs of a deleted site, with the names at that time", async () => {
    await deleteOwnSite();
    const { logs, total } = await (await server.as("admin")).ask(activityLogs);
    expect([logs, total]).toMatchObject([
      [{ site_name: "Ownfield Park", robot_name: "OWN-1", partner_name: "Owncare Services", user_name: "Omkar Jain" }],
      1,
    ]);
    expect(await runsOf("admin")).toEqual([["OWN-1", "Omkar Jain"]]);
  });

  test("the partner that had it reads its runs, also when filtered by site or robot; another partner does not", async () => {
    const { ownSiteId, ownRobot } = server.fixtures;
    await deleteOwnSite();
    for (const query of [{}, { site_id: ownSiteId }, { robot_id: ownRobot.id }]) {
      expect(await runsOf("owner", query)).toEqual([["OWN-1", "Omkar Jain"]]);
    }
    expect(await runsOf("stranger")).toEqual([]);
    expect(await runsOf("stranger", { site_id: ownSiteId })).toBe(404);
    expect(await runsOf("stranger", { robot_id: ownRobot.id })).toBe(404);
  });

  test("what is not history is deleted with the site", async () => {
    await deleteOwnSite();
    const params = { siteId: server.fixtures.ownSiteId };
    expect((await (await server.as("owner")).call(runsCalendar, { params })).status).toBe(404);
  });

  test("if its partner and that partner's user are deleted, a Super Admin can read it", async () => {
    await deleteOwnSite();
    const admin = await server.as("admin");
    await admin.ask(deletePartner, { params: { id: server.fixtures.ownerPartnerId } });
    const { logs } = await admin.ask(activityLogs);
    expect(logs).toMatchObject([{ partner_name: "Owncare Services", user_name: "Omkar Jain" }]);
    expect(await runsOf("admin")).toEqual([["OWN-1", "Omkar Jain"]]);
  });

  test("the audit keeps who did what, and where", async () => {
    await deleteOwnSite();
    const rows = await server.db
      .selectFrom("audit")
      .select(["actor", "action", "site_id"])
      .where("action", "=", "DELETE_SITE")
      .orderBy("id")
      .execute();
    const { ownSiteId, secondSiteId } = server.fixtures;
    expect(rows).toEqual(
      [ownSiteId, secondSiteId].map((site_id) => ({ actor: "Anita Rao", action: "DELETE_SITE", site_id })),
    );
  });
});

describe("Live: others see sites change without a reload", () => {
  beforeEach(async () => {
    await server.app.start();
    await server.app.http.listen({ port: 0, host: "127.0.0.1" });
  });

  /** The events of a person's stream as they arrive; ends with the stream. */
  async function* eventsOf(who: Person, signal?: AbortSignal): AsyncGenerator<LiveEvent> {
    const { port } = server.app.http.server.address() as AddressInfo;
    const { token } = await server.as(who);
    const response = await fetch(`http://127.0.0.1:${port}${live.path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });
    let rest = "";
    for await (const bytes of response.body ?? []) {
      rest += Buffer.from(bytes).toString("utf8");
      const lines = rest.split("\n\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: ")) yield live.response.parse(JSON.parse(line.slice(6)));
    }
  }

  const rename = async (change: Record<string, unknown>) => {
    const body = {
      name: "Renamed Park",
      address: "a",
      district: "b",
      state: "c",
      pin_code: "342301",
      commissioning_date: "2023-03-31",
      latitude: 27.53,
      longitude: 71.91,
      ...change,
    };
    await (await server.as("admin")).ask(updateSite, { params: { id: server.fixtures.ownSiteId }, body });
  };

  test("an edit reaches the partner's stream completely, with its version", async () => {
    const closing = new AbortController();
    const events = eventsOf("owner", closing.signal);
    expect((await events.next()).value).toMatchObject({ type: "snapshot" });
    await rename({});
    for await (const event of events) {
      // Other sites may have changed since the snapshot, and be included.
      const renamed = event.type === "update" ? event.sites.find(({ name }) => name === "Renamed Park") : undefined;
      if (renamed === undefined) continue;
      expect(renamed).toMatchObject({ version: 2, pin_code: "342301" });
      break;
    }
    closing.abort();
  });

  test("the partners that gain or lose it have to start again; nobody hears of it before", async () => {
    const streams = await Promise.all(
      (["owner", "stranger"] as const).map(async (who) => {
        const events = eventsOf(who);
        await events.next();
        return events;
      }),
    );
    await rename({ maintenance_partner_id: server.fixtures.strangerPartnerId });
    for (const [nth, events] of streams.entries()) {
      const received: LiveEvent[] = [];
      for await (const event of events) received.push(event);
      expect(received.at(-1)).toEqual({ type: "end", reason: "scope" });
      // The former partner does not learn its new name.
      const names = JSON.stringify(received).includes("Renamed Park");
      expect([nth, nth === 0 && names]).toEqual([nth, false]);
    }
  });

  test("a deleted site ends the streams that showed it", async () => {
    const events = eventsOf("owner");
    await events.next();
    await deleteOwnSite();
    const received: LiveEvent[] = [];
    for await (const event of events) received.push(event);
    expect(received.at(-1)).toEqual({ type: "end", reason: "scope" });
  });
});
