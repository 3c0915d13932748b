import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";

export type PasswordProblem = "current-missing" | "too-short" | "same" | "mismatch";

export interface PasswordEntries {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** What was typed the second time. */
  readonly confirmation: string;
}

/** §5 Change password: what the fields say. */
export const CURRENT_PASSWORD_REQUIRED = "Current password is required";
export const NEW_PASSWORD_TOO_SHORT = "New password must be at least 8 characters";

/** §5 Change password on the profile page: what the toasts say. */
export const passwordToasts = {
  mismatch: { title: "Password Mismatch", message: "New password and confirmation don't match." },
  "too-short": { title: "Password Too Short", message: "Password must be at least 8 characters long." },
  failed: {
    title: "Update Failed",
    message: "Failed to update password. Please check your current password.",
  },
} as const;

/** A password that the server generated signs its user in for so long; by then people have chosen their own. */
export const GENERATED_PASSWORD_DAYS = 14;

/** From when on a password that was generated then opens no new session. */
export function generatedPasswordUntil(madeAt: Date): Date {
  return new Date(madeAt.getTime() + GENERATED_PASSWORD_DAYS * 24 * 3_600_000);
}

/** The first problem that keeps a password from being changed; null where there is none. */
export function passwordProblem(entries: PasswordEntries): PasswordProblem | null {
  if (entries.currentPassword === "") return "current-missing";
  if (entries.newPassword.length < PASSWORD_MIN_LENGTH) return "too-short";
  if (entries.newPassword === entries.currentPassword) return "same";
  return entries.newPassword === entries.confirmation ? null : "mismatch";
}
