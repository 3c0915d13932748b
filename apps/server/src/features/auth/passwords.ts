import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

/** argon2id, 19 MiB and two passes: the library's own choice of algorithm, the costs named so that they stay. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

export async function passwordMatches(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}

let ofNobody: Promise<string> | null = null;

/** A hash that no password has, to do the same work for a user who does not exist; made once for each process. */
export function hashOfNobody(): Promise<string> {
  ofNobody ??= hashPassword(randomBytes(32).toString("base64"));
  return ofNobody;
}
