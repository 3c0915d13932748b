import type { AddressInfo } from "node:net";
import { errorResponseSchema } from "@suncrew/contract/http/error-codes.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { mayCall, permissions } from "@suncrew/domain/auth/permissions.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { buildApp } from "../src/app.ts";
import { seedFirmware } from "./firmware-fixtures.ts";
import { insertOpenAlerts } from "./alert-fixtures.ts";
import { FREE_SERIAL, type Person, privateWords } from "./fixtures.ts";
import { seedGroups } from "./group-fixtures.ts";
import { addMonthlyReports, addReportMail } from "./monthly-report-fixtures.ts";
import { releaseAll } from "./lock-fixtures.ts";
import {
  Id,
  idNamesOf,
  type Kind,
  kinds,
  type Part,
  type Place,
  placesOf,
  sampleCalls,
  valuesOf,
} from "./sample-calls.ts";
import { createRestorePoint, type RestorePoint } from "./restore-point.ts";
import { createTestApp, type TestApp, testSettings } from "./test-app.ts";
import { type Answer, TestClient, urlOf } from "./test-client.ts";
import { seedNotifications } from "./notification-fixtures.ts";
import { seedWallboardLinks, wallboardSessionOf } from "./wallboard-fixtures.ts";

let server: TestApp;
let restorePoint: RestorePoint;
let address: string;
let count = 0;

beforeAll(async () => {
  server = await createTestApp();
  await server.app.start();
  await server.app.http.listen({ port: 0, host: "127.0.0.1" });
  address = `http://127.0.0.1:${(server.app.http.server.address() as AddressInfo).port}`;
  await addMonthlyReports(server.db, server.fixtures);
  await addReportMail(server.db, server.fixtures);
  // Every list contains something of both partners that could leak.
  for (const robot of [server.fixtures.ownRobot, server.fixtures.foreignRobot]) {
    const admin = await server.as("admin");
    const body = { robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId, command: "STOP" as const };
    await admin.call(routes.sendCommand, { body });
  }
  await seedWallboardLinks(server.db, server.fixtures);
  restorePoint = await createRestorePoint(server.db);
});
afterAll(async () => {
  await server.close();
  process.stdout.write(`role matrix: ${count} calls, each answered as the permission table says\n`);
});

/** Besides people, a screen that a link of `owner` has signed in. */
type Caller = Person | "wallboard" | null;
const callers: readonly Caller[] = ["admin", "owner", "stranger", "wallboard", null];
const names = Object.keys(routes) as RouteName[];
const roleOf = (caller: Caller) => (caller === null ? null : caller === "admin" ? "SUPER_ADMIN" : "PARTNER");
const mayMake = (caller: Caller, name: RouteName) => mayCall(roleOf(caller), name, caller === "wallboard");

/** What the call's places refer to, each by its kind. */
type Filled = ReadonlyMap<string, { readonly kind: Kind; readonly value: unknown }>;

const isOfOwner = (person: Caller) => person === "owner" || person === "wallboard";

/** The status that the permission table requires. */
function expectedStatus(name: RouteName, person: Caller, filled: Filled): number {
  const route: RouteSpec = routes[name];
  if (!mayMake(person, name)) return person === null ? 401 : 403;
  const seen = [...filled.values()].map(({ kind }) => kind);
  if (seen.includes("malformed")) return 400;
  const hidden: Kind[] = isOfOwner(person)
    ? ["absent", "foreign"]
    : person === "stranger"
      ? ["absent", "own"]
      : sampleCalls[name].personal === true
        ? ["absent", "own", "foreign"]
        : ["absent"];
  if (seen.some((kind) => hidden.includes(kind))) return 404;
  // All belong to the viewer but do not name the same robot.
  if (new Set(seen).size > 1 && sampleCalls[name].mixes !== true) return 400;
  // None of the fixture robots has ever reported, so each is offline.
  return sampleCalls[name].status ?? (route.device === true ? 504 : (route.status ?? 200));
}

