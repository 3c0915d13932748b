import { routes } from "@suncrew/contract/routes.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../test/test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

test.each(Object.entries(routes))("§7 %s is registered by the server", (_name, { method, path }) => {
  expect(server.app.http.hasRoute({ method, url: path })).toBe(true);
});

test("§7 the server registers no call that the contract does not name", () => {
  const printed = server.app.http.printRoutes({ commonPrefix: false });
  const registered = [...printed.matchAll(/(\/\S*) \(([A-Z, ]+)\)/g)].flatMap(([, path, methods]) =>
    (methods ?? "").split(", ").map((method) => `${method} ${path}`),
  );
  const named = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
  expect(registered.toSorted()).toEqual(named.toSorted());
});
