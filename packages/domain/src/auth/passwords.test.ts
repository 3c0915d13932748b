import { expect, test } from "vitest";
import { PASSWORD_COMMON, PASSWORD_OBVIOUS, PASSWORD_REPEATED, passwordProblem, weakPassword } from "./passwords.ts";

test.each([
  ["", "12345678", "12345678", "current-missing"],
  ["old", "1234567", "1234567", "too-short"],
  ["old", "1234567", "another", "too-short"],
  ["old", "12345678", "12345679", "mismatch"],
  ["12345678", "12345678", "12345678", "same"],
  ["12345678", "12345678", "another", "same"],
  ["old", "12345678", "12345678", null],
] as const)("§5 Change password: %j, %j, %j", (currentPassword, newPassword, confirmation, problem) => {
  expect(passwordProblem({ currentPassword, newPassword, confirmation })).toBe(problem);
});

const owner = { username: "suncare.services", name: "Ravi Menon", email: "r.menon@suncare.example" };
const isCommon = (password: string) => ["sunshine1", "1q2w3e4r"].includes(password);

test.each([
  ["sunshine1", PASSWORD_COMMON],
  [" SunShine1 ", PASSWORD_COMMON],
  ["1q2w3e4r", PASSWORD_COMMON],
  ["aaaaaaaa", PASSWORD_REPEATED],
  ["12121212", PASSWORD_REPEATED],
  ["        ", PASSWORD_REPEATED],
  ["Suncrew2026!", PASSWORD_OBVIOUS],
  ["admin@123", PASSWORD_OBVIOUS],
  ["p@ssw0rd", PASSWORD_OBVIOUS],
  ["Suncare.Services1", PASSWORD_OBVIOUS],
  ["ravimenon", PASSWORD_OBVIOUS],
  ["Menon-1987", PASSWORD_OBVIOUS],
  ["admin-suncrew-1", PASSWORD_OBVIOUS],
  ["r.menon2026", PASSWORD_OBVIOUS],
  ["evening rain 77", null],
  ["  eight  ", null],
  ["k7wp-9mtx-2rhd-b8vq", null],
  ["Menon likes mangoes", null],
  ["48203957", null],
] as const)("§5 Change password: %j as a new password", (password, sentence) => {
  expect(weakPassword(password, owner, isCommon)).toBe(sentence);
});
