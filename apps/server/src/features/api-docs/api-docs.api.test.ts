import { logout } from "@suncrew/contract/auth/auth.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { viewerFiles } from "./api-docs.routes.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

describe("open to other programs: the documents and their viewer", () => {
  test.each(viewerFiles.map(({ path, type }) => [path, type]))("who is signed in may read %s", async (path, type) => {
    const person = await server.as("stranger");
    const answer = await person.raw(path);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, type]);
    expect(answer.text.length).toBeGreaterThan(100);
    const headers = { "if-none-match": String(answer.headers["etag"]) };
    const again = await person.raw(path, { headers });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test.each(["openapi", "asyncapi"])("production: the %s document is behind sign-in, in a demo open", async (name) => {
    const path = `/api/docs/${name}.json`;
    const { headers } = await (await server.as("admin")).raw(path);
    const nobody = await server.as(null);
    const tries: Record<string, string>[] = [
      {},
      { "if-none-match": String(headers["etag"]) },
      { authorization: "Bearer nonsense" },
    ];
    for (const sent of tries) {
      const answer = await nobody.raw(path, { headers: sent });
      expect([answer.status, answer.headers["etag"]]).toEqual([401, undefined]);
      expect(answer.text).not.toContain(name);
    }
    const left = await server.signIn("owner");
    await left.ask(logout);
    expect((await left.raw(path)).status).toBe(401);
    const demo = await createTestApp({ settings: { mode: "demo" } });
    expect((await (await demo.as(null)).raw(path)).status).toBe(200);
    await demo.close();
  });

  test("production: the viewer, which contains no data, is available to anybody, like the console", async () => {
    const nobody = await server.as(null);
    for (const { path } of viewerFiles.filter(({ isDocument }) => !isDocument)) {
      expect([path, (await nobody.raw(path)).status]).toEqual([path, 200]);
    }
  });

  test("the page keeps to the strict content policy and loads nothing but its own files", async () => {
    const page = await (await server.as(null)).raw("/api/docs");
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("script-src 'self'; style-src 'self';");
    expect(policy).not.toContain("unsafe");
    expect(page.text).not.toMatch(/<style|style=|<script>|https?:/);
    const loaded = [...page.text.matchAll(/(?:src|href)="(\/api\/[^"]+)"/g)].map(([, path]) => path);
    expect(loaded).toHaveLength(6);
    expect(loaded.filter((path) => !viewerFiles.some((file) => file.path === path))).toEqual([]);
  });

  test("what is served equals docs/api, and large files are compressed", async () => {
    const person = await server.as("owner");
    for (const name of ["openapi", "asyncapi"]) {
      const { body } = await person.raw(`/api/docs/${name}.json`);
      expect(body).toMatchObject({ [name]: expect.stringMatching(/^3\.[01]\.0$/) });
    }
    const script = await person.raw("/api/docs/swagger-ui-bundle.js", { headers: { "accept-encoding": "br" } });
    expect(script.headers["content-encoding"]).toBe("br");
  });

  test("another method is 405, another name below is not a call", async () => {
    const nobody = await server.as(null);
    expect((await nobody.raw("/api/docs", { method: "POST" })).status).toBe(405);
    expect((await nobody.raw("/api/docs/..%2f..%2fpackage.json")).status).toBe(404);
    expect((await nobody.raw("/api/docs/other.js")).status).toBe(404);
  });
});
