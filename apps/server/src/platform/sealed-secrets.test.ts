import { expect, test } from "vitest";
import { SealedSecrets } from "./sealed-secrets.ts";

const KEY = "a key of at least thirty-two characters";
const passwords = new SealedSecrets(KEY, "generated passwords");
const sealed = passwords.seal("user 7", "k7wp-9mtx-2rhd-b8vq");

test("accounts and credentials: a stored secret is read with the same key, for what it belongs to", () => {
  expect(sealed).toMatch(/^v1\.[\w-]+$/);
  expect(sealed).not.toContain("k7wp");
  expect(passwords.open("user 7", sealed)).toBe("k7wp-9mtx-2rhd-b8vq");
  expect(passwords.seal("user 7", "k7wp-9mtx-2rhd-b8vq")).not.toBe(sealed);
});

test("accounts and credentials: a generated password that version 1.0.0 stored can still be read", () => {
  const stored = "v1.uP7IoGUwzn7PKbZU1DCJnHOfKB31HzGhvNan05rc2qpRk_N8gg2Kol7ojOnBwLs";
  expect(passwords.open("user 7", stored)).toBe("k7wp-9mtx-2rhd-b8vq");
});

test("with another key, for another purpose, for something else, or changed, it is null", () => {
  const otherKey = new SealedSecrets("another key of at least thirty-two characters", "generated passwords");
  expect(otherKey.open("user 7", sealed)).toBeNull();
  expect(new SealedSecrets(KEY, "contact points").open("user 7", sealed)).toBeNull();
  expect(passwords.open("user 8", sealed)).toBeNull();
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(passwords.open("user 7", `v1.${changed.toString("base64url")}`)).toBeNull();
  }
});

test.each(["", "v1", "v1.", "v1.AAAA", "v2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "plain text"])(
  "anything else is null: %j",
  (text) => {
    expect(passwords.open("user 7", text)).toBeNull();
  },
);
