import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandBench } from "../../../test/command-bench.ts";

let bench: CommandBench;

beforeEach(async () => {
  bench = await CommandBench.open();
  await bench.live();
});
afterEach(() => bench.close());

describe("§7 send_command", () => {
  test("§8 Robot Control: START moves the robot and is answered when the robot shows it", async () => {
    const answer = await bench.press("START");
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: "START command sent to Robot OWN-1", command_id: expect.any(String) },
    });
    const truth = bench.robot().truth();
    const [command] = await bench.commands();
    expect(truth).toMatchObject({ motion: "MOVING", runId: command?.run_id, startsTaken: [command?.id] });
    expect(command).toMatchObject({ outcome: "CONFIRMED", verb: "START", mode: "AUTO", max_duration_s: 28_800 });
    expect(command?.published_at).not.toBeNull();
    expect(await bench.activity()).toMatchObject([
      { action: "START", action_type: "MANUAL", status: "SUCCESS", user_name: "Anita Rao", command_id: command?.id },
    ]);
    expect(await bench.audit()).toMatchObject([{ action: "START_ROBOT", outcome: "DONE", actor: "Anita Rao" }]);
  });

  test("§8 Robot Control: STOP stops it", async () => {
    await bench.press("START");
    const answer = await bench.press("STOP", { as: "owner" });
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: "STOP command sent to Robot OWN-1" },
    });
    expect(bench.robot().truth().motion).toBe("STOPPED");
    expect(await bench.activity()).toMatchObject([
      { action: "START", status: "SUCCESS" },
      { action: "STOP", status: "SUCCESS", user_name: "Omkar Jain" },
    ]);
  });
});
