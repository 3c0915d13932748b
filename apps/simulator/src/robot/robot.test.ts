import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import { describe, expect, it, test } from "vitest";
import { acksIn, eventsIn, LINK_LOSS_MS, RobotBench, statesIn } from "../../test/robot-bench.ts";

const MINUTE_MS = 60_000;

describe("a robot that cleans", () => {
  it("protocol rule 6: shows a START by motion and run, and a STOP by standing still", () => {
    const bench = RobotBench.connected();
    const start = bench.order("START");
    const begun = bench.deliver(start);
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

    const stop = bench.order("STOP");
    const ended = bench.deliver(stop);
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

  it("drains while it moves, charges while it stands, and ends the pass by itself", () => {
    const bench = RobotBench.connected({ battery: 80 });
    bench.deliver(bench.order("START", { maxDurationS: 86_400 }));
    bench.pass(30 * MINUTE_MS);
    expect(bench.robot.battery).toBeLessThan(75);
    expect(eventsIn(bench.pass(100 * MINUTE_MS))).toContain("RUN_ENDED FINISHED");
    const left = bench.robot.battery;
    bench.pass(10 * MINUTE_MS);
    expect(bench.robot.battery).toBeGreaterThan(left);
  });

  it("stops itself with a battery that is nearly empty, and says that it is low", () => {
    const bench = RobotBench.connected({ battery: 21 });
    bench.deliver(bench.order("START", { maxDurationS: 86_400 }));
    expect(eventsIn(bench.pass(5 * MINUTE_MS))).toContain("ALERT_RAISED LOW_BATTERY");
    expect(bench.robot.status).toBe("warning");
    expect(eventsIn(bench.pass(60 * MINUTE_MS))).toContain("RUN_ENDED BATTERY");
    expect(eventsIn(bench.pass(60 * MINUTE_MS))).toContain("ALERT_CLEARED LOW_BATTERY");
  });

  it("reports each 30 s at the latest although nothing changed", () => {
    const bench = RobotBench.connected({ battery: 100 });
    let silentMs = 0;
    for (let second = 0; second < 300; second += 1) {
      silentMs = statesIn(bench.pass(1_000)).length > 0 ? 0 : silentMs + 1_000;
      expect(silentMs).toBeLessThan(30_000);
    }
  });

  it("answers STATUS at once with a fresh state that names it", () => {
    const bench = RobotBench.connected({ battery: 100 });
    const status = bench.order("STATUS");
    for (const _ of [1, 2]) {
      const states = statesIn(bench.deliver(status));
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
      const bench = RobotBench.connected();
      const command = bench.order(verb, change);
      expect(acksIn(bench.deliver(command))).toEqual([{ id: command.id, status: "REJECTED", code }]);
      expect(bench.robot.motion).toBe("STOPPED");
      expect(bench.robot.lastSeq).toBe(0);
    }
  });

  it("protocol rule 1: ignores a retained message on command", () => {
    const bench = RobotBench.connected();
    expect(bench.deliver(bench.order("START"), true)).toEqual([]);
    expect(bench.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 2: START while it moves is BUSY and changes nothing", () => {
    const bench = RobotBench.connected();
    const first = bench.order("START");
    bench.deliver(first);
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ status: "REJECTED", code: "BUSY" }]);
    expect(bench.robot.runId).toBe(first.runId);
    expect(bench.robot.lastSeq).toBe(first.seq);
  });

  it("refuses to start with a jam or an empty battery, and starts again once that is over", () => {
    const bench = RobotBench.connected();
    bench.become({ jammed: true });
    expect(bench.robot.status).toBe("fault");
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ code: "FAULT" }]);
    bench.become({ jammed: false, batteryHeldAt: 14 });
    expect(bench.robot.status).toBe("warning");
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ code: "BATTERY_LOW" }]);
    bench.become({ batteryHeldAt: null });
    bench.pass(30 * MINUTE_MS);
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ status: "ACCEPTED" }]);
  });

  it("protocol rule 12: a robot whose clock is not set rejects START and takes STOP", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START"));
    bench.clockOffsetMs = null;
    expect(acksIn(bench.deliver(bench.order("STOP")))).toMatchObject([{ status: "DONE" }]);
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ status: "REJECTED", code: "CLOCK_NOT_SET" }]);
    expect(bench.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 10: malformed and oversized messages change nothing and get no answer", () => {
    const bench = RobotBench.connected({ battery: 100 });
    const start = bench.order("START");
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
      expect(bench.deliverText(text)).toEqual([]);
    }
    expect(bench.robot.motion).toBe("STOPPED");
    expect(acksIn(bench.deliver(start))).toMatchObject([{ status: "ACCEPTED" }]);
  });
});

