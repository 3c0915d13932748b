import type { WeatherMessage } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { addDevice } from "../../../test/fixtures.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { freeSensor, storeSensor } from "./sensors.repository.ts";

let harness: BridgeHarness;

beforeEach(async () => {
  harness = await createBridge();
  await addDevice(harness.database.db, "WX-1");
  await harness.database.db.transaction().execute((tx) => storeSensor(tx, harness.siteId, "WX-1", now()));
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterEach(() => harness.close());

const now = () => harness.clock.now();

function reading(session: number, seq: number, gust: number | null = 31.5): WeatherMessage {
  return { v: 1, seq, session, ts: now().toISOString(), gust_kmh: gust, rain_mm_h: 0, temperature_c: 34 };
}

const stored = () => harness.database.db.selectFrom("site_sensors").selectAll().executeTakeFirstOrThrow();
const measures = (message: unknown, serial = "WX-1") =>
  harness.broker.receive(topicOf(serial, "weather"), message, false);

describe("a site's weather sensor", () => {
  test("protocol rule 12: a reading is stored with the server's time beside the sensor's", async () => {
    const at = now();
    measures({ ...reading(5, 1), ts: new Date(at.getTime() - 2_000).toISOString() });
    await harness.pass(100);
    expect(await stored()).toMatchObject({
      session: 5,
      seq: 1,
      gust_kmh: 31.5,
      rain_mm_h: 0,
      temperature_c: 34,
      received_at: at,
      sensor_ts: new Date(at.getTime() - 2_000),
    });
    expect(harness.bridge.messages.get("weather")).toBe(1);
    expect(harness.bridge.badMessages).toEqual({});
  });

  test("protocol rule 7: readings that are not newer change nothing, whenever they arrive", async () => {
    measures(reading(5, 7, 40));
    await harness.pass(100);
    for (const [session, seq] of [
      [5, 7],
      [5, 6],
      [4, 900],
    ] as const)
      measures(reading(session, seq, 99));
    await harness.pass(100);
    expect(await stored()).toMatchObject({ session: 5, seq: 7, gust_kmh: 40 });
    measures(reading(6, 1, 50));
    measures(reading(5, 8, 60));
    await harness.pass(100);
    expect(await stored()).toMatchObject({ session: 6, seq: 1, gust_kmh: 50 });
  });

  test("protocol rule 10: malformed readings change nothing and are counted", async () => {
    measures({ ...reading(5, 1), gust_kmh: -1 });
    measures({ ...reading(5, 2), gust_kmh: "strong" });
    measures({ ...reading(5, 3), ts: "now" });
    measures([]);
    harness.broker.receive(topicOf("WX-1", "weather"), reading(5, 4), true);
    measures(reading(Math.ceil(now().getTime() / 1_000) + 2 * 86_400, 1));
    await harness.pass(100);
    expect(harness.bridge.badMessages).toEqual({ schema: 4, retained: 1, counter: 1 });
    expect(await stored()).toMatchObject({ session: 0, seq: 0, received_at: null });
  });

  test("protocol rule 9: what a robot says of the weather, or a device of no site, counts for nothing; nor is a sensor a robot", async () => {
    const robotId = await harness.robot("ROBOT-1");
    await addDevice(harness.database.db, "WX-2");
    measures(reading(5, 1), "ROBOT-1");
    measures(reading(5, 1), "WX-2");
    measures(reading(5, 1), "NOBODY-1");
    harness.says("ROBOT-1", "state", stateMessage(now(), 1, 1));
    harness.says("WX-1", "state", stateMessage(now(), 1, 1));
    measures(reading(5, 1, 44));
    await harness.pass(100);
    expect(harness.bridge.badMessages).toEqual({ "unknown-serial": 2, topic: 2 });
    expect(await harness.stateOf(robotId)).toMatchObject({ online: true, state_seq: 1 });
    expect(await stored()).toMatchObject({ serial: "WX-1", gust_kmh: 44 });
  });

  test("protocol rule 9: a retired sensor is not heard any more, and one that is assigned anew begins without readings", async () => {
    const { db } = harness.database;
    measures(reading(5, 1));
    await harness.pass(100);
    await db.updateTable("devices").set({ retired_at: now() }).where("serial", "=", "WX-1").execute();
    measures(reading(5, 2, 99));
    await harness.pass(100);
    expect(await stored()).toMatchObject({ seq: 1, gust_kmh: 31.5 });
    expect(harness.bridge.badMessages).toEqual({ "unknown-serial": 1 });
    await db.updateTable("devices").set({ retired_at: null }).where("serial", "=", "WX-1").execute();
    await db.transaction().execute(async (tx) => {
      await freeSensor(tx, harness.siteId);
      await storeSensor(tx, harness.siteId, "WX-1", now());
    });
    expect(await stored()).toMatchObject({ session: 0, received_at: null, gust_kmh: null });
    // Protocol rule 14: it lost its memory, so its next session is the first.
    measures(reading(1, 1, 12));
    await harness.pass(100);
    expect(await stored()).toMatchObject({ session: 1, gust_kmh: 12 });
  });
});

/** Has the rights of an earlier version. */
class OlderBroker extends MemoryBroker {
  override async subscribe(...[topics, onMessage]: Parameters<MemoryBroker["subscribe"]>) {
    if (topics.some((topic) => topic.endsWith("/weather"))) throw new Error("Subscribe error: Not authorized");
    return super.subscribe(topics, onMessage);
  }
}

test("protocol rule 11: a broker that refuses what sensors send does not keep the bridge from hearing robots", async () => {
  const broker = new OlderBroker();
  const other = await createBridge({ broker });
  try {
    const robotId = await other.robot("ROBOT-1");
    await other.bridge.start();
    await other.bridge.idle();
    broker.receive(topicOf("ROBOT-1", "state"), stateMessage(other.clock.now(), 1, 1));
    await other.pass(100);
    expect(await other.stateOf(robotId)).toMatchObject({ online: true, state_seq: 1 });
    expect(other.log.join("")).toContain("does not let Suncrew listen to weather sensors");
  } finally {
    await other.close();
  }
});
