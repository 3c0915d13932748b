import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { seedFirmware } from "./firmware-fixtures.ts";
import { insertOpenAlerts } from "./alert-fixtures.ts";
import { seedGroups } from "./group-fixtures.ts";
import { addMonthlyReports, addReportMail } from "./monthly-report-fixtures.ts";
import { ownValue, type Part, sampleCalls } from "./sample-calls.ts";
import { createRestorePoint } from "./restore-point.ts";
import { seedNotifications } from "./notification-fixtures.ts";
import { seedWallboardLinks } from "./wallboard-fixtures.ts";
import { createTestApp, type TestApp, testSettings } from "./test-app.ts";
import type { TestClient } from "./test-client.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await addMonthlyReports(server.db, server.fixtures);
  await addReportMail(server.db, server.fixtures);
});
afterAll(() => server.close());

const RUNS = 30 * inject("soak").factor;
/** No call of this suite waits for a robot: none is connected. */
const PATIENCE_MS = 30_000;

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "__proto__",
    "constructor",
    "null",
    "-0",
    "1e400",
    "%",
    "../..",
    "' or 1=1 --",
  ),
);
const anything = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, false, [], {}, -1, 0, 2_147_483_648, Number.MAX_SAFE_INTEGER),
  fc.jsonValue({ maxDepth: 4 }),
);

/** A part of a sample call with some values replaced, omitted or added. */
function spoilt(part: Part | undefined): fc.Arbitrary<Part> {
  const places = Object.entries(part ?? {}).map(([key, value]) => {
    const right = fc.constant(ownValue(value, server.fixtures));
    return [key, fc.oneof({ weight: 3, arbitrary: right }, { weight: 2, arbitrary: anything })] as const;
  });
  const known = fc.record(Object.fromEntries(places), { requiredKeys: [] });
  const added = fc.dictionary(
    fc.oneof(text, fc.constantFrom("limit", "cursor", "params", "mode", "main_motor_speed")),
    anything,
    { maxKeys: 3 },
  );
  return fc.tuple(known, added).map(([own, more]) => ({ ...more, ...own }));
}

const inAddress = (value: unknown) =>
  encodeURIComponent((typeof value === "string" ? value : JSON.stringify(value)).toWellFormed());

async function within(work: Promise<number>): Promise<number | "too late"> {
  const late = Promise.withResolvers<"too late">();
  const timer = setTimeout(() => late.resolve("too late"), PATIENCE_MS);
  const first = await Promise.race([work, late.promise]);
  clearTimeout(timer);
  return first;
}

/** An offline robot and an unavailable service are legitimate; any other 5xx is a bug. */
const allowed = (route: RouteSpec) => (route.device === true ? [502, 503, 504] : [503]);

describe("no request makes the server fail or hang", () => {
  const names = (Object.keys(routes) as RouteName[]).filter((name) => name !== "live");
  test.each(names)("%s", async (name) => {
    const route: RouteSpec = routes[name];
    const sample = sampleCalls[name];
    await seedGroups(server.db, server.fixtures, sample.groups ?? "planned");
    if (sample.firmware === true) await seedFirmware(server.db, server.fixtures);
    if (sample.alerts === true) await insertOpenAlerts(server.db, server.fixtures);
    if (sample.wallboards === true) await seedWallboardLinks(server.db, server.fixtures);
    if (sample.notifications === true) {
      await seedNotifications(server.db, testSettings.secretKey, server.fixtures);
    }
    const restorePoint = await createRestorePoint(server.db);
    const clients: TestClient[] = [await server.as("admin"), await server.as("owner"), await server.as(null)];
    const calls = fc.record({
      client: fc.constantFrom(...clients),
      params: spoilt(sample.params),
      query: spoilt(sample.query),
      body: fc.oneof({ weight: 4, arbitrary: spoilt(sample.body) }, { weight: 1, arbitrary: anything }),
      raw: fc.option(text, { freq: 8 }),
      headers: fc.constantFrom<Record<string, string>>(
        {},
        { "content-type": "text/plain" },
        { "idempotency-key": "k" },
        { "idempotency-key": "é".repeat(300) },
        { authorization: "Bearer x.y.z" },
      ),
    });
    let refused = true;
    await fc.assert(
      fc.asyncProperty(calls, async ({ client, params, query, body, raw, headers }) => {
        // A refused call has changed nothing.
        if (!refused) await restorePoint.restore();
        // After a logout there would be no session left to try.
        const caller = name === "logout" && client.token !== null ? await server.signIn("owner") : client;
        const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => inAddress(params[key] ?? ""));
        const search = Object.entries(query).map(([key, value]) => `${inAddress(key)}=${inAddress(value)}`);
        const url = search.length === 0 ? path : `${path}?${search.join("&")}`;
        const sent = raw ?? JSON.stringify(body);
        const hasBody = route.method !== "GET";
        const status = await within(
          caller
            .raw(url, { method: route.method, headers, ...(hasBody && { body: sent }) })
            .then((answer) => answer.status),
        );
        refused = typeof status === "number" && status >= 400 && status < 500;
        const isFine = typeof status === "number" && (status < 500 || allowed(route).includes(status));
        expect({ url, sent, status, isFine }).toMatchObject({ isFine: true });
      }),
      { numRuns: RUNS },
    );
    await restorePoint.restore();
  });
});
