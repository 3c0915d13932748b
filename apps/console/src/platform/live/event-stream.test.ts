import fc from "fast-check";
import { expect, test } from "vitest";
import { readEventStream } from "./event-stream.ts";

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

async function read(pieces: readonly Uint8Array[]): Promise<{ events: string[]; heard: number }> {
  const events: string[] = [];
  let heard = 0;
  for await (const data of readEventStream(streamOf(pieces), () => (heard += 1))) events.push(data);
  return { events, heard };
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("events are split at empty lines; comments and other fields are left out", async () => {
  const { events } = await read([bytes(': hello\n\ndata: {"a":1}\n\nevent: x\nid: 7\ndata:one\ndata: two\n\n')]);
  expect(events).toEqual(['{"a":1}', "one\ntwo"]);
});

test("a heartbeat is noticed although it is no event", async () => {
  expect(await read([bytes(":\n\n"), bytes(":\n\n")])).toEqual({ events: [], heard: 2 });
});

test("an event that is cut off at the end is not delivered", async () => {
  const { events } = await read([bytes("data: whole\n\ndata: ha")]);
  expect(events).toEqual(["whole"]);
});

test("it does not matter where the network splits the stream, nor which line ends it has", async () => {
  const lineEnd = fc.constantFrom("\n", "\r\n");
  const data = fc.array(fc.stringMatching(/^[a-z₹अ🤖]{1,8}$/u), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(data, lineEnd, fc.array(fc.nat(400), { maxLength: 20 }), async (sent, end, cuts) => {
      const all = bytes(sent.map((text) => `data: ${text}${end}${end}`).join(""));
      const places = [0, ...cuts.filter((cut) => cut < all.length), all.length].toSorted((a, b) => a - b);
      const pieces = places.slice(1).map((place, index) => all.slice(places[index], place));
      expect((await read(pieces)).events).toEqual(sent);
    }),
  );
});
