import { config, health, ready } from "@suncrew/contract/config/config.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import { updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { hostRefusal } from "./http-platform.ts";

const TOKEN = "a token of sixteen letters";
let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ settings: { metricsToken: TOKEN.replaceAll(" ", "-"), brokerAuthToken: TOKEN } });
});
afterAll(() => server.close());

describe("production: a Host that is not PUBLIC_URL's or loopback is refused", () => {
  const known = { publicUrl: () => "https://Suncrew.example:8443/" };
  const unknown = { publicUrl: () => "http://localhost:3000", answersByIp: true };
  const nowhere = { publicUrl: () => null, answersByIp: true };

  test.each([
    "suncrew.example",
    "SUNCREW.example:443",
    "suncrew.example.:8443",
    "localhost",
    "LOCALHOST:3000",
    "127.0.0.1:3000",
    "127.8.9.1",
    "[::1]:3000",
  ])("%s is answered", (host) => {
    expect(hostRefusal(host, known)).toBeNull();
  });

  test.each([
    undefined,
    "",
    "evil.example",
    "suncrew.example.evil.example",
    "evil-suncrew.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "suncrew.example@evil.example",
    "evil.example/suncrew.example",
    "suncrew.example, evil.example",
    "10.0.0.5:3000",
    "[fe80::1]",
    "0.0.0.0:3000",
  ])("%s is refused with Suncrew's address", (host) => {
    expect(hostRefusal(host, known)).toBe(
      "Suncrew is not reached by this name. Open it at https://Suncrew.example:8443/.",
    );
  });

  test.each(["localhost:3000", "192.168.7.20:3000", "[2001:db8::5]:3000", "127.0.0.1"])(
    "without a PUBLIC_URL %s is accepted: no name leads there",
    (host) => {
      expect([hostRefusal(host, unknown), hostRefusal(host, nowhere)]).toEqual([null, null]);
    },
  );

  test.each(["evil.example", "robots:3000"])(
    "without a PUBLIC_URL the name %s is refused with advice to set it",
    (host) => {
      for (const settings of [unknown, nowhere]) expect(hostRefusal(host, settings)).toContain("Set PUBLIC_URL");
    },
  );

  test("a demo that listens on a host name accepts that name", () => {
    expect(hostRefusal("robots.lan:3000", { publicUrl: () => "http://robots.lan:3000", answersByIp: true })).toBeNull();
  });
});

describe("production: a Host that is not Suncrew's, over HTTP", () => {
  const headers = { host: "evil.example" };

  test.each([
    ["a call", siteDetails.path, siteDetails.method],
    ["a call that needs no sign-in", config.path, config.method],
    ["the live stream", live.path, live.method],
    ["a change of settings", updateRobotSettings.path.replace(":robotId", "1"), updateRobotSettings.method],
    ["a document", "/api/docs/openapi.json", "GET"],
    ["an unknown call", "/api/nothing", "GET"],
  ] as const)("%s is answered 421 with a sentence", async (_words, path, method) => {
    const answer = await (await server.as("admin")).raw(path, { method, headers });
    expect([answer.status, answer.body]).toEqual([
      421,
      {
        ...(method === "PUT" && { success: false }),
        message: "Suncrew is not reached by this name. Open it at http://suncrew.example.",
        code: "UNKNOWN_HOST",
      },
    ]);
  });

  test("a page gets the same as text; a proxy's Host header is ignored", async () => {
    const nobody = await server.as(null);
    const page = await nobody.raw("/dashboard", { headers: { ...headers, "x-forwarded-host": "suncrew.example" } });
    expect([page.status, page.headers["content-type"], page.text]).toEqual([
      421,
      "text/plain; charset=utf-8",
      "Suncrew is not reached by this name. Open it at http://suncrew.example.",
    ]);
    const own = { host: "suncrew.example", "x-forwarded-host": "evil.example" };
    expect((await nobody.raw(config.path, { headers: own })).status).toBe(200);
  });

  test("health checks, metrics scrapers and the broker may use another name for the server", async () => {
    const nobody = await server.as(null);
    expect((await nobody.raw(health.path, { headers })).status).toBe(200);
    expect((await nobody.raw(ready.path, { headers })).body).not.toMatchObject({
      message: expect.stringContaining("name"),
    });
    const bearer = (token: string) => ({ headers: { ...headers, authorization: `Bearer ${token}` } });
    expect((await nobody.raw("/metrics", bearer(TOKEN.replaceAll(" ", "-")))).status).toBe(200);
    const question = {
      method: "POST",
      ...bearer(TOKEN),
      body: { username: "x", password: "x", clientid: "x" },
    } as const;
    expect((await nobody.raw("/broker/auth", question)).status).toBe(200);
  });

  test("§4 Commands: a Stop and a lock are accepted under any name: each carries its user's token, which another site's page does not have", async () => {
    const { ownRobot, ownSiteId } = server.fixtures;
    const admin = await server.as("admin");
    const stopped = await admin.call(siteStop, { body: { siteId: ownSiteId }, headers });
    expect(stopped.status).toBe(200);
    const robot = { robotId: ownRobot.serial, robotObjectId: ownRobot.id, siteId: ownSiteId };
    const stop = await admin.call(sendCommand, { body: { ...robot, command: "STOP" }, headers });
    expect(stop.status).not.toBe(421);
    const lock = { params: { robotId: ownRobot.id }, body: { enabled: true, reason: "Brush worn" }, headers };
    expect((await admin.call(robotMaintenance, lock)).status).not.toBe(421);
    expect((await (await server.as(null)).call(siteStop, { body: { siteId: ownSiteId }, headers })).status).toBe(401);
  });

  test("a demo shows its metrics without a token, and therefore only under its own names", async () => {
    const demo = await createTestApp({ settings: { mode: "demo" } });
    try {
      const nobody = await demo.as(null);
      expect((await nobody.raw("/metrics")).status).toBe(200);
      expect((await nobody.raw("/metrics", { headers })).status).toBe(421);
    } finally {
      await demo.close();
    }
  });
});

describe("production: HSTS", () => {
  const policyOf = async (settings: object) => {
    const app = await createTestApp({ settings });
    const { headers } = await (await app.as(null)).call(health);
    await app.close();
    return headers["strict-transport-security"];
  };

  test("for its own name; for subdomains if configured; none in a demo", async () => {
    expect(await policyOf({})).toBe("max-age=31536000");
    expect(await policyOf({ hstsSubdomains: true })).toBe("max-age=31536000; includeSubDomains");
    expect(await policyOf({ mode: "demo" })).toBeUndefined();
  });
});
