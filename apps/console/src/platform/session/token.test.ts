import { describe, expect, test } from "vitest";
import { decodeToken, validClaims } from "./token.ts";

const NOW_MS = Date.parse("2026-03-01T10:00:00Z");

function tokenOf(claims: unknown): string {
  return `head.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
}

describe("§5 Session token", () => {
  test("its middle segment is decoded, including letters beyond ASCII", () => {
    const claims = { id: 1, role: "PARTNER", email: "अशा@example.com", partnerId: 2, exp: 12 };
    expect(decodeToken(tokenOf(claims))).toEqual({ role: "PARTNER", exp: 12 });
  });

  test("it may contain the username, for password managers", () => {
    const claims = { role: "PARTNER", exp: 12, username: "suncare.services" };
    expect(decodeToken(tokenOf(claims))).toEqual(claims);
  });

  test.each([
    ["no segments", "nonsense"],
    ["an empty one", "a..b"],
    ["no base64", "a.%%%.b"],
    ["no JSON", `a.${Buffer.from("{").toString("base64url")}.b`],
    ["no expiry", tokenOf({ role: "PARTNER" })],
    ["an unknown role", tokenOf({ role: "ROOT", exp: 12 })],
  ])("counts as expired where it has %s", (_, token) => {
    expect(validClaims(token, 0)).toBeNull();
  });

  test("its expiry must be later than now", () => {
    const expiring = tokenOf({ role: "SUPER_ADMIN", exp: NOW_MS / 1000 });
    expect(validClaims(expiring, NOW_MS - 1)).not.toBeNull();
    expect(validClaims(expiring, NOW_MS)).toBeNull();
    expect(validClaims(expiring, NOW_MS + 1)).toBeNull();
  });
});
