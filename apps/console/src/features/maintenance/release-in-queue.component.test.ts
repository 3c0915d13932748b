import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { groupMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { expect, test } from "vitest";
import { Refusal, when } from "../../../test/answers.ts";
import { expectToast } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { sampleGroup } from "../../../test/sample-fleet.ts";
import { sendRobotCommand } from "../commands/public.ts";
import { changeGroup } from "./maintenance-calls.ts";

const target = (id: number) => ({
  id,
  siteId: 1,
  serialNumber: `SCR-${id}`,
  cleaningDirection: "FORWARD" as const,
  mainMotorSpeed: 60,
  brushMotorSpeed: 60,
});

test("protocol rule 3: Release and Start of a group that waits its turn is cancelled by a Stop of one of its robots", async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  when(sendCommand).answer(async ({ body }) => {
    if (body.command === "START") await over;
    throw new Refusal(409, { message: "Not now." });
  });
  const released = when(groupMaintenance).answer({ success: true, message: "Released.", results: [] });
  await openConsole("/profile");
  const starts = [101, 102, 103].map((id) => sendRobotCommand(target(id), "START"));
  const members = sampleGroup({ robots: [{ id: 11 }, { id: 12 }] });
  const release = changeGroup(members, { enabled: false, start_after: true });
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
