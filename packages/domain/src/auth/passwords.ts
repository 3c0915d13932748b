import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";

type PasswordProblem = "current-missing" | "too-short" | "same" | "mismatch";

export interface PasswordEntries {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** The second entry of the new password. */
  readonly confirmation: string;
}

/** §5 Change password: the messages at the fields. */
export const CURRENT_PASSWORD_REQUIRED = "Current password is required";
export const NEW_PASSWORD_TOO_SHORT = "New password must be at least 8 characters";

/** §5 Change password on the profile page: the toasts. */
export const passwordToasts = {
  mismatch: { title: "Password Mismatch", message: "New password and confirmation don't match." },
  "too-short": { title: "Password Too Short", message: "Password must be at least 8 characters long." },
  failed: {
    title: "Update Failed",
    message: "Failed to update password. Please check your current password.",
  },
} as const;

/** A generated password is valid for this long; by then people have chosen their own. */
export const GENERATED_PASSWORD_DAYS = 14;

/** From then on a generated password opens no new session. */
export function generatedPasswordUntil(madeAt: Date): Date {
  return new Date(madeAt.getTime() + GENERATED_PASSWORD_DAYS * 24 * 3_600_000);
}

/** The first problem that prevents a password change; null if there is none. */
export function passwordProblem(entries: PasswordEntries): PasswordProblem | null {
  if (entries.currentPassword === "") return "current-missing";
  if (entries.newPassword.length < PASSWORD_MIN_LENGTH) return "too-short";
  if (entries.newPassword === entries.currentPassword) return "same";
  return entries.newPassword === entries.confirmation ? null : "mismatch";
}

/** Names of the password's owner, and what attackers try first. */
export interface PasswordOwner {
  readonly username: string;
  readonly name?: string;
  readonly email?: string;
}

/** §5 Change password: the message at the field. */
export const PASSWORD_COMMON = "This password is one of the first that attackers try; choose another";
export const PASSWORD_OBVIOUS = "This password is little more than a name that anybody would try; choose another";
export const PASSWORD_REPEATED = "This password repeats very few characters; choose another";

/** The product, its roles, and the word itself. */
const product = ["suncrew", "admin", "superadmin", "administrator", "partner", "password", "robot", "solar"];
const FEWEST_CHARACTERS = 4;

/**
 * Why nobody should have this password, as the field shows it; null if it is acceptable. One
 * rule for all passwords that people choose; `isCommon` looks it up in the list of common ones, in lower case. The list
 * is too large for the console, which leaves this check to the server.
 */
export function weakPassword(
  password: string,
  owner: PasswordOwner,
  isCommon: (password: string) => boolean,
): string | null {
  const small = password.trim().toLowerCase();
  if (new Set(small).size < FEWEST_CHARACTERS) return PASSWORD_REPEATED;
  const names = [...product, ...namesOf(owner)].map(bare).filter((name) => name.length > 2);
  // With digits and punctuation around a name, or in place of its letters, it is the same name.
  if (spellings(small).some((spelling) => consistsOf(spelling, names))) return PASSWORD_OBVIOUS;
  return isCommon(small) ? PASSWORD_COMMON : null;
}

function namesOf({ username, name = "", email = "" }: PasswordOwner): string[] {
  return [username, name, ...name.toLowerCase().split(/\s+/), email.split("@")[0] ?? ""];
}

const signs: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
};

function spellings(small: string): string[] {
  const trimmed = small.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  const asLetters = (text: string) => bare(text.replaceAll(/[@431!0$5]/g, (sign) => signs[sign] ?? sign));
  return [bare(small), bare(trimmed), asLetters(small), asLetters(trimmed)];
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}]/gu, "");
}

/** Whether the password consists only of such names, like `adminadmin` and `suncrewadmin`. */
function consistsOf(text: string, names: readonly string[]): boolean {
  let left = text;
  for (const name of names.toSorted((one, other) => other.length - one.length)) left = left.replaceAll(name, "");
  return left === "" && text !== "";
}
