import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { LiveStore } from "../../platform/live/live-store.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { confirmedCommand, confirmedSettings, controllableOf, robotViewOf, statusReading } from "./robot-view.ts";
import { NOON, robotLive, robotRow } from "./test/robot-rows.ts";

const ROBOT = 7;
/** The position of the answer in the stream, and how far a stream has come before and after it. */
const POSITION = "105";
const BEFORE = "103:107:105";
const AFTER = "103:107:104";

const open = (verb: "START" | "STOP", pending = false) => ({
  id: "0198a8b2-0000-7000-8000-000000000000",
  verb,
  issued_at: "2026-03-01T12:00:00.000Z",
  pending,
});
const run = { run_id: "0198a8b2-0000-7000-8000-000000000001", began_at: NOON.toISOString(), planned_end_at: null };
const ended = {
  ...run,
  ended_at: NOON.toISOString(),
  outcome: "STOPPED" as const,
  started_by: "Anita Rao",
  reason: null,
};

const stoppedRobot = robotLive();
const cleaning = robotLive({ status: "normal", motion: "MOVING", current_run: run });

const at = NOON.toISOString();
const snapshot = (robot: RobotLive, reached?: string): LiveEvent => {
  return { type: "snapshot", at, reached, robots: [robot], sites: [] };
};
const updateOf = (robot: RobotLive, reached?: string) => liveUpdate({ at, reached, robots: [robot] });

let store: LiveStore;

beforeEach(() => {
  store = new LiveStore();
});

/** A browser whose stream is open and shows the robot like this. */
function watching(robot: RobotLive): void {
  store.noteOpening();
  store.apply([snapshot(robot, "101:101:")]);
  store.setStatus("live");
}

const answer = (verb: "START" | "STOP", position: string | null = POSITION) =>
  store.answer(ROBOT, confirmedCommand(verb, position, NOON));
const view = (laterMs = 100) => {
  const isCut = store.status() === "lost";
  return robotViewOf({ row: robotRow(), entry: store.entry(ROBOT), isCut }, new Date(NOON.getTime() + laterMs));
};

describe("§4 Commands: an answered Start or Stop until the stream has caught up", () => {
  test.each([
    ["the state before the press", stoppedRobot],
    ["that the START is in progress", robotLive({ open_command: open("START") })],
    ["another battery level", robotLive({ battery_level: 71 })],
    ["nothing yet", null],
  ])("§4 Button enabling: Stop is possible after an answered Start while the stream reports %s", (_, live) => {
    if (live !== null) watching(stoppedRobot);
    answer("START");
    if (live !== null) store.apply([updateOf(live, BEFORE)]);
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING", openCommand: null });
    expect(robotCan.stop(controllableOf(view()))).toBeNull();
  });

  test("§4 Commands: the stream counts once it has caught up with the answer, with everything that it says", () => {
    watching(stoppedRobot);
    answer("START");
    const live = robotLive({ status: "warning", motion: "MOVING", current_run: run });
    store.apply([updateOf(live, BEFORE)]);
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING" });
    store.apply([updateOf(live, AFTER)]);
    expect(view()).toMatchObject({ status: "warning", motion: "MOVING", run: { endsAt: null } });
  });

  test.each([
    ["a fault", { status: "critical" as const }],
    ["a run that has already ended", { last_run: ended }],
    ["that it is offline", { status: "offline" as const, online: false }],
    ["maintenance", { operating_mode: "maintenance" as const }],
  ])("§4 Commands: a Start's answer yields to %s, though the stream never showed it clean", (_, change) => {
    watching(stoppedRobot);
    answer("START");
    store.apply([updateOf(robotLive(change), AFTER)]);
    expect(view().motion).toBe("STOPPED");
  });

  test("§4 Commands: a run that ended before the Start was answered is recognised as well", () => {
    watching(stoppedRobot);
    store.apply([updateOf(robotLive({ last_run: ended }), AFTER)]);
    answer("START");
    expect(view().motion).toBe("STOPPED");
  });

  test("§4 Commands: what the stream shows of other people's commands ends it too, once the stream has caught up", () => {
    watching(robotLive({ last_run: ended }));
    answer("START");
    store.apply([liveUpdate({ at, reached: AFTER })]);
    expect(view().motion).toBe("STOPPED");
  });

  test("§4 Commands: however long it takes, only the stream or a reading replaces the answer", () => {
    watching(stoppedRobot);
    answer("START");
    expect(view(60_000).motion).toBe("MOVING");
    store.apply([updateOf(robotLive({ battery_level: 71 }), BEFORE)]);
    expect(view(60_000)).toMatchObject({ motion: "MOVING", batteryPercent: 71 });
  });

  test("§4 Commands: an answer without a position, as of an older server, yields to the next update of its robot", () => {
    watching(stoppedRobot);
    answer("START", null);
    store.apply([liveUpdate({ at, reached: AFTER })]);
    expect(view().motion).toBe("MOVING");
    store.apply([updateOf(robotLive({ battery_level: 71 }), AFTER)]);
    expect(view().motion).toBe("STOPPED");
    answer("START");
    // Nor can it be compared with the stream of an older server.
    store.apply([snapshot(stoppedRobot)]);
    expect(view().motion).toBe("STOPPED");
  });

  test("§4 Commands: a stream opened after the answer begins with its result", () => {
    watching(stoppedRobot);
    answer("START");
    store.setStatus("lost");
    store.noteOpening();
    expect(view().motion).toBe("MOVING");
    store.apply([snapshot(robotLive({ last_run: ended }), "7:7:")]);
    expect(view().motion).toBe("STOPPED");
  });

  test("§4 Commands: a stream that was being opened when the answer arrived shows it once it has caught up", () => {
    store.noteOpening();
    answer("STOP");
    store.apply([snapshot(cleaning, BEFORE)]);
    expect(view()).toMatchObject({ status: "idle", motion: "STOPPED" });
    store.apply([updateOf(robotLive({ status: "warning" }), AFTER)]);
    expect(view().status).toBe("warning");
  });

  test("§4 Commands: after an answered Stop the robot is stopped, whatever the stream still shows of the run", () => {
    watching(cleaning);
    answer("STOP");
    for (const live of [cleaning, robotLive({ ...cleaning, open_command: open("STOP") })]) {
      store.apply([updateOf(live, BEFORE)]);
      expect(view()).toMatchObject({ status: "idle", motion: "STOPPED", openCommand: null, run: null });
      expect(robotCan.start(controllableOf(view()))).toBeNull();
    }
    store.apply([updateOf(robotLive({ status: "warning" }), AFTER)]);
    expect(view().status).toBe("warning");
  });

  test("protocol rule 3: a robot that moves again after an answered Stop is shown as moving once the stream says so", () => {
    watching(cleaning);
    answer("STOP");
    store.apply([updateOf(cleaning, AFTER)]);
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING" });
  });

  test("§4 Commands: a command other than the answered one stays shown, and so does a pending Stop", () => {
    watching(stoppedRobot);
    answer("START");
    store.apply([updateOf(robotLive({ open_command: open("STOP") }), BEFORE)]);
    expect(view().openCommand?.verb).toBe("STOP");
    answer("STOP");
    store.apply([updateOf(robotLive({ ...cleaning, open_command: open("STOP", true) }), BEFORE)]);
    expect(view().openCommand?.pending).toBe(true);
  });
});