describe("STOP", () => {
  it("protocol rule 3: is taken whatever its session or age", () => {
    for (const change of [
      { session: 0 },
      { session: Number.MAX_SAFE_INTEGER },
      { expiresAt: new Date(0).toISOString() },
    ]) {
      const bench = RobotBench.connected();
      bench.deliver(bench.order("START"));
      bench.deliver(bench.order("STOP", change));
      expect(bench.robot.motion).toBe("STOPPED");
    }
  });

  it("protocol rule 3: is dropped only where a START with a higher seq was taken in the same session", () => {
    const bench = RobotBench.connected();
    const early = bench.order("STOP");
    const earlyOfOldSession = bench.order("STOP", { session: 0 });
    bench.deliver(bench.order("START"));
    expect(acksIn(bench.deliver(early))).toMatchObject([{ status: "REJECTED", code: "OLD_SEQ" }]);
    expect(bench.robot.motion).toBe("MOVING");
    bench.deliver(earlyOfOldSession);
    expect(bench.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 3: is taken after a reconnect, although a START of the session before had a higher seq", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START", { seq: 50 }));
    bench.disconnect();
    bench.connect();
    bench.deliver(bench.order("STOP", { seq: 20 }));
    expect(bench.robot.motion).toBe("STOPPED");
  });

  it("protocol rule 3: a higher seq raises lastSeq, a lower one does not", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("STOP", { seq: 50 }));
    bench.deliver(bench.order("STOP", { seq: 20 }));
    expect(bench.robot.lastSeq).toBe(50);
  });
});

describe("a robot left alone", () => {
  it("protocol rule 4: stops maxDurationS after START, measured by the monotonic clock", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START", { maxDurationS: 60 }));
    bench.clockOffsetMs = -86_400_000;
    bench.pass(59_999);
    expect(bench.robot.motion).toBe("MOVING");
    expect(eventsIn(bench.pass(1))).toEqual(["RUN_ENDED MAX_DURATION"]);
  });

  it("protocol rule 4: stops after 300 s without its broker, and not after a shorter break", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START"));
    bench.disconnect();
    bench.pass(LINK_LOSS_MS - 1);
    bench.connect();
    bench.pass(2 * LINK_LOSS_MS);
    expect(bench.robot.motion).toBe("MOVING");
    bench.disconnect();
    bench.pass(LINK_LOSS_MS);
    expect(bench.robot.motion).toBe("STOPPED");
    expect(eventsIn(bench.connect())).toEqual(["RUN_BEGAN", "RUN_ENDED LINK_LOST"]);
  });

  it("protocol rule 4: tells the true moment of the end also where the step was long", () => {
    const bench = RobotBench.connected();
    const beganMs = bench.trueMs;
    bench.deliver(bench.order("START", { maxDurationS: 60 }));
    const ended = bench.pass(3_600_000).find(({ leaf, message }) => leaf === "event" && message.kind === "RUN_ENDED");
    expect(ended?.message).toMatchObject({ at: new Date(beganMs + 60_000).toISOString() });
  });
});

describe("a repeated command", () => {
  it("protocol rule 5: is acknowledged again and acts once", () => {
    const bench = RobotBench.connected();
    const start = bench.order("START");
    bench.deliver(start);
    bench.deliver(bench.order("STOP"));
    expect(acksIn(bench.deliver(start))).toEqual([{ id: start.id, status: "ACCEPTED", code: null }]);
    expect(bench.robot.motion).toBe("STOPPED");
    expect(bench.moves).toEqual([start.id]);
  });

  it("protocol rule 5: keeps a refusal, although it could act by now", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START"));
    const second = bench.order("START");
    bench.deliver(second);
    bench.deliver(bench.order("STOP"));
    expect(acksIn(bench.deliver(second))).toMatchObject([{ status: "REJECTED", code: "BUSY" }]);
    expect(bench.moves).toHaveLength(1);
  });
});

