import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import { describe, expect, it, test } from "vitest";
import { acksIn, eventsIn, LINK_LOSS_MS, RobotHarness, statesIn } from "../../test/robot-harness.ts";

const MINUTE_MS = 60_000;

describe("a robot that cleans", () => {
  it("protocol rule 6: reports a START by motion and run, and a STOP by stopping", () => {
    const harness = RobotHarness.connected();
    const start = harness.order("START");
    const begun = harness.deliver(start);
    expect(acksIn(begun)).toEqual([{ id: start.id, status: "ACCEPTED", code: null }]);
    expect(statesIn(begun).at(-1)).toMatchObject({
      motion: "MOVING",
      status: "start",
      runId: start.runId,
      lastSeq: start.seq,
      lastCommandId: start.id,
      charging: false,
      applied: { direction: "REV", mainSpeed: 70, brushSpeed: 30 },
    });
    expect(eventsIn(begun)).toEqual(["RUN_BEGAN"]);

    const stop = harness.order("STOP");
    const ended = harness.deliver(stop);
    expect(acksIn(ended)).toEqual([{ id: stop.id, status: "DONE", code: null }]);
    expect(statesIn(ended).at(-1)).toMatchObject({
      motion: "STOPPED",
      status: "stop",
      runId: null,
      lastSeq: stop.seq,
      charging: true,
    });
    expect(eventsIn(ended)).toEqual(["RUN_ENDED STOP"]);
  });

  it("drains while it moves, charges while it is stopped, and ends the pass by itself", () => {
    const harness = RobotHarness.connected({ battery: 80 });
    harness.deliver(harness.order("START", { maxDurationS: 86_400 }));
    harness.pass(30 * MINUTE_MS);
    expect(harness.robot.battery).toBeLessThan(75);
    expect(eventsIn(harness.pass(100 * MINUTE_MS))).toContain("RUN_ENDED FINISHED");
    const left = harness.robot.battery;
    harness.pass(10 * MINUTE_MS);
    expect(harness.robot.battery).toBeGreaterThan(left);
  });

  it("stops itself when the battery is nearly empty, and reports that it is low", () => {
    const harness = RobotHarness.connected({ battery: 21 });
    harness.deliver(harness.order("START", { maxDurationS: 86_400 }));
    expect(eventsIn(harness.pass(5 * MINUTE_MS))).toContain("ALERT_RAISED LOW_BATTERY");
    expect(harness.robot.status).toBe("warning");
    expect(eventsIn(harness.pass(60 * MINUTE_MS))).toContain("RUN_ENDED BATTERY");
    expect(eventsIn(harness.pass(60 * MINUTE_MS))).toContain("ALERT_CLEARED LOW_BATTERY");
  });

  it("reports at least every 30 s even if nothing changed", () => {
    const harness = RobotHarness.connected({ battery: 100 });
    let silentMs = 0;
    for (let second = 0; second < 300; second += 1) {
      silentMs = statesIn(harness.pass(1_000)).length > 0 ? 0 : silentMs + 1_000;
      expect(silentMs).toBeLessThan(30_000);
    }
  });

  it("answers STATUS at once with a fresh state that names it", () => {
    const harness = RobotHarness.connected({ battery: 100 });
    const status = harness.order("STATUS");
    for (const _ of [1, 2]) {
      const states = statesIn(harness.deliver(status));
      expect(states.map((state) => state.lastCommandId)).toEqual([status.id]);
    }
  });
});

