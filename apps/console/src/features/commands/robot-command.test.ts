import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { AnswerError, ApiError, NetworkError, NotSentError } from "../../platform/api/errors.ts";
import {
  commandBodyOf,
  leavesRobotOffline,
  newIdempotencyKey,
  newPressHeaders,
  reasonOf,
  currentResult,
} from "./robot-command.ts";

const robot = {
  id: 7,
  siteId: 3,
  serialNumber: "SCR-1001",
  cleaningDirection: "REVERSE",
  mainMotorSpeed: 75,
  brushMotorSpeed: 80,
} as const;

test("§7 send_command: the body names the robot three times and carries the four parameters", () => {
  const body = commandBodyOf(robot, "START");
  expect(body).toEqual({
    robotId: "SCR-1001",
    robotObjectId: 7,
    siteId: 3,
    command: "START",
    mode: "AUTO",
    params: { status: "start", direction: "REV", "main-speed": 75, "brush-speed": 80 },
  });
  expect(sendCommand.body.safeParse(body).success).toBe(true);
  expect(commandBodyOf({ ...robot, cleaningDirection: "FORWARD" }, "STOP").params).toMatchObject({
    status: "stop",
    direction: "FWD",
  });
});

test.each([
  [504, true],
  [503, true],
  [500, true],
  [502, false],
  [409, false],
  [404, false],
  [400, false],
  [429, false],
])("§4 Commands: an answer %i sets the robot offline: %s", (status, isOffline) => {
  expect(leavesRobotOffline(new ApiError(status, "why"))).toBe(isOffline);
});

test("§4 Commands: when this browser has lost its connection, the status stays as it was", () => {
  const lost = [new NetworkError(true), new NetworkError(false), new ApiError(504, ""), new ApiError(502, "")];
  expect(lost.map(leavesRobotOffline)).toEqual([false, false, false, false]);
  expect(leavesRobotOffline(new AnswerError("/api", null))).toBe(true);
});

test("§4 Commands: a command that was never sent leaves the status as it was, and its reason is shown", () => {
  expect(leavesRobotOffline(new NotSentError("why"))).toBe(false);
  expect(reasonOf(new NotSentError("why"))).toBe("why");
});

test("§8 Control Failed: the second line is the server's reason, otherwise an explanation of the status code", () => {
  expect(reasonOf(new ApiError(409, "Robot SCR-1001 is in maintenance"))).toBe("Robot SCR-1001 is in maintenance");
  expect(reasonOf(new ApiError(409, ""))).toBe("Robot not found or already processing");
  expect(reasonOf(new ApiError(404, ""))).toBe("Robot not found or already processing");
  expect(reasonOf(new ApiError(500, ""))).toBeUndefined();
  expect(reasonOf(new NetworkError(true))).toBe("The server did not answer in time.");
});

test("§7 send_command: each press has its own key, a version 4 UUID", () => {
  const keys = new Set(Array.from({ length: 200 }, newIdempotencyKey));
  expect(keys.size).toBe(200);
  for (const key of keys) expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test("§7 send_command: the headers of one press have one key, however often they are built", () => {
  const [one, two] = [newPressHeaders(), newPressHeaders()];
  expect(one()["Idempotency-Key"]).toBe(one()["Idempotency-Key"]);
  expect(one()["Idempotency-Key"]).not.toBe(two()["Idempotency-Key"]);
});

const pending: RobotResult = {
  robotId: "SCR-1007",
  robotObjectId: 7,
  outcome: "FAILED",
  message: "Robot SCR-1007 is offline. The Stop is stored and delivered when the robot returns.",
  pending: true,
};
const stopped = { online: true, motion: "STOPPED", open_command: null } as const;
const openStop: RobotLive["open_command"] = {
  id: "0198d9a0-0000-7000-8000-000000000001",
  verb: "STOP",
  issued_at: "2026-03-01T12:00:00.000Z",
  pending: true,
};

test("protocol rule 3: a pending Stop is reported as done once the robot is back and shows that it has stopped", () => {
  expect(currentResult(pending, undefined)).toBe(pending);
  expect(currentResult(pending, { ...stopped, online: false })).toBe(pending);
  expect(currentResult(pending, { ...stopped, motion: "MOVING" })).toBe(pending);
  expect(currentResult(pending, { ...stopped, open_command: openStop })).toBe(pending);
  expect(currentResult(pending, stopped)).toMatchObject({ outcome: "SUCCESS", pending: false });
});

test("§4 Group action outcome: a result that is not pending stays as reported", () => {
  const refused: RobotResult = { ...pending, pending: false };
  expect(currentResult(refused, stopped)).toBe(refused);
});
