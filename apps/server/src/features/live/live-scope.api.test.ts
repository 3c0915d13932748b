import type { AddressInfo } from "node:net";
import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import { createRobot, deleteRobot, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FREE_SERIAL, type Person } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

/** Its clock is stopped, so nothing is checked periodically. */
let test: TestApp;
let address: string;

beforeEach(async () => {
  test = await createTestApp();
  await test.app.start();
  await test.app.http.listen({ port: 0, host: "127.0.0.1" });
  const { port } = test.app.http.server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
});
afterEach(() => test.close());

/** Opens a stream as this person; resolves once the snapshot is there, to a function that waits for the last event. */
async function watch(person: Person): Promise<() => Promise<LiveEvent | null>> {
  const client = await test.as(person);
  const response = await fetch(address + live.path, { headers: { authorization: `Bearer ${client.token}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  expect(first?.value).toContain('"type":"snapshot"');
  return async () => {
    let text = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
    const last = text
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .at(-1);
    return last === undefined ? null : live.response.parse(JSON.parse(last.slice(6)));
  };
}

const form = (site_id: number, serial_number: string) => ({
  site_id,
  serial_number,
  robot_name: "Row 9",
  installation_date: "2026-01-05",
  motor_type: "BLDC" as const,
  control_type: "PLC" as const,
});

describe("Live stream: clients learn with the change itself that they can see other sites or robots", () => {
  it("a site was deleted", async () => {
    const last = await watch("owner");
    await (await test.as("admin")).ask(deleteSite, { params: { id: test.fixtures.secondSiteId } });
    expect(await last()).toEqual({ type: "end", reason: "scope" });
  });

  it("a robot was deleted", async () => {
    const last = await watch("stranger");
    await (await test.as("admin")).ask(deleteRobot, { params: { id: test.fixtures.foreignRobot.id } });
    expect(await last()).toEqual({ type: "end", reason: "scope" });
  });

  it("a robot was added, and one was moved to another partner's site", async () => {
    const { ownSiteId, foreignSiteId } = test.fixtures;
    const admin = await test.as("admin");
    const last = await watch("owner");
    const { robotId } = await admin.ask(createRobot, { body: form(ownSiteId, FREE_SERIAL) });
    expect(await last()).toEqual({ type: "end", reason: "scope" });
    const former = await watch("owner");
    const next = await watch("stranger");
    await admin.ask(updateRobot, { params: { id: robotId }, body: form(foreignSiteId, FREE_SERIAL) });
    expect(await former()).toEqual({ type: "end", reason: "scope" });
    expect(await next()).toEqual({ type: "end", reason: "scope" });
  });
});
