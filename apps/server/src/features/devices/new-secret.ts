import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;

/** Never with a dash at its beginning, which programs take for an option and spreadsheets for a formula. */
export function newSecret(): string {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  return secret.startsWith("-") ? newSecret() : secret;
}
