import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { resultNow } from "./robot-result-now.ts";

const pending: RobotResult = {
  robotId: "SCR-1007",
  robotObjectId: 7,
  outcome: "FAILED",
  message: "Robot SCR-1007 is away. The Stop is kept and delivered when the robot returns.",
  pending: true,
};
const stopped = { online: true, motion: "STOPPED", open_command: null } as const;
const openStop: RobotLive["open_command"] = {
  id: "0198d9a0-0000-7000-8000-000000000001",
  verb: "STOP",
  issued_at: "2026-03-01T12:00:00.000Z",
  pending: true,
};

test("protocol rule 3: a pending Stop is told as done once the robot is back and shows that it stands", () => {
  expect(resultNow(pending, undefined)).toBe(pending);
  expect(resultNow(pending, { ...stopped, online: false })).toBe(pending);
  expect(resultNow(pending, { ...stopped, motion: "MOVING" })).toBe(pending);
  expect(resultNow(pending, { ...stopped, open_command: openStop })).toBe(pending);
  expect(resultNow(pending, stopped)).toMatchObject({ outcome: "SUCCESS", pending: false });
});

test("§4 Group action outcome: a result that is not pending stays as it was told", () => {
  const refused: RobotResult = { ...pending, pending: false };
  expect(resultNow(refused, stopped)).toBe(refused);
});
