import { Aedes } from "aedes";
import { expect, test } from "vitest";
import { z } from "zod";
import { indexRetained } from "./broker.ts";

const packetSchema = z.object({ topic: z.string(), payload: z.instanceof(Buffer) });

test("device protocol: retained messages are found by topic and by pattern, replaced, and deleted by an empty one", async () => {
  const broker = await Aedes.createBroker();
  const persistence = indexRetained(broker);
  const keep = (topic: string, text: string) => persistence.storeRetained({ topic, payload: Buffer.from(text) });
  const found = async (...filters: string[]) => {
    const packets = z.array(packetSchema).parse(await persistence.createRetainedStreamCombi(filters).toArray());
    return packets.map(({ topic, payload }) => `${topic} ${payload.toString()}`);
  };
  await keep("scr/v1/SCR-1001/state", "one");
  await keep("scr/v1/SCR-1001/state", "two");
  await keep("scr/v1/SCR-1002/state", "three");
  await keep("scr/v1/SCR-1001/connection", "online");
  expect(await found("scr/v1/SCR-1001/state")).toEqual(["scr/v1/SCR-1001/state two"]);
  expect(await found("scr/v1/SCR-1001/command")).toEqual([]);
  expect(await found("scr/v1/SCR-1002/state", "scr/v1/SCR-1001/connection")).toEqual([
    "scr/v1/SCR-1002/state three",
    "scr/v1/SCR-1001/connection online",
  ]);
  expect(await found("scr/v1/+/state")).toEqual(["scr/v1/SCR-1001/state two", "scr/v1/SCR-1002/state three"]);
  await keep("scr/v1/SCR-1001/state", "");
  expect(await found("scr/v1/SCR-1001/state")).toEqual([]);
  expect(await found("scr/v1/+/state")).toEqual(["scr/v1/SCR-1002/state three"]);
  await new Promise<void>((resolve) => broker.close(resolve));
});
