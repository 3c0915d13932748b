import type { Rollout, RolloutRobot, RolloutRobotState } from "@suncrew/contract/firmware/firmware.ts";
import { expect, test } from "vitest";
import { againQuestion, cancelQuestion, figuresOf, figuresText, inOrder, resumeQuestion } from "./rollout-facts.ts";
import { robotLook, rolloutLook } from "./firmware-looks.ts";

const none = {
  WAITING: 0,
  OFFERED: 0,
  DOWNLOADING: 0,
  INSTALLING: 0,
  DONE: 0,
  FAILED: 0,
  SKIPPED: 0,
  CANCELLED: 0,
};

function rollout(counts: Partial<Record<RolloutRobotState, number>>): Rollout {
  return {
    id: 1,
    firmware_id: 1,
    version: "2.5.0",
    file_name: "robot.bin",
    state: "RUNNING",
    reason: null,
    created_at: "2026-06-15T06:30:00.000Z",
    created_by: "Asha Verma",
    ended_at: null,
    batch_size: 10,
    failure_threshold_percent: 20,
    deadline_minutes: 15,
    wait_limit_hours: 24,
    counts: { ...none, ...counts },
  };
}

test.each([
  [{ WAITING: 1 }, "0 of 1 robot done, 1 waiting"],
  [
    { DONE: 1_200, FAILED: 3, OFFERED: 2, INSTALLING: 1, SKIPPED: 1 },
    "1,200 of 1,207 robots done, 3 failed, 3 in progress, 1 left out",
  ],
])("the figures of %o read %j", (counts, text) => {
  expect(figuresText(figuresOf(rollout(counts)))).toBe(text);
});

test("the confirmations say how many robots will and will not install", () => {
  const half = rollout({ WAITING: 7, DOWNLOADING: 1, DONE: 2 });
  expect(resumeQuestion(half).message).toContain("7 robots will install firmware 2.5.0");
  expect(cancelQuestion(half).message).toContain(
    "7 robots will not install firmware 2.5.0. 1 robot in progress will finish.",
  );
});

test("protocol rule 13: robots that gave up waiting are distinguished from those left out, and can be deployed to again", () => {
  const look = (gave_up: boolean) => robotLook({ state: "SKIPPED", percent: null, gave_up }).label;
  expect([look(true), look(false)]).toEqual(["Gave up waiting", "Left out"]);
  expect(againQuestion(rollout({ FAILED: 1, SKIPPED: 1 }), 2).message).toContain(
    "2 robots that failed or gave up waiting will be offered firmware 2.5.0 again",
  );
  expect(againQuestion(rollout({ FAILED: 1 }), 1).message).toContain("1 robot that failed will be offered");
});

test("protocol rule 13: a rollout that waits for all its robots is not shown as running", () => {
  expect(rolloutLook(rollout({ WAITING: 2, DONE: 1 })).label).toBe("Waiting for robots");
  expect(rolloutLook(rollout({ WAITING: 2, OFFERED: 1 })).label).toBe("Running");
  expect(rolloutLook({ ...rollout({ WAITING: 2 }), state: "PAUSED" }).label).toBe("Paused");
  expect(rolloutLook({ ...rollout({ SKIPPED: 2 }), state: "DONE" }).label).toBe("Nothing installed");
});

test("those that failed come first, then those in progress", () => {
  const robot = (serial_number: string, state: RolloutRobotState): RolloutRobot => ({
    robot_id: 1,
    robot_name: serial_number,
    serial_number,
    site_id: 1,
    site_name: "Bhadla Solar Park",
    state,
    canary: false,
    percent: null,
    from_version: null,
    reason: null,
    gave_up: false,
    offered_at: null,
    ended_at: null,
  });
  const robots = [
    robot("A", "DONE"),
    robot("C", "WAITING"),
    robot("B", "WAITING"),
    robot("D", "DOWNLOADING"),
    robot("E", "FAILED"),
  ];
  expect(
    inOrder(robots)
      .map(({ serial_number }) => serial_number)
      .join(""),
  ).toBe("EDBCA");
});