describe("orders that a robot refuses", () => {
  const yesterday = new Date(Date.UTC(2026, 4, 31)).toISOString();

  test.each([
    ["protocol rule 1: another session", { session: 1 }, "OLD_SESSION"],
    ["protocol rule 1: expired", { expiresAt: yesterday }, "EXPIRED"],
    ["protocol rule 1: a seq already passed", { seq: 0 }, "OLD_SEQ"],
  ] as const)("%s: START, SET and MAINTENANCE_OFF", (_title, change, code) => {
    for (const verb of ["START", "SET", "MAINTENANCE_OFF"] as const) {
      const harness = RobotHarness.connected();
      const command = harness.order(verb, change);
      expect(acksIn(harness.deliver(command))).toEqual([{ id: command.id, status: "REJECTED", code }]);
      expect(harness.robot.motion).toBe("STOPPED");
      expect(harness.robot.lastSeq).toBe(0);
    }
  });

  it("protocol rule 1: ignores a retained message on command", () => {
    const harness = RobotHarness.connected();
    expect(harness.deliver(harness.order("START"), true)).toEqual([]);
    expect(harness.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 2: START while it moves is BUSY and changes nothing", () => {
    const harness = RobotHarness.connected();
    const first = harness.order("START");
    harness.deliver(first);
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ status: "REJECTED", code: "BUSY" }]);
    expect(harness.robot.runId).toBe(first.runId);
    expect(harness.robot.lastSeq).toBe(first.seq);
  });

  it("refuses to start with a jam or an empty battery, and starts again once that is over", () => {
    const harness = RobotHarness.connected();
    harness.setConditions({ jammed: true });
    expect(harness.robot.status).toBe("fault");
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ code: "FAULT" }]);
    harness.setConditions({ jammed: false, failedChargerPercent: 14 });
    expect(harness.robot.status).toBe("warning");
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ code: "BATTERY_LOW" }]);
    harness.setConditions({ failedChargerPercent: null });
    harness.pass(30 * MINUTE_MS);
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ status: "ACCEPTED" }]);
  });

  it("protocol rule 12: a robot whose clock is not set rejects START and accepts STOP", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START"));
    harness.clockOffsetMs = null;
    expect(acksIn(harness.deliver(harness.order("STOP")))).toMatchObject([{ status: "DONE" }]);
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([
      { status: "REJECTED", code: "CLOCK_NOT_SET" },
    ]);
    expect(harness.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 10: malformed and oversized messages change nothing and get no answer", () => {
    const harness = RobotHarness.connected({ battery: 100 });
    const start = harness.order("START");
    const bad: object[] = [
      { ...start, v: 2 },
      { ...start, id: "x" },
      { ...start, verb: "GO" },
      { ...start, seq: -1 },
      { ...start, params: null },
      { ...start, expiresAt: "soon" },
      { ...start, by: "x".repeat(MAX_MESSAGE_BYTES) },
    ];
    for (const text of ["", "null", "{", "[]", "7", ...bad.map((each) => JSON.stringify(each))]) {
      expect(harness.deliverText(text)).toEqual([]);
    }
    expect(harness.robot.motion).toBe("STOPPED");
    expect(acksIn(harness.deliver(start))).toMatchObject([{ status: "ACCEPTED" }]);
  });
});

describe("STOP", () => {
  it("protocol rule 3: is accepted whatever its session or age", () => {
    for (const change of [
      { session: 0 },
      { session: Number.MAX_SAFE_INTEGER },
      { expiresAt: new Date(0).toISOString() },
    ]) {
      const harness = RobotHarness.connected();
      harness.deliver(harness.order("START"));
      harness.deliver(harness.order("STOP", change));
      expect(harness.robot.motion).toBe("STOPPED");
    }
  });

  it("protocol rule 3: is rejected only if a START with a higher seq was accepted in the same session", () => {
    const harness = RobotHarness.connected();
    const early = harness.order("STOP");
    const earlyOfOldSession = harness.order("STOP", { session: 0 });
    harness.deliver(harness.order("START"));
    expect(acksIn(harness.deliver(early))).toMatchObject([{ status: "REJECTED", code: "OLD_SEQ" }]);
    expect(harness.robot.motion).toBe("MOVING");
    harness.deliver(earlyOfOldSession);
    expect(harness.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 3: is accepted after a reconnect, although a START of the previous session had a higher seq", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START", { seq: 50 }));
    harness.disconnect();
    harness.connect();
    harness.deliver(harness.order("STOP", { seq: 20 }));
    expect(harness.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 3: a higher seq raises lastSeq, a lower one does not", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("STOP", { seq: 50 }));
    harness.deliver(harness.order("STOP", { seq: 20 }));
    expect(harness.robot.lastSeq).toBe(50);
  });
});

describe("a robot left alone", () => {
  it("protocol rule 4: stops maxDurationS after START, measured by the monotonic clock", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START", { maxDurationS: 60 }));
    harness.clockOffsetMs = -86_400_000;
    harness.pass(59_999);
    expect(harness.robot.motion).toBe("MOVING");
    expect(eventsIn(harness.pass(1))).toEqual(["RUN_ENDED MAX_DURATION"]);
  });

  it("protocol rule 4: stops after 300 s without its broker, and not after a shorter break", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START"));
    harness.disconnect();
    harness.pass(LINK_LOSS_MS - 1);
    harness.connect();
    harness.pass(2 * LINK_LOSS_MS);
    expect(harness.robot.motion).toBe("MOVING");
    harness.disconnect();
    harness.pass(LINK_LOSS_MS);
    expect(harness.robot.motion).toBe("STOPPED");
    expect(eventsIn(harness.connect())).toEqual(["RUN_BEGAN", "RUN_ENDED LINK_LOST"]);
  });

  it("protocol rule 4: reports the exact end time even after a long step", () => {
    const harness = RobotHarness.connected();
    const beganMs = harness.trueMs;
    harness.deliver(harness.order("START", { maxDurationS: 60 }));
    const ended = harness.pass(3_600_000).find(({ leaf, message }) => leaf === "event" && message.kind === "RUN_ENDED");
    expect(ended?.message).toMatchObject({ at: new Date(beganMs + 60_000).toISOString() });
  });
});

