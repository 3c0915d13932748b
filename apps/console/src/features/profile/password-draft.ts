import { NEW_PASSWORD_SAME, PASSWORD_MAX_LENGTH } from "@suncrew/contract/auth/auth.ts";
import type { FieldError } from "@suncrew/contract/http/error.ts";
import {
  CURRENT_PASSWORD_REQUIRED,
  NEW_PASSWORD_TOO_SHORT,
  type PasswordEntries,
  type PasswordOwner,
  passwordProblem,
  passwordToasts,
  weakPassword,
} from "@suncrew/domain/auth/passwords.ts";

export type PasswordField = keyof PasswordEntries;
export type FieldWords = Readonly<Partial<Record<PasswordField, string>>>;

/** In the order in which they stand. */
export const passwordFields = ["currentPassword", "newPassword", "confirmation"] as const;

export const noEntries: PasswordEntries = { currentPassword: "", newPassword: "", confirmation: "" };

/**
 * §5 Change password: what each field says of what is in it; nothing where all is well. Without the owner the server
 * alone says which password is weak.
 */
export function fieldProblems(entries: PasswordEntries, owner: PasswordOwner | null): FieldWords {
  const right = { currentPassword: "any", newPassword: "long enough", confirmation: "long enough" };
  const isMissing = passwordProblem({ ...right, currentPassword: entries.currentPassword }) !== null;
  const isShort = passwordProblem({ ...right, newPassword: entries.newPassword }) === "too-short";
  const isSame = passwordProblem(entries) === "same";
  // The list of common ones is the server's.
  const weak = isShort || owner === null ? null : weakPassword(entries.newPassword, owner, () => false);
  // One thing at a time: what has to be typed anew matches nothing yet.
  const isMismatch = !isShort && !isSame && entries.newPassword !== entries.confirmation;
  return {
    ...(isMissing && { currentPassword: CURRENT_PASSWORD_REQUIRED }),
    ...(weak !== null && { newPassword: weak }),
    ...(isShort && { newPassword: NEW_PASSWORD_TOO_SHORT }),
    ...(isSame && { newPassword: NEW_PASSWORD_SAME }),
    ...(entries.newPassword.length > PASSWORD_MAX_LENGTH && {
      newPassword: `New password must have at most ${PASSWORD_MAX_LENGTH} characters`,
    }),
    ...(isMismatch && { confirmation: passwordToasts.mismatch.message }),
  };
}

/** What the server said of the fields of a refused change. */
export function refusedFields(errors: readonly FieldError[]): FieldWords {
  return Object.fromEntries(
    errors
      .filter(({ field }) => passwordFields.some((known) => known === field))
      .map((each) => [each.field, each.message]),
  );
}
