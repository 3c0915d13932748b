import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { Id, sampleCalls } from "./sample-calls.ts";
import { createTestApp, type TestApp } from "./test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

/**
 * What the person types here is not a name: it is compared with a stored value, parsed as a file, or names a generated
 * one.
 */
const exempt: Partial<Record<RouteName, readonly string[]>> = {
  login: ["username", "password"],
  changePassword: ["currentPassword", "newPassword"],
  openWallboard: ["token"],
  importSites: ["csv"],
  importMeasurements: ["csv"],
  storeMeasurements: ["values.0.start"],
  importRobots: ["csv"],
  reportPdf: ["site_name"],
  reportCsv: ["site_name"],
  // No id at all means the default.
  createSite: ["maintenance_partner_id"],
  updateSite: ["maintenance_partner_id"],
};
const fields = (Object.keys(routes) as RouteName[]).flatMap((name) => {
  const { body }: RouteSpec = routes[name];
  const told = Object.keys(body?.shape ?? {}).filter((field) => !exempt[name]?.includes(field));
  return told.map((field) => [name, field] as const);
});

describe("§5 names and one-line texts: invisible characters", () => {
  test.each(fields)("%s refuses them in %s and names it", async (name, field) => {
    const route: RouteSpec = routes[name];
    const { params = {}, body = {} } = sampleCalls[name];
    const filled = (part: object) =>
      Object.fromEntries(Object.entries(part).map(([key, value]) => [key, value instanceof Id ? 1 : value]));
    const path = Object.entries(filled(params)).reduce(
      (whole, [key, value]) => whole.replace(`:${key}`, String(value)),
      route.path as string,
    );
    const answer = await (
      await server.as("admin")
    ).raw(path, {
      method: route.method,
      body: { ...filled(body), [field]: "Pa\u202Erk" },
    });
    expect(answer.status).toBe(400);
    const { errors } = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(answer.body);
    expect(errors.map((error) => error.field)).toContain(field);
  });

  test("the message names the field and the character", async () => {
    const admin = await server.as("admin");
    const body = { ...sampleCalls.createSite.body, name: "Park\u200BOne", address: "Road 1\nNear the well" };
    const answer = await admin.raw("/api/sites/create", { method: "POST", body });
    expect([answer.status, answer.body]).toMatchObject([
      400,
      {
        errors: [
          { field: "name", message: "name must not have a character that cannot be seen (U+200B)" },
          { field: "address", message: "address must not have a line break" },
        ],
      },
    ]);
  });

  test("names that were stored with them are still returned, and can be edited to names without them", async () => {
    const admin = await server.as("admin");
    const { ownSiteId: siteId, ownRobot } = server.fixtures;
    await server.db.updateTable("sites").set({ name: "Own\u202Efield" }).where("id", "=", siteId).execute();
    await server.db.updateTable("robots").set({ robot_name: "OWN\u200B-1" }).where("id", "=", ownRobot.id).execute();
    const find = async () => (await admin.ask(siteDetails)).find(({ id }) => id === siteId);
    expect(await find()).toMatchObject({ name: "Own\u202Efield" });
    const { robots } = await admin.ask(robotDetailsWithSettings, { params: { siteId } });
    expect(robots.map(({ robot_name }) => robot_name)).toContain("OWN\u200B-1");
    const body = { ...z.looseObject({}).parse(sampleCalls.updateSite.body), name: "भडला ಪಾರ್ಕ್ പാർക്ക്" };
    expect((await admin.raw(`/api/sites/update/${siteId}`, { method: updateSite.method, body })).status).toBe(200);
    expect(await find()).toMatchObject({ name: "भडला ಪಾರ್ಕ್ പാർക്ക്" });
  });
});