describe("maintenance", () => {
  it("protocol rule 8: MAINTENANCE_ON stops, raises lastSeq, is taken whatever its session, age or seq, and survives power loss", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START"));
    const lock = bench.order("MAINTENANCE_ON", { session: 0, expiresAt: new Date(0).toISOString() });
    const locked = bench.deliver(lock);
    expect(statesIn(locked).at(-1)).toMatchObject({ mode: "MAINTENANCE", motion: "STOPPED", lastSeq: lock.seq });
    expect(eventsIn(locked)).toEqual(["RUN_ENDED MAINTENANCE"]);
    expect(bench.robot.takeUnsaved()).toBe("before-publishing");
    bench.losePower();
    bench.connect();
    expect(bench.robot.mode).toBe("MAINTENANCE");
    expect(bench.robot.lastSeq).toBe(lock.seq);
  });

  it("protocol rule 8: refuses START and SET, takes STOP, and a fresh MAINTENANCE_OFF ends it in the former mode", () => {
    const bench = RobotBench.connected({ mode: "MANUAL" });
    bench.deliver(bench.order("MAINTENANCE_ON"));
    for (const verb of ["START", "SET"] as const) {
      expect(acksIn(bench.deliver(bench.order(verb)))).toMatchObject([{ status: "REJECTED", code: "MAINTENANCE" }]);
    }
    expect(acksIn(bench.deliver(bench.order("STOP")))).toMatchObject([{ status: "DONE" }]);
    bench.deliver(bench.order("MAINTENANCE_OFF"));
    expect(bench.robot.mode).toBe("MANUAL");
    expect(bench.robot.motion).toBe("STOPPED");
  });
});

describe("events", () => {
  it("are repeated every 10 s and after a reconnect until RECEIVED names them", () => {
    const bench = RobotBench.connected();
    bench.pass(60_000);
    bench.deliver(bench.order("START"));
    expect(eventsIn(bench.pass(9_000))).toEqual([]);
    const repeated = bench.pass(1_000);
    expect(eventsIn(repeated)).toEqual(["RUN_BEGAN"]);
    bench.disconnect();
    const again = bench.connect();
    expect(eventsIn(again)).toEqual(["RUN_BEGAN"]);
    const event = again.find(({ leaf }) => leaf === "event")?.message;
    expect(event).toEqual(repeated.find(({ leaf }) => leaf === "event")?.message);
    const eventSeq = event !== undefined && "eventSeq" in event ? event.eventSeq : -1;
    const { lastCommandId } = statesIn(again)[0] ?? {};
    bench.deliver(bench.order("RECEIVED", { eventSeq }));
    expect(bench.robot.waitingEvents).toBe(0);
    expect(eventsIn(bench.pass(30_000))).toEqual([]);
    expect(statesIn(bench.said).at(-1)?.lastCommandId).toBe(lastCommandId);
  });

  it("survive power loss, which itself ends a run, and are bounded to 200", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START"));
    bench.losePower();
    expect(eventsIn(bench.connect())).toEqual(["RUN_BEGAN", "RUN_ENDED FAULT"]);
    for (let round = 0; round < 300; round += 1) bench.become({ jammed: round % 2 === 0 });
    expect(bench.robot.waitingEvents).toBe(200);
  });

  it("tell of alerts raised and cleared, and the status text follows the worst", () => {
    const bench = RobotBench.connected();
    const raised = bench.become({ jammed: true, warning: "The brush is worn." });
    expect(eventsIn(raised)).toEqual(["ALERT_RAISED JAMMED", "ALERT_RAISED CHECK_NEEDED"]);
    expect(statesIn(raised)[0]).toMatchObject({
      status: "fault",
      alerts: [{ severity: "CRITICAL" }, { severity: "WARNING" }],
    });
    expect(eventsIn(bench.become({ jammed: false }))).toEqual(["ALERT_CLEARED JAMMED"]);
    expect(bench.robot.status).toBe("warning");
    bench.become({ oddStatus: "self-test" });
    expect(bench.robot.status).toBe("self-test");
  });

  it("a jam ends the run as a fault", () => {
    const bench = RobotBench.connected();
    bench.deliver(bench.order("START"));
    expect(eventsIn(bench.become({ jammed: true }))).toEqual(["RUN_ENDED FAULT", "ALERT_RAISED JAMMED"]);
  });
});
