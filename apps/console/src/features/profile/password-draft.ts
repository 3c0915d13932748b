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

/** In the order on screen. */
export const passwordFields = ["currentPassword", "newPassword", "confirmation"] as const;

export const noEntries: PasswordEntries = { currentPassword: "", newPassword: "", confirmation: "" };

/**
 * §5 Change password: the message at each field; none if it is valid. If the owner is unknown, only the server
 * decides which password is weak.
 */
export function fieldProblems(entries: PasswordEntries, owner: PasswordOwner | null): FieldWords {
  const right = { currentPassword: "any", newPassword: "long enough", confirmation: "long enough" };
  const isMissing = passwordProblem({ ...right, currentPassword: entries.currentPassword }) !== null;
  const isShort = passwordProblem({ ...right, newPassword: entries.newPassword }) === "too-short";
  const isSame = passwordProblem(entries) === "same";
  // The list of common ones is on the server.
  const weak = isShort || owner === null ? null : weakPassword(entries.newPassword, owner, () => false);
  // One error at a time: a new password that must be changed cannot match yet.
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

/** The server's messages for the fields of a refused change. */
export function refusedFields(errors: readonly FieldError[]): FieldWords {
  return Object.fromEntries(
    errors
      .filter(({ field }) => passwordFields.some((known) => known === field))
      .map((each) => [each.field, each.message]),
  );
}
