import { login } from "@suncrew/contract/auth/auth.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

const log: string[] = [];
let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ onLog: (line) => log.push(line) });
});
afterAll(() => server.close());

test("§4 Session: a sign-in or stream whose connection closes before it is handled is no error of the server", async () => {
  const { http } = server.app;
  const { token } = await server.as("owner");
  const failed = new Map<string, (error: Error) => void>();
  // Like a network that is lost just after the request was sent.
  http.addHook("onRequest", async (request) => {
    if (failed.has(request.url)) request.raw.socket.destroy();
  });
  http.addHook("onError", async (request, _reply, error) => failed.get(request.url)?.(error));
  await http.listen({ port: 0, host: "127.0.0.1" });
  const { port } = http.server.address() as AddressInfo;
  const ask = async (url: string, lines: readonly string[], body: string) => {
    const { promise, resolve } = Promise.withResolvers<Error>();
    failed.set(url, resolve);
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => undefined);
    socket.write([...lines, "Host: localhost", `Content-Length: ${body.length}`, "", body].join("\r\n"));
    return promise;
  };

  const body = JSON.stringify({ username: usernames.admin, password: PASSWORD });
  const signIn = await ask(login.path, [`POST ${login.path} HTTP/1.1`, "Content-Type: application/json"], body);
  const stream = await ask(live.path, [`GET ${live.path} HTTP/1.1`, `Authorization: Bearer ${token}`], "");
  const closed = { name: "HttpError", message: "The connection was closed before the request was processed." };
  expect([signIn, stream].map(({ name, message }) => ({ name, message }))).toEqual([closed, closed]);
  expect(log.filter((line) => /TypeError|call failed/.test(line))).toEqual([]);
});
