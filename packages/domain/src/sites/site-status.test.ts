import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type CountedRobot, siteCountersOf, siteStatusOf } from "./site-status.ts";
import { fleetFiguresOf } from "../robots/fleet-figures.ts";
import { timezoneAt } from "./timezone.ts";

function robots(...statuses: RobotStatus[]): CountedRobot[] {
  return statuses.map((status) => ({ status, operatingMode: "auto" }));
}

describe("§3 Site status", () => {
  test.each<[RobotStatus[], string]>([
    [[], "standby"],
    [["idle", "idle"], "standby"],
    [["idle", "normal"], "normal"],
    [["normal", "offline"], "warning"],
    [["normal", "warning"], "warning"],
    [["offline"], "warning"],
    [["warning", "offline", "critical", "normal"], "fault"],
    [["standby"], "standby"],
  ])("robots %j make the site %s", (statuses, status) => {
    expect(siteStatusOf(robots(...statuses))).toBe(status);
  });

  it("a robot that has never reported causes neither fault nor warning", () => {
    const awaited = { status: "offline", operatingMode: "auto", awaitsFirstConnection: true } as const;
    expect(siteStatusOf([awaited])).toBe("standby");
    expect(siteStatusOf([awaited, ...robots("normal")])).toBe("normal");
    expect(siteStatusOf([awaited, ...robots("offline")])).toBe("warning");
  });

  it("a robot in maintenance causes neither fault nor warning", () => {
    expect(siteStatusOf([{ status: "offline", operatingMode: "maintenance" }])).toBe("standby");
    expect(siteStatusOf([{ status: "offline", operatingMode: "maintenance" }, ...robots("normal")])).toBe("normal");
  });

  it("does not depend on the order of the robots", () => {
    const status = fc.constantFrom<RobotStatus>("normal", "idle", "warning", "offline", "standby", "critical");
    fc.assert(
      fc.property(fc.array(status, { maxLength: 8 }), (statuses) => {
        expect(siteStatusOf(robots(...statuses.toReversed()))).toBe(siteStatusOf(robots(...statuses)));
      }),
    );
  });
});

describe("§4 Site counters", () => {
  it("counts robots, those normal as active, those normal or idle as online", () => {
    expect(siteCountersOf(robots("normal", "normal", "idle", "warning", "offline", "critical"))).toEqual({
      robotCount: 6,
      activeRobots: 2,
      onlineRobots: 3,
    });
  });
});

describe("Dashboard figures", () => {
  it("recognises cleaning by motion and counts each robot once", () => {
    const there = { operatingMode: "auto", online: true } as const;
    const figures = fleetFiguresOf([
      { ...there, status: "normal", motion: "MOVING" },
      { ...there, status: "idle", motion: "MOVING" },
      { ...there, status: "normal", motion: "STOPPED" },
      { ...there, status: "warning", motion: "MOVING" },
      { ...there, status: "critical", motion: "STOPPED" },
      { ...there, status: "offline", motion: "MAY_BE_MOVING", online: false },
      { ...there, status: "offline", motion: "MAY_BE_MOVING", online: false, operatingMode: "maintenance" },
      { ...there, status: "offline", motion: "MUST_HAVE_STOPPED", online: false },
      { ...there, status: "offline", motion: "MOVING", operatingMode: "maintenance" },
      { ...there, status: "offline", motion: "STOPPED", operatingMode: "maintenance" },
    ]);
    expect(figures).toEqual({ mayBeMoving: 2, cleaning: 3, idle: 1, needsAttention: 2, offline: 1, maintenance: 1 });
  });
});

test.each([
  [27.539, 71.915, "Asia/Kolkata"],
  [48.137, 11.576, "Europe/Berlin"],
  [-33.868, 151.209, "Australia/Sydney"],
])("Time: a site at %d, %d has the time of %s", (latitude, longitude, zone) => {
  expect(timezoneAt(latitude, longitude)).toBe(zone);
});
