import { hash, verify } from "@node-rs/argon2";
import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";
import { type PasswordOwner, weakPassword } from "@suncrew/domain/auth/passwords.ts";
import { dictionary } from "@zxcvbn-ts/language-common";
import { randomBytes, randomInt } from "node:crypto";

/** argon2id, 19 MiB and two passes: the library's own choice of algorithm, with explicit costs so that they stay. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

export async function passwordMatches(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}

let ofNobody: Promise<string> | null = null;

/** A hash that no password has, to do the same work for a nonexistent user; computed once per process. */
export function hashOfNobody(): Promise<string> {
  ofNobody ??= hashPassword(randomBytes(32).toString("base64"));
  return ofNobody;
}

/** Lower-case letters and digits without look-alikes (0 o, 1 i l), so that they can be read out and typed. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A password for somebody else, such as `k7wp-9mtx-2rhd-b8vq`: 16 random characters, some 79 bits. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** Those of the list that are long enough to be allowed at all, some 18,000. */
const common = new Set(dictionary["passwords-common"].filter((each) => each.length >= PASSWORD_MIN_LENGTH));

/** Why this person must not have this password, as a field error; null if it is allowed. */
export function weakPasswordOf(password: string, owner: PasswordOwner): string | null {
  return weakPassword(password, owner, (small) => common.has(small));
}

/** The published sign-ins of a demo; production never has them. */
export const demoSignIns = [
  { username: "admin", password: "admin@123", role: "SUPER_ADMIN" },
  { username: "partner", password: "partner@123", role: "PARTNER" },
] as const;
