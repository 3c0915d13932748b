import { changePassword } from "@suncrew/contract/auth/auth.ts";
import { type PasswordEntries, passwordToasts } from "@suncrew/domain/auth/passwords.ts";
import { call } from "../../platform/api/call.ts";
import { ApiError, serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { noteOwnPassword } from "../../platform/session/session.ts";
import { toast } from "../../platform/toast.tsx";
import { type FieldWords, refusedFields } from "./password-draft.ts";

/** What its messages are about: a new try takes the former one away. */
export const PASSWORD_CHANGE = "password-change";

export interface PasswordOutcome {
  readonly isDone: boolean;
  /** What the server said of the fields. */
  readonly refused: FieldWords;
}

/** Changes the own password and tells how that went, with the words of §8. */
export async function updatePassword({ currentPassword, newPassword }: PasswordEntries): Promise<PasswordOutcome> {
  try {
    await call(changePassword, { body: { currentPassword, newPassword } });
  } catch (error) {
    if (!(error instanceof TokenExpiredError)) {
      toast.failure({ ...passwordToasts.failed, reason: serverReason(error), about: PASSWORD_CHANGE });
    }
    return { isDone: false, refused: error instanceof ApiError ? refusedFields(error.errors) : {} };
  }
  noteOwnPassword();
  toast.success({
    title: "Password Updated",
    message: "Your password has been changed. Everywhere else you have been signed out.",
  });
  return { isDone: true, refused: {} };
}
