import { createHash, timingSafeEqual } from "node:crypto";

/** Compares digests, which have one length, so that timing reveals nothing about either text. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(one), digest(other));
}
