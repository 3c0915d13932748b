import { changePassword } from "@suncrew/contract/auth/auth.ts";
import { type PasswordEntries, passwordToasts } from "@suncrew/domain/auth/passwords.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { noteOwnPassword } from "../../platform/session/session.ts";
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
  const outcome = await change({
    send: () => call(changePassword, { body: { currentPassword, newPassword } }),
    onDone: () => noteOwnPassword(),
    success: {
      title: "Password Updated",
      message: "Your password has been changed. Everywhere else you have been signed out.",
    },
    failure: { ...passwordToasts.failed, about: PASSWORD_CHANGE },
  });
  const isDone = outcome.kind === "done";
  return { isDone, refused: outcome.kind === "refused" ? refusedFields(outcome.problems) : {} };
}
