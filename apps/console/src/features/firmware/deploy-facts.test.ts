import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import {
  type DeployForm,
  deployBlockedReason,
  deployProblems,
  deployQuestion,
  type DeployRobot,
  fileProblem,
  robotsFound,
  versionInName,
  waitsBefore,
} from "./deploy-facts.ts";

const ready = {
  firmware_update: null,
  operating_mode: "auto",
  online: true,
  motion: "STOPPED",
  open_command: null,
  status: "idle",
  battery_level: 50,
} as const;

test.each<[Partial<RobotLive>, string | null]>([
  [{}, null],
  [{ battery_level: 12, status: "warning" }, "Waits for its battery: 12 %, needs 50 %"],
  // As the server compares it.
  [{ battery_level: 49.6 }, "Waits for its battery: 49 %, needs 50 %"],
  [{ status: "warning" }, "Waits until it is idle: its status is warning"],
  [{ motion: "MOVING", status: "normal" }, "Waits until it has finished cleaning"],
  [{ online: false, status: "offline" }, "Waits until it is online"],
  [{ operating_mode: "maintenance", online: false }, "Waits until it is released from maintenance"],
  [
    { open_command: { id: "1", verb: "SET", issued_at: "2026-06-15T06:30:00.000Z", pending: false } },
    "Waits for a command in progress",
  ],
  [
    { firmware_update: { rollout_id: 1, version: "2.0.0", state: "OFFERED", percent: null } },
    "Waits until its other firmware update is over",
  ],
])("protocol rule 13: before a rollout, a robot with %o is shown as %j", (change, words) => {
  expect(waitsBefore({ ...ready, ...change }, new Date())).toBe(words);
});

test.each([
  ["robot.bin", 1, null],
  ["ROBOT.HEX", 1, null],
  ["robot.fw", 16 * 1_048_576, null],
  ["robot.zip", 1, "Choose a .bin, .hex or .fw file."],
  ["robot.bin.exe", 1, "Choose a .bin, .hex or .fw file."],
  ["robot.bin", 0, "The file is empty."],
  ["robot.bin", 16 * 1_048_576 + 1, "The file is larger than 16 MiB."],
])("§5 Deploy firmware: file %s of %i bytes reports %j", (name, size, problem) => {
  expect(fileProblem({ name, size })).toBe(problem);
});

test.each([
  ["robot-2.5.0.bin", "2.5.0"],
  ["suncrew_3.1-rc.2.hex", "3.1-rc.2"],
  ["robot.fw", ""],
])("the version in the name %s is %j", (name, version) => {
  expect(versionInName(name)).toBe(version);
});

const form: DeployForm = {
  source: "file",
  file: new File(["x"], "robot.bin"),
  version: "2.5.0",
  firmwareId: "",
  batchSize: "10",
  threshold: "20",
  deadline: "15",
  waitLimit: "24",
};

test.each<[Partial<DeployForm>, number, string | null]>([
  [{}, 1, null],
  [{}, 0, "Select at least one robot."],
  [{ file: null }, 1, "Choose a file."],
  [{ version: " " }, 1, "Version is required."],
  [{ version: "2 5" }, 1, "1 to 40 letters, digits, dots, hyphens, plus signs or underscores."],
  [{ batchSize: "0" }, 1, "A whole number from 1 to 500."],
  [{ deadline: "1.5" }, 1, "A whole number from 1 to 1,440."],
  [{ waitLimit: "0" }, 1, "A whole number from 1 to 720."],
  [{ source: "uploaded" }, 1, "Choose the firmware."],
  [{ source: "uploaded", firmwareId: "3", file: null, version: "" }, 1, null],
])("§5 Deploy firmware: with %o and %i robots it says %j", (change, chosen, blockedReason) => {
  expect(deployBlockedReason(deployProblems({ ...form, ...change }), chosen)).toBe(blockedReason);
});

const robot = (id: number, change: Partial<DeployRobot> = {}): DeployRobot => ({
  id,
  serial: `SCR-100${id}`,
  name: `Row ${id}`,
  siteName: "Bhadla Solar Park",
  version: "2.4.1",
  waits: null,
  ...change,
});

test("the confirmation says how many robots install, that they do not clean in the meantime, and which ones wait", () => {
  const chosen = [robot(1), robot(2, { waits: "Waits" }), robot(3, { version: "2.5.0", waits: "Waits" })];
  expect(deployQuestion(chosen, "2.5.0", form)).toMatchObject({
    message:
      "3 robots will install firmware 2.5.0, one first, then up to 10 at a time, each within 15 min of its offer. A robot does not clean while it installs. 1 of them cannot update now: it waits until it is possible, for 24 h at most. 1 runs it already and is left out.",
    confirmLabel: "Deploy to 3 robots",
  });
  expect(deployQuestion([robot(1)], "2.5.0", form).message).toBe(
    "1 robot will install firmware 2.5.0, within 15 min of its offer. A robot does not clean while it installs.",
  );
});

test("robots are found by every word of serial number, name, site and version", () => {
  const robots = [robot(1), robot(2, { siteName: "Rewa" })];
  expect(robotsFound(robots, "bhadla row 2.4").map(({ id }) => id)).toEqual([1]);
  expect(robotsFound(robots, " ")).toBe(robots);
});
