import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addSite } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let folder: string;
let server: TestApp;
const tiles = { url: "https://{s}.tiles.example/{z}/{x}/{y}.png", attribution: "Tiles" };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-console-"));
  await mkdir(join(folder, "assets"));
  const page = '<meta name="nonce" content="__CSP_NONCE__"><meta name="server-mode" content="__SERVER_MODE__">';
  await writeFile(join(folder, "index.html"), `${page}<p>console</p>`);
  await writeFile(join(folder, "assets", "app-1a2b.js"), `console.log("${"x".repeat(5000)}")`);
  await writeFile(join(folder, "icon.svg"), "<svg/>");
  server = await createTestApp({ settings: { consoleDir: folder, mapTiles: tiles } });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const asBrowser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

test("§2 Routes: every page is the console, each time with its own nonce, which the policy names", async () => {
  const nobody = await server.as(null);
  const nonces = new Set<string>();
  for (const path of ["/", "/dashboard", "/sites?x=1", "/no/such/page", "/index.html"]) {
    const page = await nobody.raw(path, asBrowser);
    const nonce = /content="([^"]+)"/.exec(page.text)?.[1] ?? "";
    expect([page.status, page.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(page.headers["content-security-policy"]).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(page.headers["content-security-policy"]).toContain("img-src 'self' data: https://*.tiles.example;");
    expect(Buffer.from(nonce, "base64")).toHaveLength(16);
    expect(page.text).toContain('<meta name="server-mode" content="production">');
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(5);
});

test("built files are cached for ever, others are revalidated, and a missing file is not answered with a page", async () => {
  const nobody = await server.as(null);
  const script = await nobody.raw("/assets/app-1a2b.js");
  expect([script.status, script.headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
  expect((await nobody.raw("/icon.svg")).headers["cache-control"]).toBe("no-cache");
  expect((await nobody.raw("/assets/gone.js", asBrowser)).status).toBe(404);
  expect((await nobody.raw("/dashboard", { headers: { accept: "application/json" } })).status).toBe(404);
  expect((await nobody.raw("/api/nothing", asBrowser)).body).toEqual({
    message: "There is no such call.",
    code: "UNKNOWN_CALL",
  });
  for (const path of ["/..%2f..%2fetc%2fpasswd", "/assets/../../../etc/passwd", "/assets/%2e%2e/index.html"]) {
    expect((await nobody.raw(path)).text).not.toContain("root:");
  }
});

test("a running server serves a new build as soon as it is in place", async () => {
  const nobody = await server.as(null);
  const page = await readFile(join(folder, "index.html"), "utf8");
  await writeFile(join(folder, "index.html"), `${page}<!-- newer -->`);
  await writeFile(join(folder, "assets", "app-3c4d.js"), "console.log(2)");
  expect((await nobody.raw("/dashboard", asBrowser)).text).toContain("<!-- newer -->");
  expect((await nobody.raw("/assets/app-3c4d.js")).status).toBe(200);
  expect((await nobody.raw("/", { ...asBrowser, method: "HEAD" })).status).toBe(200);
  await writeFile(join(folder, "index.html"), page);
});

test("large answers are compressed", async () => {
  const admin = await server.as("admin");
  for (let each = 0; each < 10; each += 1) await addSite(server.db, `Site ${each}`, null);
  const headers = { "accept-encoding": "br, gzip" };
  expect((await admin.raw(siteDetails.path, { headers })).headers["content-encoding"]).toBe("br");
  expect((await admin.raw("/assets/app-1a2b.js", { headers })).headers["content-encoding"]).toBe("br");
});

test("a file that the build has compressed is sent as it is; for browsers without Brotli it is compressed on the fly", async () => {
  const nobody = await server.as(null);
  const script = `console.log("${"y".repeat(5000)}")`;
  const compressed = brotliCompressSync(script);
  await writeFile(join(folder, "assets", "app-5e6f.js"), script);
  await writeFile(join(folder, "assets", "app-5e6f.js.br"), compressed);
  const request = (encodings: string) =>
    nobody.raw("/assets/app-5e6f.js", { headers: { "accept-encoding": encodings } }).then(({ headers }) => headers);
  const answered = await request("gzip, deflate, br");
  expect(answered).toMatchObject({ "content-encoding": "br", "content-length": String(compressed.length) });
  expect(answered["content-type"]).toContain("javascript");
  expect(answered["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(answered["vary"]).toContain("accept-encoding");
  expect((await request("gzip"))["content-encoding"]).toBe("gzip");
  expect((await request("identity"))["content-encoding"]).toBeUndefined();
});
