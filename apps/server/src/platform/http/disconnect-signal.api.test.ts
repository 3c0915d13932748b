import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { logout } from "@suncrew/contract/auth/auth.ts";
import { health } from "@suncrew/contract/config/config.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registerOpen } from "./register.ts";

let app: FastifyInstance;
let port: number;
let signals: AbortSignal[];
let arrived: PromiseWithResolvers<AbortSignal>;
let answer: PromiseWithResolvers<void>;

beforeEach(async () => {
  signals = [];
  arrived = Promise.withResolvers();
  answer = Promise.withResolvers();
  app = await listening(() => {});
});
afterEach(async () => {
  answer.resolve();
  await app.close();
});

async function listening(prepare: (made: FastifyInstance) => void): Promise<FastifyInstance> {
  const made = Fastify({ forceCloseConnections: true });
  made.setValidatorCompiler(validatorCompiler);
  made.setSerializerCompiler(serializerCompiler);
  prepare(made);
  registerOpen(made, health, ({ signal }) => {
    signals.push(signal);
    arrived.resolve(signal);
    return { status: "ok" as const };
  });
  registerOpen(made, logout, async ({ signal }) => {
    arrived.resolve(signal);
    await answer.promise;
    return { message: "done" };
  });
  await made.listen({ port: 0, host: "127.0.0.1" });
  port = (made.server.address() as AddressInfo).port;
  return made;
}

test("a caller that disconnects while the call waits aborts its signal", async () => {
  const call = request({ port, path: logout.path, method: "POST", headers: { "content-type": "application/json" } });
  call.on("error", () => {});
  call.end("{}");
  const signal = await arrived.promise;
  expect(signal.aborted).toBe(false);
  const aborted = once(signal, "abort");
  call.destroy();
  await aborted;
  expect(signal.aborted).toBe(true);
});

test("a caller that disconnected before the call began has aborted its signal", async () => {
  const atGuard = Promise.withResolvers<void>();
  const guard = Promise.withResolvers<void>();
  await app.close();
  app = await listening((made) =>
    made.addHook("onRequest", async (incoming) => {
      const closed = new Promise<void>((resolve) => void incoming.raw.socket.once("close", () => resolve()));
      atGuard.resolve();
      await closed;
      guard.resolve();
    }),
  );
  const call = request({ port, path: health.path });
  call.on("error", () => {});
  call.end();
  await atGuard.promise;
  call.destroy();
  await guard.promise;
  expect((await arrived.promise).aborted).toBe(true);
});

test("a caller that waits for the answer aborts nothing, even when the connection closes later", async () => {
  const waiting = fetch(`http://127.0.0.1:${port}${logout.path}`, { method: "POST", headers: { connection: "close" } });
  const signal = await arrived.promise;
  answer.resolve();
  const response = await waiting;
  expect(await response.json()).toEqual({ message: "done" });
  await app.close();
  expect(signal.aborted).toBe(false);
});

test("successive calls on one connection have separate signals and leave no listener behind", async () => {
  let socketListeners = 0;
  app.server.on("request", (incoming: IncomingMessage) => (socketListeners = incoming.socket.listenerCount("close")));
  const counts = new Set<number>();
  for (let each = 0; each < 20; each += 1) {
    await (await fetch(`http://127.0.0.1:${port}${health.path}`)).text();
    counts.add(socketListeners);
  }
  await app.close();
  expect(signals.map((signal) => signal.aborted)).toEqual(Array(20).fill(false));
  expect(counts.size).toBe(1);
});
