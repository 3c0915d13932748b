import { fleetStop } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, sendOnStream, when } from "../../../test/answers.ts";
import { expectContains } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { fleetSnapshot, sampleRobots, sampleSites } from "../../../test/sample-fleet.ts";
import { stopRobots } from "./fleet-stop.ts";

const moving = sampleRobots.map((robot) => ({ ...robot, status: "normal", motion: "MOVING" }) as const);
const dialog = page.getByRole("dialog", { name: "Stop fleet" });
const [first, second] = sampleSites;
if (first === undefined || second === undefined) throw new Error("The sample has two sites.");
const stopped = { robots: 2, stopped: 2, moved: 2, pending: 0, failed: 0, results: [] };

test("fleet stop: one press on any page sends it, shows how many move, and names what did not stop", async () => {
  when(live).stream(() => fleetSnapshot(moving));
  const message = "Robot SCR-1011 is offline. The Stop is stored.";
  const left = { robotId: "SCR-1011", robotObjectId: 11, outcome: "FAILED", message, pending: true } as const;
  const sent = when(fleetStop).answer(() => ({
    success: false,
    message: "",
    sites: [
      { siteId: first.id, name: first.name, ...stopped, stopped: 1, moved: 1, pending: 1, results: [left] },
      { siteId: second.id, name: second.name, ...stopped },
    ],
  }));
  await openConsole("/profile");
  await page.getByRole("button", { name: `Stop fleet (${moving.length})` }).click();
  await expectContains(dialog.getByRole("status"), "3 robots stopped. 1 not confirmed");
  expect(sent.map(({ body }) => body)).toEqual([{}]);
  await expectContains(dialog.getByRole("region", { name: "Result for each site" }), message);
  await dialog.getByRole("button", { name: "Stop again" }).click();
  await expect.poll(() => sent.map(({ body }) => body)).toEqual([{}, { robotObjectIds: [11] }]);
});

test("fleet stop: robots that the stream shows stopped after the answer are counted as stopped, others stay unconfirmed", async () => {
  when(live).stream(() => fleetSnapshot(moving));
  const results = moving.map(({ robot_id, serial_number }) => {
    const message = "Sent to the robot; will be recorded.";
    return { robotId: serial_number, robotObjectId: robot_id, outcome: "SUCCESS", message, pending: true } as const;
  });
  const unrecorded = { stopped: 0, moved: 0, failed: 0, robots: results.length, pending: results.length };
  when(fleetStop).answer(() => ({
    success: true,
    message: "",
    sites: [{ siteId: first.id, name: first.name, ...unrecorded, results }],
  }));
  await openConsole("/profile");
  await page.getByRole("button", { name: `Stop fleet (${moving.length})` }).click();
  const summary = dialog.getByRole("status");
  await expectContains(summary, `${moving.length} not confirmed: the Stop is sent again until they are.`);
  const lines = dialog.getByRole("region", { name: "Result for each site" });
  await expectContains(lines, `0 of ${moving.length} robots stopped.`);
  const still = moving.slice(-1);
  const idle = moving.slice(0, -1).map((robot) => ({ ...robot, motion: "STOPPED" }) as const);
  sendOnStream(live, fleetSnapshot([...idle, ...still]));
  await expect
    .element(summary)
    .toHaveTextContent(`${idle.length} robots stopped. 1 not confirmed: the Stop is sent again until they are.`);
  await expectContains(lines, `${idle.length} of ${moving.length} robots stopped.`);
  sendOnStream(live, fleetSnapshot([...idle, ...still.map((robot) => ({ ...robot, motion: "STOPPED" }) as const)]));
  await expect.element(summary).toHaveTextContent(`${moving.length} robots stopped.`);
  await expect.element(summary).not.toHaveTextContent("not confirmed");
  await expect.element(dialog.getByRole("button", { name: "Stop again" })).not.toBeInTheDocument();
});

test("fleet stop: a state has its own number, and its Stop names only it", async () => {
  when(live).stream(() => fleetSnapshot(moving));
  const sent = when(fleetStop).answer(() => ({ success: true, message: "", sites: [] }));
  await openConsole("/profile");
  await page.getByRole("button", { name: "Stop only..." }).click();
  const count = moving.filter(({ site_id }) => site_id === first.id).length;
  await page.getByRole("menuitem", { name: `${first.state} ${count} moving` }).click();
  await expect.poll(() => sent.map(({ body }) => body)).toEqual([{ state: first.state }]);
});

test("fleet stop: more robots than one call takes: if one call fails, what the others did is told beside its reason", async () => {
  when(live).stream(() => fleetSnapshot(moving));
  when(fleetStop).answer(({ body: { robotObjectIds: ids = [] } }) => {
    if (!ids.includes(11)) throw new Refusal(503, { message: "The server is busy." });
    return { success: true, message: "", sites: [{ siteId: first.id, name: first.name, ...stopped }] };
  });
  await openConsole("/profile");
  await expect.element(page.getByRole("button", { name: `Stop fleet (${moving.length})` })).toBeVisible();
  const others = Array.from({ length: 5_000 }, (_, nth) => 1_000 + nth);
  await stopRobots([11, 12, ...others]);
  const result = page.getByRole("dialog", { name: "Stop 5,002 robots" }).getByRole("status");
  await expectContains(result, "The Stop could not be sent to every robot. The server is busy. 2 robots stopped.");
});
