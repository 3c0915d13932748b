import { randomUUID } from "node:crypto";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { StatementCount } from "../../../test/statement-count.ts";
import { testSettings } from "../../../test/test-app.ts";
import { ChangeSignal } from "../../platform/change-signal.ts";
import { SystemClock } from "../../platform/clock.ts";
import { acceptOrders, FirstSeen } from "./accept-orders.ts";
import { claimAll } from "./commands.repository.ts";
import { acceptCommand } from "./person-orders.ts";
import { closeUnsent } from "./settle.repository.ts";
import { Commands } from "./commands.service.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;

beforeEach(async () => {
  harness = await CommandHarness.open({ wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)) });
  for (const robot of [harness.fixtures.ownRobot, harness.fixtures.ownRobot2]) await harness.live(robot);
});
afterEach(() => harness.close());

const by = { userId: null, name: "Anita Rao", actionType: "MANUAL" } as const;
const start = { verb: "START", by, mode: "AUTO", maxDurationS: 600 } as const;

describe("protocol rule 5: a START that was claimed and then held back", () => {
  const cases = [
    ["its time was over", false, "The start was not sent to Robot OWN-1 in time. Please try again."],
    ["the broker was gone", true, expect.stringContaining("The robots' broker cannot be reached")],
  ] as const;
  test.each(cases)("protocol rule 5: is neither claimed nor sent if %s, and says so", async (_, cut, details) => {
    const [accepted] = await harness.db.transaction().execute((tx) => {
      return acceptOrders(tx, harness.fixtures.ownSiteId, [harness.fixtures.ownRobot.id], start, harness.clock.now());
    });
    if (accepted?.accepted.kind !== "stored") throw new Error("The START was refused.");
    const { id, expires_at } = accepted.accepted.command;
    // First read for the claim; after that the time is over, or the broker lost.
    class LateClock extends SystemClock {
      #asked = 0;
      override now(): Date {
        this.#asked += 1;
        if (cut) broker.setCut(true);
        return this.#asked > 1 && !cut ? expires_at : super.now();
      }
    }
    const { db, connection } = harness;
    const log = pino({ level: "silent" });
    const clock = new LateClock();
    const parts = { db, connection, broker, clock, log, settings: testSettings, serverId: crypto.randomUUID() };
    await new Commands(parts, new ChangeSignal({ connection, clock, log })).dispatch([id]);
    broker.setCut(false);
    expect(await harness.commands()).toMatchObject([{ outcome: "NEVER_SENT", claimed_by: null, claimed_at: null }]);
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "FAILED", details }]);
    expect(broker.published.filter(({ payload }) => payload.includes(id))).toEqual([]);
  });
});

test("protocol rule 5: a START that another server has claimed is not closed as unsent", async () => {
  const [accepted] = await harness.db.transaction().execute((tx) => {
    return acceptOrders(tx, harness.fixtures.ownSiteId, [harness.fixtures.ownRobot.id], start, harness.clock.now());
  });
  if (accepted?.accepted.kind !== "stored") throw new Error("The START was refused.");
  const { id: commandId } = accepted.accepted.command;
  const [own, other] = [crypto.randomUUID(), crypto.randomUUID()];
  await claimAll(harness.db, [commandId], other, harness.clock.now());
  const close = (serverId: string) =>
    closeUnsent(
      harness.db,
      [{ commandId, sent: "never", why: "too-old", claimed: true }],
      serverId,
      harness.clock.now(),
    );
  await close(own);
  expect(await harness.commands()).toMatchObject([{ outcome: null, claimed_by: other }]);
  await close(other);
  expect(await harness.commands()).toMatchObject([{ outcome: "NEVER_SENT", claimed_by: null }]);
});

test("protocol rule 3: a Stop that is repeated is sent at once if the server that stored it died before it sent it", async () => {
  const { db, connection, clock, fixtures } = harness;
  const { ownRobot, userIds } = fixtures;
  // Nobody else sends it meanwhile.
  harness.robot().inject({ kind: "away" });
  await harness.until(async () => !(await harness.state()).online);
  const log = pino({ level: "silent" });
  const [key, sessionId, dead, serverId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const parts = { db, connection, broker, clock, log, settings: testSettings, serverId };
  const admin = { userId: userIds.admin, name: "Anita Rao", email: "", partnerId: null, sessionId };
  const viewer = { ...admin, role: "SUPER_ADMIN" } as const;
  const named = { robotId: ownRobot.serial, robotObjectId: ownRobot.id, siteId: ownRobot.siteId };
  const body = { ...named, command: "STOP", mode: "AUTO", params: {} } as const;
  const accepted = await db.transaction().execute((tx) => {
    return acceptCommand(tx, parts, viewer, body, { key, press: null, seen: new FirstSeen() });
  });
  if (accepted.kind !== "stored") throw new Error("The Stop was refused.");
  const { commandId } = accepted;
  await claimAll(db, [commandId], dead, clock.now());
  const commands = new Commands(parts, new ChangeSignal({ connection, clock, log }));
  await expect(commands.send(viewer, body, key, null)).rejects.toMatchObject({ status: 504, extra: { pending: true } });
  await expect.poll(() => broker.published.some(({ payload }) => payload.includes(commandId))).toBe(true);
  expect(await harness.commands()).toMatchObject([{ id: commandId, claimed_by: serverId }]);
});

describe("protocol rule 3: a Stop for many robots right after their start", () => {
  test("protocol rule 3: takes as many statements for one START in progress as for two, so that it is not delayed", async () => {
    const { ownSiteId, ownRobot, ownRobot2 } = harness.fixtures;
    const count = async (robotIds: readonly number[]) => {
      const counted = new StatementCount();
      await harness.db.transaction().execute(async (tx) => {
        await acceptOrders(tx, ownSiteId, robotIds, start, harness.clock.now());
      });
      const stops = await harness.db
        .withPlugin(counted)
        .transaction()
        .execute((tx) => acceptOrders(tx, ownSiteId, robotIds, { ...start, verb: "STOP" }, harness.clock.now()));
      expect(stops.map(({ accepted }) => accepted.kind)).toEqual(robotIds.map(() => "stored"));
      await harness.db
        .updateTable("commands")
        .set({ settled_at: new Date(), outcome: "CONFIRMED" })
        .where("settled_at", "is", null)
        .execute();
      return counted.statements;
    };
    const ofOne = await count([ownRobot.id]);
    expect(await harness.activity()).toMatchObject([{ status: "FAILED", details: expect.stringContaining("A Stop") }]);
    expect(await count([ownRobot.id, ownRobot2.id])).toBe(ofOne);
    const starts = [...(await harness.commands()), ...(await harness.commands(ownRobot2))].filter(
      (c) => c.verb === "START",
    );
    expect(starts.map(({ outcome }) => outcome)).toEqual(["UNCONFIRMED", "UNCONFIRMED", "UNCONFIRMED"]);
  });
});
