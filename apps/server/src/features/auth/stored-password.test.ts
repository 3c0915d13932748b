import { expect, test } from "vitest";
import { StoredPasswords } from "./stored-password.ts";

const stored = new StoredPasswords("a key of at least thirty-two characters");
const sealed = stored.seal(7, "k7wp-9mtx-2rhd-b8vq");

test("accounts and credentials: a stored password is read with the same key, for the same user", () => {
  expect(sealed).toMatch(/^v1\.[\w-]+$/);
  expect(sealed).not.toContain("k7wp");
  expect(stored.open(7, sealed)).toBe("k7wp-9mtx-2rhd-b8vq");
  expect(stored.seal(7, "k7wp-9mtx-2rhd-b8vq")).not.toBe(sealed);
});

test("with another key, for another user, or changed, it is nothing", () => {
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
  "what is none is nothing: %j",
  (text) => {
    expect(stored.open(7, text)).toBeNull();
  },
);
