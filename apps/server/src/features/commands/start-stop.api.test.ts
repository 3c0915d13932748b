import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";

let harness: CommandHarness;

beforeEach(async () => {
  harness = await CommandHarness.open();
  await harness.live();
});
afterEach(() => harness.close());

describe("§7 send_command", () => {
  test("§8 Robot Control: START moves the robot and is answered when the robot shows it", async () => {
    const answer = await harness.press("START");
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: "START command sent to Robot OWN-1", command_id: expect.any(String) },
    });
    const truth = harness.robot().truth();
    const [command] = await harness.commands();
    expect(truth).toMatchObject({ motion: "MOVING", runId: command?.run_id, startsTaken: [command?.id] });
    expect(command).toMatchObject({ outcome: "CONFIRMED", verb: "START", mode: "AUTO", max_duration_s: 28_800 });
    expect(command?.published_at).not.toBeNull();
    expect(await harness.activity()).toMatchObject([
      { action: "START", action_type: "MANUAL", status: "SUCCESS", user_name: "Anita Rao", command_id: command?.id },
    ]);
    expect(await harness.audit()).toMatchObject([{ action: "START_ROBOT", outcome: "DONE", actor: "Anita Rao" }]);
  });

  test("§8 Robot Control: STOP stops it", async () => {
    await harness.press("START");
    const answer = await harness.press("STOP", { as: "owner" });
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: "STOP command sent to Robot OWN-1" },
    });
    expect(harness.robot().truth().motion).toBe("STOPPED");
    expect(await harness.activity()).toMatchObject([
      { action: "START", status: "SUCCESS" },
      { action: "STOP", status: "SUCCESS", user_name: "Omkar Jain" },
    ]);
  });
});
