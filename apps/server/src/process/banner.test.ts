import { expect, test } from "vitest";
import { demoSignIns } from "../features/auth/public.ts";
import { productVersion } from "../platform/product-version.ts";
import { banner, readyLine } from "./banner.ts";
import type { Started } from "./start.ts";

const started: Started = {
  host: "localhost",
  port: 3000,
  brokerUrl: "mqtt://127.0.0.1:1883",
  dataDir: "/somewhere",
  controlAddress: null,
  hasConsole: true,
  firstAdmin: null,
  demoSignIns,
};

test("set-up: a starting demo prints its accounts", () => {
  const text = banner(started);
  expect(text).toMatch(/^ {2}Sign in {3}admin \/ admin@123 +Super Admin\n {12}partner \/ partner@123 +Partner$/m);
});

test("set-up: accounts whose passwords were changed are not printed", () => {
  const left = banner({ ...started, demoSignIns: demoSignIns.slice(1) });
  expect(left).not.toContain("admin@123");
  expect(left).toMatch(/^ {2}Sign in {3}partner \/ partner@123 +Partner$/m);
  const none = banner({ ...started, demoSignIns: [] });
  expect(none).not.toContain("@123");
  expect(none).toContain("  Sign in   with the passwords that were set since; --reset starts over\n");
});

test("set-up: production's log says which version is ready", () => {
  expect(readyLine(started)).toMatchObject({ version: productVersion(), url: "http://localhost:3000" });
});
