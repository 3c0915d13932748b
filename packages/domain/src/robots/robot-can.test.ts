import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { describe, expect, it, test } from "vitest";
import { type ControllableRobot, type BlockedReason, robotCan } from "./robot-can.ts";

const idle: ControllableRobot = {
  status: "idle",
  operatingMode: "auto",
  motion: "STOPPED",
  commandInProgress: false,
  isMock: false,
};
const running: ControllableRobot = { ...idle, status: "normal", motion: "MOVING" };

describe("§4 Button enabling", () => {
  test.each<[string, Partial<ControllableRobot>, BlockedReason | null]>([
    ["idle", {}, null],
    ["in warning", { status: "warning" }, null],
    ["in fault", { status: "critical" }, null],
    ["normal", { status: "normal" }, "running"],
    ["moving, whatever its status", { motion: "MOVING" }, "running"],
    ["offline", { status: "offline" }, "offline"],
    ["in maintenance", { operatingMode: "maintenance", status: "offline" }, "maintenance"],
    ["under a command", { commandInProgress: true }, "in-progress"],
    ["simulated data", { isMock: true, status: "offline" }, "mock"],
    ["where a weather limit is passed", { inBadWeather: true }, "weather"],
    ["offline where a weather limit is passed", { inBadWeather: true, status: "offline" }, "offline"],
  ])("Start of a robot that is %s", (_words, change, blockedReason) => {
    expect(robotCan.start({ ...idle, ...change })).toBe(blockedReason);
  });

  test.each<[string, Partial<ControllableRobot>, BlockedReason | null]>([
    ["normal", {}, null],
    ["in warning", { status: "warning" }, null],
    ["where a weather limit is passed", { inBadWeather: true }, null],
    ["idle and standing", { status: "idle", motion: "STOPPED" }, "idle"],
    ["idle by its status but moving", { status: "idle" }, null],
    ["offline", { status: "offline" }, "offline"],
    ["in maintenance", { operatingMode: "maintenance", status: "offline" }, "maintenance"],
    ["simulated data", { isMock: true, status: "offline" }, "mock"],
  ])("Stop of a robot that is %s", (_words, change, blockedReason) => {
    expect(robotCan.stop({ ...running, ...change })).toBe(blockedReason);
  });

  it("disables Stop while a command is in progress, but not if a STOP would override it, as with an open START", () => {
    const busy = { ...running, commandInProgress: true };
    expect(robotCan.stop(busy)).toBe("in-progress");
    expect(robotCan.stop({ ...busy, stopTakesOver: true })).toBeNull();
    const starting = { ...idle, commandInProgress: true, stopTakesOver: true };
    expect(robotCan.stop(starting)).toBeNull();
    expect(robotCan.stop({ ...starting, status: "offline" })).toBe("offline");
  });

  test.each(["MAY_BE_MOVING", "MUST_HAVE_STOPPED"] as const)(
    "protocol rule 13: allows a Stop of one that was lost while moving and %s",
    (motion) => {
      const lost: ControllableRobot = { ...running, status: "offline", motion };
      expect(robotCan.stop(lost)).toBeNull();
      expect(robotCan.stop({ ...lost, isMock: true })).toBeNull();
      // A pending Stop can be pressed again.
      expect(robotCan.stop({ ...lost, commandInProgress: true, stopTakesOver: true })).toBeNull();
      expect(robotCan.stop({ ...lost, commandInProgress: true })).toBe("in-progress");
      expect(robotCan.stop({ ...lost, operatingMode: "maintenance" })).toBe("maintenance");
      const blockedReason = motion === "MAY_BE_MOVING" ? "may-be-moving" : "offline";
      expect(robotCan.start(lost)).toBe(blockedReason);
      expect(robotCan.toggleDirection(lost)).toBe("offline");
    },
  );

  it("disables the direction toggle in maintenance and offline only", () => {
    expect(robotCan.toggleDirection(running)).toBeNull();
    expect(robotCan.toggleDirection({ ...idle, status: "offline" })).toBe("offline");
    expect(robotCan.toggleDirection({ ...idle, operatingMode: "maintenance" })).toBe("maintenance");
  });

  it("shows the settings button when idle or normal, and never to a PARTNER", () => {
    const shown = (status: RobotStatus) => robotCan.changeSettings({ ...idle, status }, "SUPER_ADMIN") === null;
    expect(shown("idle") && shown("normal")).toBe(true);
    for (const status of ["warning", "critical", "offline", "standby"] as const) expect(shown(status)).toBe(false);
    expect(robotCan.changeSettings(idle, "PARTNER")).toBe("role");
    expect(robotCan.changeSettings(idle, null)).toBe("role");
  });
});
