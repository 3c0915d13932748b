import { describe, expect, test } from "vitest";
import { PASSWORD_OBVIOUS } from "@suncrew/domain/auth/passwords.ts";
import { fieldProblems, refusedFields } from "./password-draft.ts";

const owner = { username: "anita", name: "Anita Rao", email: "anita@suncrew.example" };

describe("§5 Change password: what the fields report", () => {
  test.each([
    [
      "",
      "",
      "",
      { currentPassword: "Current password is required", newPassword: "New password must be at least 8 characters" },
    ],
    ["old", "1234567", "", { newPassword: "New password must be at least 8 characters" }],
    ["old", "12345678", "1234567", { confirmation: "New password and confirmation don't match." }],
    ["old", "x".repeat(201), "x".repeat(201), { newPassword: "New password must have at most 200 characters" }],
    ["12345678", "12345678", "12", { newPassword: "New password must differ from the current one" }],
    ["old", "12345678", "12345678", {}],
    [" ", "     a  bcd", "     a  bcd", {}],
    ["old", "Anita-2026", "Anita-2026", { newPassword: PASSWORD_OBVIOUS }],
  ])("%j, %j, %j", (currentPassword, newPassword, confirmation, words) => {
    expect(fieldProblems({ currentPassword, newPassword, confirmation }, owner)).toEqual(words);
  });

  test("the server's messages are shown at their fields; fields that are not shown have none", () => {
    const errors = [
      { field: "currentPassword", message: "Current password is incorrect" },
      { field: "body", message: "Something" },
    ];
    expect(refusedFields(errors)).toEqual({ currentPassword: "Current password is incorrect" });
  });
});
