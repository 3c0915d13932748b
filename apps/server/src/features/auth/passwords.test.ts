import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";
import { expect, test } from "vitest";
import { generatePassword, StoredPasswords } from "./passwords.ts";

test("accounts and credentials: generated passwords can be read out, are long, and are never the same", () => {
  const made = Array.from({ length: 500 }, generatePassword);
  for (const password of made) {
    expect(password).toMatch(/^[2-9a-hj-km-np-z]{4}(-[2-9a-hj-km-np-z]{4}){3}$/);
    expect(password.length).toBeGreaterThan(PASSWORD_MIN_LENGTH);
  }
  expect(new Set(made).size).toBe(made.length);
});

const stored = new StoredPasswords("a key of at least thirty-two characters");
const sealed = stored.seal(7, "k7wp-9mtx-2rhd-b8vq");

test("accounts and credentials: a stored password is read with the same key, for the same user", () => {
  expect(sealed).toMatch(/^v1\.[\w-]+$/);
  expect(sealed).not.toContain("k7wp");
  expect(stored.open(7, sealed)).toBe("k7wp-9mtx-2rhd-b8vq");
  expect(stored.seal(7, "k7wp-9mtx-2rhd-b8vq")).not.toBe(sealed);
});

test("with another key, for another user, or changed, it is null", () => {
  expect(new StoredPasswords("another key of at least thirty-two characters").open(7, sealed)).toBeNull();
  expect(stored.open(8, sealed)).toBeNull();
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(stored.open(7, `v1.${changed.toString("base64url")}`)).toBeNull();
  }
});

test.each(["", "v1", "v1.", "v1.AAAA", "v2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "plain text"])(
  "anything else is null: %j",
  (text) => {
    expect(stored.open(7, text)).toBeNull();
  },
);
