import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";
import { expect, test } from "vitest";
import { generatePassword } from "./passwords.ts";

test("accounts and credentials: generated passwords can be read out, are long, and are never the same", () => {
  const made = Array.from({ length: 500 }, generatePassword);
  for (const password of made) {
    expect(password).toMatch(/^[2-9a-hj-km-np-z]{4}(-[2-9a-hj-km-np-z]{4}){3}$/);
    expect(password.length).toBeGreaterThan(PASSWORD_MIN_LENGTH);
  }
  expect(new Set(made).size).toBe(made.length);
});
