import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import { expectCount, expectDisabled, expectToast } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { fleetSnapshot, sampleGroup, sampleRobots } from "../../../test/sample-fleet.ts";
import { sendRobotCommand } from "../commands/public.ts";
import { changeGroupMaintenance } from "./maintenance-calls.ts";

const card = page.getByRole("article", { name: "SCR-1011" });
const target = (id: number) => ({
  id,
  siteId: 1,
  serialNumber: `SCR-${id}`,
  cleaningDirection: "FORWARD" as const,
  mainMotorSpeed: 60,
  brushMotorSpeed: 60,
});

test("protocol rule 3: a queued Release and Start of a group is cancelled by a Stop of one of its robots", async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  when(sendCommand).answer(async ({ body }) => {
    if (body.command === "START") await over;
    throw new Refusal(409, { message: "Not now." });
  });
  const released = when(groupMaintenance).answer({ success: true, message: "Released.", results: [] });
  await openConsole("/profile");
  const starts = [101, 102, 103].map((id) => sendRobotCommand(target(id), "START"));
  const members = sampleGroup({ robots: [{ id: 11 }, { id: 12 }] });
  const release = changeGroupMaintenance(members, { enabled: false, start_after: true });
  await sendRobotCommand(target(12), "STOP");
  expect(await release).toBeNull();
  await expectToast(
    "Group Action Failed",
    "Failed to release the group from maintenance.",
    "Stop was pressed before it was sent.",
  );
  end();
  await Promise.all(starts);
  expect(released).toHaveLength(0);
});

test("§4 Button enabling, maintenance: every button that moves the robot is disabled and says why", async () => {
  const locked = sampleRobots.map((robot) => ({ ...robot, operating_mode: "maintenance" }) as const);
  when(robotDetailsWithSettings).answer({ robots: locked.filter(({ site_id }) => site_id === 1) });
  when(live).stream(() => fleetSnapshot(locked));
  await openConsole("/dashboard?site=1");
  await expect.element(card.getByText("Maintenance", { exact: true })).toBeVisible();
  const reason = "Robot SCR-1011 is in maintenance.";
  await expectDisabled(card.getByRole("button", { name: "Start", exact: true }), reason);
  await expectDisabled(card.getByRole("button", { name: "Stop", exact: true }), reason);
  await expectDisabled(card.getByRole("radiogroup", { name: "Direction" }), reason);
  await expectCount(card.getByRole("button", { name: "Settings", exact: true }), 0);
});

test("§8 Control Failed: a lock that the server refuses says so, and the dialog keeps the reason", async () => {
  when(robotMaintenance).offline();
  await openConsole("/dashboard?site=1");
  await expect.element(card.getByText("Idle", { exact: true })).toBeVisible();
  await card.getByRole("button", { name: "Maintenance", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Maintenance: SCR-1011" });
  await dialog.getByLabelText("Reason").fill("Wheel change");
  await dialog.getByRole("button", { name: "Put in Maintenance" }).click();
  await expectToast(
    "Control Failed",
    "Failed to send MAINTENANCE command to Robot SCR-1011",
    "The server could not be reached.",
  );
  await expect.element(dialog.getByLabelText("Reason")).toHaveValue("Wheel change");
  await expect.element(card.getByText("Idle", { exact: true })).toBeVisible();
});