function fill(part: Part | undefined, where: string, filled: Filled): Part | undefined {
  if (part === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const placed = filled.get(`${where}.${key}`)?.value;
      if (Array.isArray(value) && value[0] instanceof Id) return [key, [placed]];
      return [key, value instanceof Id ? placed : value];
    }),
  );
}

function partnerOf(person: Caller): number {
  const { ownerPartnerId, strangerPartnerId } = server.fixtures;
  return isOfOwner(person) ? ownerPartnerId : person === "stranger" ? strangerPartnerId : IN_HOUSE_PARTNER_ID;
}

async function clientFor(name: RouteName, person: Caller): Promise<TestClient> {
  if (person === "wallboard")
    return new TestClient(server.app.http, wallboardSessionOf(server.app.http, server.fixtures));
  return name === "logout" && person !== null ? server.signIn(person) : server.as(person);
}

/** Prepares everything that the call needs; the free device is one that the person may use anywhere. */
async function prepare(name: RouteName, person: Caller): Promise<void> {
  const route: RouteSpec = routes[name];
  const { changes, groups, firmware, alerts, wallboards, notifications } = sampleCalls[name];
  if (changes === true) {
    await restorePoint.restore();
    await server.db
      .updateTable("devices")
      .set({ partner_id: partnerOf(person) })
      .where("serial", "=", FREE_SERIAL)
      .execute();
  }
  if (route.device === true) await releaseAll(server.db);
  if (groups !== undefined) await seedGroups(server.db, server.fixtures, groups);
  if (firmware === true) await seedFirmware(server.db, server.fixtures);
  if (alerts === true) await insertOpenAlerts(server.db, server.fixtures);
  if (wallboards === true) await seedWallboardLinks(server.db, server.fixtures);
  if (notifications === true) await seedNotifications(server.db, testSettings.secretKey, server.fixtures);
}

async function make(name: RouteName, client: TestClient, filled: Filled): Promise<Answer> {
  const route: RouteSpec = routes[name];
  const sample = sampleCalls[name];
  const url = urlOf(route.path, fill(sample.params, "params", filled), fill(sample.query, "query", filled));
  const body = sample.file ?? fill(sample.body, "body", filled);
  if (route.stream === true) return firstOfStream(url, client);
  return client.raw(url, { method: route.method, ...(body && { body }) });
}

/** The first event of a stream, as the answer. */
async function firstOfStream(url: string, client: TestClient): Promise<Answer> {
  const headers: Record<string, string> = client.token === null ? {} : { authorization: `Bearer ${client.token}` };
  const response = await fetch(address + url, { headers });
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    if (text.includes("\n\n")) break;
  }
  const body: unknown = JSON.parse(text.replace(/^data: /, ""));
  return { status: response.status, headers: Object.fromEntries(response.headers), text, body };
}

function foreignWords(person: Caller): readonly string[] {
  if (person === "admin") return [];
  if (person === "owner") return privateWords.stranger;
  // Nor who is responsible for a site: anybody may look at a screen.
  if (person === "wallboard") return [...privateWords.stranger, "Owncare", "Osprey"];
  return person === "stranger" ? privateWords.owner : [...privateWords.owner, ...privateWords.stranger];
}

/** Describes what is wrong with the answer to a call; nothing if it matches the table. */
function problemsOf(name: RouteName, person: Caller, filled: Filled, answer: Answer): string[] {
  const route: RouteSpec = routes[name];
  const problems: string[] = [];
  const wanted = expectedStatus(name, person, filled);
  if (answer.status !== wanted) problems.push(`${answer.status} instead of ${wanted}`);
  const whole = `${JSON.stringify(answer.headers)}${answer.text}`;
  problems.push(...foreignWords(person).flatMap((word) => (whole.includes(word) ? [`tells ${word}`] : [])));
  const schema = answer.status < 300 ? route.response : errorResponseSchema;
  const told = answer.status < 300 && route.file !== undefined ? answer.text : answer.body;
  if (!schema.safeParse(told).success) problems.push("is not of the contract's shape");
  const isRefusal = z.object({ success: z.literal(false) }).safeParse(answer.body).success;
  // A success has it as its schema says: it is also false if many robots were commanded and not all succeeded.
  if (answer.status >= 300 && isRefusal !== (route.device === true)) problems.push("has `success` wrong");
  const named = [...filled].map(([where, { value }]) => `${where}=${JSON.stringify(value)}`).join(" ");
  return problems.map((problem) => `${name} with ${named}: ${problem}: ${answer.text.slice(0, 300)}`);
}

