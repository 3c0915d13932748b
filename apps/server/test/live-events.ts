import type { AddressInfo } from "node:net";
import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import type { TestClient } from "./test-client.ts";

/** Listens, and returns the server's URL, so that its streams can be read. */
export async function listen(http: FastifyInstance): Promise<string> {
  await http.listen({ port: 0, host: "127.0.0.1" });
  const { port } = http.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** The events of a stream as they arrive; ends with the stream. */
export async function* eventsOf(
  address: string,
  client: TestClient,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): AsyncGenerator<LiveEvent> {
  const response = await fetch(address + live.path, {
    headers: { authorization: `Bearer ${client.token}`, ...headers },
    ...(signal && { signal }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("content-encoding")).toBeNull();
  let rest = "";
  for await (const bytes of response.body ?? []) {
    rest += Buffer.from(bytes).toString("utf8");
    const lines = rest.split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield live.response.parse(JSON.parse(line.slice(6)));
  }
}

export async function nextOf(events: AsyncGenerator<LiveEvent>): Promise<LiveEvent> {
  const next = await events.next();
  if (next.done === true) throw new Error("the stream has ended");
  return next.value;
}

/** Whether a stream that has sent this event shows what the transaction with that number wrote. */
export function hasReached(event: LiveEvent, position: string | undefined): boolean {
  if (event.type === "end" || event.reached === undefined || position === undefined) {
    throw new Error("The event or the answer does not say where it is.");
  }
  const [xmin = "", xmax = "", open = ""] = event.reached.split(":");
  const change = BigInt(position);
  return change < BigInt(xmin) || (change < BigInt(xmax) && !open.split(",").includes(position));
}
