import { afterEach, beforeEach, expect, it, test } from "vitest";
import { type ControlServer, openControlServer } from "./control-server.ts";
import { createFleet, type Fleet } from "./fleet/fleet.ts";

let fleet: Fleet;
let control: ControlServer;

beforeEach(async () => {
  fleet = createFleet({ mqttUrl: "mqtt://127.0.0.1:1", devices: [{ serial: "SCR-1001", secret: "never shown" }] });
  control = await openControlServer(fleet, 0);
});

afterEach(async () => {
  await control.close();
  await fleet.stop();
});

async function call(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const response = await fetch(control.address + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: response.status, text: await response.text() };
}

it("returns the true state of all robots and of one, and no secret", async () => {
  const all = await call("GET", "/robots");
  expect(JSON.parse(all.text)).toMatchObject([
    { serial: "SCR-1001", motion: "STOPPED", mode: "AUTO", startsTaken: [] },
  ]);
  expect(all.text).not.toContain("never shown");
  expect((await call("GET", "/robots/SCR-1001")).status).toBe(200);
});

it("injects and clears faults", async () => {
  const jammed = await call("POST", "/robots/SCR-1001/faults", '{"kind":"jam"}');
  expect(JSON.parse(jammed.text)).toMatchObject({ status: "fault", faults: [{ kind: "jam" }] });
  await call("POST", "/robots/SCR-1001/faults", '{"kind":"late","ms":9000}');
  await call("DELETE", "/robots/SCR-1001/faults/jam");
  expect(fleet.robot("SCR-1001").truth().faults).toMatchObject([{ kind: "late", ms: 9000 }]);
  await call("DELETE", "/robots/SCR-1001/faults");
  expect(fleet.robot("SCR-1001").truth()).toMatchObject({ status: "stop", faults: [] });
});

it("sets a condition, which survives a power cycle", async () => {
  await call("POST", "/robots/SCR-1001/condition", '{"battery":42,"maintenance":true}');
  const cycled = await call("POST", "/robots/SCR-1001/power-cycle");
  expect(JSON.parse(cycled.text)).toMatchObject({ mode: "MAINTENANCE", motion: "STOPPED" });
  expect(fleet.robot("SCR-1001").truth().battery).toBeCloseTo(42, 0);
});

it("erases a robot's memory, which then counts from zero", async () => {
  await call("POST", "/robots/SCR-1001/condition", '{"maintenance":true}');
  const lost = await call("POST", "/robots/SCR-1001/memory-loss");
  expect(JSON.parse(lost.text)).toMatchObject({ mode: "AUTO", session: 0, lastSeq: 0 });
});

test.each([
  ["POST", "/robots/SCR-1001/faults", "nonsense", 400],
  ["POST", "/robots/SCR-1001/faults", '{"kind":"magic"}', 400],
  ["POST", "/robots/SCR-1001/faults", '{"kind":"late","ms":"soon"}', 400],
  ["POST", "/robots/SCR-1001/faults", '{"kind":"jam","extra":1}', 400],
  ["POST", "/robots/SCR-1001/condition", '{"battery":400}', 400],
  ["DELETE", "/robots/SCR-1001/faults/magic", undefined, 400],
  ["POST", "/robots/SCR-9999/power-cycle", undefined, 404],
  ["GET", "/elsewhere", undefined, 404],
  ["PUT", "/robots/SCR-1001", undefined, 404],
  ["POST", "/robots/SCR-1001/faults", " ".repeat(70_000), 413],
])("%s %s with a bad request returns a sentence (%#)", async (method, path, body, status) => {
  const answer = await call(method, path, body);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(/^\{"message":".+\."\}$/);
});

it("refuses web pages", async () => {
  expect((await call("GET", "/robots", undefined, { origin: "http://evil.example" })).status).toBe(403);
});
