import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { routes } from "@suncrew/contract/routes.ts";
import { describe, expect, it } from "vitest";
import { may } from "./abilities.ts";
import { mayCall, permissions } from "./permissions.ts";

describe("§6 Roles and permissions", () => {
  it("allows only signed-in users to make calls, except those open to anyone", () => {
    expect(mayCall(null, "login")).toBe(true);
    expect(mayCall(null, "config")).toBe(true);
    expect(mayCall(null, "siteDetails")).toBe(false);
    expect(mayCall(null, "sendCommand")).toBe(false);
    expect(mayCall(null, "live")).toBe(false);
  });

  it("and the contract agree on the calls open to anyone", () => {
    const specs: Readonly<Record<string, RouteSpec>> = routes;
    const open = Object.entries(specs).flatMap(([name, route]) => (route.open === true ? [name] : []));
    const anyone = Object.entries(permissions).flatMap(([name, { access }]) => (access === "anyone" ? [name] : []));
    expect(open.toSorted()).toEqual(anyone.toSorted());
  });

  it("keeps the activity log to Super Admins", () => {
    expect(mayCall("PARTNER", "activityLogs")).toBe(false);
    expect(mayCall("SUPER_ADMIN", "activityLogs")).toBe(true);
  });

  it("lets a partner command robots but not change motor speeds", () => {
    expect(mayCall("PARTNER", "sendCommand")).toBe(true);
    expect(may("PARTNER", "changeMotorSpeeds")).toBe(false);
    expect(may("SUPER_ADMIN", "changeMotorSpeeds")).toBe(true);
    expect(may(null, "changeMotorSpeeds")).toBe(false);
  });
});