describe("§9 Status polling: a robot's answers while the stream is lost", () => {
  const reading = (change: { readonly motion?: "MOVING" | "STOPPED"; readonly at?: Date } = {}) => {
    const { motion = "MOVING", at: time = NOON } = change;
    const status = motion === "MOVING" ? "start" : "stop";
    const timestamp = time.toISOString();
    return statusReading({
      success: true,
      data: { status, robot_status: "normal", battery: 61, timestamp, motion, direction: "REV" },
      live_position: POSITION,
    });
  };

  test("§9 Status polling: a reading after an answered command replaces it", () => {
    watching(cleaning);
    store.setStatus("lost");
    answer("STOP");
    expect(view()).toMatchObject({ status: "idle", motion: "STOPPED", isStale: false });
    store.answer(ROBOT, reading());
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING", batteryPercent: 61 });
    store.answer(ROBOT, reading({ motion: "STOPPED" }));
    expect(view()).toMatchObject({ status: "idle", motion: "STOPPED" });
    // The command and the latest reading: readings do not pile up.
    expect(store.entry(ROBOT).answers).toHaveLength(2);
  });

  test("§9 Status polling: a reading is fresh, even if it says what the stream said before it was lost", () => {
    watching(cleaning);
    store.apply([updateOf(cleaning, AFTER)]);
    store.setStatus("lost");
    expect(view().isStale).toBe(true);
    store.answer(ROBOT, reading());
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING", isStale: false });
    expect(view(91_000).isStale).toBe(true);
  });

  test("§4 Robot live status: what the open stream has already shown is left to the stream", () => {
    watching(cleaning);
    store.apply([updateOf(robotLive({ ...cleaning, battery_level: 59 }), AFTER)]);
    store.answer(ROBOT, reading());
    expect(view()).toMatchObject({ batteryPercent: 59, cleaningDirection: "FORWARD" });
  });
});

test("§8 Settings Updated: confirmed settings are shown until the stream shows them, each independently", () => {
  watching(stoppedRobot);
  store.answer(ROBOT, confirmedSettings({ cleaning_direction: "REVERSE" }, POSITION));
  store.answer(ROBOT, confirmedSettings({ main_motor_speed: 40 }, "108"));
  store.apply([updateOf(stoppedRobot, BEFORE)]);
  expect(view()).toMatchObject({ cleaningDirection: "REVERSE", mainMotorSpeed: 40, brushMotorSpeed: 80 });
  store.apply([updateOf(robotLive({ cleaning_direction: "REVERSE" }), AFTER)]);
  expect(view()).toMatchObject({ cleaningDirection: "REVERSE", mainMotorSpeed: 40 });
  // Somebody else has changed it back since.
  store.apply([updateOf(stoppedRobot, "110:110:")]);
  expect(view()).toMatchObject({ cleaningDirection: "FORWARD", mainMotorSpeed: 75 });
});