describe("a repeated command", () => {
  it("protocol rule 5: is acknowledged again and acts once", () => {
    const harness = RobotHarness.connected();
    const start = harness.order("START");
    harness.deliver(start);
    harness.deliver(harness.order("STOP"));
    expect(acksIn(harness.deliver(start))).toEqual([{ id: start.id, status: "ACCEPTED", code: null }]);
    expect(harness.robot.motion).toBe("STOPPED");
    expect(harness.moves).toEqual([start.id]);
  });

  it("protocol rule 5: repeats a refusal, although it could act by now", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START"));
    const second = harness.order("START");
    harness.deliver(second);
    harness.deliver(harness.order("STOP"));
    expect(acksIn(harness.deliver(second))).toMatchObject([{ status: "REJECTED", code: "BUSY" }]);
    expect(harness.moves).toHaveLength(1);
  });
});

describe("maintenance", () => {
  it("protocol rule 8: MAINTENANCE_ON stops, raises lastSeq, is accepted whatever its session, age or seq, and survives power loss", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START"));
    const lock = harness.order("MAINTENANCE_ON", { session: 0, expiresAt: new Date(0).toISOString() });
    const locked = harness.deliver(lock);
    expect(statesIn(locked).at(-1)).toMatchObject({ mode: "MAINTENANCE", motion: "STOPPED", lastSeq: lock.seq });
    expect(eventsIn(locked)).toEqual(["RUN_ENDED MAINTENANCE"]);
    expect(harness.robot.takeUnsaved()).toBe("before-publishing");
    harness.losePower();
    harness.connect();
    expect(harness.robot.mode).toBe("MAINTENANCE");
    expect(harness.robot.lastSeq).toBe(lock.seq);
  });

  it("protocol rule 8: refuses START and SET, accepts STOP, and a fresh MAINTENANCE_OFF restores the former mode", () => {
    const harness = RobotHarness.connected({ mode: "MANUAL" });
    harness.deliver(harness.order("MAINTENANCE_ON"));
    for (const verb of ["START", "SET"] as const) {
      expect(acksIn(harness.deliver(harness.order(verb)))).toMatchObject([{ status: "REJECTED", code: "MAINTENANCE" }]);
    }
    expect(acksIn(harness.deliver(harness.order("STOP")))).toMatchObject([{ status: "DONE" }]);
    harness.deliver(harness.order("MAINTENANCE_OFF"));
    expect(harness.robot.mode).toBe("MANUAL");
    expect(harness.robot.motion).toBe("STOPPED");
  });
});

describe("events", () => {
  it("are repeated every 10 s and after a reconnect until RECEIVED names them", () => {
    const harness = RobotHarness.connected();
    harness.pass(60_000);
    harness.deliver(harness.order("START"));
    expect(eventsIn(harness.pass(9_000))).toEqual([]);
    const repeated = harness.pass(1_000);
    expect(eventsIn(repeated)).toEqual(["RUN_BEGAN"]);
    harness.disconnect();
    const again = harness.connect();
    expect(eventsIn(again)).toEqual(["RUN_BEGAN"]);
    const event = again.find(({ leaf }) => leaf === "event")?.message;
    expect(event).toEqual(repeated.find(({ leaf }) => leaf === "event")?.message);
    const eventSeq = event !== undefined && "eventSeq" in event ? event.eventSeq : -1;
    const { lastCommandId } = statesIn(again)[0] ?? {};
    harness.deliver(harness.order("RECEIVED", { eventSeq }));
    expect(harness.robot.waitingEvents).toBe(0);
    expect(eventsIn(harness.pass(30_000))).toEqual([]);
    expect(statesIn(harness.published).at(-1)?.lastCommandId).toBe(lastCommandId);
  });

  it("survive power loss, which itself ends a run, and are bounded to 200", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START"));
    harness.losePower();
    expect(eventsIn(harness.connect())).toEqual(["RUN_BEGAN", "RUN_ENDED FAULT"]);
    for (let round = 0; round < 300; round += 1) harness.setConditions({ jammed: round % 2 === 0 });
    expect(harness.robot.waitingEvents).toBe(200);
  });

  it("report alerts raised and cleared, and the status text follows the worst", () => {
    const harness = RobotHarness.connected();
    const raised = harness.setConditions({ jammed: true, warning: "The brush is worn." });
    expect(eventsIn(raised)).toEqual(["ALERT_RAISED JAMMED", "ALERT_RAISED CHECK_NEEDED"]);
    expect(statesIn(raised)[0]).toMatchObject({
      status: "fault",
      alerts: [{ severity: "CRITICAL" }, { severity: "WARNING" }],
    });
    expect(eventsIn(harness.setConditions({ jammed: false }))).toEqual(["ALERT_CLEARED JAMMED"]);
    expect(harness.robot.status).toBe("warning");
    harness.setConditions({ oddStatus: "self-test" });
    expect(harness.robot.status).toBe("self-test");
  });

  it("a jam ends the run as a fault", () => {
    const harness = RobotHarness.connected();
    harness.deliver(harness.order("START"));
    expect(eventsIn(harness.setConditions({ jammed: true }))).toEqual(["RUN_ENDED FAULT", "ALERT_RAISED JAMMED"]);
  });
});
