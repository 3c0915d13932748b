import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { routes } from "@suncrew/contract/routes.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import { expect, test } from "vitest";
import { addedCalls, specificationCalls } from "./specification-calls.ts";

const byName = new Map<string, RouteSpec>(Object.entries(routes));

/** A route as section 7 writes it: `PUT api/sites/update/{id}`, with the parameters of its query. */
function asWritten({ method, path }: RouteSpec): string {
  return `${method} ${path.slice(1).replaceAll(/:([A-Za-z]+)/g, "{$1}")}`;
}

const withoutQuery = (call: string) => call.replace(/\?.*$/, "");

const listed = [...specificationCalls, ...addedCalls].flatMap(([call, name]) =>
  name === null ? [] : [{ call, name }],
);

test.each(listed)("§7 $call is registered to the letter", ({ call, name }) => {
  const route = byName.get(name);
  expect(route && asWritten(route), `the contract's route ${name}`).toBe(withoutQuery(call));
});

test("§7 every route of the contract has its line in the table of calls", () => {
  expect([...byName.keys()].toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
});

test("§7 a call that waits for its work is not registered under another name", () => {
  const registered = new Set([...byName.values()].map((route) => asWritten(route).replaceAll(/\{\w+\}/g, "{}")));
  const waiting = specificationCalls.filter(([, routeName]) => routeName === null).map(([call]) => withoutQuery(call));
  expect(waiting.filter((call) => registered.has(call.replaceAll(/\{\w+\}/g, "{}")))).toEqual([]);
});

test("§7 getRobotStatus takes robotId from its query", () => {
  expect(Object.keys(routes.robotStatus.query.shape)).toEqual(["robotId"]);
});

test("§6 the permission table has one line for every route and none left over", () => {
  expect(Object.keys(permissions).toSorted()).toEqual([...byName.keys()].toSorted());
});
