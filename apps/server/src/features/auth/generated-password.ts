import { randomInt } from "node:crypto";

/** Small letters and digits without those that look alike (0 o, 1 i l), so that they can be read out and typed. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A password for somebody else, such as `k7wp-9mtx-2rhd-b8vq`: 16 characters by chance, some 79 bits. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
