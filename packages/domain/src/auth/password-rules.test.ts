import { expect, test } from "vitest";
import { passwordProblem } from "./password-rules.ts";

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