/** Each place alone, and all together, with each kind; the others belong to the owner. */
function* fillings(name: RouteName): Generator<Filled> {
  const places = placesOf(sampleCalls[name]);
  const values = (place: Place, kind: Kind, where: string) => valuesOf(place, kind, server.fixtures, where === "body");
  const filledBy = (kindOf: (index: number) => Kind, nth = 0, choice = -1): Filled =>
    new Map(
      places.map(({ where, name: key, place }, index) => {
        const kind = kindOf(index);
        const some = values(place, kind, where);
        const value = some[choice === -1 || choice === index ? nth % some.length : 0];
        return [`${where}.${key}`, { kind, value }];
      }),
    );
  if (places.length === 0) {
    yield new Map();
    return;
  }
  for (const kind of kinds) {
    const most = Math.max(...places.map(({ place, where }) => values(place, kind, where).length));
    for (let nth = 0; nth < most; nth += 1) {
      yield filledBy(() => kind, nth);
      if (places.length === 1) continue;
      for (const chosen of places.keys()) yield filledBy((index) => (index === chosen ? kind : "own"), nth, chosen);
    }
  }
  if (places.length > 1) {
    for (const chosen of places.keys()) yield filledBy((index) => (index === chosen ? "own" : "foreign"));
  }
}

describe.each(names)("§6 Roles and permissions: %s", (name) => {
  test.each(callers)("as %s", async (person) => {
    const problems: string[] = [];
    // A refused call has changed nothing, so the next one finds everything prepared.
    let prepared = !mayMake(person, name);
    for (const filled of fillings(name)) {
      if (!prepared) await prepare(name, person);
      const answer = await make(name, await clientFor(name, person), filled);
      count += 1;
      problems.push(...problemsOf(name, person, filled, answer));
      prepared = [400, 401, 403, 404].includes(answer.status);
    }
    if (!prepared && sampleCalls[name].changes === true) await restorePoint.restore();
    expect(problems).toEqual([]);
  });
});

describe("§6: the table is complete", () => {
  test("every place of an id in a route's schemas is tried", () => {
    const tried = names.map((name) => [
      name,
      placesOf(sampleCalls[name])
        .map((place) => place.name)
        .toSorted(),
    ]);
    expect(tried).toEqual(names.map((name) => [name, idNamesOf(routes[name]).toSorted()]));
  });

  test("every call of the table is registered, and every one that returns tenants' rows requires sign-in", () => {
    const { http } = server.app;
    expect(names.filter((name) => !http.hasRoute({ method: routes[name].method, url: routes[name].path }))).toEqual([]);
    const open = names.filter((name) => permissions[name].access === "anyone");
    expect(open.filter((name) => permissions[name].scope !== "none")).toEqual([]);
  });

  test("a route without a line in the permission table cannot be registered", async () => {
    const { http } = await buildApp(server.deps);
    const added: RouteSpec = { summary: "New", method: "GET", path: "/api/new", response: z.object({}) };
    const configs: { route?: RouteSpec }[] = [{}, { route: added }];
    for (const config of configs) {
      expect(() => http.route({ method: "GET", url: "/api/new", config, handler: async () => ({}) })).toThrow(
        "has no line in the permission table",
      );
    }
    await http.close();
  });

  test("a partner that sends speeds other than the stored ones is refused because of its role", async () => {
    const owner = await server.as("owner");
    const params = { robotId: server.fixtures.ownRobot.id };
    const other = await owner.call(routes.updateRobotSettings, { params, body: { main_motor_speed: 10 } });
    expect([other.status, other.body]).toMatchObject([403, { success: false }]);
    const same = await owner.call(routes.updateRobotSettings, { params, body: { main_motor_speed: 75 } });
    expect(same.status).toBe(504);
  });
});
